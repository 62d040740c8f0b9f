#include "grpc/timeout.h"

#include "base/clock.h"
#include "base/error.h"

#define DIGITS_MAX 8

static const struct unit {
    char letter;
    uint64_t ns;
} units[] = {
    {'n', 1},
    {'u', EDGE_NS_PER_US},
    {'m', EDGE_NS_PER_MS},
    {'S', EDGE_NS_PER_S},
    {'M', 60 * EDGE_NS_PER_S},
    {'H', 3600 * EDGE_NS_PER_S},
};
#define UNITS (sizeof(units) / sizeof(units[0]))

int edge_timeout_parse(const char *text, size_t len, uint64_t *timeout_ns)
{
    if (len < 2 || len > DIGITS_MAX + 1)
        return EDGE_ERR_FORMAT;
    uint64_t number = 0;
    for (size_t i = 0; i < len - 1; i++) {
        if (text[i] < '0' || text[i] > '9')
            return EDGE_ERR_FORMAT;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    for (size_t i = 0; i < UNITS; i++) {
        if (units[i].letter != text[len - 1])
            continue;
        // 99999999H is more than 64 bits of nanoseconds.
        *timeout_ns = number > UINT64_MAX / units[i].ns ? UINT64_MAX : number * units[i].ns;
        return 0;
    }
    return EDGE_ERR_FORMAT;
}

size_t edge_timeout_format(uint64_t timeout_ns, char text[EDGE_TIMEOUT_TEXT])
{
    size_t unit = 0;
    while (unit < UNITS - 1 && timeout_ns / units[unit].ns > 99999999)
        unit++;
    uint64_t number = timeout_ns / units[unit].ns;
    char digits[DIGITS_MAX];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    size_t len = 0;
    while (count > 0)
        text[len++] = digits[--count];
    text[len++] = units[unit].letter;
    text[len] = '\0';
    return len;
}
