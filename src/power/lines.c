#include "power/lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LINE_MAX_BYTES 256
#define WATTS_MAX      1e5

void edge_lines_init(struct edge_lines *lines)
{
    lines->wall_ns = (int64_t)(edge_clock_wall_ns() - edge_clock_ns());
}

// One number and what separates it from the next. False if there is none.
static bool take_number(const char **at, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value))
        return false;
    *at = end + strspn(end, " \t\r,;");
    return true;
}

static int parse(struct edge_lines *lines, const char *text, struct edge_reading *reading,
                 struct edge_message *message)
{
    const char *at = text;
    double first, second;
    bool one = take_number(&at, &first);
    bool two = one && *at && take_number(&at, &second);
    if (!one || *at || (lines->timed && !two)) // *at: something is left
        return edge_fail(
            message, EDGE_ERR_FORMAT, "expected %s, found \"%.60s\"",
            lines->timed ? "\"unix seconds,watts\"" : "\"watts\" or \"unix seconds,watts\"", text);
    double watts = two ? second : first;
    if (watts < 0 || watts > WATTS_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT, "expected 0 to %.0f W, found \"%.60s\"",
                         WATTS_MAX, text);
    reading->t_ns = edge_clock_ns();
    if (two) {
        // Whole seconds apart: a double holds a wall time to a quarter of a microsecond only.
        int64_t wall_s = lines->wall_ns / (int64_t)EDGE_NS_PER_S;
        double t_ns = (first - (double)wall_s) * 1e9 -
                      (double)(lines->wall_ns - wall_s * (int64_t)EDGE_NS_PER_S);
        if (!(t_ns >= 0 && t_ns < 9e18))
            return edge_fail(message, EDGE_ERR_FORMAT,
                             "expected seconds since 1970, not before this machine started, found "
                             "\"%.60s\"",
                             text);
        reading->t_ns = (uint64_t)t_ns;
    }
    if (reading->t_ns < lines->last_t_ns)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "its time is before that of the line above: "
                         "\"%.60s\"",
                         text);
    lines->last_t_ns = reading->t_ns;
    reading->power_uw = (uint64_t)(watts * 1e6 + 0.5);
    return 0;
}

int edge_lines_next(struct edge_lines *lines, struct edge_reading *reading,
                    struct edge_message *message)
{
    struct edge_buffer *input = &lines->input;
    while (input->len > 0) {
        char text[LINE_MAX_BYTES];
        const char *head = (const char *)edge_buffer_head(input);
        const char *newline = memchr(head, '\n', input->len);
        if (!newline)
            return input->len < LINE_MAX_BYTES
                       ? -EAGAIN
                       : edge_fail(message, EDGE_ERR_FORMAT, "a line is too long");
        size_t len = (size_t)(newline - head), blanks = strspn(head, " \t\r");
        bool skip = blanks >= len || head[blanks] == '#' || head[blanks] == '\n';
        size_t copied = len < sizeof text - 1 ? len : sizeof text - 1;
        memcpy(text, head, copied);
        text[copied] = '\0';
        edge_buffer_consume(input, len + 1);
        if (skip)
            continue;
        int error = parse(lines, text, reading, message);
        bool heading = error && !lines->begun && strspn(text, " \t+-.0123456789") == 0;
        lines->begun = true;
        if (!heading)
            return error;
    }
    return -EAGAIN;
}

void edge_lines_free(struct edge_lines *lines)
{
    edge_buffer_free(&lines->input);
}
