#include "power/power.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "power/sources.h"

const char *const edge_power_scopes[] = {"wall",      "dc_input",    "module",
                                         "soc_rails", "cpu_package", NULL};

const struct edge_power_source *edge_power_find(const char *name)
{
    for (const struct edge_power_source *const *row = edge_power_sources(); *row; row++)
        if (strcmp((*row)->name, name) == 0)
            return *row;
    return NULL;
}

int edge_power_open(struct edge_power *power, const struct edge_power_config *config,
                    struct edge_message *message)
{
    const struct edge_power_source *source = edge_power_find(config->name);
    *power = (struct edge_power){.config = *config, .interval_ns = source->interval_ns};
    if (source->argument && source->argument[0] != '[' && !config->argument)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: expected %s:%s", source->name, source->name,
                         source->argument);
    if (!source->argument && config->argument)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: expected no argument, found \"%s\"",
                         source->name, config->argument);
    bool wired = strcmp(source->scope, "as wired") == 0;
    const char *scope = wired ? (config->scope ? config->scope : "unstated") : source->scope;
    snprintf(power->scope, sizeof power->scope, "%s", scope);
    power->source = source;
    struct edge_message why = {""};
    int error = source->open(power, &why);
    if (!error)
        return 0;
    edge_power_close(power);
    return edge_fail(message, error, "%s: %.400s", source->name, why.text);
}

int edge_power_read(struct edge_power *power, struct edge_reading *reading,
                    struct edge_message *message)
{
    struct edge_message why = {""};
    *reading = (struct edge_reading){0, EDGE_READING_NONE, EDGE_READING_NONE};
    int result = power->source->read(power, reading, &why);
    if (result < 0)
        edge_fail(message, result, "%s: %.400s", power->source->name, why.text);
    return result;
}

void edge_power_close(struct edge_power *power)
{
    if (power->source)
        power->source->close(power);
    power->source = NULL;
    power->state = NULL;
}
