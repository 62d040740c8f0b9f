#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

struct unit {
    const char *suffix;
    uint64_t factor;
};

static const struct unit count_units[] = {{"", 1},        {"k", 1000},       {"K", 1000},
                                          {"M", 1000000}, {"G", 1000000000}, {NULL, 0}};

static const struct unit byte_units[] = {{"", 1},           {"b", 1},          {"B", 1},
                                         {"k", 1024},       {"K", 1024},       {"KiB", 1024},
                                         {"m", 1024 << 10}, {"M", 1024 << 10}, {"MiB", 1024 << 10},
                                         {"g", 1024 << 20}, {"G", 1024 << 20}, {"GiB", 1024 << 20},
                                         {NULL, 0}};

static const struct unit duration_units[] = {{"ns", 1},
                                             {"us", EDGE_NS_PER_US},
                                             {"ms", EDGE_NS_PER_MS},
                                             {"s", EDGE_NS_PER_S},
                                             {"m", 60 * EDGE_NS_PER_S},
                                             {"h", 3600 * EDGE_NS_PER_S},
                                             {NULL, 0}};

static const struct unit *find_unit(const struct unit *units, const char *suffix)
{
    for (; units->suffix != NULL; units++) {
        if (strcmp(units->suffix, suffix) == 0)
            return units;
    }
    return NULL;
}

// Reads digits at *text into *value and moves *text behind them. Returns how many there were.
static int parse_digits(const char **text, uint64_t *value)
{
    int digits = 0;
    *value = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(**text - '0'), value))
            return EDGE_ERR_LIMIT;
    }
    return digits;
}

// Reads ".25" as digits * factor / 10^n, exactly; what falls below one unit is refused.
static int parse_fraction(const char **text, uint64_t factor, uint64_t *value)
{
    uint64_t scale = factor;
    uint64_t sum = 0;
    (*text)++;
    if (**text < '0' || **text > '9')
        return EDGE_ERR_FORMAT;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (scale % 10 != 0 && **text != '0')
            return EDGE_ERR_FORMAT;
        scale /= 10;
        sum += scale * (uint64_t)(**text - '0');
    }
    *value = sum;
    return 0;
}

static int parse_with_units(const char *text, const struct unit *units, uint64_t *value)
{
    uint64_t whole;
    uint64_t fraction = 0;
    int digits = parse_digits(&text, &whole);
    if (digits <= 0)
        return digits == 0 ? EDGE_ERR_FORMAT : digits;

    const char *suffix = *text == '.' ? text + 1 + strspn(text + 1, "0123456789") : text;
    const struct unit *unit = find_unit(units, suffix);
    if (unit == NULL)
        return EDGE_ERR_FORMAT;
    if (*text == '.') {
        int error = parse_fraction(&text, unit->factor, &fraction);
        if (error < 0)
            return error;
    }
    if (__builtin_mul_overflow(whole, unit->factor, value) ||
        __builtin_add_overflow(*value, fraction, value))
        return EDGE_ERR_LIMIT;
    return 0;
}

int edge_parse_count(const char *text, uint64_t *value)
{
    return parse_with_units(text, count_units, value);
}

int edge_parse_bytes(const char *text, uint64_t *value)
{
    return parse_with_units(text, byte_units, value);
}

int edge_parse_duration(const char *text, uint64_t *value)
{
    if (strcmp(text, "0") == 0) {
        *value = 0;
        return 0;
    }
    return parse_with_units(text, duration_units, value);
}

static const char *format_with_unit(uint64_t value, const char *const *names,
                                    const uint64_t *factors, size_t count, char *text, size_t size)
{
    size_t i = 0;
    while (i + 1 < count && (value % factors[i] != 0 || value == 0))
        i++;
    snprintf(text, size, "%" PRIu64 "%s", value / factors[i], names[i]);
    return text;
}

const char *edge_format_duration(uint64_t ns, char *text, size_t size)
{
    static const char *const names[] = {"s", "ms", "us", "ns"};
    static const uint64_t factors[] = {EDGE_NS_PER_S, EDGE_NS_PER_MS, EDGE_NS_PER_US, 1};
    if (ns == 0) {
        snprintf(text, size, "0s");
        return text;
    }
    return format_with_unit(ns, names, factors, 4, text, size);
}

const char *edge_format_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const names[] = {"g", "m", "k", ""};
    static const uint64_t factors[] = {1 << 30, 1 << 20, 1 << 10, 1};
    return format_with_unit(bytes, names, factors, 4, text, size);
}

const char *edge_format_latency(double ns, char *text, size_t size)
{
    if (ns < 1e3)
        snprintf(text, size, "%.0f ns", ns);
    else if (ns < 1e6)
        snprintf(text, size, "%.1f us", ns / 1e3);
    else if (ns < 1e9)
        snprintf(text, size, "%.2f ms", ns / 1e6);
    else
        snprintf(text, size, "%.3f s", ns / 1e9);
    return text;
}
