#include "lies.h"

#include <stdlib.h>
#include <string.h>

#include "lies_hpack.h"
#include "wire/hpack.h"

#define PREFIX       5 // a message's flag and length
#define RESET_EVERY  7
#define GOAWAY_AFTER 100 // requests of a connection
#define CLOSE_AFTER  50

// Sends header fields, each left out if NULL, without touching the dynamic table.
static void send_fields(struct liar *liar, uint32_t stream, bool ends, const char *status,
                        const char *content_type, const char *grpc_status)
{
    const char *fields[][2] = {
        {":status", status}, {"content-type", content_type}, {"grpc-status", grpc_status}};
    struct edge_buffer block = {0};
    for (size_t i = 0; i < 3; i++) {
        if (fields[i][1] != NULL &&
            edge_hpack_encode(&block, EDGE_HPACK_STATELESS, fields[i][0], fields[i][1], NULL) < 0)
            abort();
    }
    liar_frame(liar, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | (ends ? EDGE_FLAG_END_STREAM : 0u),
               stream, edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
}

static void begin(struct liar *liar, const struct liar_stream *stream)
{
    send_fields(liar, stream->id, false, "200", "application/grpc", NULL);
}

static void end(struct liar *liar, const struct liar_stream *stream, const char *grpc_status)
{
    send_fields(liar, stream->id, true, NULL, NULL, grpc_status);
}

// The request's own messages: the right reply of an echo.
static void echo(struct liar *liar, const struct liar_stream *stream, unsigned flags)
{
    liar_frame(liar, EDGE_FRAME_DATA, flags, stream->id, stream->bytes.data + stream->bytes.start,
               stream->bytes.len);
}

static void answer_honest(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    begin(liar, stream);
    echo(liar, stream, 0);
    end(liar, stream, "0");
}

// Sends the messages with the last byte changed and `promised` added to the prefix's length.
static void send_changed(struct liar *liar, const struct liar_stream *stream, uint8_t flip,
                         uint32_t promised)
{
    struct edge_buffer bytes = {0};
    if (edge_buffer_append(&bytes, stream->bytes.data + stream->bytes.start, stream->bytes.len) < 0)
        abort();
    uint8_t *head = edge_buffer_head(&bytes);
    if (bytes.len >= PREFIX) {
        edge_put_u32(head + 1, edge_get_u32(head + 1) + promised);
        head[bytes.len - 1] ^= flip;
    }
    begin(liar, stream);
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, head, bytes.len);
    end(liar, stream, "0");
    edge_buffer_free(&bytes);
}

static void answer_wrong_reply(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    send_changed(liar, stream, 1, 0);
}

static void answer_cut_message(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    send_changed(liar, stream, 0, 10);
}

// The same meaning in other bytes: the Hello's length, which is one byte, is written as a varint
// of two.
static void answer_noncanonical(struct liar *liar, const struct liar_stream *stream,
                                uint64_t number)
{
    const uint8_t *bytes = stream->bytes.data + stream->bytes.start;
    if (stream->bytes.len < PREFIX + 2 || bytes[PREFIX + 1] >= 0x80) {
        answer_honest(liar, stream, number);
        return;
    }
    uint8_t head[PREFIX + 3];
    memcpy(head, bytes, PREFIX + 2);
    edge_put_u32(head + 1, edge_get_u32(head + 1) + 1);
    head[PREFIX + 1] |= 0x80;
    head[PREFIX + 2] = 0;
    begin(liar, stream);
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, head, sizeof(head));
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, bytes + PREFIX + 2,
               stream->bytes.len - PREFIX - 2);
    end(liar, stream, "0");
}

// The first request's reply for everyone.
static void answer_canned_reply(struct liar *liar, const struct liar_stream *stream,
                                uint64_t number)
{
    struct edge_buffer *canned = &liar->shared->canned;
    if (number == 1 &&
        edge_buffer_append(canned, stream->bytes.data + stream->bytes.start, stream->bytes.len) < 0)
        abort();
    begin(liar, stream);
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, edge_buffer_head(canned), canned->len);
    end(liar, stream, "0");
}

static void answer_status_13(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    begin(liar, stream);
    echo(liar, stream, 0);
    end(liar, stream, "13");
}

static void answer_trailers_only_13(struct liar *liar, const struct liar_stream *stream,
                                    uint64_t number)
{
    (void)number;
    send_fields(liar, stream->id, true, "200", "application/grpc", "13");
}

static void answer_no_trailers(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    begin(liar, stream);
    echo(liar, stream, EDGE_FLAG_END_STREAM);
}

