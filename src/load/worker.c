#include "load/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"

#define IO_BYTES (128u << 10) // of one read, and of one write
#define RUN_MAX  16u // calls due at once that one connection gets before the next: one write

static uint32_t share_of(uint64_t whole, uint64_t part, uint64_t parts)
{
    return (uint32_t)(whole / parts + (part < whole % parts));
}

static void on_wake(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    uint64_t count;
    while (read(watch->fd, &count, sizeof(count)) > 0)
        continue;
}

// Connection number `c` of all belongs to thread c % count.
static int init_channels(struct edge_worker *worker)
{
    const struct edge_load_config *config = worker->plan->config;
    unsigned mine = share_of(config->connections, worker->index, worker->count);
    worker->channels = calloc(mine, sizeof(*worker->channels));
    worker->given = calloc(mine, sizeof(struct edge_channel *));
    if (worker->channels == NULL || worker->given == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < mine; i++) {
        uint64_t number = worker->index + (uint64_t)i * worker->count;
        int error = edge_channel_init(&worker->channels[i], &worker->group,
                                      share_of(config->concurrency, number, config->connections));
        if (error < 0)
            return error;
        worker->channel_count++;
    }
    return 0;
}

int edge_worker_init(struct edge_worker *worker, const struct edge_plan *plan,
                     struct edge_worker_control *control, unsigned index, unsigned count,
                     struct edge_message *message)
{
    const struct edge_load_config *config = plan->config;
    uint64_t messages = config->payload->messages_out;
    *worker = (struct edge_worker){
        .plan = plan,
        .control = control,
        .index = index,
        .count = count,
        .cpu = config->cpus.count > 0 ? config->cpus.cpus[index] : -1,
        .wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
        .loop = {.epoll_fd = -1},
    };
    // Until the window opens, and for good if it never does.
    worker->health =
        (struct edge_load_thread){.cpu = worker->cpu, .run_delay_ns = EDGE_LOAD_UNKNOWN};
    if (worker->wake_fd < 0)
        return edge_fail(message, -errno, "cannot prepare a thread: %s", strerror(errno));
    worker->group = (struct edge_channel_group){
        .plan = plan,
        .loop = &worker->loop,
        .io = &worker->io,
        .next_number = index * messages,
        .number_step = count * messages,
    };
    worker->wake = (struct edge_watch){.fd = worker->wake_fd, .events = EPOLLIN, .ready = on_wake};
    int error = edge_loop_init(&worker->loop);
    if (error == 0)
        error = edge_io_init(&worker->io, &worker->loop, IO_BYTES);
    if (error == 0)
        error = edge_loop_add(&worker->loop, &worker->wake);
    if (error == 0)
        error = edge_books_init(&worker->group.books);
    if (error == 0)
        error = init_channels(worker);
    if (error < 0)
        edge_fail(message, error, "cannot prepare a thread: %s", edge_error_text(error));
    else if (config->tls != NULL)
        error = edge_tls_client_new(config->tls, &worker->group.tls, message);
    if (error < 0)
        edge_worker_free(worker);
    return error;
}

void edge_worker_free(struct edge_worker *worker)
{
    worker->group.ending = true;
    for (unsigned i = 0; i < worker->channel_count; i++)
        edge_channel_free(&worker->channels[i]);
    worker->channel_count = 0;
    free(worker->channels);
    free(worker->given);
    worker->channels = NULL;
    worker->given = NULL;
    edge_tls_del(worker->group.tls);
    worker->group.tls = NULL;
    edge_load_result_free(&worker->group.books);
    edge_outgoing_scratch_free(&worker->group.scratch);
    edge_io_free(&worker->io);
    edge_loop_free(&worker->loop);
    if (worker->wake_fd >= 0)
        close(worker->wake_fd);
    worker->wake_fd = -1;
}

// When connection `index` of this thread is to be opened.
static uint64_t ramp_ns(const struct edge_worker *worker, unsigned index)
{
    const struct edge_load_config *config = worker->plan->config;
    uint64_t number = worker->index + (uint64_t)index * worker->count;
    return config->ramp_ns / config->connections * number;
}

