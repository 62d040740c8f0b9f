#include "net/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

int edge_loop_init(struct edge_loop *loop)
{
    *loop = (struct edge_loop){0};
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll_fd < 0)
        return -errno;
    loop->now_ns = edge_clock_ns();
    return 0;
}

void edge_loop_free(struct edge_loop *loop)
{
    if (loop->epoll_fd >= 0)
        close(loop->epoll_fd);
    loop->epoll_fd = -1;
    free(loop->heap);
    loop->heap = NULL;
    loop->heap_len = loop->heap_cap = 0;
}

int edge_loop_add(struct edge_loop *loop, struct edge_watch *watch)
{
    struct epoll_event event = {.events = watch->events, .data.ptr = watch};
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) < 0)
        return -errno;
    watch->added = true;
    return 0;
}

int edge_loop_modify(struct edge_loop *loop, struct edge_watch *watch, uint32_t events)
{
    if (watch->events == events)
        return 0;
    struct epoll_event event = {.events = events, .data.ptr = watch};
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event) < 0)
        return -errno;
    watch->events = events;
    return 0;
}

void edge_loop_remove(struct edge_loop *loop, struct edge_watch *watch)
{
    if (!watch->added)
        return;
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    watch->added = false;
    // Events of this turn that still wait would point to freed memory.
    for (int i = loop->event_at; i < loop->event_count; i++) {
        if (loop->events[i].data.ptr == watch)
            loop->events[i].data.ptr = NULL;
    }
}

static void heap_place(struct edge_loop *loop, size_t index, struct edge_timer *timer)
{
    loop->heap[index - 1] = timer;
    timer->heap_index = index;
}

static void heap_up(struct edge_loop *loop, size_t index, struct edge_timer *timer)
{
    while (index > 1 && loop->heap[index / 2 - 1]->due_ns > timer->due_ns) {
        heap_place(loop, index, loop->heap[index / 2 - 1]);
        index /= 2;
    }
    heap_place(loop, index, timer);
}

static void heap_down(struct edge_loop *loop, size_t index, struct edge_timer *timer)
{
    for (;;) {
        size_t child = index * 2;
        if (child > loop->heap_len)
            break;
        if (child < loop->heap_len && loop->heap[child]->due_ns < loop->heap[child - 1]->due_ns)
            child++;
        if (loop->heap[child - 1]->due_ns >= timer->due_ns)
            break;
        heap_place(loop, index, loop->heap[child - 1]);
        index = child;
    }
    heap_place(loop, index, timer);
}

int edge_timer_start(struct edge_loop *loop, struct edge_timer *timer, uint64_t due_ns)
{
    edge_timer_stop(loop, timer);
    if (loop->heap_len == loop->heap_cap) {
        size_t cap = loop->heap_cap == 0 ? 16 : loop->heap_cap * 2;
        struct edge_timer **heap = realloc(loop->heap, cap * sizeof(*heap));
        if (heap == NULL)
            return -ENOMEM;
        loop->heap = heap;
        loop->heap_cap = cap;
    }
    timer->due_ns = due_ns;
    heap_up(loop, ++loop->heap_len, timer);
    return 0;
}

void edge_timer_stop(struct edge_loop *loop, struct edge_timer *timer)
{
    size_t index = timer->heap_index;
    if (index == 0)
        return;
    timer->heap_index = 0;
    struct edge_timer *last = loop->heap[--loop->heap_len];
    if (last == timer)
        return;
    if (index > 1 && loop->heap[index / 2 - 1]->due_ns > last->due_ns)
        heap_up(loop, index, last);
    else
        heap_down(loop, index, last);
}

// Waits for events until the given time. Without epoll_pwait2 a wait is a whole number of
// milliseconds, rounded down: the last part of it is then a few turns that do not block.
static int wait_for_events(struct edge_loop *loop, uint64_t until_ns)
{
    int capacity = (int)(sizeof(loop->events) / sizeof(loop->events[0]));
    if (until_ns == EDGE_LOOP_FOREVER)
        return epoll_wait(loop->epoll_fd, loop->events, capacity, -1);
    uint64_t now = until_ns > 0 ? edge_clock_ns() : 0;
    uint64_t wait_ns = until_ns > now ? until_ns - now : 0;
    if (wait_ns == 0)
        return epoll_wait(loop->epoll_fd, loop->events, capacity, 0);
#ifdef SYS_epoll_pwait2
    if (!loop->no_pwait2) {
        // The kernel's own 64-bit timespec, whatever the C library's time_t is.
        struct {
            int64_t seconds;
            int64_t nanoseconds;
        } timeout = {(int64_t)(wait_ns / EDGE_NS_PER_S), (int64_t)(wait_ns % EDGE_NS_PER_S)};
        long count =
            syscall(SYS_epoll_pwait2, loop->epoll_fd, loop->events, capacity, &timeout, NULL, 0);
        if (count >= 0 || (errno != ENOSYS && errno != EPERM))
            return (int)count;
        loop->no_pwait2 = true;
    }
#endif
    uint64_t wait_ms = wait_ns / EDGE_NS_PER_MS;
    return epoll_wait(loop->epoll_fd, loop->events, capacity,
                      wait_ms < 60000 ? (int)wait_ms : 60000);
}

static int fire_timers(struct edge_loop *loop)
{
    int fired = 0;
    while (loop->heap_len > 0 && loop->heap[0]->due_ns <= loop->now_ns && !loop->stopped) {
        struct edge_timer *timer = loop->heap[0];
        edge_timer_stop(loop, timer);
        timer->fire(timer);
        fired++;
    }
    return fired;
}

int edge_loop_turn(struct edge_loop *loop, uint64_t until_ns)
{
    if (loop->heap_len > 0 && loop->heap[0]->due_ns < until_ns)
        until_ns = loop->heap[0]->due_ns;
    int count = wait_for_events(loop, until_ns);
    loop->turns++;
    loop->now_ns = edge_clock_ns();
    if (count < 0) {
        if (errno != EINTR)
            return -errno;
        count = 0;
    }
    loop->event_count = count;
    for (loop->event_at = 0; loop->event_at < loop->event_count;) {
        const struct epoll_event *event = &loop->events[loop->event_at++];
        struct edge_watch *watch = event->data.ptr;
        if (watch != NULL)
            watch->ready(watch, event->events);
    }
    loop->event_count = loop->event_at = 0;
    return count + fire_timers(loop);
}

int edge_loop_open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int edge_loop_run(struct edge_loop *loop)
{
    while (!loop->stopped) {
        int error = edge_loop_turn(loop, EDGE_LOOP_FOREVER);
        if (error < 0)
            return error;
    }
    return 0;
}

void edge_loop_stop(struct edge_loop *loop)
{
    loop->stopped = true;
}
