#include "load/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"

// Whole seconds and the rest apart: every product stays below 2^63, also without 128-bit integers.

// Calls at `rate` per second, the first at 0, that are due before `elapsed_ns`.
static uint64_t calls_before(uint64_t rate, uint64_t elapsed_ns)
{
    uint64_t rest = elapsed_ns % EDGE_NS_PER_S * rate;
    return elapsed_ns / EDGE_NS_PER_S * rate + rest / EDGE_NS_PER_S + (rest % EDGE_NS_PER_S != 0);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int check(const struct edge_shape_config *config, const char *what,
                 struct edge_message *message)
{
    bool line = config->kind == EDGE_SHAPE_LINE;
    if (config->start == 0 || config->start > EDGE_SHAPE_VALUE_MAX ||
        config->end > EDGE_SHAPE_VALUE_MAX)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--%s-start, --%s-end: expected 1 to %" PRIu64 ", found %" PRIu64
                         " and %" PRIu64,
                         what, what, EDGE_SHAPE_VALUE_MAX, config->start, config->end);
    if (config->step == 0)
        return edge_fail(message, EDGE_ERR_USAGE, "--%s-schedule %s needs a --%s-step other than 0",
                         what, line ? "line" : "step", what);
    if (!line && config->step_duration_ns == 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--%s-schedule step needs a --%s-step-duration such as 10s", what, what);
    if (config->end == 0 && config->max_duration_ns == 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected --%s-end or --%s-max-duration, so that it is known when the "
                         "schedule ends",
                         what, what);
    if (config->end > 0 && config->end != config->start &&
        (config->end > config->start) != (config->step > 0))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--%s-step %" PRId64 " never gets from --%s-start %" PRIu64
                         " to --%s-end %" PRIu64,
                         what, config->step, what, config->start, what, config->end);
    if (config->end == config->start)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--%s-start and --%s-end are both %" PRIu64 ": expected a change, or no "
                         "--%s-schedule",
                         what, what, config->start, what);
    return 0;
}

// How far the value is from its start after `steps` changes of size `size` / `per`.
static uint64_t moved(uint64_t size, uint64_t steps, uint64_t per)
{
    return size > 0 && steps > EDGE_SHAPE_VALUE_MAX * per / size ? EDGE_SHAPE_VALUE_MAX
                                                                 : size * steps / per;
}

static uint64_t value_after(const struct edge_shape_config *config, uint64_t bound, uint64_t way)
{
    if (way >= distance(config->start, bound))
        return bound;
    return config->step > 0 ? config->start + way : config->start - way;
}

static void add_step(struct edge_shape *shape, uint64_t at_ns, uint64_t value)
{
    uint64_t before = 0;
    if (shape->count > 0) {
        const struct edge_shape_step *last = &shape->steps[shape->count - 1];
        before = last->before + calls_before(last->value, at_ns - last->at_ns);
    }
    shape->steps[shape->count++] =
        (struct edge_shape_step){.at_ns = at_ns, .value = value, .before = before};
}

int edge_shape_init(struct edge_shape *shape, const struct edge_shape_config *config,
                    uint64_t hold_ns, const char *what, struct edge_message *message)
{
    *shape = (struct edge_shape){0};
    bool constant = config->kind == EDGE_SHAPE_CONST, line = config->kind == EDGE_SHAPE_LINE;
    int error = constant ? 0 : check(config, what, message);
    if (error != 0)
        return error;
    shape->steps = calloc(constant ? 1 : EDGE_SHAPE_STEPS_MAX, sizeof(*shape->steps));
    if (shape->steps == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    add_step(shape, 0, config->start);
    if (constant)
        return 0;
    uint64_t size = config->step > 0 ? (uint64_t)config->step : 0 - (uint64_t)config->step;
    uint64_t step_ns = line ? EDGE_SHAPE_LINE_NS : config->step_duration_ns;
    uint64_t per = line ? EDGE_NS_PER_S / EDGE_SHAPE_LINE_NS : 1;
    uint64_t most_ns = config->max_duration_ns > 0 ? config->max_duration_ns : UINT64_MAX / 2;
    uint64_t bound = config->end > 0 ? config->end : config->step > 0 ? EDGE_SHAPE_VALUE_MAX : 1;
    uint64_t value = config->start, at_ns = 0;
    for (uint64_t i = 1; value != bound && most_ns - at_ns > step_ns; i++) {
        at_ns += step_ns;
        uint64_t next = value_after(config, bound, moved(size, i, per));
        if (next == value)
            continue;
        if (shape->count == EDGE_SHAPE_STEPS_MAX) {
            edge_shape_free(shape);
            return edge_fail(message, EDGE_ERR_USAGE,
                             "--%s-schedule has more than %u steps: make --%s-step larger", what,
                             EDGE_SHAPE_STEPS_MAX, what);
        }
        value = next;
        add_step(shape, hold_ns + at_ns, value);
    }
    if (config->end == 0)
        at_ns = (most_ns - 1) / step_ns * step_ns; // the last step, also where the value stays
    shape->length_ns = at_ns + step_ns;
    return 0;
}

void edge_shape_free(struct edge_shape *shape)
{
    free(shape->steps);
    *shape = (struct edge_shape){0};
}

// The last step that begins at or before a time, or with `by_call` a call of that number.
static const struct edge_shape_step *step_of(const struct edge_shape *shape, uint64_t key,
                                             bool by_call)
{
    unsigned low = 0, high = shape->count;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        const struct edge_shape_step *step = &shape->steps[middle];
        *((by_call ? step->before : step->at_ns) <= key ? &low : &high) = middle;
    }
    return &shape->steps[low];
}

uint64_t edge_shape_value(const struct edge_shape *shape, uint64_t at_ns)
{
    return step_of(shape, at_ns, false)->value;
}

uint64_t edge_shape_highest(const struct edge_shape *shape)
{
    uint64_t first = shape->steps[0].value, last = shape->steps[shape->count - 1].value;
    return first > last ? first : last;
}

uint64_t edge_shape_change(const struct edge_shape *shape, uint64_t after_ns)
{
    const struct edge_shape_step *next = step_of(shape, after_ns, false) + 1;
    return next < shape->steps + shape->count ? next->at_ns : UINT64_MAX;
}

uint64_t edge_shape_due(const struct edge_shape *shape, uint64_t number, uint32_t fraction)
{
    const struct edge_shape_step *step = step_of(shape, number, true);
    uint64_t into = number - step->before;
    uint64_t rest = into % step->value * EDGE_NS_PER_S + (fraction * EDGE_NS_PER_S >> 32);
    uint64_t due_ns = step->at_ns + into / step->value * EDGE_NS_PER_S + rest / step->value;
    // The step's last call may be less than a whole one.
    const struct edge_shape_step *next = step + 1;
    return next < shape->steps + shape->count && due_ns > next->at_ns ? next->at_ns : due_ns;
}

uint64_t edge_shape_count(const struct edge_shape *shape, uint64_t before_ns)
{
    if (before_ns == 0)
        return 0;
    const struct edge_shape_step *step = step_of(shape, before_ns - 1, false);
    return step->before + calls_before(step->value, before_ns - step->at_ns);
}
