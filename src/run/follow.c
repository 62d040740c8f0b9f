#include "run/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/agent_json.h"
#include "base/clock.h"

#define REQUEST_NS (10 * EDGE_NS_PER_S) // for the agent to answer
#define TICK_NS    (100 * EDGE_NS_PER_MS)
#define SLICE_NS   EDGE_NS_PER_S

bool edge_follow_is_over(const struct edge_follow *follow)
{
    return follow->measurement->died || follow->measurement->interrupted;
}

int edge_follow_call(struct edge_follow *follow, json_t *request, json_t **answer)
{
    return edge_agent_client_call(follow->sequence->agent, request, REQUEST_NS, answer,
                                  follow->message);
}

// "exited with code 3; its last words: ..."
static void describe_death(const json_t *event, char *text, size_t size)
{
    const char *status = json_string_value(json_object_get(event, "status"));
    const char *words = json_string_value(json_object_get(event, "stderr"));
    json_int_t oom = json_integer_value(json_object_get(event, "oom_kills"));
    size_t len = words ? strlen(words) : 0;
    while (len > 0 && words[len - 1] == '\n')
        len--;
    const char *last = len > 300 ? words + len - 300 : words;
    snprintf(text, size, "%s%s%s%.*s", status ? status : "ended",
             oom > 0 ? " at its RAM limit (--server-ram)" : "", len > 0 ? "; it said: " : "",
             (int)(len > 300 ? 300 : len), last ? last : "");
    for (char *newline; (newline = strchr(text, '\n'));)
        *newline = ' ';
}

static int take_event(struct edge_follow *follow, const json_t *event)
{
    struct edge_measurement *measurement = follow->measurement;
    const char *name = json_string_value(json_object_get(event, "event"));
    if (edge_meters_take(follow->sequence->meters, event))
        return 0;
    if (name && strcmp(name, "sample") == 0) {
        struct edge_agent_sample sample;
        edge_agent_json_to_sample(json_object_get(event, "sample"), &sample);
        edge_recorder_sample(follow->sequence->recorder, measurement->repeat, &sample);
        if (edge_measurement_add(measurement, &sample) != 0)
            return edge_fail(follow->message, -ENOMEM, "out of memory");
    } else if (name && strcmp(name, "server_exited") == 0) {
        char text[512];
        describe_death(event, text, sizeof(text));
        measurement->died = true;
        EDGE_FOLLOW_PROBLEM(follow, "%s: %s",
                            measurement->ready ? "died" : "died before it was ready", text);
    }
    return 0;
}

static void take_mark(struct edge_follow *follow, struct edge_follow_mark *mark)
{
    json_t *answer = mark->id ? edge_agent_client_answer(follow->sequence->agent, mark->id) : NULL;
    if (!answer)
        return;
    edge_agent_json_to_sample(json_object_get(answer, "sample"), mark->into);
    edge_recorder_sample(follow->sequence->recorder, follow->measurement->repeat, mark->into);
    json_decref(answer);
    mark->id = 0;
}

int edge_follow_turn(struct edge_follow *follow, uint64_t until_ns)
{
    const struct edge_sequence *sequence = follow->sequence;
    struct edge_measurement *measurement = follow->measurement;
    int error = edge_agent_client_wait(sequence->agent,
                                       measurement->interrupted ? -1 : sequence->interrupt->fd,
                                       until_ns, follow->message);
    if (edge_interrupt_poll(sequence->interrupt))
        measurement->interrupted = true;
    json_t *event;
    while (!error && (event = edge_agent_client_event(sequence->agent))) {
        error = take_event(follow, event);
        json_decref(event);
    }
    take_mark(follow, &follow->start_mark);
    take_mark(follow, &follow->stop_mark);
    edge_meters_collect(sequence->meters);
    edge_recorder_power(sequence->recorder, measurement->repeat);
    if (!error && sequence->meters->error)
        error = edge_fail(follow->message, sequence->meters->error, "out of memory");
    return error;
}

int edge_follow_look(struct edge_follow *follow, const char *label, bool deep,
                     struct edge_agent_sample *sample)
{
    json_t *answer;
    int error = edge_follow_call(
        follow, json_pack("{ss ss sb}", "op", "mark", "label", label, "deep", deep), &answer);
    if (error)
        return error;
    edge_agent_json_to_sample(json_object_get(answer, "sample"), sample);
    edge_recorder_sample(follow->sequence->recorder, follow->measurement->repeat, sample);
    json_decref(answer);
    return 0;
}

// Asks for a sample at a moment of the host's clock (0: now). The answer comes in a later turn.
static int send_mark(struct edge_follow *follow, const char *label, uint64_t at_ns, bool deep,
                     struct edge_agent_sample *into, struct edge_follow_mark *mark)
{
    struct edge_agent_client *agent = follow->sequence->agent;
    json_int_t agent_ns = at_ns > 0 ? (json_int_t)at_ns + agent->offset_ns : 0;
    mark->into = into;
    return edge_agent_client_send(
        agent,
        json_pack("{ss ss sI sb}", "op", "mark", "label", label, "at_ns", agent_ns, "deep", deep),
        &mark->id, follow->message);
}