static void answer_http_500(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    send_fields(liar, stream->id, true, "500", "text/html", NULL);
}

static void answer_bad_content_type(struct liar *liar, const struct liar_stream *stream,
                                    uint64_t number)
{
    (void)number;
    send_fields(liar, stream->id, false, "200", "text/html", NULL);
    echo(liar, stream, 0);
    end(liar, stream, "0");
}

static void answer_early_data(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    send_fields(liar, stream->id, false, "103", NULL, NULL);
    echo(liar, stream, 0);
    begin(liar, stream);
    end(liar, stream, "0");
}

// Trailers that do not end the stream; something else does.
static void answer_open_trailers(struct liar *liar, const struct liar_stream *stream,
                                 uint64_t number)
{
    (void)number;
    begin(liar, stream);
    echo(liar, stream, 0);
    send_fields(liar, stream->id, false, NULL, NULL, "0");
    end(liar, stream, "0");
}

static void answer_empty_headers(struct liar *liar, const struct liar_stream *stream,
                                 uint64_t number)
{
    (void)number;
    liar_frame(liar, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, stream->id,
               "", 0);
}

static void answer_extra_reply(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    begin(liar, stream);
    echo(liar, stream, 0);
    echo(liar, stream, 0);
    end(liar, stream, "0");
}

static void answer_missing_reply(struct liar *liar, const struct liar_stream *stream,
                                 uint64_t number)
{
    (void)number;
    begin(liar, stream);
    end(liar, stream, "0");
}

static void answer_silent(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)liar;
    (void)stream;
    (void)number;
}

static void answer_reset(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    begin(liar, stream);
    liar_reset(liar, stream->id, EDGE_H2_INTERNAL_ERROR);
}

static void answer_reset_every_k(struct liar *liar, const struct liar_stream *stream,
                                 uint64_t number)
{
    if (number % RESET_EVERY == 0)
        answer_reset(liar, stream, number);
    else
        answer_honest(liar, stream, number);
}

static void answer_refused(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    (void)number;
    liar_reset(liar, stream->id, EDGE_H2_REFUSED_STREAM);
}

static void answer_refused_every_k(struct liar *liar, const struct liar_stream *stream,
                                   uint64_t number)
{
    if (number % RESET_EVERY == 0)
        answer_refused(liar, stream, number);
    else
        answer_honest(liar, stream, number);
}

// Interim responses (RFC 9110 section 15.2) before the final one.
static void answer_interim(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    for (uint64_t i = 0; i < number % 3; i++)
        send_fields(liar, stream->id, false, i == 0 ? "103" : "100", NULL, NULL);
    answer_honest(liar, stream, number);
}

// GOAWAY that names the oldest call in flight: the younger ones were not processed.
static void turn_goaway_midrun(struct liar *liar)
{
    const struct liar_stream *oldest = liar->streams;
    if (liar->last_accepted != EDGE_STREAM_ID_MAX || liar->requests < GOAWAY_AFTER ||
        oldest == NULL || oldest->next == NULL)
        return;
    liar_goaway(liar, oldest->id, EDGE_H2_NO_ERROR, "the lie says so");
    liar_drop_above(liar, oldest->id);
}

// As servers do that leave in order (RFC 9113 section 6.8): notice first, then the last stream.
static void turn_goaway_twice(struct liar *liar)
{
    if (liar->last_accepted == EDGE_STREAM_ID_MAX && liar->requests >= GOAWAY_AFTER &&
        liar->streams != NULL && liar->streams->next != NULL)
        liar_goaway(liar, EDGE_STREAM_ID_MAX, EDGE_H2_NO_ERROR, "soon");
    turn_goaway_midrun(liar);
}

static void turn_close_midrun(struct liar *liar)
{
    liar->hangup = liar->requests >= CLOSE_AFTER && liar->streams != NULL;
}

// The client's windows shrink and grow under its hands (RFC 9113 section 6.9.2).
static void turn_tiny_windows(struct liar *liar)
{
    if (liar->settings_unacked || liar->requests < liar->window_changed_at + 5)
        return;
    liar->window_changed_at = liar->requests;
    liar_set_window(liar, liar->window_setting == 10 ? 3 : 10);
}

