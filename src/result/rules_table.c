// The rules themselves, one row each: docs/run-rules.md shows this table.
#include "result/rules.h"

#include <math.h>
#include <stddef.h>

#include "result/statistics.h"

static double number(uint64_t value)
{
    return value == EDGE_UNMEASURED ? (double)NAN : (double)value;
}

static double truth(int value)
{
    return value == EDGE_UNKNOWN ? (double)NAN : (double)value;
}

static double ready(const struct edge_readings *r)
{
    return truth(r->ready);
}
static double server_alive(const struct edge_readings *r)
{
    return truth(r->server_alive);
}
static double finished(const struct edge_readings *r)
{
    return truth(r->finished);
}
static double duration(const struct edge_readings *r)
{
    return number(r->window_ns);
}
static double samples(const struct edge_readings *r)
{
    return number(r->samples);
}
static double verified(const struct edge_readings *r)
{
    return number(r->verified);
}
static double books(const struct edge_readings *r)
{
    return truth(r->balanced);
}
static double client_limited(const struct edge_readings *r)
{
    return truth(r->client_limited);
}
static double emulated(const struct edge_readings *r)
{
    return truth(r->emulated);
}
static double calibration(const struct edge_readings *r)
{
    return truth(r->calibration);
}

static double errors(const struct edge_readings *r)
{
    if (r->sent == 0 || r->sent == EDGE_UNMEASURED || r->failed == EDGE_UNMEASURED)
        return NAN;
    return 100 * (double)r->failed / (double)r->sent;
}

static double background(const struct edge_readings *r)
{
    if (r->background_cpu_ns == EDGE_UNMEASURED || r->cpus == EDGE_UNMEASURED || r->cpus == 0 ||
        r->window_ns == EDGE_UNMEASURED || r->window_ns == 0)
        return NAN;
    return 100 * (double)r->background_cpu_ns / ((double)r->window_ns * (double)r->cpus);
}

static double clock_step(const struct edge_readings *r)
{
    return r->clock_step_ns == EDGE_UNMEASURED_SIGNED ? (double)NAN
                                                      : fabs((double)r->clock_step_ns);
}

static double spread(const struct edge_readings *r)
{
    struct edge_statistics statistics;
    if (r->rate_count < 3 || edge_statistics_compute(r->rates, r->rate_count, &statistics) != 0)
        return NAN;
    return 100 * statistics.variation;
}

static const char *ready_why(const struct edge_readings *r)
{
    return r->ready_why;
}
static const char *alive_why(const struct edge_readings *r)
{
    return r->server_alive_why;
}
static const char *limited_why(const struct edge_readings *r)
{
    return r->client_limited_why;
}

static const struct edge_rule table[] = {
    {
        .id = "ready",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = ready,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 1,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .why = ready_why,
        .reads = "one verified call succeeded before the load began",
        .words =
            "the server never got ready: start it by hand with --port and look at what it says",
    },
    {
        .id = "server_alive",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = server_alive,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 1,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .why = alive_why,
        .reads = "the server was alive at the end of the window",
        .words = "the server died under load",
    },
    {
        .id = "finished",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = finished,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 1,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "the load ran to its end",
        .words = "the run was stopped early",
    },
    {
        .id = "duration",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = duration,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 10e9,
        .unit = EDGE_RULE_SECONDS,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "length of the measured window",
        .words = "too short to tell: use --duration 10s or more",
        .speed = true,
    },
    {
        .id = "samples",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = samples,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 20,
        .unit = EDGE_RULE_COUNT,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "samples of the server inside the window",
        .words = "too few samples for CPU and memory: use a longer --duration",
        .speed = true,
    },
    {
        .id = "verified",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = verified,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 1,
        .unit = EDGE_RULE_COUNT,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "verified calls inside the window",
        .words = "no reply was what it must be: see the errors by kind",
    },
    {
        .id = "errors",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = errors,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 0.1,
        .unit = EDGE_RULE_PERCENT,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "failed calls per call sent",
        .words = "too many calls failed: see the errors by kind",
    },
    {
        .id = "books",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = books,
        .compare = EDGE_RULE_AT_LEAST,
        .limit = 1,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .reads = "the generator's books balance: every call due is accounted for",
        .words = "calls are unaccounted for: this is a defect of the generator, please report it",
    },
    {
        .id = "client_limited",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = client_limited,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 0,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_FAIL,
        .why = limited_why,
        .reads = "the generator was the limit, not the server",
        .words = "the server could do more: give the generator more CPUs, or a lower rate",
        .speed = true,
    },
    {
        .id = "background",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = background,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 5,
        .unit = EDGE_RULE_PERCENT,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .reads = "CPU time used by everything else, of all CPUs, in the window",
        .words = "something else was busy: stop it and run again",
        .speed = true,
    },
    {
        .id = "clock_step",
        .scope = EDGE_RULE_EACH_REPEAT,
        .measure = clock_step,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 0.5e9,
        .unit = EDGE_RULE_SECONDS,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .reads = "change of the wall clock against the monotonic clock",
        .words = "the clock was set during the run: wait for time synchronisation and run again",
    },
    {
        .id = "spread",
        .scope = EDGE_RULE_OVER_REPEATS,
        .measure = spread,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 3,
        .unit = EDGE_RULE_PERCENT,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .reads = "coefficient of variation of req/s over the repeats",
        .words = "the repeats disagree: look for background load, a changing clock rate or heat",
        .unmeasured = "needs 3 repeats: use --repeat 3 or more",
        .speed = true,
    },
    {
        .id = "emulated",
        .scope = EDGE_RULE_OVER_REPEATS,
        .measure = emulated,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 0,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_FAIL,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .reads = "the server ran under an emulator",
        .words = "an emulator's speed says nothing about the board",
    },
    {
        .id = "calibration",
        .scope = EDGE_RULE_OVER_REPEATS,
        .measure = calibration,
        .compare = EDGE_RULE_AT_MOST,
        .limit = 0,
        .unit = EDGE_RULE_YES_NO,
        .broken = EDGE_VERDICT_WARN,
        .missing = EDGE_VERDICT_NOT_JUDGED,
        .reads = "the server only calibrates the generator",
        .words = "shows what the generator can do; never ranked",
    },
    {.id = NULL},
};

const struct edge_rule *edge_rules_table(void)
{
    return table;
}