// Calls between two looks at the counters, and the line for the terminal.
struct counting {
    uint64_t window_start_ns, window_stop_ns;
    uint64_t slice_start_ns; // 0: the window has not begun
    struct edge_load_snapshot slice, shown;
    uint64_t shown_ns;
};

static void count_slice(const struct edge_follow *follow, struct counting *counting,
                        const struct edge_load_snapshot *now, uint64_t now_ns)
{
    if (now_ns < counting->window_start_ns || counting->slice_start_ns >= counting->window_stop_ns)
        return;
    if (counting->slice_start_ns > 0 && now_ns < counting->slice_start_ns + SLICE_NS)
        return;
    if (counting->slice_start_ns > 0)
        edge_recorder_slice(follow->sequence->recorder, follow->measurement->repeat,
                            counting->slice_start_ns, now_ns, now->ended - counting->slice.ended,
                            now->ok - counting->slice.ok);
    counting->slice = *now;
    counting->slice_start_ns = now_ns;
}

static void show(const struct edge_follow *follow, const struct edge_follow_load *plan,
                 struct counting *counting, const struct edge_load_snapshot *now, uint64_t now_ns)
{
    double since_s = (double)(now_ns - counting->shown_ns) / 1e9;
    if (since_s < 0.45)
        return;
    bool warm = now_ns >= counting->window_start_ns;
    uint64_t end_ns = warm ? counting->window_stop_ns : counting->window_start_ns;
    double left_s = end_ns > now_ns ? (double)(end_ns - now_ns) / 1e9 : 0;
    edge_progress_update(follow->sequence->progress, "%s: %s, %.0f s left, %.0f verified req/s",
                         follow->sequence->title, warm ? plan->doing : "warming up", left_s,
                         (double)(now->ok - counting->shown.ok) / since_s);
    counting->shown = *now;
    counting->shown_ns = now_ns;
}

static int watch(struct edge_follow *follow, const struct edge_follow_load *plan,
                 struct edge_load *load)
{
    struct counting counting = {.shown_ns = edge_clock_ns()};
    struct edge_load_snapshot snapshot;
    bool stopped = false;
    edge_load_window(load, &counting.window_start_ns, &counting.window_stop_ns);
    int error = send_mark(follow, "window_start", counting.window_start_ns, false, plan->start,
                          &follow->start_mark);
    if (!error)
        error = send_mark(follow, "window_stop", counting.window_stop_ns, plan->deep, plan->stop,
                          &follow->stop_mark);
    for (edge_load_snapshot(load, &snapshot); snapshot.running;
         edge_load_snapshot(load, &snapshot)) {
        if ((error || edge_follow_is_over(follow)) && !stopped) {
            stopped = true;
            edge_load_stop(load);
            if (edge_clock_ns() < counting.window_start_ns)
                follow->start_mark.id = 0; // it will not come
            if (!error)
                error =
                    send_mark(follow, "window_stop", 0, plan->deep, plan->stop, &follow->stop_mark);
        }
        uint64_t now_ns = edge_clock_ns();
        if (error)
            edge_clock_sleep_until(now_ns + TICK_NS);
        else
            error = edge_follow_turn(follow, now_ns + TICK_NS);
        edge_load_snapshot(load, &snapshot);
        if (plan->slices)
            count_slice(follow, &counting, &snapshot, edge_clock_ns());
        show(follow, plan, &counting, &snapshot, edge_clock_ns());
    }
    if (plan->totals)
        *plan->totals = snapshot;
    return error;
}

static int take_late_marks(struct edge_follow *follow)
{
    uint64_t until_ns = edge_clock_ns() + EDGE_NS_PER_S;
    int error = 0;
    while (!error && !follow->measurement->died && edge_clock_ns() < until_ns &&
           (follow->start_mark.id || follow->stop_mark.id))
        error = edge_follow_turn(follow, until_ns);
    return error;
}

int edge_follow_run(struct edge_follow *follow, const struct edge_follow_load *plan, bool *started,
                    struct edge_load_result *result, struct edge_message *why)
{
    struct edge_load *load;
    *started = edge_load_start(&plan->config, &load, why) == 0;
    if (!*started)
        return edge_follow_turn(follow, edge_clock_ns()); // it may have died of them
    int error = watch(follow, plan, load);
    *started = edge_load_finish(load, result) == 0;
    if (!*started) {
        edge_fail(why, -ENOMEM, "out of memory");
        return edge_fail(follow->message, -ENOMEM, "out of memory");
    }
    return error ? error : take_late_marks(follow);
}