// Padding, CONTINUATIONs, a message prefix cut in two, empty DATA, and frames that ask for nothing.
static void answer_padded(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    static const char headers[] = "\x03\x88\x0f\x10\x10"
                                  "appl\0\0\0";
    uint8_t padded[1 + 3 + 255] = {0};
    const uint8_t *bytes = stream->bytes.data + stream->bytes.start;
    size_t first = stream->bytes.len < 3 ? stream->bytes.len : 3;
    size_t pad = number % 256;
    padded[0] = (uint8_t)pad;
    memcpy(padded + 1, bytes, first);

    liar_frame(liar, EDGE_FRAME_HEADERS, EDGE_FLAG_PADDED, stream->id, headers,
               sizeof(headers) - 1);
    liar_frame(liar, EDGE_FRAME_CONTINUATION, 0, stream->id, "", 0);
    liar_frame(liar, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, stream->id, "ication/grpc",
               12);
    liar_frame(liar, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, stream->id, padded, 1 + first + pad);
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, "", 0);
    liar_frame(liar, EDGE_FRAME_PRIORITY, 0, stream->id, "\0\0\0\0\x10", 5);
    liar_frame(liar, 0x77, 0xff, stream->id, "unknown", 7);
    liar_frame(liar, EDGE_FRAME_PING, 0, 0, "are you?", 8);
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, bytes + first, stream->bytes.len - first);
    liar_frame(liar, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, stream->id, "\0", 1);
    end(liar, stream, "0");
}

// Every lie about a single call, in turn: no reply is right.
static void answer_mix(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    static void (*const lies[])(struct liar *, const struct liar_stream *, uint64_t) = {
        answer_wrong_reply, answer_status_13,        answer_no_trailers,      answer_http_500,
        answer_reset,       answer_refused,          answer_extra_reply,      answer_missing_reply,
        answer_cut_message, answer_bad_content_type, answer_trailers_only_13,
    };
    lies[number % (sizeof(lies) / sizeof(lies[0]))](liar, stream, number);
}

static const struct lie table[] = {
    // No call is answered rightly.
    {.name = "mix", .answer = answer_mix},
    {.name = "wrong_reply", .answer = answer_wrong_reply},
    {.name = "status_13", .answer = answer_status_13},
    {.name = "trailers_only_13", .answer = answer_trailers_only_13},
    {.name = "no_trailers", .answer = answer_no_trailers},
    {.name = "http_500", .answer = answer_http_500},
    {.name = "bad_content_type", .answer = answer_bad_content_type},
    {.name = "extra_reply", .answer = answer_extra_reply},
    {.name = "missing_reply", .answer = answer_missing_reply},
    {.name = "cut_message", .answer = answer_cut_message},
    {.name = "early_data", .answer = answer_early_data},
    {.name = "open_trailers", .answer = answer_open_trailers},
    {.name = "empty_headers", .answer = answer_empty_headers},
    {.name = "silent", .answer = answer_silent},
    {.name = "max_streams_0",
     .settings = {{EDGE_SETTING_MAX_CONCURRENT_STREAMS, 0}},
     .answer = answer_honest},
    // Some are.
    {.name = "canned_reply", .answer = answer_canned_reply},
    {.name = "reset_every_K", .answer = answer_reset_every_k},
    {.name = "refused_every_K", .answer = answer_refused_every_k},
    {.name = "goaway_midrun", .turn = turn_goaway_midrun, .answer = answer_honest},
    {.name = "goaway_twice", .turn = turn_goaway_twice, .answer = answer_honest},
    {.name = "close_midrun", .turn = turn_close_midrun, .answer = answer_honest},
    {.name = "stale_status", .answer = lies_answer_stale_status},
    // All are: peers that are hard to please, or to follow.
    {.name = "honest", .answer = answer_honest},
    {.name = "noncanonical", .answer = answer_noncanonical},
    {.name = "padded", .answer = answer_padded},
    {.name = "interim", .answer = answer_interim},
    {.name = "reindexing", .answer = lies_answer_reindexing},
    {.name = "max_streams_1",
     .settings = {{EDGE_SETTING_MAX_CONCURRENT_STREAMS, 1}},
     .answer = answer_honest},
    {.name = "tiny_windows",
     .settings = {{EDGE_SETTING_INITIAL_WINDOW_SIZE, 10}},
     .dribble = true,
     .turn = turn_tiny_windows,
     .answer = answer_honest},
    {.name = "table_size_0",
     .settings = {{EDGE_SETTING_HEADER_TABLE_SIZE, 0}},
     .answer = answer_honest},
    {.name = "table_size_dips",
     .settings = {{EDGE_SETTING_HEADER_TABLE_SIZE, 0}, {EDGE_SETTING_HEADER_TABLE_SIZE, 4096}},
     .answer = answer_honest},
};

const struct lie *lies_find(const char *name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

void lies_print(FILE *out)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        fprintf(out, "%s\n", table[i].name);
}
