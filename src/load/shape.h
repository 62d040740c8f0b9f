// How a load changes with time: calls due per second, or calls in flight. Constant, in steps, or
// along a line; after its end it stays as it is.
#ifndef EDGE_LOAD_SHAPE_H
#define EDGE_LOAD_SHAPE_H

#include <stdint.h>

#include "base/error.h"

#define EDGE_SHAPE_VALUE_MAX UINT64_C(1000000000)
#define EDGE_SHAPE_STEPS_MAX 10000u
#define EDGE_SHAPE_LINE_NS   UINT64_C(100000000) // a line is cut into steps of this length

enum edge_shape_kind { EDGE_SHAPE_CONST, EDGE_SHAPE_STEP, EDGE_SHAPE_LINE };

struct edge_shape_config {
    unsigned kind;             // enum edge_shape_kind
    uint64_t start;            // 1 to EDGE_SHAPE_VALUE_MAX
    uint64_t end;              // 0: open, until max_duration_ns
    int64_t step;              // by how much it changes: each step, or each second of a line
    uint64_t step_duration_ns; // of a step
    uint64_t max_duration_ns;  // the last change is before that; 0: at `end`
};

struct edge_shape_step {
    uint64_t at_ns; // from the beginning
    uint64_t value;
    uint64_t before; // calls due before it, if value is calls per second
};

struct edge_shape {
    struct edge_shape_step *steps; // the first is at 0
    unsigned count;
    uint64_t length_ns; // until the last step is over: a load of this length shows all of it
};

// The first value is held for `hold_ns` longer (warm-up). 0; -ENOMEM; EDGE_ERR_USAGE with a message
// that begins with what is wrong in words of the options ("--load-step"; `what` is "load" or
// "concurrency").
int edge_shape_init(struct edge_shape *shape, const struct edge_shape_config *config,
                    uint64_t hold_ns, const char *what, struct edge_message *message);
// Safe twice.
void edge_shape_free(struct edge_shape *shape);

// The value at a time, the highest of all, and when it changes next (UINT64_MAX: never).
uint64_t edge_shape_value(const struct edge_shape *shape, uint64_t at_ns);
uint64_t edge_shape_highest(const struct edge_shape *shape);
uint64_t edge_shape_change(const struct edge_shape *shape, uint64_t after_ns);

// Of calls per second: when call `number` + `fraction` / 2^32 is due, and how many are due before a
// time. Exact to the ns, rounded down, over 500 years.
uint64_t edge_shape_due(const struct edge_shape *shape, uint64_t number, uint32_t fraction);
uint64_t edge_shape_count(const struct edge_shape *shape, uint64_t before_ns);

#endif
