// Fuel gauges and PMICs of the power_supply class: Documentation/power/power_supply_class.rst.
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "power/sources.h"

#define CLASS       "/sys/class/power_supply"
#define DEVICES_MAX 32

struct supply {
    char name[EDGE_PROCFS_NAME];
    bool battery;
};

static int value_of(const char *root, const char *name, const char *file, int64_t *value)
{
    char path[160];
    snprintf(path, sizeof path, CLASS "/%.63s/%.32s", name, file);
    return edge_procfs_integer(root, path, value);
}

static bool text_is(const char *root, const char *name, const char *file, const char *wanted)
{
    char path[160], text[32];
    snprintf(path, sizeof path, CLASS "/%.63s/%.32s", name, file);
    return edge_procfs_line(root, path, text, sizeof text) > 0 && strcmp(text, wanted) == 0;
}

static int measure(const char *root, const char *name, int64_t *power_uw)
{
    int64_t microvolt, microampere;
    if (value_of(root, name, "power_now", power_uw) == 0)
        return 0;
    int error = value_of(root, name, "current_now", &microampere);
    if (!error)
        error = value_of(root, name, "voltage_now", &microvolt);
    if (!error)
        *power_uw = (int64_t)((double)microvolt * (double)microampere / 1e6);
    return error;
}

// Why it cannot be used; NULL if it can. Type-C ports show what was negotiated, not what flows.
static const char *objection(const char *root, const char *name)
{
    int64_t value;
    if (strstr(name, "tcpm-source-psy") || strstr(name, "ucsi-source-psy"))
        return "shows the negotiated USB-C contract, not a measurement";
    if (measure(root, name, &value) == 0)
        return text_is(root, name, "type", "Battery") &&
                       !text_is(root, name, "status", "Discharging")
                   ? "is a battery that is not discharging: the board runs from elsewhere"
                   : NULL;
    if (value_of(root, name, "current_now", &value) == 0)
        return "has a current, but no voltage";
    return "measures neither power nor current";
}

static int open_supply(struct edge_power *power, struct edge_message *message)
{
    const char *root = power->config.root, *wanted = power->config.argument;
    char names[DEVICES_MAX][EDGE_PROCFS_NAME], refused[300] = "";
    int count = edge_procfs_names(root, CLASS, "", names, DEVICES_MAX);
    struct supply *supply = calloc(1, sizeof *supply);
    if (!supply)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = supply;
    for (int i = 0; i < count; i++) {
        if (wanted && strcmp(wanted, names[i]) != 0)
            continue;
        const char *why = objection(root, names[i]);
        size_t used = strlen(refused);
        if (why) {
            snprintf(refused + used, sizeof refused - used, "%s%.63s %s", used ? "; " : "",
                     names[i], why);
            continue;
        }
        snprintf(supply->name, sizeof supply->name, "%.63s", names[i]);
        supply->battery = text_is(root, names[i], "type", "Battery");
        snprintf(power->detail, sizeof power->detail, "%.63s%s", names[i],
                 supply->battery ? ", a battery that discharges" : "");
        return 0;
    }
    if (refused[0])
        return edge_fail(message, EDGE_ERR_UNSUPPORTED, "%s", refused);
    return edge_fail(message, -ENOENT, "no %s below " CLASS, wanted ? wanted : "supply");
}

static int read_supply(struct edge_power *power, struct edge_reading *reading,
                       struct edge_message *message)
{
    const struct supply *supply = power->state;
    int64_t power_uw = 0;
    reading->t_ns = edge_clock_ns();
    int error = measure(power->config.root, supply->name, &power_uw);
    if (error)
        return edge_fail(message, error, "%s: %s", supply->name, edge_error_text(error));
    const char *why = objection(power->config.root, supply->name);
    if (why)
        return edge_fail(message, EDGE_ERR_LIMIT, "%s %s", supply->name, why);
    if (power_uw < 0 && !supply->battery)
        return edge_fail(message, EDGE_ERR_LIMIT, "%s reads %.3f W: expected a positive number",
                         supply->name, (double)power_uw / 1e6);
    // Drivers do not agree on the sign of a battery's current.
    reading->power_uw = (uint64_t)(power_uw < 0 ? -power_uw : power_uw);
    return 0;
}

static void close_supply(struct edge_power *power)
{
    free(power->state);
}

const struct edge_power_source edge_power_supply = {
    .name = "power_supply",
    .argument = "[NAME]",
    .place = EDGE_POWER_BOARD,
    .scope = "dc_input",
    .interval_ns = EDGE_NS_PER_S,
    .open = open_supply,
    .read = read_supply,
    .close = close_supply,
    .reads = "`/sys/class/power_supply`: gauges and PMICs with power, or with current and voltage; "
             "a battery only while it discharges",
    .includes = "the whole board; `tcpm-source-psy` and `ucsi-source-psy` are refused: they show "
                "the negotiated contract",
    .permission = "none",
};
