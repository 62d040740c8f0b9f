// Time. Durations and instants are uint64_t nanoseconds of CLOCK_MONOTONIC; the wall clock is a
// label only, never a term in a difference.
#ifndef EDGE_BASE_CLOCK_H
#define EDGE_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_NS_PER_US UINT64_C(1000)
#define EDGE_NS_PER_MS UINT64_C(1000000)
#define EDGE_NS_PER_S  UINT64_C(1000000000)

// Now, on CLOCK_MONOTONIC.
uint64_t edge_clock_ns(void);

// Now, on CLOCK_REALTIME: nanoseconds since 1970. For labels, and to notice a stepped clock.
uint64_t edge_clock_wall_ns(void);

// CPU time that the calling thread has used.
uint64_t edge_clock_thread_cpu_ns(void);

// Sleeps until `due_ns`, or until a signal arrives. Returns 0, or -EINTR.
int edge_clock_sleep_until(uint64_t due_ns);

// Writes wall time `wall_ns` as UTC, "2026-11-30T14:05:09Z" (20 characters), into `text`.
void edge_clock_utc(uint64_t wall_ns, char text[24]);

#endif