// Opens every connection. 0, or what group.start_message explains.
static int connect_all(struct edge_worker *worker)
{
    struct edge_channel_group *group = &worker->group;
    uint64_t start_ns = edge_clock_ns();
    unsigned begun = 0;
    while (group->start_error == 0 && group->ready < worker->channel_count) {
        uint64_t next_ns = start_ns + ramp_ns(worker, begun);
        if (begun < worker->channel_count && next_ns <= edge_clock_ns()) {
            edge_channel_connect(&worker->channels[begun++]);
            continue;
        }
        int error = edge_loop_turn(&worker->loop,
                                   begun < worker->channel_count ? next_ns : EDGE_LOOP_FOREVER);
        if (error < 0)
            group->start_error =
                edge_fail(&group->start_message, error, "event loop: %s", edge_error_text(error));
    }
    return group->start_error;
}

// Tells that this thread has connected, and waits for the others. False: the load is off.
static bool wait_for_go(struct edge_worker *worker)
{
    struct edge_worker_control *control = worker->control;
    pthread_mutex_lock(&control->lock);
    control->arrived++;
    pthread_cond_broadcast(&control->changed);
    while (!control->go && !control->abort)
        pthread_cond_wait(&control->changed, &control->lock);
    bool go = !control->abort;
    pthread_mutex_unlock(&control->lock);
    return go;
}

// ---- the window's edges ----

// From the kernel's scheduler statistics: CPU time, time ready but not running, and switches.
static uint64_t run_delay_ns(void)
{
    uint64_t delay_ns = EDGE_LOAD_UNKNOWN;
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    if (file == NULL)
        return EDGE_LOAD_UNKNOWN;
    if (fscanf(file, "%*u %" SCNu64, &delay_ns) != 1)
        delay_ns = EDGE_LOAD_UNKNOWN;
    fclose(file);
    return delay_ns;
}

static void open_window(struct edge_worker *worker, uint64_t now_ns)
{
    worker->window_open = true;
    worker->opened_ns = now_ns;
    worker->health = (struct edge_load_thread){
        .cpu = worker->cpu,
        .cpu_ns = edge_clock_thread_cpu_ns(),
        .run_delay_ns = run_delay_ns(),
        .turns = worker->loop.turns,
        .recv_calls = worker->io.reads,
        .replies = worker->group.ended,
    };
    worker->bytes_in_before = worker->io.bytes_in;
    worker->bytes_out_before = worker->io.bytes_out;
}

static void close_window(struct edge_worker *worker, uint64_t now_ns)
{
    struct edge_load_thread *health = &worker->health;
    worker->window_closed = true;
    if (!worker->window_open)
        return;
    health->elapsed_ns = now_ns - worker->opened_ns;
    health->cpu_ns = edge_clock_thread_cpu_ns() - health->cpu_ns;
    uint64_t before_ns = health->run_delay_ns, after_ns = run_delay_ns();
    health->run_delay_ns = after_ns - before_ns;
    // The kernel's number can jump when a thread that is not pinned changes its CPU.
    if (before_ns == EDGE_LOAD_UNKNOWN || after_ns == EDGE_LOAD_UNKNOWN ||
        health->run_delay_ns > health->elapsed_ns)
        health->run_delay_ns = EDGE_LOAD_UNKNOWN;
    health->turns = worker->loop.turns - health->turns;
    health->recv_calls = worker->io.reads - health->recv_calls;
    health->replies = worker->group.ended - health->replies;
    worker->group.books.bytes_in = worker->io.bytes_in - worker->bytes_in_before;
    worker->group.books.bytes_out = worker->io.bytes_out - worker->bytes_out_before;
}

// ---- the open loop ----

