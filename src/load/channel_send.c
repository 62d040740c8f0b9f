// The requests of calls: written as far as windows, buffer and their times allow. Nothing here
// waits for a reply, so that a stream in both directions cannot lock itself up.
#include "load/channel_internal.h"

#include <errno.h>

#include "base/clock.h"

void edge_call_list_drop(struct edge_call *call)
{
    struct edge_call_list *list = call->list;
    if (list == NULL)
        return;
    call->list = NULL;
    *(call->prev != NULL ? &call->prev->next : &list->first) = call->next;
    *(call->next != NULL ? &call->next->prev : &list->last) = call->prev;
}

// At the end of the list; where it stays if it is there already.
static void wait_in(struct edge_call_list *list, struct edge_call *call)
{
    if (call->list == list)
        return;
    edge_call_list_drop(call);
    call->list = list;
    call->prev = list->last;
    call->next = NULL;
    *(list->last != NULL ? &list->last->next : &list->first) = call;
    list->last = call;
}

uint64_t edge_channel_messages(const struct edge_channel *channel, const struct edge_call *call)
{
    const struct edge_plan *plan = channel->group->plan;
    if (plan->replies_stream)
        return call->verify.messages;
    return plan->outgoing.streams ? call->out_message : 1;
}

// Whether the time of a call's requests is over at `at_ns`.
static bool is_over(const struct edge_plan *plan, const struct edge_call *call, uint64_t at_ns)
{
    uint64_t duration_ns = plan->config->streams.duration_ns;
    return plan->paced && duration_ns > 0 && at_ns - call->sent_ns >= duration_ns;
}

// Whether the message being written is the call's last.
static bool is_last(const struct edge_plan *plan, const struct edge_call *call, uint64_t now_ns)
{
    return call->out_message + UINT64_C(1) >= plan->messages_out ||
           is_over(plan, call, now_ns + plan->config->streams.interval_ns);
}

// Gives a message that is about to be begun what it is filled with.
static void begin_message(struct edge_channel_group *group, struct edge_call *call)
{
    if (group->plan->numbers_messages) {
        call->number = group->next_number;
        group->next_number += group->number_step;
    }
    if (group->plan->outgoing.stamped)
        call->wall_ns = edge_clock_wall_ns();
}

static void count_message(struct edge_channel_group *group, struct edge_call *call,
                          const struct edge_outgoing_message *message, uint64_t now_ns)
{
    const struct edge_plan *plan = group->plan;
    call->out_at = 0;
    call->out_message++;
    if (plan->paced)
        call->next_ns = now_ns + plan->config->streams.interval_ns;
    if (plan->outgoing.streams)
        group->books.messages_sent += edge_pacer_in_window(&group->pacer, call->counted, now_ns);
    if (plan->outgoing.gzip)
        edge_books_packed(&group->books.packed_out, 1, message->framed->plain_len,
                          message->len - EDGE_FRAMED_PREFIX);
}

// Writes as much of one message as fits: one DATA frame, or more where a message does not fit. 0 or
// an error.
static int write_part(struct edge_channel *channel, struct edge_call *call, struct edge_buffer *out,
                      uint32_t room, uint64_t now_ns)
{
    struct edge_channel_group *group = channel->group;
    const struct edge_plan *plan = group->plan;
    struct edge_outgoing_message message;
    if (call->out_at == 0)
        begin_message(group, call);
    uint64_t number = plan->numbers_messages ? call->number : call->number + call->out_message;
    int error = edge_outgoing_take(&plan->outgoing, number, call->out_message, call->wall_ns,
                                   &group->scratch, &message);
    if (error < 0)
        return error;
    uint32_t len = (uint32_t)message.len - call->out_at;
    bool whole = len <= room;
    if (!whole)
        len = room;
    uint8_t *at = edge_client_data(&channel->client, &call->stream, out, len,
                                   whole && is_last(plan, call, now_ns));
    if (at == NULL)
        return -ENOMEM;
    edge_outgoing_copy(&message, call->out_at, at, len);
    call->out_at += len;
    if (whole)
        count_message(group, call, &message, now_ns);
    return 0;
}

