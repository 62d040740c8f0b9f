#include "raw.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define READ_BYTES 65536u
#define BLOCK_TEXT 65536u
#define SEAL_BYTES 16384u // at a time: a record

void raw_init(struct raw *raw, const struct edge_address *address)
{
    *raw = (struct raw){.address = address, .fd = -1};
}

void raw_close(struct raw *raw)
{
    if (raw->fd >= 0)
        close(raw->fd);
    raw->fd = -1;
    if (raw->session != NULL)
        raw->session->ops->del(raw->session);
    raw->session = NULL;
    edge_hpack_decoder_del(raw->decoder);
    raw->decoder = NULL;
}

void raw_free(struct raw *raw)
{
    raw_close(raw);
    edge_buffer_free(&raw->out);
    edge_buffer_free(&raw->in);
    edge_buffer_free(&raw->block);
    edge_buffer_free(&raw->wire);
}

static void take_sealed(struct raw *raw, const uint8_t *bytes, size_t len);

static bool shake_hands(struct raw *raw)
{
    if (edge_tls_session_new(raw->tls, &raw->session) < 0)
        abort();
    raw->shaking = true;
    take_sealed(raw, NULL, 0);
    RAW_WAIT(raw, !raw->shaking)
    raw_check(raw, !raw->shaking, "no TLS with %s: found %s", raw->address->text,
              edge_tls_failure(raw->tls));
    return !raw->shaking;
}

bool raw_connect(struct raw *raw)
{
    raw_close(raw);
    raw->fd = edge_socket_connect(raw->address);
    raw->decoder = edge_hpack_decoder_new(BLOCK_TEXT);
    if (raw->decoder == NULL)
        abort();
    edge_buffer_consume(&raw->out, raw->out.len);
    edge_buffer_consume(&raw->in, raw->in.len);
    edge_buffer_consume(&raw->block, raw->block.len);
    edge_buffer_consume(&raw->wire, raw->wire.len);
    memset(raw->answers, 0, sizeof(raw->answers));
    raw->closed = raw->deaf = raw->shaking = false;
    raw->block_stream = 0;
    raw->next_stream = 1;
    raw->max_streams = UINT32_MAX;
    raw->initial_window = EDGE_WINDOW_DEFAULT;
    raw->credit = EDGE_WINDOW_DEFAULT;
    raw->settings = raw->acks = raw->ping_acks = raw->goaways = 0;
    raw->goaway_code = raw->goaway_last = 0;
    raw->goaway_text[0] = '\0';
    raw->ended = raw->resets = raw->refused = raw->bytes_in = raw->sent_data = 0;
    return raw->fd >= 0 && (raw->tls == NULL || shake_hands(raw));
}

bool raw_open(struct raw *raw, bool ack)
{
    const struct edge_setting window = {EDGE_SETTING_INITIAL_WINDOW_SIZE, EDGE_WINDOW_MAX};
    uint8_t settings[EDGE_FRAME_HEADER + 6];
    if (!raw_connect(raw))
        return false;
    raw_put(raw, EDGE_PREFACE, EDGE_PREFACE_LEN);
    raw_put(raw, settings, edge_frame_settings(settings, &window, 1));
    raw_window(raw, 0, EDGE_WINDOW_MAX - EDGE_WINDOW_DEFAULT);
    if (ack)
        raw_frame(raw, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, NULL, 0);
    return true;
}

// --- What the server says ---

struct raw_answer *raw_answer(struct raw *raw, uint32_t stream)
{
    struct raw_answer *answer = &raw->answers[stream / 2 % RAW_ANSWERS];
    if (answer->id != stream)
        *answer = (struct raw_answer){.id = stream};
    return answer;
}

static void copy_field(const struct edge_fields *fields, const char *name, char *text, size_t size)
{
    size_t len;
    const char *value = edge_fields_find(fields, name, &len);
    if (value != NULL)
        snprintf(text, size, "%.*s", (int)len, value);
}

static void take_end(struct raw *raw, struct raw_answer *answer)
{
    answer->ended = true;
    raw->ended++;
}

