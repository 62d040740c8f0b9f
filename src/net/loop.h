// Event loop: epoll, timers and signals in one thread.
//
// Watches and timers are embedded in their owners; the loop never owns memory of theirs. A
// callback may remove any watch or timer, its own included, and free its owner.
#ifndef EDGE_NET_LOOP_H
#define EDGE_NET_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#define EDGE_LOOP_FOREVER UINT64_MAX

struct edge_watch {
    int fd;
    uint32_t events; // EPOLLIN, EPOLLOUT; level-triggered
    void (*ready)(struct edge_watch *watch, uint32_t events);
    bool added; // set by the loop
};

struct edge_timer {
    uint64_t due_ns;
    void (*fire)(struct edge_timer *timer);
    size_t heap_index; // 1-based, set by the loop; 0: not running
};

struct edge_loop {
    int epoll_fd;
    bool stopped;
    bool no_pwait2; // the kernel lacks epoll_pwait2 (before 5.11)
    struct epoll_event events[64];
    int event_at, event_count; // the batch being dispatched
    struct edge_timer **heap;  // binary min-heap by due_ns
    size_t heap_len, heap_cap;
    uint64_t now_ns; // read once after each wait
    uint64_t turns;  // waits so far
};

// Prepares an empty loop. 0 or a negated errno.
int edge_loop_init(struct edge_loop *loop);
// Closes the loop; watches and timers are forgotten, not closed. Safe twice after init.
void edge_loop_free(struct edge_loop *loop);

// Starts, changes, ends watching watch->fd. 0 or a negated errno. Removing is safe twice.
int edge_loop_add(struct edge_loop *loop, struct edge_watch *watch);
int edge_loop_modify(struct edge_loop *loop, struct edge_watch *watch, uint32_t events);
void edge_loop_remove(struct edge_loop *loop, struct edge_watch *watch);

// Starts (or moves) a timer. 0 or -ENOMEM. Stopping is safe when it is not running.
int edge_timer_start(struct edge_loop *loop, struct edge_timer *timer, uint64_t due_ns);
void edge_timer_stop(struct edge_loop *loop, struct edge_timer *timer);

// Waits once, at most until `until_ns` (EDGE_LOOP_FOREVER: as long as it takes; a time in the past:
// not at all) or the next timer, then dispatches events and due timers. Returns the number of
// callbacks, or a negated errno.
int edge_loop_turn(struct edge_loop *loop, uint64_t until_ns);

// Blocks SIGTERM and SIGINT, and gives a descriptor to watch that is readable once one has come
// (signalfd, non-blocking): the caller's to close. The fd, or a negated errno.
int edge_loop_open_signals(void);

// Turns until edge_loop_stop(). 0 or a negated errno.
int edge_loop_run(struct edge_loop *loop);
void edge_loop_stop(struct edge_loop *loop);

#endif
