// Sensors of the kernel's hwmon class that measure power: Documentation/hwmon/sysfs-interface.rst,
// ina2xx.rst, powerz.
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

#define CLASS         "/sys/class/hwmon"
#define DEVICES_MAX   64
#define DRIVER_SHUNT  10000 // micro-Ohm, what ina2xx assumes when nobody tells it
#define POLL_INTERVAL (100 * EDGE_NS_PER_MS)

// Drivers that measure a supply. Others (of GPUs, of drives) only when a person names them.
static const char *const supplies[] = {"ina219", "ina220", "ina226", "ina230",     "ina231",
                                       "ina238", "ina260", "powerz", "power_meter"};

struct hwmon {
    char power[128];   // file with uW; "" if it is computed from the next two
    char voltage[128]; // mV
    char current[128]; // mA
    char energy[128];  // uJ; "" if there is none
};

static void path_of(char *path, size_t size, const char *device, const char *file)
{
    snprintf(path, size, CLASS "/%.63s/%.32s", device, file);
}

static int name_of(const char *root, const char *device, char *name, size_t size)
{
    char path[128];
    path_of(path, sizeof path, device, "name");
    return edge_procfs_line(root, path, name, size);
}

static bool use(const char *root, const char *device, const char *file, char *path, size_t size)
{
    int64_t value;
    path_of(path, size, device, file);
    if (edge_procfs_integer(root, path, &value) == 0)
        return true;
    path[0] = '\0';
    return false;
}

// Finds the files that give power. An instrument's own average over its interval beats a snapshot.
static bool find_files(const char *root, const char *device, struct hwmon *hwmon)
{
#define USE(file, member) use(root, device, file, hwmon->member, sizeof hwmon->member)
    bool energy = USE("energy1_input", energy);
    if (USE("power1_average", power) || USE("power1_input", power))
        return true;
    // in1 is the bus and in0 the shunt of an ina2xx; powerz has the bus at in0.
    bool found = USE("curr1_average", current) || USE("curr1_input", current);
    found = found &&
            (USE("in0_average", voltage) || USE("in1_input", voltage) || USE("in0_input", voltage));
#undef USE
    return found || energy;
}

static bool is_supply(const char *name)
{
    for (size_t i = 0; i < sizeof supplies / sizeof supplies[0]; i++)
        if (strcmp(name, supplies[i]) == 0)
            return true;
    return false;
}

// The one device to read: named by its driver or its number, or the only supply there is.
static int choose(const struct edge_power *power, char *device, char *name, size_t size,
                  struct edge_message *message)
{
    const char *root = power->config.root, *wanted = power->config.argument;
    char devices[DEVICES_MAX][EDGE_PROCFS_NAME], found[160] = "";
    int count = edge_procfs_names(root, CLASS, "hwmon", devices, DEVICES_MAX), matches = 0;
    for (int i = 0; i < count; i++) {
        char one[64];
        struct hwmon files;
        if (name_of(root, devices[i], one, sizeof one) <= 0)
            continue;
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s", used ? ", " : "", one);
        bool match =
            wanted ? strcmp(wanted, one) == 0 || strcmp(wanted, devices[i]) == 0 : is_supply(one);
        if (!match || !find_files(root, devices[i], &files))
            continue;
        if (matches++ == 0) {
            snprintf(device, size, "%.63s", devices[i]);
            snprintf(name, size, "%.63s", one);
        }
    }
    if (matches == 1)
        return 0;
    if (matches > 1)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "%d sensors (%s): name the one that sees the whole board, as in "
                         "hwmon:%s",
                         matches, found, device);
    if (count <= 0 || !found[0])
        return edge_fail(message, -ENOENT, "no sensor below " CLASS);
    return edge_fail(message, -ENOENT, "no sensor below " CLASS " measures %s (found: %s)",
                     wanted ? wanted : "the power of a supply", found);
}