static void take_block(struct raw *raw)
{
    struct raw_answer *answer = raw_answer(raw, raw->block_stream);
    struct edge_fields *fields;
    const uint8_t *block = edge_buffer_head(&raw->block);
    enum edge_hpack_slot slot = answer->blocks == 0 ? EDGE_HPACK_HEADERS : EDGE_HPACK_TRAILERS;
    if (edge_hpack_decode(raw->decoder, slot, block, raw->block.len, &fields) < 0) {
        raw_check(raw, false, "a header block that does not decode");
        return;
    }
    raw->first_of_block = raw->block.len > 0 ? block[0] : 0;
    raw->block_stream = 0;
    answer->blocks++;
    copy_field(fields, ":status", answer->http_status, sizeof(answer->http_status));
    copy_field(fields, "grpc-status", answer->grpc_status, sizeof(answer->grpc_status));
    copy_field(fields, "grpc-message", answer->grpc_message, sizeof(answer->grpc_message));
    copy_field(fields, "grpc-accept-encoding", answer->encodings, sizeof(answer->encodings));
    if ((raw->block_flags & EDGE_FLAG_END_STREAM) != 0)
        take_end(raw, answer);
}

static void take_data(struct raw *raw, const struct edge_frame *frame, const uint8_t *bytes)
{
    struct raw_answer *answer = raw_answer(raw, frame->stream);
    answer->bytes += frame->len;
    for (uint32_t at = 0; at < frame->len;) {
        if (answer->message_left == 0 && answer->prefix_have < 5) {
            answer->prefix[answer->prefix_have++] = bytes[at++];
            if (answer->prefix_have == 5)
                answer->message_left = edge_get_u32(answer->prefix + 1);
        } else {
            uint32_t take = frame->len - at;
            if (take > answer->message_left)
                take = answer->message_left;
            answer->message_left -= take;
            at += take;
        }
        if (answer->message_left == 0 && answer->prefix_have == 5) {
            answer->messages++;
            answer->prefix_have = 0;
        }
    }
    if ((frame->flags & EDGE_FLAG_END_STREAM) != 0)
        take_end(raw, answer);
}

static void take_reset(struct raw *raw, const struct edge_frame *frame, uint32_t code)
{
    struct raw_answer *answer = raw_answer(raw, frame->stream);
    answer->reset = true;
    answer->reset_after_end = answer->ended;
    answer->reset_code = code;
    raw->resets++;
    raw->refused += code == EDGE_H2_REFUSED_STREAM;
}

static void take_settings(struct raw *raw, const struct edge_frame *frame, const uint8_t *payload)
{
    if ((frame->flags & EDGE_FLAG_ACK) != 0) {
        raw->acks++;
        return;
    }
    raw->settings++;
    for (size_t i = 0; i < frame->len / 6; i++) {
        struct edge_setting setting = edge_frame_setting(payload, i);
        if (setting.id == EDGE_SETTING_MAX_CONCURRENT_STREAMS)
            raw->max_streams = setting.value;
        else if (setting.id == EDGE_SETTING_INITIAL_WINDOW_SIZE)
            raw->initial_window = setting.value;
    }
}

static void take_frame(struct raw *raw, const struct edge_frame *frame, const uint8_t *payload)
{
    switch (frame->type) {
    case EDGE_FRAME_DATA:
        take_data(raw, frame, payload);
        break;
    case EDGE_FRAME_HEADERS:
        raw->block_flags = frame->flags;
        edge_buffer_consume(&raw->block, raw->block.len);
        // fall through
    case EDGE_FRAME_CONTINUATION:
        raw->block_stream = frame->stream;
        if (edge_buffer_append(&raw->block, payload, frame->len) < 0)
            abort();
        if ((frame->flags & EDGE_FLAG_END_HEADERS) != 0)
            take_block(raw);
        break;
    case EDGE_FRAME_RST_STREAM:
        take_reset(raw, frame, edge_get_u32(payload));
        break;
    case EDGE_FRAME_SETTINGS:
        take_settings(raw, frame, payload);
        break;
    case EDGE_FRAME_PING:
        raw->ping_acks += (frame->flags & EDGE_FLAG_ACK) != 0;
        break;
    case EDGE_FRAME_GOAWAY:
        raw->goaways++;
        raw->goaway_last = edge_get_u32(payload);
        raw->goaway_code = edge_get_u32(payload + 4);
        snprintf(raw->goaway_text, sizeof(raw->goaway_text), "%.*s", (int)frame->len - 8,
                 (const char *)payload + 8);
        break;
    case EDGE_FRAME_WINDOW_UPDATE:
        if (frame->stream == 0)
            raw->credit += edge_get_u32(payload);
        else
            raw_answer(raw, frame->stream)->credit += edge_get_u32(payload);
        break;
    default:
        break;
    }
}

