#include "agent/probes.h"

#include <stdio.h>

#include "agent/probe_link.h"
#include "agent/probe_machine.h"
#include "agent/probe_pressure.h"

void edge_probes_init(struct edge_probes *probes, const char *root)
{
    probes->root = root;
    edge_probe_heat_init(&probes->heat, root);
    edge_probe_throttle_init(&probes->throttle, root, &probes->heat);
    edge_probe_clock_init(&probes->clock, root, 0);
}

void edge_probes_free(struct edge_probes *probes)
{
    edge_probe_throttle_free(&probes->throttle);
}

void edge_probes_watch_cpu(struct edge_probes *probes, unsigned cpu)
{
    edge_probe_clock_init(&probes->clock, probes->root, cpu);
}

void edge_probes_sample(struct edge_probes *probes, bool mark, struct edge_agent_sample *sample)
{
    const char *root = probes->root;
    edge_probe_machine_sample("", sample); // CPU time is the live machine's: so is the server
    sample->temperature_millicelsius = edge_probe_heat_read(&probes->heat);
    sample->requested_hz = edge_probe_clock_requested(&probes->clock);
    sample->measured_hz = edge_probe_throttle_measured_hz(&probes->throttle);
    sample->throttle_bits = edge_probe_throttle_bits(&probes->throttle, &probes->heat);
    sample->cpus_online = edge_probe_clock_online(root);
    if (!mark)
        return;
    sample->below_max_ns = edge_probe_clock_below_max_ns(&probes->clock);
    sample->swap_bytes = edge_probe_pressure_swap_bytes(root);
    sample->cpu_pressure_ns = edge_probe_pressure_ns(root, "cpu");
    sample->memory_pressure_ns = edge_probe_pressure_ns(root, "memory");
    sample->io_pressure_ns = edge_probe_pressure_ns(root, "io");
}

static uint64_t or_zero(uint64_t value)
{
    return value == EDGE_UNMEASURED ? 0 : value; // of a board, 0 is "not found out"
}

void edge_probes_describe(struct edge_probes *probes, struct edge_board *board)
{
    edge_probe_link_text(probes->root, board->link, sizeof board->link);
    snprintf(board->thermal_zone, sizeof board->thermal_zone, "%s", probes->heat.zone);
    snprintf(board->throttle_source, sizeof board->throttle_source, "%s", probes->throttle.source);
    board->max_hz = or_zero(edge_probe_clock_max(&probes->clock));
    board->cap_hz = or_zero(edge_probe_clock_cap(&probes->clock));
}