static struct edge_channel *next_with_room(struct edge_worker *worker)
{
    for (unsigned i = 0; i < worker->channel_count; i++) {
        struct edge_channel *channel = &worker->channels[worker->next_channel];
        worker->next_channel = (worker->next_channel + 1) % worker->channel_count;
        if (edge_channel_has_room(channel))
            return channel;
    }
    return NULL;
}

// Deals the due calls out, one connection after the other. Several are due only when there was no
// time to send each when it was: then they go in runs, for each connection costs a write.
static void start_due(struct edge_worker *worker, uint64_t now_ns)
{
    struct edge_channel_group *group = &worker->group;
    struct edge_pacer *pacer = &group->pacer;
    unsigned given = 0;
    group->waiting = false;
    if (!edge_pacer_ready(pacer, now_ns))
        return;
    bool counted;
    struct edge_pacer ahead = *pacer;
    struct edge_channel *channel = NULL;
    for (; edge_pacer_ready(&ahead, now_ns); edge_pacer_take(&ahead, now_ns, &counted)) {
        if (channel == NULL || channel->quota == RUN_MAX || !edge_channel_has_room(channel))
            channel = next_with_room(worker);
        if (channel == NULL) {
            group->waiting = true;
            break;
        }
        if (channel->quota++ == 0)
            worker->given[given++] = channel;
    }
    for (unsigned i = 0; i < given; i++)
        edge_channel_flush(worker->given[i]);
    // A channel that could not take all of its calls must not keep them from the others.
    for (unsigned i = 0; i < given; i++)
        worker->given[i]->quota = 0;
}

// ---- calls in flight ----

// Sets each connection's part of the calls in flight, as they change with time.
static void change_calls(struct edge_worker *worker, uint64_t now_ns)
{
    const struct edge_plan *plan = worker->plan;
    uint64_t elapsed_ns = now_ns - worker->control->start_ns;
    uint64_t calls = edge_shape_value(&plan->calls, elapsed_ns);
    uint64_t next_ns = edge_shape_change(&plan->calls, elapsed_ns);
    worker->change_ns =
        next_ns < EDGE_LOOP_FOREVER ? worker->control->start_ns + next_ns : EDGE_LOOP_FOREVER;
    for (unsigned i = 0; i < worker->channel_count; i++) {
        uint64_t number = worker->index + (uint64_t)i * worker->count;
        worker->channels[i].limit = share_of(calls, number, plan->config->connections);
        if (worker->group.started && !worker->group.pacer.open_loop)
            edge_channel_flush(&worker->channels[i]);
    }
}

// ---- the run ----

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t wake_at(const struct edge_worker *worker, uint64_t drain_until_ns)
{
    const struct edge_pacer *pacer = &worker->group.pacer;
    uint64_t until_ns = drain_until_ns;
    if (!worker->window_open)
        until_ns = earlier(until_ns, pacer->window_start_ns);
    if (!worker->window_closed)
        until_ns = earlier(until_ns, pacer->window_stop_ns);
    if (!worker->group.waiting && !pacer->stopped)
        until_ns = earlier(until_ns, edge_pacer_next(pacer));
    if (!pacer->stopped)
        until_ns = earlier(until_ns, worker->change_ns);
    if (worker->stuck_since_ns > 0)
        until_ns = earlier(until_ns, worker->stuck_since_ns + worker->plan->connect_timeout_ns);
    return until_ns;
}

// Without a connection, or with MAX_CONCURRENT_STREAMS of 0 on each, a load of so many calls would
// never end. True once that has lasted for the connect timeout.
static bool is_stuck(struct edge_worker *worker, uint64_t now_ns)
{
    const struct edge_channel_group *group = &worker->group;
    bool idle = group->in_flight == 0 && (!group->pacer.open_loop || group->waiting);
    if (!idle || group->pacer.total == 0) {
        worker->stuck_since_ns = 0;
        return false;
    }
    if (worker->stuck_since_ns == 0)
        worker->stuck_since_ns = now_ns;
    return now_ns - worker->stuck_since_ns >= worker->plan->connect_timeout_ns;
}

