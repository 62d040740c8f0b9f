#include "base/cpuset.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int parse_cpu(const char **text, unsigned long *cpu)
{
    char *end;
    if (**text < '0' || **text > '9')
        return EDGE_ERR_FORMAT;
    errno = 0;
    *cpu = strtoul(*text, &end, 10);
    if (errno != 0 || *cpu >= EDGE_CPUSET_MAX)
        return EDGE_ERR_FORMAT;
    *text = end;
    return 0;
}

static void collect(const cpu_set_t *mask, struct edge_cpuset *set)
{
    *set = (struct edge_cpuset){0};
    for (unsigned cpu = 0; cpu < EDGE_CPUSET_MAX; cpu++) {
        if (CPU_ISSET(cpu, mask))
            set->cpus[set->count++] = (unsigned short)cpu;
    }
}

static cpu_set_t to_mask(const struct edge_cpuset *set)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (unsigned i = 0; i < set->count; i++)
        CPU_SET(set->cpus[i], &mask);
    return mask;
}

int edge_cpuset_parse(const char *text, struct edge_cpuset *set)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (;;) {
        unsigned long first;
        int error = parse_cpu(&text, &first);
        if (error < 0)
            return error;
        unsigned long last = first;
        if (*text == '-') {
            text++;
            error = parse_cpu(&text, &last);
            if (error < 0)
                return error;
            if (last < first)
                return EDGE_ERR_FORMAT;
        }
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, &mask);
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return EDGE_ERR_FORMAT;
    }
    collect(&mask, set);
    return 0;
}

const char *edge_cpuset_text(const struct edge_cpuset *set, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < set->count && at < size;) {
        unsigned last = i;
        while (last + 1 < set->count && set->cpus[last + 1] == set->cpus[last] + 1)
            last++;
        int wrote = snprintf(text + at, size - at, last == i ? "%s%u" : "%s%u-%u", i > 0 ? "," : "",
                             set->cpus[i], set->cpus[last]);
        at += (size_t)wrote;
        i = last + 1;
    }
    return text;
}

int edge_cpuset_allowed(struct edge_cpuset *set)
{
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
        return -errno;
    collect(&mask, set);
    return 0;
}

int edge_cpuset_pin(pid_t pid, const struct edge_cpuset *set)
{
    cpu_set_t mask = to_mask(set);
    return sched_setaffinity(pid, sizeof(mask), &mask) < 0 ? -errno : 0;
}
