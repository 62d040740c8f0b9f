// Makes memory run out at a chosen moment: the n-th allocation of code of ours fails.
//
// The linker sends malloc(), calloc(), realloc(), strdup() and the pools' own functions here
// (--wrap), and jansson is told to use them too; nghttp2's session takes its memory from a pool.
// Not reached: what the C library and nghttp2's HPACK decoder allocate for themselves.
#ifndef EDGE_TESTS_FAULT_H
#define EDGE_TESTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

// A path through the program under test: 0, or a negative error. It checks what it made itself, and
// leaves nothing behind.
typedef int fault_path(void);

// Runs the path once to count its allocations, then again with each of them failing: that one
// alone, then that one and all after it. If there are more than `runs`, evenly spread ones are
// taken. Asserts that the path ends well without a fault, and that it has allocations to fail.
// Leaks are left to LeakSanitizer.
void fault_each_allocation(fault_path *path, uint64_t runs);

// Allocations of the calling thread do not count and do not fail.
void fault_exempt_thread(void);

#endif
