// Energy counters of x86 processors: Documentation/power/powercap/powercap.rst.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "power/sources.h"

#define CLASS     "/sys/class/powercap"
#define ZONES_MAX 8
#define FOUND_MAX 64

struct zone {
    char energy[128]; // file with uJ
    char range[128];  // file with the value at which it wraps
    uint64_t last_uj;
};

struct rapl {
    unsigned count;
    struct zone zones[ZONES_MAX]; // one for each package
    uint64_t total_uj;            // since open, unwrapped
    bool lost;                    // a step is not known: the total would be too low
};

static int read_counter(const char *root, const char *path, uint64_t *value)
{
    int64_t number = 0;
    int error = edge_procfs_integer(root, path, &number);
    if (!error && number < 0)
        error = EDGE_ERR_FORMAT;
    *value = (uint64_t)number;
    return error;
}

// Packages only: sub-zones are inside them, "psys" is more, and the MMIO zones are the same again.
static int find_zones(struct edge_power *power, struct rapl *rapl, struct edge_message *message)
{
    const char *root = power->config.root;
    char names[FOUND_MAX][EDGE_PROCFS_NAME], path[128], text[32];
    int count = edge_procfs_names(root, CLASS, "intel-rapl:", names, FOUND_MAX);
    for (int i = 0; i < count && rapl->count < ZONES_MAX; i++) {
        snprintf(path, sizeof path, CLASS "/%.63s/name", names[i]);
        if (edge_procfs_line(root, path, text, sizeof text) <= 0 ||
            strncmp(text, "package-", 8) != 0)
            continue;
        struct zone *zone = &rapl->zones[rapl->count];
        snprintf(zone->energy, sizeof zone->energy, CLASS "/%.63s/energy_uj", names[i]);
        snprintf(zone->range, sizeof zone->range, CLASS "/%.63s/max_energy_range_uj", names[i]);
        int error = read_counter(root, zone->energy, &zone->last_uj);
        if (error == -EACCES || error == -EPERM)
            return edge_fail(
                message, -EACCES,
                "%s may be read by root only (since Linux 5.10, CVE-2020-8694): run as "
                "root, or sudo chmod a+r that file",
                zone->energy);
        if (error)
            return edge_fail(message, error, "%s: %s", zone->energy, edge_error_text(error));
        rapl->count++;
    }
    if (rapl->count == 0)
        return edge_fail(message, -ENOENT, "no package zone below " CLASS);
    snprintf(power->detail, sizeof power->detail, "%u package%s", rapl->count,
             rapl->count > 1 ? "s" : "");
    return 0;
}

static int open_rapl(struct edge_power *power, struct edge_message *message)
{
    struct rapl *rapl = calloc(1, sizeof *rapl);
    if (!rapl)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = rapl;
    power->quantum_uj = 1000; // counts 61 uJ steps, and changes about every millisecond
    return find_zones(power, rapl, message);
}

// The counter wraps after an hour at 65 W. Twice between two readings cannot be seen, nor can it
// happen with a reading every 100 ms. A counter that could not be read is only late: its next step
// is the longer. `lost` is set where it has wrapped, and nobody knows at what.
static int advance(const char *root, struct zone *zone, uint64_t *step_uj, bool *lost)
{
    uint64_t now_uj, range_uj = 0;
    int error = read_counter(root, zone->energy, &now_uj);
    if (error)
        return error;
    *step_uj = now_uj - zone->last_uj;
    if (now_uj < zone->last_uj) {
        error = read_counter(root, zone->range, &range_uj);
        if (!error && range_uj < zone->last_uj)
            error = EDGE_ERR_FORMAT;
        *step_uj = now_uj + (range_uj - zone->last_uj);
        *lost = *lost || error;
    }
    zone->last_uj = now_uj;
    return error;
}

static int read_rapl(struct edge_power *power, struct edge_reading *reading,
                     struct edge_message *message)
{
    struct rapl *rapl = power->state;
    reading->t_ns = edge_clock_ns();
    for (unsigned i = 0; i < rapl->count; i++) {
        uint64_t step_uj = 0;
        int error = advance(power->config.root, &rapl->zones[i], &step_uj, &rapl->lost);
        if (rapl->lost)
            return edge_fail(message, error ? error : EDGE_ERR_FORMAT,
                             "%s: a step of the counter was lost: %s", rapl->zones[i].energy,
                             error ? edge_error_text(error) : "before");
        if (error)
            return edge_fail(message, error, "%s: %s", rapl->zones[i].energy,
                             edge_error_text(error));
        rapl->total_uj += step_uj;
    }
    reading->energy_uj = rapl->total_uj;
    return 0;
}

static void close_rapl(struct edge_power *power)
{
    free(power->state);
}

const struct edge_power_source edge_power_rapl = {
    .name = "rapl",
    .place = EDGE_POWER_BOARD,
    .scope = "cpu_package",
    .interval_ns = 100 * EDGE_NS_PER_MS,
    .open = open_rapl,
    .read = read_rapl,
    .close = close_rapl,
    .reads =
        "x86: `/sys/class/powercap/intel-rapl:N/energy_uj` of all packages, wrap-around undone",
    .includes = "the processor chip; not memory, storage, network, fan or power supply",
    .permission = "root, or `chmod a+r` of that file",
};
