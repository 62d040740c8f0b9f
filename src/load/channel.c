#include "load/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "grpc/status.h"
#include "load/explain.h"
#include "net/socket.h"

#define RETRY_FIRST_NS  (10 * EDGE_NS_PER_MS)
#define RETRY_DOUBLINGS 6 // up to 640 ms

// ---- ends of calls ----

static void unblock(struct edge_channel *channel, struct edge_call *call)
{
    if (!call->blocked)
        return;
    call->blocked = false;
    *(call->blocked_prev != NULL ? &call->blocked_prev->blocked_next : &channel->blocked_first) =
        call->blocked_next;
    *(call->blocked_next != NULL ? &call->blocked_next->blocked_prev : &channel->blocked_last) =
        call->blocked_prev;
}

static void block(struct edge_channel *channel, struct edge_call *call)
{
    call->blocked = true;
    call->blocked_prev = channel->blocked_last;
    call->blocked_next = NULL;
    *(channel->blocked_last != NULL ? &channel->blocked_last->blocked_next
                                    : &channel->blocked_first) = call;
    channel->blocked_last = call;
}

static void end_call(struct edge_channel *channel, struct edge_call *call,
                     const struct edge_ending *how)
{
    struct edge_channel_group *group = channel->group;
    const struct edge_pacer *pacer = &group->pacer;
    struct edge_ending ending = *how;
    ending.due_ns = call->due_ns;
    ending.sent_ns = call->sent_ns;
    ending.counted = call->counted;
    ending.noncanonical = call->verify.noncanonical;
    bool in_window = pacer->total > 0 ? call->counted
                                      : ending.end_ns >= pacer->window_start_ns &&
                                            ending.end_ns < pacer->window_stop_ns;
    edge_books_end(&group->books, &ending, pacer->open_loop, in_window,
                   group->plan->config->payload->messages);
    group->ended++;
    if (ending.outcome == EDGE_OUTCOME_OK) {
        group->ok++;
        channel->failures = 0;
    }
    if (call->counted && ending.outcome != EDGE_OUTCOME_UNFINISHED)
        group->last_end_ns = ending.end_ns;
    group->in_flight--;
    unblock(channel, call);
    edge_verify_free(&call->verify);
    edge_client_close(&channel->client, &call->stream, EDGE_H2_CANCEL);
}

// Notes the first failure of the thread in words.
static void explain(struct edge_channel *channel, const struct edge_call *call,
                    enum edge_outcome outcome, const struct edge_explain *detail)
{
    struct edge_load_result *books = &channel->group->books;
    if (outcome == EDGE_OUTCOME_OK || !call->counted || books->first_error[0] != '\0')
        return;
    edge_explain(outcome, detail, &channel->group->plan->verify, &call->verify, books->first_error,
                 sizeof(books->first_error));
}

// Ends every call above stream `last` (0: all) with one outcome.
static void end_all(struct edge_channel *channel, uint32_t last, enum edge_outcome outcome,
                    const struct edge_explain *detail, uint64_t now_ns)
{
    for (uint32_t i = 0; i < channel->call_count; i++) {
        struct edge_call *call = &channel->calls[i];
        if (!call->stream.held || call->stream.id <= last)
            continue;
        explain(channel, call, outcome, detail);
        end_call(channel, call, &(struct edge_ending){.outcome = outcome, .end_ns = now_ns});
    }
}

void edge_channel_abandon(struct edge_channel *channel, uint64_t now_ns)
{
    end_all(channel, 0, EDGE_OUTCOME_UNFINISHED, &(struct edge_explain){0}, now_ns);
}

// ---- what the server says ----

// The server has the same deadline from grpc-timeout, and may be the first to see it pass.
static bool is_past_deadline(const struct edge_channel *channel, const struct edge_call *call,
                             uint32_t word)
{
    uint64_t timeout_ns = channel->group->plan->config->timeout_ns;
    return timeout_ns > 0 && channel->now_ns - call->sent_ns >= timeout_ns &&
           edge_verify_grpc_status(word) == EDGE_STATUS_DEADLINE_EXCEEDED;
}

static void end_by_stream(struct edge_channel *channel, struct edge_call *call, uint32_t word,
                          const struct edge_fields *fields)
{
    enum edge_outcome outcome = edge_verify_end(&call->verify, &channel->group->plan->verify, word);
    if (outcome == EDGE_OUTCOME_GRPC_STATUS && is_past_deadline(channel, call, word))
        outcome = EDGE_OUTCOME_TIMEOUT;
    explain(channel, call, outcome, &(struct edge_explain){.word = word, .fields = fields});
    end_call(channel, call,
             &(struct edge_ending){.outcome = outcome,
                                   .end_ns = channel->now_ns,
                                   .grpc_status = edge_verify_grpc_status(word)});
}

