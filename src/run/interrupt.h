// Ctrl-C as something to wait for, so that a run can end in order.
#ifndef EDGE_RUN_INTERRUPT_H
#define EDGE_RUN_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

struct edge_interrupt {
    int fd; // readable when a signal has arrived
    bool seen;
    sigset_t before;
};

// Blocks SIGINT and SIGTERM for the calling thread, and so for the threads it starts later.
// 0 or a negated errno.
int edge_interrupt_init(struct edge_interrupt *interrupt);
// Looks, without waiting, whether one has arrived since init.
bool edge_interrupt_poll(struct edge_interrupt *interrupt);
// Gives the signals back. Safe twice.
void edge_interrupt_free(struct edge_interrupt *interrupt);

#endif
