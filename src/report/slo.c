#include "report/slo.h"

#include <stdio.h>
#include <string.h>

#include "report/number.h"

#define NAME_MAX_LEN 40

// In the order of enum edge_slo_relation; the longer of two that begin alike is tried first.
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

static const char *parse_column(const char *text, struct edge_slo *slo,
                                struct edge_message *message)
{
    char name[NAME_MAX_LEN];
    size_t len = strcspn(text, " <>=");
    if (len == 0 || len >= sizeof(name)) {
        edge_fail(message, EDGE_ERR_USAGE,
                  "expected a goal such as p99<5ms or req_per_s>10k, found \"%.80s\"", text);
        return NULL;
    }
    snprintf(name, sizeof(name), "%.*s", (int)len, text);
    slo->column = edge_columns_find(name, message);
    if (slo->column != NULL && slo->column->unit == EDGE_UNIT_TEXT) {
        edge_fail(message, EDGE_ERR_USAGE, "\"%s\" is not a figure: it has no goal", name);
        return NULL;
    }
    return slo->column != NULL ? skip_spaces(text + len) : NULL;
}

static const char *parse_relation(const char *text, struct edge_slo *slo,
                                  struct edge_message *message)
{
    for (unsigned i = sizeof(relations) / sizeof(relations[0]); i-- > 0;) {
        size_t len = strlen(relations[i]);
        if (strncmp(text, relations[i], len) == 0) {
            slo->relation = (enum edge_slo_relation)i;
            return skip_spaces(text + len);
        }
    }
    edge_fail(message, EDGE_ERR_USAGE, "expected < <= > or >= after %s, found \"%.40s\"",
              slo->column->name, text);
    return NULL;
}

int edge_slo_parse(const char *text, struct edge_slo *slo, struct edge_message *message)
{
    const char *at = parse_column(skip_spaces(text), slo, message);
    if (at != NULL)
        at = parse_relation(at, slo, message);
    if (at == NULL)
        return EDGE_ERR_USAGE;
    double number = 0;
    enum edge_unit unit = slo->column->unit;
    const char *rest = edge_number_parse(at, &number);
    if (rest != NULL)
        rest = skip_spaces(rest);
    for (size_t i = 0; rest != NULL && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (suffixes[i].unit == unit && strcmp(rest, suffixes[i].suffix) == 0) {
            slo->limit = number * suffixes[i].scale;
            return 0;
        }
    return edge_fail(message, EDGE_ERR_USAGE, "expected %s after %s %s, found \"%.40s\"",
                     examples[unit], slo->column->name, relations[slo->relation], at);
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

const char *edge_slo_text(const struct edge_slo *slo, char *text, size_t size)
{
    // The largest unit that leaves a number from 1 up; else the smallest.
    const char *suffix = NULL;
    double scale = 0;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (suffixes[i].unit != slo->column->unit)
            continue;
        bool fits = slo->limit / suffixes[i].scale >= 1;
        if (suffix == NULL || (fits ? suffixes[i].scale >= scale || slo->limit / scale < 1
                                    : slo->limit / scale < 1 && suffixes[i].scale < scale)) {
            suffix = suffixes[i].suffix;
            scale = suffixes[i].scale;
        }
    }
    char number[32];
    decimal(slo->limit / scale, number, sizeof(number));
    snprintf(text, size, "%s%s%s%s", slo->column->name, relations[slo->relation], number, suffix);
    return text;
}

bool edge_slo_kept(const struct edge_slo *slo, double value)
{
    switch (slo->relation) {
    case EDGE_SLO_LESS:
        return value < slo->limit;
    case EDGE_SLO_AT_MOST:
        return value <= slo->limit;
    case EDGE_SLO_MORE:
        return value > slo->limit;
    case EDGE_SLO_AT_LEAST:
        return value >= slo->limit;
    }
    return false;
}

int edge_slo_percent(const char *text, double *fraction, struct edge_message *message)
{
    double percent = 0;
    const char *rest = edge_number_parse(text, &percent);
    if (rest == NULL || strcmp(skip_spaces(rest), "%") != 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--tolerance: expected a percentage such as 5%%, found \"%.40s\"", text);
    *fraction = percent / 100;
    return 0;
}