static void on_headers(void *owner, struct edge_client_stream *stream, struct edge_fields *fields,
                       bool end)
{
    struct edge_channel *channel = owner;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    if (fields->memo == 0)
        fields->memo = edge_verify_read_fields(fields);
    uint32_t word = fields->memo;
    if (!call->verify.got_headers) {
        if (edge_verify_headers(&call->verify, word) && !end)
            return; // 1xx
    } else if (!end) {
        call->verify.bad = true; // trailers must end the stream
    }
    if (end)
        end_by_stream(channel, call, word, fields);
}

static void on_data(void *owner, struct edge_client_stream *stream, const uint8_t *bytes,
                    size_t len, bool end)
{
    struct edge_channel *channel = owner;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    edge_verify_data(&call->verify, &channel->group->plan->verify, call->number, bytes, len);
    if (end)
        end_by_stream(channel, call, 0, NULL);
}

static void on_reset(void *owner, struct edge_client_stream *stream, uint32_t code)
{
    struct edge_channel *channel = owner;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    enum edge_outcome outcome =
        code == EDGE_H2_REFUSED_STREAM ? EDGE_OUTCOME_REFUSED : EDGE_OUTCOME_RESET;
    explain(channel, call, outcome, &(struct edge_explain){.h2_code = code});
    end_call(
        channel, call,
        &(struct edge_ending){.outcome = outcome, .end_ns = channel->now_ns, .reset_code = code});
}

static void on_goaway(void *owner, uint32_t last, uint32_t code, const char *debug,
                      size_t debug_len)
{
    struct edge_channel *channel = owner;
    struct edge_explain detail = {
        .goaway = true, .h2_code = code, .text = debug, .text_len = debug_len};
    if (code == EDGE_H2_ENHANCE_YOUR_CALM)
        edge_keepalive_slow_down(&channel->keepalive);
    end_all(channel, last, EDGE_OUTCOME_REFUSED, &detail, channel->now_ns);
}

static void on_settings(void *owner)
{
    struct edge_channel *channel = owner;
    uint64_t *limit = &channel->group->books.stream_limit;
    uint32_t allowed = channel->client.max_streams;
    if (allowed < channel->share && (*limit == 0 || allowed < *limit))
        *limit = allowed;
    if (channel->state != EDGE_CHANNEL_CONNECTING)
        return;
    channel->state = EDGE_CHANNEL_READY;
    channel->group->ready++;
    channel->group->books.connections_opened++;
    edge_timer_stop(channel->group->loop, &channel->retry);
    edge_keepalive_start(channel);
}

// Blocked calls are looked at by the fill that follows each read.
static void on_window(void *owner)
{
    (void)owner;
}

static const struct edge_client_events client_events = {
    .headers = on_headers,
    .data = on_data,
    .reset = on_reset,
    .goaway = on_goaway,
    .settings = on_settings,
    .window = on_window,
};

// ---- what we say ----

// Writes as much of the call's requests as windows and the buffer allow: one DATA frame per
// message, more where a message does not fit. 0 or -ENOMEM.
static int write_body(struct edge_channel *channel, struct edge_call *call, struct edge_buffer *out,
                      size_t high)
{
    const struct edge_plan *plan = channel->group->plan;
    const struct edge_framed *message = &plan->message;
    uint64_t messages = plan->config->payload->messages_out;
    while (call->out_message < messages) {
        uint32_t room = edge_client_room(&channel->client, &call->stream);
        if (room == 0 || out->len >= high) {
            if (!call->blocked)
                block(channel, call);
            return 0;
        }
        uint32_t len = (uint32_t)message->len - call->out_at;
        bool whole = len <= room;
        if (!whole)
            len = room;
        bool end = whole && call->out_message + 1 == messages;
        uint8_t *at = edge_client_data(&channel->client, &call->stream, out, len, end);
        if (at == NULL)
            return -ENOMEM;
        edge_framed_copy(message, call->number + call->out_message, call->out_at, at, len);
        call->out_at = whole ? 0 : call->out_at + len;
        call->out_message += whole;
    }
    unblock(channel, call);
    return 0;
}

static int start_call(struct edge_channel *channel, struct edge_client_stream *stream,
                      struct edge_buffer *out, size_t high, uint64_t now_ns)
{
    struct edge_channel_group *group = channel->group;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    bool counted;
    call->due_ns = edge_pacer_take(&group->pacer, now_ns, &counted);
    call->sent_ns = now_ns;
    call->number = group->next_number;
    call->out_message = 0;
    call->out_at = 0;
    call->counted = counted;
    call->blocked = false;
    call->verify = (struct edge_verify){0};
    group->next_number += group->number_step;
    group->in_flight++;
    group->books.sent += counted;
    group->books.waited += counted && group->waiting;

