#include "load/shaping.h"

#include <inttypes.h>

#include "base/units.h"

// A whole number with a sign, as -50 or 10k.
static int parse_step(const char *text, const char *what, int64_t *step,
                      struct edge_message *message)
{
    bool down = text[0] == '-';
    uint64_t size;
    if (edge_parse_count(text + down, &size) < 0 || size > EDGE_SHAPE_VALUE_MAX)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--%s-step: expected a whole number such as 50 or -50, found \"%s\"", what,
                         text);
    *step = down ? -(int64_t)size : (int64_t)size;
    return 0;
}

// Fills *shape, and *length_ns with how long it takes; *highest with its highest value, *lowest
// with its lowest.
static int read_schedule(const struct edge_shaping_schedule *schedule, const char *what,
                         struct edge_shape_config *shape, uint64_t *length_ns, uint64_t *highest,
                         uint64_t *lowest, struct edge_message *message)
{
    if (schedule->kind == EDGE_SHAPE_CONST) {
        if (schedule->start > 0 || schedule->end > 0 || schedule->step != NULL ||
            schedule->step_duration > 0 || schedule->max_duration > 0)
            return edge_fail(message, EDGE_ERR_USAGE,
                             "--%s-start, -end, -step and durations are of --%s-schedule step or "
                             "line: expected one of them",
                             what, what);
        return 0;
    }
    *shape = (struct edge_shape_config){.kind = schedule->kind,
                                        .start = schedule->start,
                                        .end = schedule->end,
                                        .step_duration_ns = schedule->step_duration,
                                        .max_duration_ns = schedule->max_duration};
    int error =
        schedule->step != NULL ? parse_step(schedule->step, what, &shape->step, message) : 0;
    struct edge_shape whole;
    if (error == 0)
        error = edge_shape_init(&whole, shape, 0, what, message);
    if (error != 0)
        return error;
    if (whole.length_ns > *length_ns)
        *length_ns = whole.length_ns;
    *highest = edge_shape_highest(&whole);
    uint64_t last = edge_shape_value(&whole, whole.length_ns);
    *lowest = shape->start < last ? shape->start : last;
    edge_shape_free(&whole);
    return 0;
}

static int apply_schedules(const struct edge_shaping *shaping, uint64_t *length_ns,
                           struct edge_load_config *config, struct edge_message *message)
{
    uint64_t highest = 0, lowest = config->concurrency;
    int error = read_schedule(&shaping->load, "load", &config->rates, length_ns, &highest, &lowest,
                              message);
    if (error != 0)
        return error;
    if (config->rates.kind != EDGE_SHAPE_CONST) {
        if (config->rate > 0)
            return edge_fail(message, EDGE_ERR_USAGE,
                             "expected --rps or --load-schedule, found both");
        config->rate = config->rates.start;
    }
    lowest = highest = config->concurrency;
    error = read_schedule(&shaping->concurrency, "concurrency", &config->calls, length_ns, &highest,
                          &lowest, message);
    config->concurrency = highest;
    if (error == 0 && lowest < config->connections)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--concurrency %" PRIu64 " is below --connections %" PRIu64
                         ": expected at least one call in flight per connection",
                         lowest, config->connections);
    return error;
}

static int check_open_loop(const struct edge_shaping *shaping, struct edge_load_config *config,
                           struct edge_message *message)
{
    if (config->rate == 0 && (shaping->arrivals > 0 || shaping->max_inflight > 0))
        return edge_fail(
            message, EDGE_ERR_USAGE,
            "%s is of an open loop: expected --rps, --load-schedule or --find-max, too",
            shaping->arrivals > 0 ? "--arrivals poisson" : "--max-inflight");
    config->poisson = shaping->arrivals > 0;
    if (shaping->max_inflight == 0)
        return 0;
    if (config->calls.kind != EDGE_SHAPE_CONST)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected --max-inflight or --concurrency-schedule, found both");
    if (shaping->max_inflight < config->connections)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--max-inflight %" PRIu64 " is below --connections %" PRIu64
                         ": expected at least one call in flight per connection",
                         shaping->max_inflight, config->connections);
    config->concurrency = shaping->max_inflight;
    return 0;
}

static int apply_end(const struct edge_shaping *shaping, uint64_t length_ns,
                     struct edge_load_config *config, struct edge_message *message)
{
    if (config->duration_ns > 0 && shaping->max_duration > 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected --duration or --max-duration, found both");
    if (config->total > 0 && shaping->skip_first >= config->total)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--skip-first %" PRIu64 " leaves nothing of --total %" PRIu64,
                         shaping->skip_first, config->total);
    config->skip = shaping->skip_first;
    if (config->total > 0) {
        config->total -= shaping->skip_first;
        config->max_duration_ns = shaping->max_duration;
    } else if (config->duration_ns == 0) {
        config->duration_ns = shaping->max_duration > 0 ? shaping->max_duration : length_ns;
    }
    if (shaping->duration_stop == EDGE_SHAPING_CLOSE)
        config->drain_ns = 0;
    return 0;
}

int edge_shaping_apply(const struct edge_shaping *shaping, uint64_t default_ns,
                       struct edge_load_config *config, struct edge_message *message)
{
    uint64_t length_ns = 0;
    int error = apply_schedules(shaping, &length_ns, config, message);
    if (error == 0)
        error = check_open_loop(shaping, config, message);
    if (error == 0)
        error = apply_end(shaping, length_ns > 0 ? length_ns : default_ns, config, message);
    config->seed = shaping->seed;
    config->ramp_ns = shaping->connection_ramp;
    config->keepalive_ns = shaping->keepalive;
    return error;
}