static void take_frames(struct raw *raw)
{
    while (raw->in.len >= EDGE_FRAME_HEADER) {
        const uint8_t *at = edge_buffer_head(&raw->in);
        struct edge_frame frame = edge_frame_read(at);
        if (raw->in.len < EDGE_FRAME_HEADER + frame.len)
            return;
        take_frame(raw, &frame, at + EDGE_FRAME_HEADER);
        edge_buffer_consume(&raw->in, EDGE_FRAME_HEADER + frame.len);
    }
}

// --- Moving bytes ---

// `len` bytes of `out` have gone.
static void note_sent(struct raw *raw, size_t len)
{
    if (raw->record != NULL && fwrite(edge_buffer_head(&raw->out), 1, len, raw->record) != len)
        abort();
    edge_buffer_consume(&raw->out, len);
}

// What is to be sent now: with TLS, what was sealed.
static struct edge_buffer *to_send(struct raw *raw)
{
    if (raw->session == NULL)
        return &raw->out;
    if (raw->wire.len == 0 && raw->out.len > 0 && !raw->shaking) {
        size_t len = raw->out.len < SEAL_BYTES ? raw->out.len : SEAL_BYTES;
        const uint8_t *bytes = edge_buffer_head(&raw->out);
        if (raw->session->ops->send(raw->session, bytes, len, &raw->wire) < 0)
            abort();
        note_sent(raw, len);
    }
    return &raw->wire;
}

static void send_some(struct raw *raw)
{
    struct edge_buffer *from = to_send(raw);
    ssize_t sent = send(raw->fd, edge_buffer_head(from), from->len, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        // What the server said before it closed may still be read.
        edge_buffer_consume(&raw->out, raw->out.len);
        edge_buffer_consume(&raw->wire, raw->wire.len);
        raw->closed = raw->deaf;
    } else if (sent > 0 && from == &raw->out) {
        note_sent(raw, (size_t)sent);
    } else if (sent > 0) {
        edge_buffer_consume(from, (size_t)sent);
    }
}

static void take_sealed(struct raw *raw, const uint8_t *bytes, size_t len)
{
    int state = raw->session->ops->receive(raw->session, bytes, len, &raw->in, &raw->wire);
    if (state == -ENOMEM)
        abort();
    raw->shaking = raw->shaking && state <= 0;
    take_frames(raw);
    raw->closed = raw->closed || state < 0;
}

static void take_bytes(struct raw *raw, const uint8_t *bytes, size_t len)
{
    raw->bytes_in += len;
    if (raw->session != NULL) {
        take_sealed(raw, bytes, len);
        return;
    }
    if (edge_buffer_append(&raw->in, bytes, len) < 0)
        abort();
    take_frames(raw);
}

static void receive_some(struct raw *raw)
{
    uint8_t bytes[READ_BYTES];
    ssize_t got = recv(raw->fd, bytes, sizeof(bytes), 0);
    if (got > 0) {
        take_bytes(raw, bytes, (size_t)got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        raw->closed = true;
    }
}

bool raw_turn(struct raw *raw)
{
    uint64_t now_ns = edge_clock_ns();
    if (raw->fd < 0 || raw->closed || now_ns >= raw->until_ns)
        return false;
    bool sends = raw->wire.len > 0 || (raw->out.len > 0 && !raw->shaking);
    struct pollfd poller = {.fd = raw->fd,
                            .events = (short)((raw->deaf ? 0 : POLLIN) | (sends ? POLLOUT : 0))};
    uint64_t left_ms = (raw->until_ns - now_ns) / EDGE_NS_PER_MS + 1;
    if (poll(&poller, 1, left_ms > 1000 ? 1000 : (int)left_ms) <= 0)
        return true;
    if ((poller.revents & POLLIN) != 0)
        receive_some(raw);
    else if ((poller.revents & POLLOUT) != 0)
        send_some(raw);
    else
        raw->closed = true;
    return true;
}

bool raw_sync(struct raw *raw)
{
    unsigned wanted = raw->ping_acks + 1;
    raw_ping(raw);
    RAW_WAIT(raw, raw->ping_acks >= wanted)
    return raw->ping_acks >= wanted;
}

struct raw_answer *raw_wait(struct raw *raw, uint32_t stream)
{
    struct raw_answer *answer = raw_answer(raw, stream);
    RAW_WAIT(raw, answer->ended || answer->reset)
    return answer;
}

bool raw_wait_closed(struct raw *raw)
{
    RAW_WAIT(raw, false)
    return raw->closed;
}
