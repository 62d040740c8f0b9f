// HTTP/2 frames as bytes (RFC 9113 sections 4 and 6). Nothing here reads or writes a socket.
//
// Builders write into memory of the caller and return the number of bytes; how many that can be is
// a constant beside each one.
#ifndef EDGE_WIRE_FRAME_H
#define EDGE_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_FRAME_HEADER      9u          // section 4.1
#define EDGE_FRAME_MAX_DEFAULT 16384u      // section 6.5.2, SETTINGS_MAX_FRAME_SIZE
#define EDGE_FRAME_MAX_LIMIT   16777215u   // its largest legal value
#define EDGE_WINDOW_DEFAULT    65535u      // section 6.9.2
#define EDGE_WINDOW_MAX        0x7fffffffu // section 6.9.1
#define EDGE_STREAM_ID_MAX     0x7fffffffu // section 5.1.1

// What a client sends first, before its SETTINGS (section 3.4). Not terminated in the wire sense:
// EDGE_PREFACE_LEN bytes.
#define EDGE_PREFACE     "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define EDGE_PREFACE_LEN 24u

enum edge_frame_type { // section 6
    EDGE_FRAME_DATA = 0,
    EDGE_FRAME_HEADERS = 1,
    EDGE_FRAME_PRIORITY = 2,
    EDGE_FRAME_RST_STREAM = 3,
    EDGE_FRAME_SETTINGS = 4,
    EDGE_FRAME_PUSH_PROMISE = 5,
    EDGE_FRAME_PING = 6,
    EDGE_FRAME_GOAWAY = 7,
    EDGE_FRAME_WINDOW_UPDATE = 8,
    EDGE_FRAME_CONTINUATION = 9,
};

enum edge_frame_flag {
    EDGE_FLAG_ACK = 0x1,        // SETTINGS, PING
    EDGE_FLAG_END_STREAM = 0x1, // DATA, HEADERS
    EDGE_FLAG_END_HEADERS = 0x4,
    EDGE_FLAG_PADDED = 0x8,
    EDGE_FLAG_PRIORITY = 0x20,
};

enum edge_setting_id { // section 6.5.2
    EDGE_SETTING_HEADER_TABLE_SIZE = 1,
    EDGE_SETTING_ENABLE_PUSH = 2,
    EDGE_SETTING_MAX_CONCURRENT_STREAMS = 3,
    EDGE_SETTING_INITIAL_WINDOW_SIZE = 4,
    EDGE_SETTING_MAX_FRAME_SIZE = 5,
    EDGE_SETTING_MAX_HEADER_LIST_SIZE = 6,
};

enum edge_h2_error { // section 7
    EDGE_H2_NO_ERROR = 0,
    EDGE_H2_PROTOCOL_ERROR = 1,
    EDGE_H2_INTERNAL_ERROR = 2,
    EDGE_H2_FLOW_CONTROL_ERROR = 3,
    EDGE_H2_SETTINGS_TIMEOUT = 4,
    EDGE_H2_STREAM_CLOSED = 5,
    EDGE_H2_FRAME_SIZE_ERROR = 6,
    EDGE_H2_REFUSED_STREAM = 7,
    EDGE_H2_CANCEL = 8,
    EDGE_H2_COMPRESSION_ERROR = 9,
    EDGE_H2_CONNECT_ERROR = 10,
    EDGE_H2_ENHANCE_YOUR_CALM = 11,
    EDGE_H2_INADEQUATE_SECURITY = 12,
    EDGE_H2_HTTP_1_1_REQUIRED = 13,
    EDGE_H2_ERRORS
};

struct edge_frame {
    uint32_t len;    // of the payload; 24 bits
    uint8_t type;    // enum edge_frame_type, or an unknown one (to be skipped, section 4.1)
    uint8_t flags;   // enum edge_frame_flag
    uint32_t stream; // 31 bits; 0: the connection
};

struct edge_setting {
    uint16_t id; // enum edge_setting_id, or an unknown one (to be skipped)
    uint32_t value;
};

// Big-endian numbers, as HTTP/2 and the gRPC message prefix have them.
static inline uint32_t edge_get_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
static inline void edge_put_u32(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

// Reads a frame header of EDGE_FRAME_HEADER bytes. The reserved bit is dropped.
static inline struct edge_frame edge_frame_read(const uint8_t *bytes)
{
    return (struct edge_frame){
        .len = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2],
        .type = bytes[3],
        .flags = bytes[4],
        .stream = edge_get_u32(bytes + 5) & EDGE_STREAM_ID_MAX,
    };
}

// Writes a frame header of EDGE_FRAME_HEADER bytes; `len` < 2^24. Returns EDGE_FRAME_HEADER.
static inline size_t edge_frame_write(uint8_t *out, uint32_t len, enum edge_frame_type type,
                                      unsigned flags, uint32_t stream)
{
    edge_put_u32(out, len << 8 | (uint32_t)type);
    out[4] = (uint8_t)flags;
    edge_put_u32(out + 5, stream);
    return EDGE_FRAME_HEADER;
}

// Whole frames. Each returns its length: EDGE_FRAME_HEADER plus the payload named beside it.
size_t edge_frame_settings(uint8_t *out, const struct edge_setting *settings,
                           size_t count);                                           // 6 * count
size_t edge_frame_settings_ack(uint8_t *out);                                       // 0
size_t edge_frame_ping(uint8_t *out, const uint8_t data[8], unsigned flags);        // 8
size_t edge_frame_rst_stream(uint8_t *out, uint32_t stream, uint32_t code);         // 4
size_t edge_frame_window_update(uint8_t *out, uint32_t stream, uint32_t increment); // 4
size_t edge_frame_goaway(uint8_t *out, uint32_t last_stream, uint32_t code, const void *debug,
                         size_t debug_len); // 8 + debug_len

// Reads setting number `index` of a SETTINGS payload (6 bytes each).
static inline struct edge_setting edge_frame_setting(const uint8_t *payload, size_t index)
{
    const uint8_t *at = payload + 6 * index;
    return (struct edge_setting){(uint16_t)(at[0] << 8 | at[1]), edge_get_u32(at + 2)};
}

// "DATA", "HEADERS", ...; "unknown" for other numbers. Static storage.
const char *edge_frame_name(unsigned type);
// "NO_ERROR", "PROTOCOL_ERROR", ...; "unknown". Static storage.
const char *edge_h2_error_name(uint32_t code);

#endif
