#include "run/board_record.h"

#include <stdio.h>

#define SET(member, ...) snprintf(member, sizeof(member), __VA_ARGS__)

static void fill_emulated(const struct edge_target *target, const struct edge_board *facts,
                          struct edge_record_board *record)
{
    if (facts->emulator[0]) { // not ours: what the programs see below it
        SET(record->model, "%s", target->board_name ? target->board_name : facts->model);
        SET(record->cpu, "%s", facts->emulator);
        SET(record->arch, "%s", facts->machine);
        SET(record->os, "%s", facts->os);
    } else {
        SET(record->model, "%s", target->board_name);
        SET(record->cpu, "%s of %s", target->emulator.cpu, target->emulator.version);
        SET(record->arch, "%s", target->emulator.arch);
    }
    SET(record->ram_limit, "none: the memory is the emulator's");
}

void edge_board_record_fill(const struct edge_target *target, const struct edge_board *facts,
                            const char *ram_limit, struct edge_record_board *record)
{
    SET(record->id, "%s", target->board);
    if (target->emulated) {
        fill_emulated(target, facts, record);
        return;
    }
    SET(record->model, "%s", facts->model);
    SET(record->cpu, "%s", facts->cpu);
    if (facts->cores > 0)
        record->cpus = facts->cores;
    if (facts->ram_bytes > 0)
        record->ram_bytes = facts->ram_bytes;
    if (facts->kernel[0])
        SET(record->kernel, "Linux %.100s", facts->kernel);
    SET(record->os, "%s", facts->os);
    SET(record->arch, "%s", facts->machine);
    SET(record->ram_limit, "%s", ram_limit);
    SET(record->governor, "%s", facts->governor);
    SET(record->thermal_zone, "%s", facts->thermal_zone);
    SET(record->throttle_source, "%s", facts->throttle_source);
    SET(record->link, "%s", facts->link);
    if (facts->max_hz > 0)
        record->max_hz = facts->max_hz;
    if (facts->cap_hz > 0)
        record->cap_hz = facts->cap_hz;
}