    uint64_t timeout_ns = group->plan->config->timeout_ns;
    if (timeout_ns > 0 && channel->timeout.heap_index == 0) {
        int error = edge_timer_start(group->loop, &channel->timeout, now_ns + timeout_ns);
        if (error < 0)
            return error;
    }
    const struct edge_buffer *block_out = edge_request_next(
        &group->plan->request, &channel->request_state, channel->client.header_table);
    int error = edge_client_headers(&channel->client, stream, out,
                                    block_out->data + block_out->start, block_out->len, false);
    return error == 0 ? write_body(channel, call, out, high) : error;
}

static int write_blocked(struct edge_channel *channel, struct edge_buffer *out, size_t high)
{
    struct edge_call *next;
    for (struct edge_call *call = channel->blocked_first; call != NULL; call = next) {
        if (out->len >= high || channel->client.send_window <= 0)
            return 0;
        next = call->blocked_next;
        int error = write_body(channel, call, out, high);
        if (error < 0)
            return error;
    }
    return 0;
}

bool edge_channel_has_room(const struct edge_channel *channel)
{
    return channel->client.in_flight + channel->quota < channel->limit &&
           channel->state == EDGE_CHANNEL_READY && edge_client_can_open(&channel->client) &&
           channel->connection.pending.len == 0;
}

static int fill(void *self, struct edge_buffer *out, size_t high)
{
    struct edge_channel *channel = self;
    struct edge_channel_group *group = channel->group;
    struct edge_client *client = &channel->client;
    int error = edge_client_flush(client, out);
    if (error < 0 || client->failure != NULL || !group->started)
        return error;
    error = write_blocked(channel, out, high);
    uint64_t now_ns = edge_clock_ns();
    while (error == 0 && out->len < high && client->in_flight < channel->limit &&
           edge_client_can_open(client) && edge_pacer_ready(&group->pacer, now_ns)) {
        // In an open loop a call goes where the worker sent it, unless all were full.
        if (group->pacer.open_loop && channel->quota == 0 && !group->waiting)
            break;
        struct edge_client_stream *stream = edge_client_open(client);
        if (stream == NULL)
            break;
        if (channel->quota > 0)
            channel->quota--;
        error = start_call(channel, stream, out, high, now_ns);
    }
    return error;
}

static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct edge_channel *channel = self;
    channel->now_ns = edge_clock_ns();
    if (channel->state == EDGE_CHANNEL_CONNECTING)
        channel->found_tls = edge_explain_is_tls(bytes, len);
    return edge_client_receive(&channel->client, bytes, len);
}

static bool finished(void *self)
{
    const struct edge_channel *channel = self;
    const struct edge_client *client = &channel->client;
    return (client->going_away || edge_client_exhausted(client)) && client->in_flight == 0;
}

void edge_channel_flush(struct edge_channel *channel)
{
    edge_connection_flush(&channel->connection);
}

// ---- life of the connection ----

static void retry_later(struct edge_channel *channel)
{
    unsigned doublings = channel->failures < RETRY_DOUBLINGS ? channel->failures : RETRY_DOUBLINGS;
    uint64_t delay_ns = channel->failures == 0 ? 0 : RETRY_FIRST_NS << doublings;
    channel->failures++;
    // Out of memory here means the channel stays closed; its calls have been booked as lost.
    edge_timer_start(channel->group->loop, &channel->retry, edge_clock_ns() + delay_ns);
}

static void closed(void *self, int reason)
{
    struct edge_channel *channel = self;
    struct edge_channel_group *group = channel->group;
    struct edge_explain detail = {.error = reason,
                                  .failure = channel->client.failure,
                                  .tls = group->tls,
                                  .found_tls = channel->found_tls};
    if (channel->state == EDGE_CHANNEL_READY) {
        group->ready--;
        group->books.connections_lost += reason != EDGE_OK;
    }
    if (!group->started && group->start_error == 0)
        group->start_error =
            edge_explain_connect(&group->start_message, &detail, group->plan->config->address.text);
    channel->state = EDGE_CHANNEL_CLOSED;
    end_all(channel, 0, EDGE_OUTCOME_CONNECTION, &detail, edge_clock_ns());
    edge_client_free(&channel->client);
    edge_timer_stop(group->loop, &channel->timeout);
    edge_timer_stop(group->loop, &channel->retry);
    edge_timer_stop(group->loop, &channel->keepalive.timer);
    if (group->started && !group->ending)
        retry_later(channel);
}