// Waits for the time of the call's next message; that of the list's first starts the timer. 0 or an
// error.
static int wait_for_time(struct edge_channel *channel, struct edge_call *call)
{
    wait_in(&channel->paced, call);
    if (channel->pace.heap_index != 0)
        return 0;
    return edge_timer_start(channel->group->loop, &channel->pace, channel->paced.first->next_ns);
}

// Writes as much of the call's requests as windows, buffer and time allow. 0 or an error.
static int write_body(struct edge_channel *channel, struct edge_call *call, struct edge_buffer *out,
                      size_t high, uint64_t now_ns)
{
    const struct edge_plan *plan = channel->group->plan;
    while (!call->stream.sent_end) {
        if (plan->paced && call->out_at == 0 && call->out_message > 0) {
            now_ns = edge_clock_ns();
            if (is_over(plan, call, now_ns)) {
                if (edge_client_data(&channel->client, &call->stream, out, 0, true) == NULL)
                    return -ENOMEM;
                break;
            }
            if (now_ns < call->next_ns)
                return wait_for_time(channel, call);
        }
        uint32_t room = edge_client_room(&channel->client, &call->stream);
        if (room == 0 || out->len >= high) {
            wait_in(&channel->blocked, call);
            return 0;
        }
        int error = write_part(channel, call, out, room, now_ns);
        if (error < 0)
            return error;
    }
    edge_call_list_drop(call);
    return 0;
}

int edge_channel_start_call(struct edge_channel *channel, struct edge_client_stream *stream,
                            struct edge_buffer *out, size_t high, uint64_t now_ns)
{
    struct edge_channel_group *group = channel->group;
    struct edge_call *call = (struct edge_call *)(void *)stream;
    bool counted;
    call->due_ns = edge_pacer_take(&group->pacer, now_ns, &counted);
    call->sent_ns = now_ns;
    call->out_message = 0;
    call->out_at = 0;
    call->counted = counted;
    call->list = NULL;
    call->verify = (struct edge_verify){0};
    if (!group->plan->numbers_messages) {
        call->number = group->next_number;
        group->next_number += group->number_step;
    }
    group->in_flight++;
    group->books.sent += counted;
    group->books.waited += counted && group->waiting;

    uint64_t limit_ns = group->plan->limit_ns;
    if (limit_ns > 0 && channel->timeout.heap_index == 0) {
        int error = edge_timer_start(group->loop, &channel->timeout, now_ns + limit_ns);
        if (error < 0)
            return error;
    }
    const struct edge_buffer *block = edge_request_next(
        &group->plan->request, &channel->request_state, channel->client.header_table);
    int error = edge_client_headers(&channel->client, stream, out, block->data + block->start,
                                    block->len, false);
    return error == 0 ? write_body(channel, call, out, high, now_ns) : error;
}

static int write_blocked(struct edge_channel *channel, struct edge_buffer *out, size_t high,
                         uint64_t now_ns)
{
    struct edge_call *next;
    for (struct edge_call *call = channel->blocked.first; call != NULL; call = next) {
        if (out->len >= high || channel->client.send_window <= 0)
            return 0;
        next = call->next;
        int error = write_body(channel, call, out, high, now_ns);
        if (error < 0)
            return error;
    }
    return 0;
}

int edge_channel_write_waiting(struct edge_channel *channel, struct edge_buffer *out, size_t high,
                               uint64_t now_ns)
{
    int error = write_blocked(channel, out, high, now_ns);
    while (error == 0 && channel->paced.first != NULL && out->len < high &&
           channel->paced.first->next_ns <= now_ns) {
        struct edge_call *call = channel->paced.first;
        edge_call_list_drop(call);
        error = write_body(channel, call, out, high, now_ns);
    }
    if (error == 0 && channel->paced.first != NULL)
        error = wait_for_time(channel, channel->paced.first);
    return error;
}
