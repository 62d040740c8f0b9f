// One thread of the generator: its own loop, connections, part of the schedule, and books. Threads
// share nothing that changes while they run, but for the few atomics below.
#ifndef EDGE_LOAD_WORKER_H
#define EDGE_LOAD_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/channel.h"
#include "load/load.h"
#include "load/plan.h"

// Start and end of all threads.
struct edge_worker_control {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned arrived; // threads that have connected, or failed to
    bool go, abort;
    uint64_t start_ns;        // of warm-up; valid once `go`
    _Atomic uint64_t stop_ns; // no new calls from here on; EDGE_LOOP_FOREVER until told so
};

struct edge_worker {
    _Alignas(64) _Atomic uint64_t live_ended; // these are written by this thread only
    _Atomic uint64_t live_ok;
    _Atomic bool done;

    pthread_t thread;
    const struct edge_plan *plan;
    struct edge_worker_control *control;
    unsigned index, count; // of all threads
    int cpu;               // -1: not pinned
    int wake_fd;           // an eventfd

    struct edge_loop loop;
    struct edge_io io;
    struct edge_watch wake;
    struct edge_channel_group group;
    struct edge_channel *channels;
    struct edge_channel **given; // channels that got a due call this turn
    unsigned channel_count;
    unsigned next_channel;
    uint64_t stuck_since_ns; // since when no call could start; 0: calls can
    bool gave_up;            // that lasted too long, and without calls `total` is never reached

    bool window_open, window_closed;
    struct edge_load_thread health; // at the window's opening: what to subtract
    uint64_t ended_before, bytes_in_before, bytes_out_before, opened_ns;
};

// Prepares thread `index` of `count` and its channels; nothing runs yet. 0 or a negated errno, or
// an error of edge_tls_client_new(), with a message.
int edge_worker_init(struct edge_worker *worker, const struct edge_plan *plan,
                     struct edge_worker_control *control, unsigned index, unsigned count,
                     struct edge_message *message);
// After the thread was joined, or never started. Safe twice.
void edge_worker_free(struct edge_worker *worker);

// The thread: connects, arrives, waits for go, loads, drains. `arg` is the worker.
void *edge_worker_main(void *arg);

#endif
