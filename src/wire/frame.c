#include "wire/frame.h"

#include <string.h>

size_t edge_frame_settings(uint8_t *out, const struct edge_setting *settings, size_t count)
{
    uint8_t *at = out + edge_frame_write(out, (uint32_t)(6 * count), EDGE_FRAME_SETTINGS, 0, 0);
    for (size_t i = 0; i < count; i++, at += 6) {
        at[0] = (uint8_t)(settings[i].id >> 8);
        at[1] = (uint8_t)settings[i].id;
        edge_put_u32(at + 2, settings[i].value);
    }
    return (size_t)(at - out);
}

size_t edge_frame_settings_ack(uint8_t *out)
{
    return edge_frame_write(out, 0, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0);
}

size_t edge_frame_ping(uint8_t *out, const uint8_t data[8], unsigned flags)
{
    edge_frame_write(out, 8, EDGE_FRAME_PING, flags, 0);
    memcpy(out + EDGE_FRAME_HEADER, data, 8);
    return EDGE_FRAME_HEADER + 8;
}

size_t edge_frame_rst_stream(uint8_t *out, uint32_t stream, uint32_t code)
{
    edge_frame_write(out, 4, EDGE_FRAME_RST_STREAM, 0, stream);
    edge_put_u32(out + EDGE_FRAME_HEADER, code);
    return EDGE_FRAME_HEADER + 4;
}

size_t edge_frame_window_update(uint8_t *out, uint32_t stream, uint32_t increment)
{
    edge_frame_write(out, 4, EDGE_FRAME_WINDOW_UPDATE, 0, stream);
    edge_put_u32(out + EDGE_FRAME_HEADER, increment);
    return EDGE_FRAME_HEADER + 4;
}

size_t edge_frame_goaway(uint8_t *out, uint32_t last_stream, uint32_t code, const void *debug,
                         size_t debug_len)
{
    edge_frame_write(out, (uint32_t)(8 + debug_len), EDGE_FRAME_GOAWAY, 0, 0);
    edge_put_u32(out + EDGE_FRAME_HEADER, last_stream);
    edge_put_u32(out + EDGE_FRAME_HEADER + 4, code);
    if (debug_len > 0)
        memcpy(out + EDGE_FRAME_HEADER + 8, debug, debug_len);
    return EDGE_FRAME_HEADER + 8 + debug_len;
}

const char *edge_frame_name(unsigned type)
{
    static const char *const names[] = {
        "DATA",         "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
        "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION",
    };
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

const char *edge_h2_error_name(uint32_t code)
{
    static const char *const names[EDGE_H2_ERRORS] = {
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    };
    return code < EDGE_H2_ERRORS ? names[code] : "unknown";
}
