// INA3221: three channels with names. On Jetson boards one of them sees the whole supply and the
// others parts of it, which must not be added to it. Documentation/hwmon/ina3221.rst; JetPack 4
// has a driver of its own below /sys/bus/i2c.
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

#define HWMON     "/sys/class/hwmon"
#define JETPACK4  "/sys/bus/i2c/drivers/ina3221x"
#define FOUND_MAX 64
#define RAILS_MAX 24

struct rail {
    char label[32];
    char voltage[160]; // mV
    char current[160]; // mA
};

struct rails {
    unsigned count; // that are read
    struct rail at[RAILS_MAX];
};

// Rails that carry the whole, and what that is.
static const struct {
    const char *label, *scope;
} totals[] = {{"VDD_IN", "module"}, {"POM_5V_IN", "dc_input"}};

static void add_rail(struct rails *rails, const char *root, const char *label_path,
                     const char *voltage_path, const char *current_path)
{
    if (rails->count == RAILS_MAX)
        return;
    struct rail *rail = &rails->at[rails->count];
    if (edge_procfs_line(root, label_path, rail->label, sizeof rail->label) <= 0 ||
        strcmp(rail->label, "NC") == 0 || strncmp(rail->label, "sum ", 4) == 0)
        return;
    snprintf(rail->voltage, sizeof rail->voltage, "%.159s", voltage_path);
    snprintf(rail->current, sizeof rail->current, "%.159s", current_path);
    rails->count++;
}

static void find_hwmon(const char *root, struct rails *rails)
{
    char devices[FOUND_MAX][EDGE_PROCFS_NAME], path[128], name[32];
    int count = edge_procfs_names(root, HWMON, "hwmon", devices, FOUND_MAX);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, HWMON "/%.63s/name", devices[i]);
        if (edge_procfs_line(root, path, name, sizeof name) <= 0 || strcmp(name, "ina3221") != 0)
            continue;
        for (int channel = 1; channel <= 3; channel++) { // above: the shunts and their sum
            char label[128], voltage[128], current[128];
            int64_t enabled = 1;
            snprintf(path, sizeof path, HWMON "/%.63s/in%d_enable", devices[i], channel);
            edge_procfs_integer(root, path, &enabled); // without the file it is on
            snprintf(label, sizeof label, HWMON "/%.63s/in%d_label", devices[i], channel);
            snprintf(voltage, sizeof voltage, HWMON "/%.63s/in%d_input", devices[i], channel);
            snprintf(current, sizeof current, HWMON "/%.63s/curr%d_input", devices[i], channel);
            if (enabled != 0)
                add_rail(rails, root, label, voltage, current);
        }
    }
}

static void find_jetpack4(const char *root, struct rails *rails)
{
    char chips[FOUND_MAX][EDGE_PROCFS_NAME], devices[4][EDGE_PROCFS_NAME];
    int count = edge_procfs_names(root, JETPACK4, "", chips, FOUND_MAX);
    for (int i = 0; i < count; i++) {
        char folder[192], label[256], voltage[256], current[256];
        snprintf(folder, sizeof folder, JETPACK4 "/%.63s", chips[i]);
        if (edge_procfs_names(root, folder, "iio:device", devices, 4) < 1)
            continue;
        for (int channel = 0; channel < 3; channel++) {
            snprintf(label, sizeof label, "%s/%.32s/rail_name_%d", folder, devices[0], channel);
            snprintf(voltage, sizeof voltage, "%s/%.32s/in_voltage%d_input", folder, devices[0],
                     channel);
            snprintf(current, sizeof current, "%s/%.32s/in_current%d_input", folder, devices[0],
                     channel);
            add_rail(rails, root, label, voltage, current);
        }
    }
}

static void list(const struct rails *rails, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; i < rails->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? " + " : "", rails->at[i].label);
    }
}

static bool keep_only(struct rails *rails, const char *label)
{
    for (unsigned i = 0; i < rails->count; i++)
        if (strcmp(rails->at[i].label, label) == 0) {
            rails->at[0] = rails->at[i];
            rails->count = 1;
            return true;
        }
    return false;
}

static const char *scope_of(const struct rails *rails)
{
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
        if (rails->count == 1 && strcmp(rails->at[0].label, totals[i].label) == 0)
            return totals[i].scope;
    return "soc_rails";
}

// The rail asked for; the one that carries the whole; else all together, which is a part.
static int choose(struct edge_power *power, struct rails *rails, struct edge_message *message)
{
    char all[120];
    list(rails, all, sizeof all);
    if (rails->count == 0)
        return edge_fail(message, -ENOENT, "no INA3221 with named channels");
    if (power->config.argument) {
        if (!keep_only(rails, power->config.argument))
            return edge_fail(message, EDGE_ERR_USAGE, "no rail \"%s\": there are %s",
                             power->config.argument, all);
    } else {
        for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
            if (keep_only(rails, totals[i].label))
                break;
    }
    const char *scope = scope_of(rails);
    snprintf(power->scope, sizeof power->scope, "%s", scope);
    list(rails, all, sizeof all);
    snprintf(power->detail, sizeof power->detail, "ina3221: %s", all);
    if (strcmp(scope, "module") == 0)
        snprintf(power->correction, sizeof power->correction,
                 "none; the carrier board is not in it (some 0.4 W were seen)");
    return 0;
}

static int open_ina3221(struct edge_power *power, struct edge_message *message)
{
    struct rails *rails = calloc(1, sizeof *rails);
    if (!rails)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = rails;
    find_hwmon(power->config.root, rails);
    find_jetpack4(power->config.root, rails);
    return choose(power, rails, message);
}

static int read_ina3221(struct edge_power *power, struct edge_reading *reading,
                        struct edge_message *message)
{
    const struct rails *rails = power->state;
    uint64_t sum_uw = 0;
    reading->t_ns = edge_clock_ns();
    for (unsigned i = 0; i < rails->count; i++) {
        int64_t millivolt, milliampere;
        int error = edge_procfs_integer(power->config.root, rails->at[i].voltage, &millivolt);
        if (!error)
            error = edge_procfs_integer(power->config.root, rails->at[i].current, &milliampere);
        if (error)
            return edge_fail(message, error, "%s: %s", rails->at[i].label, edge_error_text(error));
        if (millivolt < 0 || milliampere < 0)
            return edge_fail(message, EDGE_ERR_LIMIT,
                             "%s: reads %" PRId64 " mV, %" PRId64 " mA: expected positive numbers",
                             rails->at[i].label, millivolt, milliampere);
        sum_uw += (uint64_t)millivolt * (uint64_t)milliampere;
    }
    reading->power_uw = sum_uw;
    return 0;
}

static void close_ina3221(struct edge_power *power)
{
    free(power->state);
}

const struct edge_power_source edge_power_ina3221 = {
    .name = "ina3221",
    .argument = "[RAIL]",
    .place = EDGE_POWER_BOARD,
    .scope = "module",
    .interval_ns = 100 * EDGE_NS_PER_MS,
    .open = open_ina3221,
    .read = read_ina3221,
    .close = close_ina3221,
    .reads = "NVIDIA Jetson rails, by label: `VDD_IN` or `POM_5V_IN` alone; without one of them, "
             "the sum of all (`soc_rails`)",
    .includes = "`VDD_IN`: the module without its carrier; `POM_5V_IN`: the 5 V input (`dc_input`)",
    .permission = "none",
};
