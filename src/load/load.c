#include "load/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/books.h"
#include "load/judge.h"
#include "load/plan.h"
#include "load/worker.h"
#include "net/loop.h"

struct edge_load {
    struct edge_plan plan;
    struct edge_worker_control control;
    struct edge_worker *workers;
    unsigned worker_count; // prepared
    unsigned thread_count; // running
};

// One thread per CPU, but none without a connection.
static unsigned threads_for(const struct edge_load_config *config)
{
    unsigned threads = config->cpus.count > 0 ? config->cpus.count : 1;
    return threads < config->connections ? threads : (unsigned)config->connections;
}

static void free_load(struct edge_load *load)
{
    for (unsigned i = 0; i < load->worker_count; i++)
        edge_worker_free(&load->workers[i]);
    free(load->workers);
    edge_plan_free(&load->plan);
    pthread_cond_destroy(&load->control.changed);
    pthread_mutex_destroy(&load->control.lock);
    free(load);
}

static void join_threads(struct edge_load *load)
{
    for (unsigned i = 0; i < load->thread_count; i++)
        pthread_join(load->workers[i].thread, NULL);
    load->thread_count = 0;
}

static void tell(struct edge_worker_control *control, bool go)
{
    pthread_mutex_lock(&control->lock);
    control->start_ns = edge_clock_ns();
    *(go ? &control->go : &control->abort) = true;
    pthread_cond_broadcast(&control->changed);
    pthread_mutex_unlock(&control->lock);
}

// Starts the threads and waits until each has connected. 0 or an error with a message.
static int start_threads(struct edge_load *load, struct edge_message *message)
{
    struct edge_worker_control *control = &load->control;
    for (unsigned i = 0; i < load->worker_count; i++) {
        struct edge_worker *worker = &load->workers[i];
        int error = -pthread_create(&worker->thread, NULL, edge_worker_main, worker);
        if (error < 0)
            return edge_fail(message, error, "cannot start a thread: %s", edge_error_text(error));
        load->thread_count++;
    }
    pthread_mutex_lock(&control->lock);
    while (control->arrived < load->thread_count)
        pthread_cond_wait(&control->changed, &control->lock);
    pthread_mutex_unlock(&control->lock);
    for (unsigned i = 0; i < load->worker_count; i++) {
        const struct edge_channel_group *group = &load->workers[i].group;
        if (group->start_error != 0)
            return edge_fail(message, group->start_error, "%s", group->start_message.text);
    }
    return 0;
}

static int init_workers(struct edge_load *load, struct edge_message *message)
{
    unsigned count = threads_for(load->plan.config);
    // Workers begin at cache lines of their own.
    load->workers = aligned_alloc(_Alignof(struct edge_worker), count * sizeof(*load->workers));
    if (load->workers == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    for (unsigned i = 0; i < count; i++) {
        int error =
            edge_worker_init(&load->workers[i], &load->plan, &load->control, i, count, message);
        if (error < 0)
            return error;
        load->worker_count++;
    }
    return 0;
}

int edge_load_start(const struct edge_load_config *config, struct edge_load **started,
                    struct edge_message *message)
{
    struct edge_load *load = calloc(1, sizeof(*load));
    if (load == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    atomic_init(&load->control.stop_ns, EDGE_LOOP_FOREVER);
    pthread_mutex_init(&load->control.lock, NULL);
    pthread_cond_init(&load->control.changed, NULL);
    int error = edge_plan_init(&load->plan, config, message);
    if (error == 0)
        error = init_workers(load, message);
    if (error == 0)
        error = start_threads(load, message);
    tell(&load->control, error == 0);
    if (error < 0) {
        join_threads(load);
        free_load(load);
        return error;
    }
    *started = load;
    return 0;
}

void edge_load_window(const struct edge_load *load, uint64_t *start_ns, uint64_t *stop_ns)
{
    const struct edge_load_config *config = load->plan.config;
    *start_ns = load->control.start_ns + config->warmup_ns;
    *stop_ns = config->total > 0 ? EDGE_LOOP_FOREVER : *start_ns + config->duration_ns;
}

void edge_load_snapshot(const struct edge_load *load, struct edge_load_snapshot *snapshot)
{
    *snapshot = (struct edge_load_snapshot){0};
    for (unsigned i = 0; i < load->worker_count; i++) {
        const struct edge_worker *worker = &load->workers[i];
        snapshot->ended += atomic_load_explicit(&worker->live_ended, memory_order_relaxed);
        snapshot->ok += atomic_load_explicit(&worker->live_ok, memory_order_relaxed);
        if (!atomic_load_explicit(&worker->done, memory_order_acquire))
            snapshot->running = true;
    }
}

void edge_load_stop(struct edge_load *load)
{
    uint64_t never = EDGE_LOOP_FOREVER;
    if (!atomic_compare_exchange_strong(&load->control.stop_ns, &never, edge_clock_ns()))
        return;
    for (unsigned i = 0; i < load->worker_count; i++) {
        uint64_t one = 1;
        // It can only fail when a wake-up is pending already.
        if (write(load->workers[i].wake_fd, &one, sizeof(one)) < 0)
            continue;
    }
}

// The window as it was: with `total` it ends with the last counted call, after edge_load_stop() it
// ends there.
static void settle_window(const struct edge_load *load, struct edge_load_result *result)
{
    edge_load_window(load, &result->window_start_ns, &result->window_stop_ns);
    uint64_t stop_ns = atomic_load(&load->control.stop_ns);
    if (stop_ns < result->window_stop_ns) {
        result->stopped_early = true;
        result->window_stop_ns = stop_ns;
    }
    if (load->plan.config->total > 0) {
        uint64_t last_ns = 0;
        for (unsigned i = 0; i < load->worker_count; i++) {
            if (load->workers[i].group.last_end_ns > last_ns)
                last_ns = load->workers[i].group.last_end_ns;
        }
        result->window_stop_ns = last_ns;
    }
    if (result->window_stop_ns < result->window_start_ns)
        result->window_stop_ns = result->window_start_ns;
}

static void merge_name(char *name, size_t size, const char *more)
{
    if (more != NULL && name[0] == '\0')
        snprintf(name, size, "%s", more);
    else if (more != NULL && strcmp(name, more) != 0)
        snprintf(name, size, "several");
}

static void merge_tls(struct edge_load_tls *merged, const struct edge_tls *tls)
{
    struct edge_tls_facts facts;
    edge_tls_facts(tls, &facts);
    merge_name(merged->version, sizeof(merged->version), facts.version);
    merge_name(merged->suite, sizeof(merged->suite), facts.suite);
    merged->full += facts.full;
    merged->resumed += facts.resumed;
}

int edge_load_finish(struct edge_load *load, struct edge_load_result *result)
{
    join_threads(load);
    int error = edge_books_init(result);
    if (error < 0) {
        free_load(load);
        return error;
    }
    settle_window(load, result);
    for (unsigned i = 0; i < load->worker_count; i++) {
        const struct edge_worker *worker = &load->workers[i];
        result->stopped_early |= worker->gave_up;
        edge_books_merge(result, &worker->group.books);
        if (worker->group.tls != NULL)
            merge_tls(&result->tls, worker->group.tls);
        if (i < EDGE_CPUSET_MAX)
            result->threads[result->thread_count++] = worker->health;
    }
    result->balanced = edge_books_balanced(result);
    edge_judge(result);
    free_load(load);
    return 0;
}
