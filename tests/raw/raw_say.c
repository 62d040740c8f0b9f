#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"

const uint8_t raw_hello[7] = {0x0a, 5, 0x0a, 3, 'r', 'a', 'w'};
const uint8_t raw_hello_1000[10] = {0x0a, 5, 0x0a, 3, 'r', 'a', 'w', 0x10, 0xe8, 7};

static const char *const usual[][2] = {
    {":method", "POST"},
    {":scheme", "http"},
    {":path", "/helloworld.Greeter/SayHello"},
    {":authority", "raw.test"},
    {"content-type", "application/grpc"},
    {"te", "trailers"},
};
#define USUAL (sizeof(usual) / sizeof(usual[0]))

// --- Bytes to send ---

void raw_put(struct raw *raw, const void *bytes, size_t len)
{
    if (edge_buffer_append(&raw->out, bytes, len) < 0)
        abort();
}

void raw_frame(struct raw *raw, unsigned type, unsigned flags, uint32_t stream, const void *payload,
               size_t len)
{
    uint8_t header[EDGE_FRAME_HEADER];
    edge_frame_write(header, (uint32_t)len, (enum edge_frame_type)type, flags, stream);
    raw_put(raw, header, sizeof(header));
    raw_put(raw, payload, len);
    if (type == EDGE_FRAME_DATA)
        raw->sent_data += len;
}

void raw_setting(struct raw *raw, uint16_t id, uint32_t value)
{
    const struct edge_setting setting = {id, value};
    uint8_t frame[EDGE_FRAME_HEADER + 6];
    raw_put(raw, frame, edge_frame_settings(frame, &setting, 1));
}

void raw_window(struct raw *raw, uint32_t stream, uint32_t increment)
{
    uint8_t frame[EDGE_FRAME_HEADER + 4];
    raw_put(raw, frame, edge_frame_window_update(frame, stream, increment));
}

void raw_reset(struct raw *raw, uint32_t stream, uint32_t code)
{
    uint8_t frame[EDGE_FRAME_HEADER + 4];
    raw_put(raw, frame, edge_frame_rst_stream(frame, stream, code));
}

void raw_ping(struct raw *raw)
{
    uint8_t frame[EDGE_FRAME_HEADER + 8];
    raw_put(raw, frame, edge_frame_ping(frame, (const uint8_t *)"raw.ping", 0));
}

struct line {
    const char *name, *value;
    size_t name_len, value_len;
    char mode; // '-', '+' or 0
};

// The next line of `fields`, or NULL behind the last one.
static const char *read_line(const char *fields, struct line *line)
{
    if (fields == NULL || *fields == '\0')
        return NULL;
    size_t len = strcspn(fields, "\n");
    const char *next = fields + len + (fields[len] == '\n');
    line->mode = *fields == '-' || *fields == '+' ? *fields : '\0';
    line->name = fields + (line->mode != '\0');
    const char *end = fields + len;
    const char *colon = memchr(line->name + 1, ':', (size_t)(end - line->name - 1));
    line->name_len = (size_t)((colon != NULL ? colon : end) - line->name);
    line->value = colon != NULL ? colon + 1 + (colon[1] == ' ') : end;
    line->value_len = (size_t)(end - line->value);
    return next;
}

static void encode(struct edge_buffer *block, const char *name, size_t name_len, const char *value,
                   size_t value_len)
{
    char *text = malloc(name_len + value_len + 2);
    if (text == NULL)
        abort();
    memcpy(text, name, name_len);
    text[name_len] = '\0';
    memcpy(text + name_len + 1, value, value_len);
    text[name_len + 1 + value_len] = '\0';
    if (edge_hpack_encode(block, EDGE_HPACK_STATELESS, text, text + name_len + 1, NULL) < 0)
        abort();
    free(text);
}

static bool is_usual(const struct line *line, size_t i)
{
    return strlen(usual[i][0]) == line->name_len &&
           memcmp(usual[i][0], line->name, line->name_len) == 0;
}

