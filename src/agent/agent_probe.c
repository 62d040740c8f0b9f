#include "agent/agent_probe.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/agent_json.h"
#include "agent/probe_json.h"
#include "agent/probe_machine.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/procfs.h"

static void look(struct edge_agent_sample *sample)
{
    edge_agent_sample_init(sample);
    sample->t_ns = edge_clock_ns();
    sample->wall_ns = edge_clock_wall_ns();
    edge_probe_machine_sample("", sample);
}

static json_t *load_average(void)
{
    char text[64];
    double load;
    if (edge_procfs_line("", "/proc/loadavg", text, sizeof text) <= 0 ||
        sscanf(text, "%lf", &load) != 1) // NOLINT(cert-err34-c)
        return json_null();
    return json_real(load);
}

static void put_background(struct edge_agent_probe *probe, json_t *facts)
{
    const struct edge_agent_sample *first = &probe->first;
    struct edge_probe_busy_entry top[EDGE_PROBE_BUSY_TOP];
    struct edge_agent_sample second;
    if (probe->probes->root[0]) {
        edge_probe_json_miss(facts, "background", "a recorded tree stands still");
        return;
    }
    look(&second);
    size_t count = edge_probe_busy_end(&probe->busy, top);
    if (first->machine_busy_ns == EDGE_UNMEASURED || second.machine_busy_ns == EDGE_UNMEASURED) {
        edge_probe_json_miss(facts, "background", "no CPU times in /proc/stat");
        return;
    }
    json_t *busiest = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            busiest, json_pack("{so si sI}", "name",
                               edge_agent_json_from_bytes(top[i].name, strlen(top[i].name)), "pid",
                               (int)top[i].pid, "cpu_ns", (json_int_t)top[i].cpu_ns));
    uint64_t interval_ns = second.t_ns - first->t_ns;
    int64_t step_ns = (int64_t)(second.wall_ns - first->wall_ns - interval_ns);
    json_object_set_new(
        facts, "background",
        json_pack("{sI sI sI sI so so}", "interval_ns", (json_int_t)interval_ns, "cpu_ns",
                  (json_int_t)(second.machine_busy_ns - first->machine_busy_ns), "steal_ns",
                  (json_int_t)(second.machine_steal_ns - first->machine_steal_ns), "clock_step_ns",
                  (json_int_t)step_ns, "load", load_average(), "busiest", busiest));
}

static void put_power(struct edge_agent_probe *probe, json_t *facts)
{
    json_t *list = edge_probe_power_end(&probe->power);
    size_t i;
    const json_t *source;
    json_object_set_new(facts, "power", list);
    json_array_foreach(list, i, source)
    {
        if (json_is_true(json_object_get(source, "permission")))
            edge_probe_json_permission(facts, json_string_value(json_object_get(source, "why")));
    }
}

static void due(struct edge_timer *timer)
{
    struct edge_agent_probe *probe =
        (struct edge_agent_probe *)((char *)timer - offsetof(struct edge_agent_probe, timer));
    json_t *facts = edge_probe_json(probe->probes);
    if (facts) {
        put_background(probe, facts);
        put_power(probe, facts);
    }
    edge_agent_probe_free(probe);
    probe->done(probe, facts);
}

int edge_agent_probe_start(struct edge_agent_probe *probe, uint64_t for_ns,
                           struct edge_message *message)
{
    if (probe->running)
        return edge_fail(message, EDGE_ERR_USAGE, "a probe is running already");
    probe->timer.fire = due;
    probe->running = true;
    edge_probe_power_begin(&probe->power, probe->probes->root);
    int error = probe->probes->root[0] ? 0 : edge_probe_busy_begin(&probe->busy);
    look(&probe->first);
    if (!error)
        error = edge_timer_start(probe->loop, &probe->timer, edge_clock_ns() + for_ns);
    if (error)
        edge_agent_probe_free(probe);
    return error;
}

void edge_agent_probe_free(struct edge_agent_probe *probe)
{
    if (probe->running)
        edge_timer_stop(probe->loop, &probe->timer);
    probe->running = false;
    edge_probe_power_free(&probe->power);
    edge_probe_busy_free(&probe->busy);
}
