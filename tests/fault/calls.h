// Makes system calls of the network fail as they may: interrupted, short, the connection reset. The
// linker sends recv(), send(), accept4() and epoll_wait() of the rooms here (--wrap).
#ifndef EDGE_TESTS_CALLS_H
#define EDGE_TESTS_CALLS_H

#include <stdint.h>

// All zero: no faults.
struct calls_faults {
    uint32_t interrupt; // one in that many calls fails with EINTR
    uint32_t longest;   // bytes that one recv() or send() moves at most
    uint32_t reset;     // that recv() or send(), counted from 1, fails with ECONNRESET; 0: none
};

// From now on, in this process.
void calls_set(const struct calls_faults *faults);

#endif
