#include "run/repeat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t edge_repeat_order(size_t count, uint64_t repeat, size_t position)
{
    return (size_t)((position + repeat - 1) % count);
}

// One line that stays, for each measurement.
static void say(const struct edge_repeat_plan *plan, const char *title,
                const struct edge_measurement *measurement)
{
    struct edge_progress *progress = plan->sequence.progress;
    const struct edge_load_result *load = &measurement->load;
    if (measurement->problem[0])
        edge_progress_say(progress, "%s: %s", title, measurement->problem);
    if (!measurement->loaded)
        return;
    double window_s = (double)(load->window_stop_ns - load->window_start_ns) / 1e9;
    uint64_t failed = load->sent - load->outcomes[EDGE_OUTCOME_OK];
    if (window_s > 0)
        edge_progress_say(progress, "%s: %.0f verified req/s, %" PRIu64 " failed of %" PRIu64,
                          title, (double)load->ok_in_window / window_s, failed, load->sent);
}

// The agent is the first to be missed when the way to it is cut.
static void explain(const struct edge_sequence *sequence, struct edge_message *message)
{
    char why[320];
    const struct edge_target *target = sequence->target;
    if (edge_target_is_lost(sequence->target, why, sizeof(why)))
        edge_fail(message, EDGE_ERR_CLOSED, "the connection to %.64s is lost: %s", target->name,
                  why);
    else if (target->remote) {
        size_t used = strlen(message->text);
        snprintf(message->text + used, sizeof(message->text) - used,
                 "; the connection to the board still stands");
    }
}

static int measure_one(const struct edge_repeat_plan *plan, size_t index, uint64_t repeat,
                       bool *given_up, struct edge_message *message)
{
    const struct edge_server_entry *server = &plan->servers->at[index];
    struct edge_sequence sequence = plan->sequence;
    struct edge_measurement measurement;
    char title[192];
    snprintf(title, sizeof(title), "[%" PRIu64 "/%" PRIu64 "] %s", repeat, plan->repeats,
             server->name);
    sequence.server = server;
    sequence.recorder = &plan->recorders[index];
    sequence.title = title;
    edge_measurement_init(&measurement, repeat);
    int error = edge_sequence_run(&sequence, &measurement, message);
    if (error) {
        explain(&sequence, message);
        snprintf(measurement.cut, sizeof(measurement.cut), "%s", message->text);
    }
    edge_recorder_repeat(sequence.recorder, &measurement);
    say(plan, title, &measurement);
    *given_up = !measurement.ready;
    edge_measurement_free(&measurement);
    if (!error && sequence.recorder->error) {
        *message = sequence.recorder->message;
        error = sequence.recorder->error;
    }
    return error;
}

int edge_repeat_run(const struct edge_repeat_plan *plan, struct edge_message *message)
{
    size_t count = plan->servers->count;
    bool *given_up = calloc(count, sizeof(*given_up));
    if (!given_up)
        return edge_fail(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        given_up[i] = plan->servers->at[i].problem[0] != '\0';
    int error = 0;
    for (uint64_t repeat = 1; repeat <= plan->repeats; repeat++) {
        for (size_t i = 0; i < count && !error; i++) {
            size_t index = edge_repeat_order(count, repeat, i);
            if (!given_up[index] && !edge_interrupt_poll(plan->sequence.interrupt))
                error = measure_one(plan, index, repeat, &given_up[index], message);
        }
    }
    free(given_up);
    return error;
}
