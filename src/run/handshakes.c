#include "run/handshakes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "load/handshakes.h"
#include "run/levels.h"
#include "run/run_tls.h"

#define HOLD_NS     EDGE_NS_PER_S
#define TICK_NS     (50 * EDGE_NS_PER_MS)
#define PATIENCE_NS (5 * EDGE_NS_PER_S) // for the first one
#define AT_ONCE     16u                 // so that the server never waits for the generator

int edge_handshakes_hold(struct edge_follow *follow)
{
    if (!edge_run_tls_client(follow->sequence->tls))
        return 0;
    return edge_levels_hold(follow, "connected", HOLD_NS);
}

// Those of the kind wanted: the first of the resumed ones are full.
static uint64_t wanted(const struct edge_handshakes *handshakes, bool resume,
                       struct edge_handshakes_counts *counts)
{
    edge_handshakes_counts(handshakes, counts);
    return resume ? counts->resumed : counts->full;
}

// Goes on until `until_ns`; with `first` no longer than until a handshake of the kind is done.
static int go_on(struct edge_follow *follow, struct edge_handshakes *handshakes, bool resume,
                 uint64_t until_ns, bool first)
{
    struct edge_handshakes_counts counts;
    uint64_t now_ns = edge_clock_ns();
    int error = 0;
    while (!error && now_ns < until_ns && !edge_follow_is_over(follow) &&
           !(first && wanted(handshakes, resume, &counts) > 0)) {
        uint64_t tick_ns = now_ns + TICK_NS < until_ns ? now_ns + TICK_NS : until_ns;
        int failed = edge_handshakes_turn(handshakes, tick_ns);
        if (failed)
            return edge_fail(follow->message, failed, "event loop: %s", edge_error_text(failed));
        now_ns = edge_clock_ns();
        error = edge_follow_turn(follow, now_ns);
    }
    return error;
}

static int watch(struct edge_follow *follow, struct edge_handshakes *handshakes,
                 struct edge_measurement_span *span, bool resume, uint64_t duration_ns)
{
    struct edge_handshakes_counts first, last;
    int error = go_on(follow, handshakes, resume, edge_clock_ns() + PATIENCE_NS, true);
    if (error || edge_follow_is_over(follow) || wanted(handshakes, resume, &first) == 0)
        return error;
    error = edge_follow_look(follow, "handshakes_start", false, &span->start);
    span->start_ns = edge_clock_ns();
    uint64_t before = wanted(handshakes, resume, &first);
    if (!error)
        error = go_on(follow, handshakes, resume, span->start_ns + duration_ns, false);
    span->ok = wanted(handshakes, resume, &last) - before;
    span->ended = span->ok + last.failed - first.failed;
    span->stop_ns = edge_clock_ns();
    return error ? error : edge_follow_look(follow, "handshakes_stop", false, &span->stop);
}

static int count(struct edge_follow *follow, const char *name, bool resume)
{
    const struct edge_sequence *sequence = follow->sequence;
    struct edge_measurement *measurement = follow->measurement;
    struct edge_tls_client_config client = *edge_run_tls_client(sequence->tls);
    const struct edge_handshakes_config config = {follow->address, &client, AT_ONCE};
    struct edge_handshakes *handshakes;
    client.resume = resume;
    int error = edge_handshakes_new(&config, &handshakes, follow->message);
    if (error)
        return error;
    edge_progress_update(sequence->progress, "%s: %s TLS handshakes", sequence->title,
                         resume ? "resumed" : "full");
    struct edge_measurement_span *span = edge_levels_span(measurement, name);
    error = watch(follow, handshakes, span, resume, sequence->options->handshakes_ns);
    if (!error && span->ok == 0)
        edge_progress_say(sequence->progress, "%s: no %s TLS handshake: %s", sequence->title,
                          resume ? "resumed" : "full",
                          edge_handshakes_failure(handshakes)[0]
                              ? edge_handshakes_failure(handshakes)
                              : "the server does not offer it");
    else if (!error && !edge_follow_is_over(follow))
        measurement->span_count++;
    edge_handshakes_del(handshakes);
    return error;
}

int edge_handshakes_count(struct edge_follow *follow)
{
    const struct edge_sequence *sequence = follow->sequence;
    if (!edge_run_tls_client(sequence->tls) || sequence->options->handshakes_ns == 0)
        return 0;
    int error = count(follow, "handshakes_full", false);
    if (!error && !edge_follow_is_over(follow))
        error = count(follow, "handshakes_resumed", true);
    return error;
}