static const struct edge_protocol protocol = {
    .receive = receive,
    .fill = fill,
    .finished = finished,
    .closed = closed,
};

static int open_connection(struct edge_channel *channel)
{
    struct edge_channel_group *group = channel->group;
    const struct edge_load_config *config = group->plan->config;
    memset(channel->calls, 0, channel->call_count * sizeof(*channel->calls));
    struct edge_client_config client_config = {
        .events = &client_events,
        .owner = channel,
        .streams = channel->calls,
        .stream_size = sizeof(*channel->calls),
        .stream_count = channel->call_count,
    };
    int error = edge_client_init(&channel->client, &client_config);
    if (error < 0)
        return error;
    channel->request_state = EDGE_REQUEST_FRESH;
    channel->found_tls = false;
    channel->state = EDGE_CHANNEL_CONNECTING;
    error = edge_timer_start(group->loop, &channel->retry,
                             edge_clock_ns() + group->plan->connect_timeout_ns);
    if (error < 0)
        return error;
    int fd = edge_socket_connect(&config->address);
    if (fd < 0)
        return fd;
    channel->connection.read_while_blocked = true;
    if (group->tls != NULL &&
        edge_tls_session_new(group->tls, &channel->connection.transport) < 0) {
        close(fd);
        return -ENOMEM;
    }
    return edge_connection_open(&channel->connection, group->io, fd, true, &protocol, channel);
}

void edge_channel_connect(struct edge_channel *channel)
{
    int error = open_connection(channel);
    if (error < 0)
        closed(channel, error);
}

static void on_retry(struct edge_timer *timer)
{
    struct edge_channel *channel =
        (struct edge_channel *)(void *)((char *)timer - offsetof(struct edge_channel, retry));
    if (channel->state == EDGE_CHANNEL_CONNECTING)
        edge_connection_close(&channel->connection, -ETIMEDOUT);
    else if (!channel->group->ending)
        edge_channel_connect(channel);
}

// Ends the calls whose time is up, and waits for the oldest of the others.
static void on_timeout(struct edge_timer *timer)
{
    struct edge_channel *channel =
        (struct edge_channel *)(void *)((char *)timer - offsetof(struct edge_channel, timeout));
    uint64_t timeout_ns = channel->group->plan->config->timeout_ns;
    uint64_t now_ns = edge_clock_ns();
    uint64_t next_ns = EDGE_LOOP_FOREVER;
    for (uint32_t i = 0; i < channel->call_count; i++) {
        struct edge_call *call = &channel->calls[i];
        if (!call->stream.held)
            continue;
        uint64_t until_ns = call->sent_ns + timeout_ns;
        if (until_ns <= now_ns) {
            struct edge_ending ending = {.outcome = EDGE_OUTCOME_TIMEOUT, .end_ns = now_ns};
            explain(channel, call, ending.outcome, &(struct edge_explain){0});
            end_call(channel, call, &ending);
        } else if (until_ns < next_ns) {
            next_ns = until_ns;
        }
    }
    if (next_ns != EDGE_LOOP_FOREVER &&
        edge_timer_start(channel->group->loop, &channel->timeout, next_ns) < 0)
        edge_connection_close(&channel->connection, -ENOMEM);
    else
        edge_channel_flush(channel); // the resets, and new calls
}

int edge_channel_init(struct edge_channel *channel, struct edge_channel_group *group,
                      uint32_t share)
{
    *channel = (struct edge_channel){
        .group = group,
        .share = share,
        .limit = share,
        .call_count = 16,
        .retry = {.fire = on_retry},
        .timeout = {.fire = on_timeout},
    };
    channel->connection.watch.fd = -1;
    edge_keepalive_init(&channel->keepalive, group->plan->config->keepalive_ns);
    // More records than calls, so that a slow call's record seldom makes an id be skipped.
    while (channel->call_count <= share)
        channel->call_count *= 2;
    channel->calls = calloc(channel->call_count, sizeof(*channel->calls));
    return channel->calls != NULL ? 0 : -ENOMEM;
}

void edge_channel_free(struct edge_channel *channel)
{
    if (channel->calls == NULL)
        return;
    edge_connection_close(&channel->connection, EDGE_OK);
    edge_client_free(&channel->client);
    edge_timer_stop(channel->group->loop, &channel->retry);
    edge_timer_stop(channel->group->loop, &channel->timeout);
    edge_timer_stop(channel->group->loop, &channel->keepalive.timer);
    free(channel->calls);
    channel->calls = NULL;
}
