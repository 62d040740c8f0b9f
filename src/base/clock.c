#include "base/clock.h"

#include <errno.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * EDGE_NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t edge_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t edge_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t edge_clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int edge_clock_sleep_until(uint64_t due_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(due_ns / EDGE_NS_PER_S),
                          .tv_nsec = (long)(due_ns % EDGE_NS_PER_S)};
    return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

void edge_clock_utc(uint64_t wall_ns, char text[24])
{
    time_t seconds = (time_t)(wall_ns / EDGE_NS_PER_S);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    if (strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        text[0] = '\0';
}