// ina2xx believes in the shunt it is told of; the default is a tenth of what breakouts carry.
static void check_shunt(struct edge_power *power, const char *device, const char *name)
{
    char path[128];
    int64_t shunt;
    path_of(path, sizeof path, device, "shunt_resistor");
    if (edge_procfs_integer(power->config.root, path, &shunt) != 0)
        return;
    size_t used = strlen(power->detail);
    snprintf(power->detail + used, sizeof power->detail - used, ", shunt %.4g Ohm",
             (double)shunt / 1e6);
    if (shunt == DRIVER_SHUNT && strncmp(name, "ina2", 4) == 0)
        snprintf(power->warning, sizeof power->warning,
                 "%.16s: shunt_resistor is at the driver's default, 10 mOhm; a breakout board "
                 "with 100 mOhm then reads 10 times too high: echo 100000 > %.50s",
                 name, path);
}

static void find_interval(struct edge_power *power, const char *device)
{
    char path[128];
    int64_t interval_ms;
    path_of(path, sizeof path, device, "update_interval");
    if (edge_procfs_integer(power->config.root, path, &interval_ms) == 0 && interval_ms > 0 &&
        interval_ms < 60000 && (uint64_t)interval_ms * EDGE_NS_PER_MS > POLL_INTERVAL)
        power->interval_ns = (uint64_t)interval_ms * EDGE_NS_PER_MS;
}

static int open_hwmon(struct edge_power *power, struct edge_message *message)
{
    char device[EDGE_PROCFS_NAME], name[EDGE_PROCFS_NAME];
    int error = choose(power, device, name, sizeof device, message);
    if (error)
        return error;
    struct hwmon *hwmon = calloc(1, sizeof *hwmon);
    if (!hwmon)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = hwmon;
    find_files(power->config.root, device, hwmon);
    snprintf(power->detail, sizeof power->detail, "%.63s at %.63s", name, device);
    check_shunt(power, device, name);
    find_interval(power, device);
    if (hwmon->energy[0])
        power->quantum_uj = 1000; // the class does not say; drivers count finer
    if (!power->config.scope)     // else a person has said how it is wired
        snprintf(power->scope, sizeof power->scope,
                 strcmp(name, "power_meter") == 0 ? "wall" : "dc_input");
    return 0;
}

static int read_hwmon(struct edge_power *power, struct edge_reading *reading,
                      struct edge_message *message)
{
    const struct hwmon *hwmon = power->state;
    const char *root = power->config.root;
    int64_t value = 0, volts = 0, amperes = 0;
    int error = 0;
    reading->t_ns = edge_clock_ns();
    if (hwmon->energy[0])
        error = edge_procfs_integer(root, hwmon->energy, &value);
    if (!error && hwmon->energy[0] && value >= 0)
        reading->energy_uj = (uint64_t)value;
    if (!error && hwmon->power[0]) {
        error = edge_procfs_integer(root, hwmon->power, &value);
    } else if (!error && hwmon->current[0]) {
        error = edge_procfs_integer(root, hwmon->voltage, &volts);
        if (!error)
            error = edge_procfs_integer(root, hwmon->current, &amperes);
        value = volts * amperes; // mV x mA = uW
    } else if (!error) {
        return 0;
    }
    if (error)
        return edge_fail(message, error, "%s: %s", power->detail, edge_error_text(error));
    if (value < 0)
        return edge_fail(message, EDGE_ERR_LIMIT,
                         "%s: reads %.3f W: expected a positive number; are its two sides swapped?",
                         power->detail, (double)value / 1e6);
    reading->power_uw = (uint64_t)value;
    return 0;
}

static void close_hwmon(struct edge_power *power)
{
    free(power->state);
}

const struct edge_power_source edge_power_hwmon = {
    .name = "hwmon",
    .argument = "[NAME]",
    .place = EDGE_POWER_BOARD,
    .scope = "as wired",
    .interval_ns = POLL_INTERVAL,
    .open = open_hwmon,
    .read = read_hwmon,
    .close = close_hwmon,
    .reads = "`/sys/class/hwmon`: INA219, INA226, INA231 and kin, POWER-Z meters, ACPI power "
             "meters; others by their driver's name or number",
    .includes = "what flows through the shunt: `dc_input` unless --power-scope says otherwise",
    .permission = "none",
};
