#include "agent/agent_power.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/agent_json.h"
#include "base/clock.h"

static json_t *number(uint64_t value)
{
    return value == EDGE_READING_NONE ? json_null() : json_integer((json_int_t)value);
}

static json_t *text(const char *value)
{
    return edge_agent_json_from_bytes(value, strlen(value));
}

static json_t *describe(const struct edge_power *power)
{
    return json_pack("{ss so so so so sI sI}", "name", power->source->name, "scope",
                     text(power->scope), "detail", text(power->detail), "correction",
                     text(power->correction), "warning", text(power->warning), "interval_ns",
                     (json_int_t)power->interval_ns, "quantum_uj", (json_int_t)power->quantum_uj);
}

static void read_due(struct edge_timer *timer)
{
    struct edge_agent_power_source *source =
        (struct edge_agent_power_source *)((char *)timer -
                                           offsetof(struct edge_agent_power_source, timer));
    struct edge_agent_power *owner = source->owner;
    struct edge_reading reading;
    struct edge_message why;
    int result = edge_power_read(&source->power, &reading, &why);
    // Due times stay on their grid; those that were missed are left out.
    uint64_t now_ns = edge_clock_ns(), interval_ns = source->power.interval_ns;
    uint64_t due_ns = timer->due_ns + interval_ns;
    if (due_ns <= now_ns)
        due_ns += (now_ns - due_ns) / interval_ns * interval_ns + interval_ns;
    edge_timer_start(owner->loop, timer, due_ns);
    json_int_t index = source - owner->sources;
    if (result >= 0)
        owner->tell(owner, json_pack("{ss sI sI so so}", "event", "power", "source", index, "t_ns",
                                     (json_int_t)reading.t_ns, "power_uw", number(reading.power_uw),
                                     "energy_uj", number(reading.energy_uj)));
    else if (result != -EAGAIN && !source->failing)
        owner->tell(owner, json_pack("{ss sI so}", "event", "power_failed", "source", index, "text",
                                     text(why.text)));
    source->failing = result < 0 && result != -EAGAIN;
}

static int open_one(struct edge_agent_power *power, const char *name, const char *argument,
                    const char *scope, struct edge_message *message)
{
    struct edge_agent_power_source *source = &power->sources[power->count];
    *source = (struct edge_agent_power_source){.owner = power, .timer = {.fire = read_due}};
    snprintf(source->argument, sizeof source->argument, "%s", argument ? argument : "");
    snprintf(source->scope, sizeof source->scope, "%s", scope ? scope : "");
    struct edge_power_config config = {
        .name = name,
        .argument = argument ? source->argument : NULL,
        .root = power->root,
        .scope = scope ? source->scope : NULL,
    };
    int error = edge_power_open(&source->power, &config, message);
    if (!error)
        power->count++;
    return error;
}

// Those of boards in the table's order, until one opens. What the others say is in `why`: first of
// all what there is, but may not be read.
static bool open_first(struct edge_agent_power *power, const char *scope, char *why, size_t size)
{
    why[0] = '\0';
    for (const struct edge_power_source *const *row = edge_power_sources(); *row; row++) {
        struct edge_message message;
        if ((*row)->place != EDGE_POWER_BOARD)
            continue;
        int error = open_one(power, (*row)->name, NULL, scope, &message);
        if (error == 0)
            return true;
        size_t used = strlen(why), len = strlen(message.text);
        bool first = error == -EACCES && used + len + 3 <= size;
        if (first && used > 0) {
            memmove(why + len + 2, why, used + 1);
            memcpy(why, message.text, len);
            memcpy(why + len, "; ", 2);
        } else {
            snprintf(why + used, size - used, "%s%s", used ? "; " : "", message.text);
        }
    }
    return false;
}

int edge_agent_power_open(struct edge_agent_power *power, const json_t *request, json_t *answer,
                          struct edge_message *message)
{
    const char *name, *argument, *scope;
    char why[2048] = "";
    int error = edge_agent_json_text(request, "name", "auto", &name, message);
    if (!error)
        error = edge_agent_json_text(request, "argument", NULL, &argument, message);
    if (!error)
        error = edge_agent_json_text(request, "scope", NULL, &scope, message);
    if (error)
        return error;
    if (power->count == EDGE_AGENT_POWER_MAX)
        return edge_fail(message, EDGE_ERR_LIMIT, "more than %d power sources",
                         EDGE_AGENT_POWER_MAX);
    bool automatic = strcmp(name, "auto") == 0;
    const struct edge_power_source *row = edge_power_find(name);
    if (!automatic && (!row || row->place != EDGE_POWER_BOARD))
        return edge_fail(message, EDGE_ERR_NOT_FOUND, "\"%s\" is no power source of a board", name);
    bool found = automatic ? open_first(power, scope, why, sizeof why) : true;
    if (!automatic)
        error = open_one(power, row->name, argument, scope, message);
    if (error)
        return error;
    json_object_set_new(answer, "source",
                        found ? describe(&power->sources[power->count - 1].power) : json_null());
    json_object_set_new(answer, "why", text(why));
    return 0;
}

int edge_agent_power_poll(struct edge_agent_power *power, bool on)
{
    int error = 0;
    for (unsigned i = 0; i < power->count; i++) {
        struct edge_agent_power_source *source = &power->sources[i];
        edge_timer_stop(power->loop, &source->timer);
        source->failing = false;
        if (on && !error)
            error = edge_timer_start(power->loop, &source->timer, edge_clock_ns());
    }
    return error;
}

void edge_agent_power_free(struct edge_agent_power *power)
{
    for (unsigned i = 0; i < power->count; i++) {
        edge_timer_stop(power->loop, &power->sources[i].timer);
        edge_power_close(&power->sources[i].power);
    }
    power->count = 0;
}
