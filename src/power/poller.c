#include "power/poller.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LOOK_NS  (20 * EDGE_NS_PER_MS) // where a source has no interval
#define RETRY_NS (200 * EDGE_NS_PER_MS)
#define KEPT_MAX 4096 // readings that nobody takes: 100 s of the fastest meter

struct edge_power_poller {
    struct edge_power *power;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    uint64_t failures;
    struct edge_message last;
    size_t first, count; // of a ring
    struct edge_reading readings[KEPT_MAX];
};

// A full ring loses its oldest.
static void keep(struct edge_power_poller *poller, const struct edge_reading *reading)
{
    if (poller->count == KEPT_MAX) {
        poller->first = (poller->first + 1) % KEPT_MAX;
        poller->count--;
    }
    poller->readings[(poller->first + poller->count++) % KEPT_MAX] = *reading;
}

// When to look again.
static uint64_t next_due(const struct edge_power_poller *poller, int result, uint64_t due_ns)
{
    uint64_t interval_ns = poller->power->interval_ns, now_ns = edge_clock_ns();
    if (result == 1)
        return now_ns;
    if (result == -EAGAIN || interval_ns == 0)
        return now_ns + (result < 0 && result != -EAGAIN ? RETRY_NS : LOOK_NS);
    // Due times stay on their grid; those that were missed are left out.
    due_ns += interval_ns;
    return due_ns > now_ns ? due_ns : now_ns + interval_ns - (now_ns - due_ns) % interval_ns;
}

static void wait_until(struct edge_power_poller *poller, uint64_t due_ns)
{
    struct timespec until = {(time_t)(due_ns / EDGE_NS_PER_S), (long)(due_ns % EDGE_NS_PER_S)};
    while (!poller->stopping && edge_clock_ns() < due_ns)
        pthread_cond_timedwait(&poller->wake, &poller->lock, &until);
}

static void *poll_source(void *argument)
{
    struct edge_power_poller *poller = argument;
    uint64_t due_ns = edge_clock_ns();
    pthread_mutex_lock(&poller->lock);
    while (!poller->stopping) {
        struct edge_reading reading;
        struct edge_message message = {""};
        pthread_mutex_unlock(&poller->lock);
        int result = edge_power_read(poller->power, &reading, &message);
        pthread_mutex_lock(&poller->lock);
        if (result >= 0) {
            keep(poller, &reading);
        } else if (result != -EAGAIN) {
            poller->failures++;
            poller->last = message;
        }
        due_ns = next_due(poller, result, due_ns);
        wait_until(poller, due_ns);
    }
    pthread_mutex_unlock(&poller->lock);
    return NULL;
}

int edge_power_poller_start(struct edge_power_poller **started, struct edge_power *power,
                            struct edge_message *message)
{
    struct edge_power_poller *poller = calloc(1, sizeof *poller);
    if (!poller)
        return edge_fail(message, -ENOMEM, "out of memory");
    poller->power = power;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&poller->wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&poller->lock, NULL);
    sigset_t all, before; // signals are for the thread that started this one
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = -pthread_create(&poller->thread, NULL, poll_source, poller);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        pthread_cond_destroy(&poller->wake);
        pthread_mutex_destroy(&poller->lock);
        free(poller);
        return edge_fail(message, error, "cannot start a thread: %s", edge_error_text(error));
    }
    *started = poller;
    return 0;
}

size_t edge_power_poller_take(struct edge_power_poller *poller, struct edge_reading *readings,
                              size_t max)
{
    size_t taken = 0;
    pthread_mutex_lock(&poller->lock);
    for (; taken < max && poller->count > 0; taken++) {
        readings[taken] = poller->readings[poller->first];
        poller->first = (poller->first + 1) % KEPT_MAX;
        poller->count--;
    }
    pthread_mutex_unlock(&poller->lock);
    return taken;
}

uint64_t edge_power_poller_failures(struct edge_power_poller *poller, struct edge_message *last)
{
    pthread_mutex_lock(&poller->lock);
    uint64_t failures = poller->failures;
    *last = poller->last;
    pthread_mutex_unlock(&poller->lock);
    return failures;
}

void edge_power_poller_stop(struct edge_power_poller *poller)
{
    if (!poller)
        return;
    pthread_mutex_lock(&poller->lock);
    poller->stopping = true;
    pthread_cond_broadcast(&poller->wake);
    pthread_mutex_unlock(&poller->lock);
    pthread_join(poller->thread, NULL);
    pthread_cond_destroy(&poller->wake);
    pthread_mutex_destroy(&poller->lock);
    free(poller);
}