void raw_block(struct edge_buffer *block, const char *fields)
{
    struct line line;
    for (size_t i = 0; i < USUAL; i++) {
        const char *value = usual[i][1];
        size_t value_len = strlen(value);
        bool left_out = false;
        for (const char *at = fields; (at = read_line(at, &line)) != NULL;) {
            if (line.mode == '+' || !is_usual(&line, i))
                continue;
            left_out = line.mode == '-';
            value = line.value;
            value_len = line.value_len;
        }
        if (!left_out)
            encode(block, usual[i][0], strlen(usual[i][0]), value, value_len);
    }
    for (const char *at = fields; (at = read_line(at, &line)) != NULL;) {
        bool replaces = false;
        for (size_t i = 0; i < USUAL; i++)
            replaces |= line.mode != '+' && is_usual(&line, i);
        if (!replaces && line.mode != '-')
            encode(block, line.name, line.name_len, line.value, line.value_len);
    }
}

void raw_request(struct raw *raw, uint32_t stream, unsigned flags, const char *fields)
{
    struct edge_buffer block = {0};
    raw_block(&block, fields);
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | flags, stream,
              edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
}

void raw_message(struct raw *raw, uint32_t stream, unsigned flags, const void *bytes, size_t len)
{
    uint8_t head[EDGE_FRAME_HEADER + 5] = {0};
    edge_frame_write(head, (uint32_t)len + 5, EDGE_FRAME_DATA, flags, stream);
    edge_put_u32(head + EDGE_FRAME_HEADER + 1, (uint32_t)len);
    raw_put(raw, head, sizeof(head));
    raw_put(raw, bytes, len);
    raw->sent_data += len + 5;
}

void raw_call(struct raw *raw, uint32_t stream, const char *fields)
{
    raw_request(raw, stream, 0, fields);
    raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
}

size_t raw_room(struct raw *raw, uint32_t stream, size_t sent)
{
    uint64_t of_stream = raw->initial_window + raw_answer(raw, stream)->credit - sent;
    uint64_t of_all = raw->credit - raw->sent_data;
    return (size_t)(of_stream < of_all ? of_stream : of_all);
}

// --- Judging ---

const char *raw_answer_text(const struct raw_answer *answer, char *text, size_t size)
{
    int at = 0;
    text[0] = '\0';
    if (answer->http_status[0] != '\0')
        at += snprintf(text, size, "%s", answer->http_status);
    if (answer->grpc_status[0] != '\0')
        at += snprintf(text + at, size - (size_t)at, ", grpc-status %s", answer->grpc_status);
    if (answer->messages > 0)
        at += snprintf(text + at, size - (size_t)at, ", %u message%s", answer->messages,
                       answer->messages > 1 ? "s" : "");
    if (answer->reset)
        at += snprintf(text + at, size - (size_t)at, "%sreset %s", at > 0 ? ", " : "",
                       edge_h2_error_name(answer->reset_code));
    if (at == 0)
        snprintf(text, size, "no answer");
    else if (!answer->ended && !answer->reset)
        snprintf(text + at, size - (size_t)at, ", no end");
    return text;
}

const char *raw_connection_text(const struct raw *raw, char *text, size_t size)
{
    int at = 0;
    if (raw->goaways > 0)
        at = snprintf(text, size, "GOAWAY %s, ", edge_h2_error_name(raw->goaway_code));
    snprintf(text + at, size - (size_t)at, "%s", raw->closed ? "closed" : "open");
    return text;
}

void raw_check(struct raw *raw, bool holds, const char *format, ...)
{
    va_list list;
    if (holds || raw->failure[0] != '\0')
        return;
    va_start(list, format);
    vsnprintf(raw->failure, sizeof(raw->failure), format, list);
    va_end(list);
}

bool raw_one_of(const char *found, const char *wanted)
{
    size_t len = strlen(found);
    for (const char *at = wanted; at != NULL; at = strstr(at, " | ")) {
        if (at != wanted)
            at += 3;
        if (strncmp(at, found, len) == 0 && (at[len] == '\0' || strncmp(at + len, " | ", 3) == 0))
            return true;
    }
    return false;
}

void raw_check_answer(struct raw *raw, uint32_t stream, const char *wanted)
{
    char text[160], connection[64];
    raw_answer_text(raw_wait(raw, stream), text, sizeof(text));
    raw_check(raw, raw_one_of(text, wanted), "stream %u: expected %s, found %s (connection %s)",
              stream, wanted, text, raw_connection_text(raw, connection, sizeof(connection)));
}

void raw_check_connection(struct raw *raw, const char *wanted)
{
    char text[64];
    raw_wait_closed(raw);
    raw_connection_text(raw, text, sizeof(text));
    raw_check(raw, raw_one_of(text, wanted), "the connection: expected %s, found %s %s", wanted,
              text, raw->goaway_text);
}
