#include "load/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "grpc/status.h"
#include "load/channel_internal.h"
#include "load/explain.h"
#include "net/socket.h"

#define RETRY_FIRST_NS  (20 * EDGE_NS_PER_MS) // of the second time; the first is at once
#define RETRY_DOUBLINGS 5                     // up to 640 ms

// ---- ends of calls ----

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
    bool in_window = edge_pacer_in_window(pacer, call->counted, ending.end_ns);
    edge_books_end(&group->books, &ending, pacer->open_loop, in_window,
                   edge_channel_messages(channel, call));
    if (call->verify.odd != NULL)
        edge_books_add_packed(&group->books.packed_in, &call->verify.odd->packed);
    group->ended++;
    if (ending.outcome == EDGE_OUTCOME_OK) {
        group->ok++;
        channel->failures = 0;
    }
    if (call->counted && ending.outcome != EDGE_OUTCOME_UNFINISHED)
        group->last_end_ns = ending.end_ns;
    group->in_flight--;
    edge_call_list_drop(call);
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

// A stream that the client was to end: after so many replies, or after a time.
static void end_by_us(struct edge_channel *channel, struct edge_call *call, uint64_t now_ns)
{
    enum edge_outcome outcome = call->verify.bad     ? EDGE_OUTCOME_BAD_MESSAGE
                                : call->verify.wrong ? EDGE_OUTCOME_WRONG_REPLY
                                                     : EDGE_OUTCOME_OK;
    channel->group->books.ended_by_client += outcome == EDGE_OUTCOME_OK && call->counted;
    explain(channel, call, outcome, &(struct edge_explain){0});
    end_call(channel, call, &(struct edge_ending){.outcome = outcome, .end_ns = now_ns});
}

// Whole replies that one read has brought, behind `before` earlier ones.
static void note_replies(struct edge_channel *channel, struct edge_call *call, uint32_t before)
{
    struct edge_channel_group *group = channel->group;
    edge_books_replies(&group->books, &(struct edge_replies){
                                          .before = before,
                                          .count = call->verify.messages - before,
                                          .sent_ns = call->sent_ns,
                                          .latest_ns = call->reply_ns,
                                          .now_ns = channel->now_ns,
                                          .counted = call->counted,
                                          .in_window = edge_pacer_in_window(
                                              &group->pacer, call->counted, channel->now_ns),
                                      });
    call->reply_ns = channel->now_ns;
}

static void on_data(void *owner, struct edge_client_stream *stream, const uint8_t *bytes,
                    size_t len, bool end)
{
    struct edge_channel *channel = owner;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    const struct edge_plan *plan = channel->group->plan;
    uint32_t before = call->verify.messages;
    edge_verify_data(&call->verify, &plan->verify, call->number, bytes, len);
    if (plan->replies_stream && call->verify.messages > before)
        note_replies(channel, call, before);
    if (end)
        end_by_stream(channel, call, 0, NULL);
    else if (plan->messages_in > 0 && call->verify.messages >= plan->messages_in)
        end_by_us(channel, call, channel->now_ns);
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
    uint64_t now_ns = edge_clock_ns();
    error = edge_channel_write_waiting(channel, out, high, now_ns);
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
        error = edge_channel_start_call(channel, stream, out, high, now_ns);
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
    unsigned before = channel->failures++;
    uint64_t delay_ns = before == 0                ? 0
                        : before > RETRY_DOUBLINGS ? RETRY_FIRST_NS << RETRY_DOUBLINGS
                                                   : RETRY_FIRST_NS << (before - 1);
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
    edge_timer_stop(group->loop, &channel->pace);
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
    const struct edge_plan *plan = channel->group->plan;
    uint64_t now_ns = edge_clock_ns();
    uint64_t next_ns = EDGE_LOOP_FOREVER;
    for (uint32_t i = 0; i < channel->call_count; i++) {
        struct edge_call *call = &channel->calls[i];
        if (!call->stream.held)
            continue;
        uint64_t until_ns = call->sent_ns + plan->limit_ns;
        if (until_ns <= now_ns && plan->limit_is_ours && call->verify.messages > 0) {
            end_by_us(channel, call, now_ns);
        } else if (until_ns <= now_ns) {
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

// A request of a paced stream is due.
static void on_pace(struct edge_timer *timer)
{
    edge_channel_flush(
        (struct edge_channel *)(void *)((char *)timer - offsetof(struct edge_channel, pace)));
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
        .pace = {.fire = on_pace},
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
    edge_timer_stop(channel->group->loop, &channel->pace);
    free(channel->calls);
    channel->calls = NULL;
}
