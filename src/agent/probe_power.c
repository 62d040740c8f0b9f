#include "agent/probe_power.h"

#include <errno.h>
#include <string.h>

#include "agent/agent_json.h"
#include "base/clock.h"

static void begin_one(struct edge_probe_power_source *source, const char *root)
{
    struct edge_power_config config = {.name = source->name, .root = root};
    source->error = edge_power_open(&source->power, &config, &source->why);
    source->open = source->error == 0;
    if (source->open)
        source->error = edge_power_read(&source->power, &source->first, &source->why);
}

void edge_probe_power_begin(struct edge_probe_power *power, const char *root)
{
    *power = (struct edge_probe_power){.count = 0};
    for (const struct edge_power_source *const *row = edge_power_sources(); *row; row++) {
        if ((*row)->place != EDGE_POWER_BOARD || power->count == EDGE_PROBE_POWER_MAX)
            continue;
        struct edge_probe_power_source *source = &power->sources[power->count++];
        source->name = (*row)->name;
        begin_one(source, root);
    }
}

static json_t *text(const char *value)
{
    return edge_agent_json_from_bytes(value, strlen(value));
}

// Of two readings of a counter, what flowed between them. A recorded tree's counter stands still.
static json_t *watts(const struct edge_reading *first, const struct edge_reading *second)
{
    if (second->power_uw != EDGE_READING_NONE)
        return json_integer((json_int_t)second->power_uw);
    if (first->energy_uj == EDGE_READING_NONE || second->energy_uj == EDGE_READING_NONE ||
        second->energy_uj <= first->energy_uj || second->t_ns <= first->t_ns)
        return json_null();
    double microjoules = (double)(second->energy_uj - first->energy_uj);
    double seconds = (double)(second->t_ns - first->t_ns) / (double)EDGE_NS_PER_S;
    return json_integer((json_int_t)(microjoules / seconds + 0.5));
}

static json_t *end_one(struct edge_probe_power_source *source)
{
    struct edge_power *power = &source->power;
    struct edge_reading second;
    if (source->error >= 0)
        source->error = edge_power_read(power, &second, &source->why);
    if (source->error < 0)
        return json_pack("{ss so sb}", "name", source->name, "why", text(source->why.text),
                         "permission", source->error == -EACCES || source->error == -EPERM);
    return json_pack("{ss so so sI so so so}", "name", source->name, "scope", text(power->scope),
                     "detail", text(power->detail), "interval_ns", (json_int_t)power->interval_ns,
                     "correction", text(power->correction), "warning", text(power->warning),
                     "power_uw", watts(&source->first, &second));
}

json_t *edge_probe_power_end(struct edge_probe_power *power)
{
    json_t *list = json_array();
    for (size_t i = 0; i < power->count; i++)
        json_array_append_new(list, end_one(&power->sources[i]));
    edge_probe_power_free(power);
    return list;
}

void edge_probe_power_free(struct edge_probe_power *power)
{
    for (size_t i = 0; i < power->count; i++)
        edge_power_close(&power->sources[i].power);
    power->count = 0;
}
