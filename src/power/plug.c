#include "power/plug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "power/http.h"

struct plug {
    const struct edge_plug_dialect *dialect;
    struct edge_http *http;
    struct edge_buffer body;
};

int edge_plug_number(const json_t *value, const char *name, double *number,
                     struct edge_message *message)
{
    if (!json_is_number(value))
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected the number %s in the answer, found %s: is this a plug that "
                         "measures, with one channel?",
                         name, value ? "something else" : "none");
    *number = json_number_value(value);
    return 0;
}

int edge_plug_watts(const json_t *value, const char *name, struct edge_reading *reading,
                    struct edge_message *message)
{
    double watts = 0;
    int error = edge_plug_number(value, name, &watts, message);
    if (error)
        return error;
    if (watts < 0)
        return edge_fail(
            message, EDGE_ERR_LIMIT,
            "%s is %.3g W: expected a positive number; is the plug the wrong way round?", name,
            watts);
    if (watts > EDGE_PLUG_CEILING_W)
        return edge_fail(message, EDGE_ERR_LIMIT, "%s is %.5g W: more than %.0f W is no board",
                         name, watts, EDGE_PLUG_CEILING_W);
    reading->power_uw = (uint64_t)(watts * 1e6 + 0.5);
    return 0;
}

int edge_plug_parse(const struct edge_plug_dialect *dialect, const char *text, size_t len,
                    struct edge_reading *reading, struct edge_message *message)
{
    json_error_t why;
    json_t *answer = json_loadb(text, len, 0, &why);
    if (!answer)
        return edge_fail(message, EDGE_ERR_FORMAT, "expected JSON, found \"%.*s\": %s",
                         (int)(len < 40 ? len : 40), text, why.text);
    int error = dialect->take(answer, reading, message);
    json_decref(answer);
    if (!error && (double)reading->power_uw < EDGE_PLUG_FLOOR_W * 1e6)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "reads %.3g W: plugs are not to be believed below %.0f W; use a meter in "
                         "the board's supply",
                         (double)reading->power_uw / 1e6, EDGE_PLUG_FLOOR_W);
    return error;
}

static int ask(struct plug *plug, struct edge_reading *reading, struct edge_message *message)
{
    uint64_t before_ns = edge_clock_ns();
    int error = edge_http_get(plug->http, &plug->body, message);
    reading->t_ns = before_ns + (edge_clock_ns() - before_ns) / 2;
    if (error)
        return error;
    return edge_plug_parse(plug->dialect, (const char *)edge_buffer_head(&plug->body),
                           plug->body.len, reading, message);
}

int edge_plug_open(struct edge_power *power, const struct edge_plug_dialect *dialect,
                   struct edge_message *message)
{
    char url[256];
    const char *host = power->config.argument;
    int len = snprintf(url, sizeof url, "http://%s%s", host, dialect->path);
    if (strpbrk(host, "@/?# ") || len < 0 || (size_t)len >= sizeof url)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected a host or HOST:PORT, found \"%.100s\"; user and password belong "
                         "into ~/.netrc",
                         host);
    struct plug *plug = calloc(1, sizeof *plug);
    if (!plug)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = plug;
    plug->dialect = dialect;
    int error = edge_http_open(&plug->http, url, message);
    if (error)
        return error;
    struct edge_reading reading = {0};
    struct edge_message why;
    snprintf(power->detail, sizeof power->detail, "%.100s", host);
    power->quantum_uj = dialect->quantum_uj;
    error = ask(plug, &reading, &why);
    if (error == EDGE_ERR_UNSUPPORTED || error == EDGE_ERR_LIMIT) { // it may draw more under load
        snprintf(power->warning, sizeof power->warning, "%.190s", why.text);
        return 0;
    }
    return error ? edge_fail(message, error, "%.100s: %.300s", host, why.text) : 0;
}

int edge_plug_read(struct edge_power *power, struct edge_reading *reading,
                   struct edge_message *message)
{
    return ask(power->state, reading, message);
}

void edge_plug_close(struct edge_power *power)
{
    struct plug *plug = power->state;
    if (!plug)
        return;
    edge_http_close(plug->http);
    edge_buffer_free(&plug->body);
    free(plug);
}
