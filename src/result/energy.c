#include "result/energy.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct span {
    const struct edge_reading *readings;
    size_t count;
    uint64_t start_ns, stop_ns;
};

static double seconds(uint64_t from_ns, uint64_t to_ns)
{
    return (double)(to_ns - from_ns) / 1e9;
}

// Between two readings, or at one where both have the same time.
static double between(const struct edge_reading *a, const struct edge_reading *b, uint64_t from,
                      uint64_t to, uint64_t t_ns)
{
    if (b->t_ns == a->t_ns)
        return (double)to;
    double part = (double)(t_ns - a->t_ns) / (double)(b->t_ns - a->t_ns);
    return (double)from + ((double)to - (double)from) * part;
}

// The next reading from `at` on that has a power (or, `counter`, an energy); count if none has.
static size_t next(const struct span *span, size_t at, bool counter)
{
    while (at < span->count && (counter ? span->readings[at].energy_uj
                                        : span->readings[at].power_uw) == EDGE_READING_NONE)
        at++;
    return at;
}

// NAN unless readings lie on both sides.
static double integrate(const struct span *span)
{
    double energy_uj = 0;
    size_t i = next(span, 0, false);
    if (i == span->count || span->readings[i].t_ns > span->start_ns)
        return NAN;
    for (size_t j; (j = next(span, i + 1, false)) < span->count; i = j) {
        const struct edge_reading *a = &span->readings[i], *b = &span->readings[j];
        if (b->t_ns <= span->start_ns)
            continue;
        uint64_t from_ns = a->t_ns > span->start_ns ? a->t_ns : span->start_ns;
        uint64_t to_ns = b->t_ns < span->stop_ns ? b->t_ns : span->stop_ns;
        double from_uw = between(a, b, a->power_uw, b->power_uw, from_ns);
        double to_uw = between(a, b, a->power_uw, b->power_uw, to_ns);
        energy_uj += (from_uw + to_uw) / 2 * seconds(from_ns, to_ns);
        if (b->t_ns >= span->stop_ns)
            return energy_uj;
    }
    return NAN;
}

// The difference of the counter at both edges; NAN as above, or if it ever went back.
static double count(const struct span *span)
{
    double start_uj = NAN;
    size_t i = next(span, 0, true);
    if (i == span->count || span->readings[i].t_ns > span->start_ns)
        return NAN;
    for (size_t j; (j = next(span, i + 1, true)) < span->count; i = j) {
        const struct edge_reading *a = &span->readings[i], *b = &span->readings[j];
        if (b->t_ns < span->start_ns)
            continue;
        if (b->energy_uj < a->energy_uj)
            return NAN;
        if (isnan(start_uj))
            start_uj = between(a, b, a->energy_uj, b->energy_uj, span->start_ns);
        if (b->t_ns >= span->stop_ns)
            return between(a, b, a->energy_uj, b->energy_uj, span->stop_ns) - start_uj;
    }
    return NAN;
}

static void choose(const struct span *span, uint64_t quantum_uj, struct edge_energy *energy)
{
    double trapezoid_uj = integrate(span), counter_uj = quantum_uj > 0 ? count(span) : (double)NAN;
    bool fine = (double)quantum_uj <= counter_uj * EDGE_ENERGY_QUANTUM_PERCENT / 100;
    double best_uj = fine ? counter_uj : trapezoid_uj;
    energy->energy_uj = isnan(best_uj) ? EDGE_UNMEASURED : (uint64_t)(best_uj + 0.5);
    energy->method = isnan(best_uj) ? "" : fine ? "counter" : "trapezoid";
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The median of the time between two readings from the one before the span to the one behind it.
static int find_interval(const struct span *span, uint64_t *interval_ns)
{
    uint64_t *steps = calloc(span->count + 1, sizeof(*steps));
    size_t used = 0;
    if (steps == NULL)
        return -ENOMEM;
    for (size_t i = 1; i < span->count; i++)
        if (span->readings[i].t_ns >= span->start_ns && span->readings[i - 1].t_ns <= span->stop_ns)
            steps[used++] = span->readings[i].t_ns - span->readings[i - 1].t_ns;
    qsort(steps, used, sizeof(*steps), by_size);
    *interval_ns = steps[used / 2];
    free(steps);
    return 0;
}

static bool same_value(const struct edge_reading *a, const struct edge_reading *b)
{
    return a->power_uw == b->power_uw && a->energy_uj == b->energy_uj;
}

// Gaps count with the part of them that lies in the span.
static void judge_readings(const struct span *span, struct edge_energy *energy)
{
    uint64_t last_ns = span->start_ns;
    for (size_t i = 0; i < span->count; i++) {
        const struct edge_reading *reading = &span->readings[i];
        if (reading->t_ns < span->start_ns || reading->t_ns > span->stop_ns)
            continue;
        energy->readings++;
        if (i == 0 || !same_value(reading, reading - 1))
            energy->updates++;
        if (reading->t_ns - last_ns > energy->longest_gap_ns)
            energy->longest_gap_ns = reading->t_ns - last_ns;
        last_ns = reading->t_ns;
    }
    if (span->stop_ns - last_ns > energy->longest_gap_ns)
        energy->longest_gap_ns = span->stop_ns - last_ns;
    if (energy->interval_ns == 0)
        return;
    // One reading more or less is where the edges happen to lie.
    double due = (double)(span->stop_ns - span->start_ns) / (double)energy->interval_ns;
    double lost = due - 1 - (double)energy->readings;
    energy->lost_percent = lost > 0 ? 100 * lost / due : 0;
}

int edge_energy_integrate(const struct edge_reading *readings, size_t reading_count,
                          uint64_t interval_ns, uint64_t quantum_uj, uint64_t start_ns,
                          uint64_t stop_ns, struct edge_energy *energy)
{
    const struct span span = {readings, reading_count, start_ns, stop_ns};
    *energy = (struct edge_energy){.interval_ns = interval_ns, .lost_percent = NAN};
    choose(&span, quantum_uj, energy);
    int error = interval_ns > 0 ? 0 : find_interval(&span, &energy->interval_ns);
    if (error == 0)
        judge_readings(&span, energy);
    return error;
}
