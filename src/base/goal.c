#include "base/goal.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

// In the order of enum edge_relation; the longer of two that begin alike is tried first.
static const char *const relations[] = {"<", "<=", ">", ">="};

static const struct {
    const char *suffix;
    enum edge_unit unit;
    double scale;
} suffixes[] = {
    {"", EDGE_UNIT_NONE, 1},         {"k", EDGE_UNIT_NONE, 1e3},
    {"M", EDGE_UNIT_NONE, 1e6},      {"G", EDGE_UNIT_NONE, 1e9},
    {"ns", EDGE_UNIT_NS, 1},         {"us", EDGE_UNIT_NS, 1e3},
    {"ms", EDGE_UNIT_NS, 1e6},       {"s", EDGE_UNIT_NS, 1e9},
    {"m", EDGE_UNIT_NS, 60e9},       {"h", EDGE_UNIT_NS, 3600e9},
    {"", EDGE_UNIT_BYTES, 1},        {"B", EDGE_UNIT_BYTES, 1},
    {"k", EDGE_UNIT_BYTES, 1 << 10}, {"KiB", EDGE_UNIT_BYTES, 1 << 10},
    {"m", EDGE_UNIT_BYTES, 1 << 20}, {"MiB", EDGE_UNIT_BYTES, 1 << 20},
    {"g", EDGE_UNIT_BYTES, 1 << 30}, {"GiB", EDGE_UNIT_BYTES, 1 << 30},
    {"", EDGE_UNIT_PERCENT, 1},      {"%", EDGE_UNIT_PERCENT, 1},
    {"", EDGE_UNIT_WATT, 1},         {"W", EDGE_UNIT_WATT, 1},
    {"mW", EDGE_UNIT_WATT, 1e-3},    {"J", EDGE_UNIT_JOULE, 1},
    {"mJ", EDGE_UNIT_JOULE, 1e-3},   {"uJ", EDGE_UNIT_JOULE, 1e-6},
};

static const char *const examples[EDGE_UNITS] = {
    [EDGE_UNIT_NONE] = "a number such as 250 or 10k", [EDGE_UNIT_NS] = "a time such as 5ms",
    [EDGE_UNIT_BYTES] = "a size such as 64MiB",       [EDGE_UNIT_PERCENT] = "a number such as 80%",
    [EDGE_UNIT_WATT] = "a power such as 3.5W",        [EDGE_UNIT_JOULE] = "an energy such as 0.3mJ",
};

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

static const char *parse_name(const char *text, edge_goal_find *find, void *context,
                              struct edge_goal *goal, struct edge_message *message)
{
    char *name = goal->name;
    size_t len = strcspn(text, " <>=");
    if (len == 0 || len >= sizeof(goal->name)) {
        edge_fail(message, EDGE_ERR_USAGE,
                  "expected a goal such as p99<5ms or req_per_s>10k, found \"%.80s\"", text);
        return NULL;
    }
    snprintf(name, sizeof(goal->name), "%.*s", (int)len, text);
    if (!find(name, context, &goal->unit, message))
        return NULL;
    if (goal->unit == EDGE_UNIT_TEXT) {
        edge_fail(message, EDGE_ERR_USAGE, "\"%s\" is not a figure: it has no goal", name);
        return NULL;
    }
    return skip_spaces(text + len);
}

static const char *parse_relation(const char *text, struct edge_goal *goal,
                                  struct edge_message *message)
{
    for (unsigned i = sizeof(relations) / sizeof(relations[0]); i-- > 0;) {
        size_t len = strlen(relations[i]);
        if (strncmp(text, relations[i], len) == 0) {
            goal->relation = (enum edge_relation)i;
            return skip_spaces(text + len);
        }
    }
    edge_fail(message, EDGE_ERR_USAGE, "expected < <= > or >= after %s, found \"%.40s\"",
              goal->name, text);
    return NULL;
}

int edge_goal_parse(const char *text, edge_goal_find *find, void *context, struct edge_goal *goal,
                    struct edge_message *message)
{
    const char *at = parse_name(skip_spaces(text), find, context, goal, message);
    if (at != NULL)
        at = parse_relation(at, goal, message);
    if (at == NULL)
        return EDGE_ERR_USAGE;
    double number = 0;
    const char *rest = edge_number_parse(at, &number);
    if (rest != NULL)
        rest = skip_spaces(rest);
    for (size_t i = 0; rest != NULL && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (suffixes[i].unit == goal->unit && strcmp(rest, suffixes[i].suffix) == 0) {
            goal->limit = number * suffixes[i].scale;
            return 0;
        }
    return edge_fail(message, EDGE_ERR_USAGE, "expected %s after %s %s, found \"%.40s\"",
                     examples[goal->unit], goal->name, relations[goal->relation], at);
}

// Without an exponent, which the parser does not take.
static void decimal(double value, char *text, size_t size)
{
    if (value >= 1) {
        snprintf(text, size, "%.15g", value);
        return;
    }
    snprintf(text, size, "%.14f", value);
    size_t len = strlen(text);
    while (text[len - 1] == '0')
        len--;
    text[text[len - 1] == '.' ? len - 1 : len] = '\0';
}

const char *edge_goal_text(const struct edge_goal *goal, char *text, size_t size)
{
    // The largest unit that leaves a number from 1 up; else the smallest.
    const char *suffix = NULL;
    double scale = 0;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (suffixes[i].unit != goal->unit)
            continue;
        bool fits = goal->limit / suffixes[i].scale >= 1;
        if (suffix == NULL || (fits ? suffixes[i].scale >= scale || goal->limit / scale < 1
                                    : goal->limit / scale < 1 && suffixes[i].scale <= scale)) {
            suffix = suffixes[i].suffix;
            scale = suffixes[i].scale;
        }
    }
    char number[32];
    decimal(goal->limit / scale, number, sizeof(number));
    snprintf(text, size, "%s%s%s%s", goal->name, relations[goal->relation], number, suffix);
    return text;
}

bool edge_goal_kept(const struct edge_goal *goal, double value)
{
    switch (goal->relation) {
    case EDGE_GOAL_LESS:
        return value < goal->limit;
    case EDGE_GOAL_AT_MOST:
        return value <= goal->limit;
    case EDGE_GOAL_MORE:
        return value > goal->limit;
    case EDGE_GOAL_AT_LEAST:
        return value >= goal->limit;
    }
    return false;
}
