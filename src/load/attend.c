#include "load/attend.h"

#include <inttypes.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/progress.h"

static void show_progress(struct edge_progress *progress, const char *label,
                          const struct edge_load *load, uint64_t begin_ns,
                          const struct edge_load_snapshot *now)
{
    uint64_t start_ns, stop_ns;
    edge_load_window(load, &start_ns, &stop_ns);
    uint64_t at_ns = edge_clock_ns();
    double elapsed_s = (double)(at_ns - begin_ns) / 1e9;
    const char *phase = at_ns < start_ns ? "warm-up" : at_ns < stop_ns ? "measuring" : "draining";
    edge_progress_update(progress, "%s%s  %.1f s  %" PRIu64 " calls, %" PRIu64 " ok, %.0f/s", label,
                         phase, elapsed_s, now->ended, now->ok,
                         elapsed_s > 0 ? (double)now->ok / elapsed_s : 0);
}

// Until the load is over.
static void wait_for_end(struct edge_load *load, const char *label, bool *interrupted)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before);

    struct edge_progress progress;
    struct edge_load_snapshot now;
    uint64_t begin_ns = edge_clock_ns();
    bool stopping = false;
    edge_progress_init(&progress);
    for (edge_load_snapshot(load, &now); now.running; edge_load_snapshot(load, &now)) {
        show_progress(&progress, label, load, begin_ns, &now);
        struct timespec pause = {.tv_nsec = 50000000};
        int signal_number = sigtimedwait(&signals, NULL, &pause);
        if (signal_number <= 0)
            continue;
        if (stopping) {
            signal(signal_number, SIG_DFL);
            raise(signal_number);
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        stopping = *interrupted = true;
        edge_progress_say(&progress, "stopping: waiting for calls in flight");
        edge_load_stop(load);
    }
    edge_progress_end(&progress);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int edge_attend(const struct edge_load_config *config, const char *label,
                struct edge_load_result *result, bool *interrupted, struct edge_message *message)
{
    struct edge_load *load;
    int error = edge_load_start(config, &load, message);
    if (error < 0)
        return error;
    wait_for_end(load, label, interrupted);
    error = edge_load_finish(load, result);
    return error < 0 ? edge_fail(message, error, "%s", edge_error_text(error)) : 0;
}