static void give_up(struct edge_worker *worker, uint64_t now_ns)
{
    struct edge_load_result *books = &worker->group.books;
    worker->gave_up = true;
    edge_pacer_stop(&worker->group.pacer, now_ns);
    if (books->first_error[0] == '\0')
        snprintf(books->first_error, sizeof(books->first_error), "%s",
                 worker->group.ready > 0
                     ? "expected the server to take a call within the connect timeout; found "
                       "MAX_CONCURRENT_STREAMS of 0"
                     : "expected a connection to come back within the connect timeout; found none");
}

static int run(struct edge_worker *worker)
{
    struct edge_channel_group *group = &worker->group;
    struct edge_pacer *pacer = &group->pacer;
    uint64_t drain_until_ns = EDGE_LOOP_FOREVER;
    for (;;) {
        uint64_t now_ns = edge_clock_ns();
        if (now_ns >= worker->change_ns)
            change_calls(worker, now_ns);
        uint64_t stop_ns = atomic_load_explicit(&worker->control->stop_ns, memory_order_relaxed);
        if (stop_ns != EDGE_LOOP_FOREVER)
            edge_pacer_stop(pacer, now_ns);
        if (!worker->window_open && now_ns >= pacer->window_start_ns)
            open_window(worker, now_ns);
        if (pacer->open_loop)
            start_due(worker, now_ns);
        else
            edge_pacer_ready(pacer, now_ns);
        if (!pacer->stopped && is_stuck(worker, now_ns))
            give_up(worker, now_ns);
        if (!worker->window_closed && now_ns >= pacer->window_stop_ns)
            close_window(worker, now_ns);
        if (pacer->stopped && drain_until_ns == EDGE_LOOP_FOREVER)
            drain_until_ns = now_ns + worker->plan->config->drain_ns;
        if (pacer->stopped && (group->in_flight == 0 || now_ns >= drain_until_ns)) {
            if (!worker->window_closed)
                close_window(worker, now_ns);
            return 0;
        }
        int error = edge_loop_turn(&worker->loop, wake_at(worker, drain_until_ns));
        if (error < 0)
            return error;
        atomic_store_explicit(&worker->live_ended, group->ended, memory_order_relaxed);
        atomic_store_explicit(&worker->live_ok, group->ok, memory_order_relaxed);
    }
}

void *edge_worker_main(void *arg)
{
    struct edge_worker *worker = arg;
    struct edge_channel_group *group = &worker->group;
    if (worker->cpu >= 0) {
        struct edge_cpuset one = {.count = 1, .cpus = {(unsigned short)worker->cpu}};
        int error = edge_cpuset_pin(0, &one);
        if (error < 0)
            group->start_error = edge_fail(&group->start_message, error, "cannot run on CPU %d: %s",
                                           worker->cpu, edge_error_text(error));
    }
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); // signals are the caller's business
    prctl(PR_SET_TIMERSLACK, 1UL);          // wake when due, not 50 us later
    if (group->start_error == 0)
        connect_all(worker);
    if (wait_for_go(worker) && group->start_error == 0) {
        edge_pacer_init(&group->pacer, worker->plan->config, &worker->plan->rates, worker->index,
                        worker->count, worker->control->start_ns);
        worker->change_ns = worker->control->start_ns;
        group->started = true;
        int error = run(worker);
        group->ending = true;
        uint64_t now_ns = edge_clock_ns();
        for (unsigned i = 0; i < worker->channel_count; i++)
            edge_channel_abandon(&worker->channels[i], now_ns);
        if (error < 0 && group->books.first_error[0] == '\0')
            snprintf(group->books.first_error, sizeof(group->books.first_error),
                     "the generator's event loop failed: %s", edge_error_text(error));
        group->books.due = edge_pacer_due(&group->pacer);
        group->books.unsent = edge_pacer_unsent(&group->pacer);
        edge_pacer_record_unsent(&group->pacer, &group->books.response);
    }
    atomic_store_explicit(&worker->done, true, memory_order_release);
    return NULL;
}
