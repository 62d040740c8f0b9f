#include "run/meters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define REQUEST_NS (10 * EDGE_NS_PER_S)
#define BATCH      256

struct item {
    char name[32];
    char argument[256];
    bool has_argument;
};

// The next of the list, and where the one behind it begins (NULL: this was the last).
static int next_item(const char *at, struct item *item, const char **rest,
                     struct edge_message *message)
{
    size_t name = strcspn(at, ":,");
    item->has_argument = at[name] == ':';
    const char *argument = at + name + item->has_argument;
    bool takes_all = name == 3 && strncmp(at, "cmd", 3) == 0;
    size_t len = !item->has_argument ? 0 : takes_all ? strlen(argument) : strcspn(argument, ",");
    *rest = argument[len] == ',' ? argument + len + 1 : NULL;
    if (name == 0 || name >= sizeof(item->name) || len >= sizeof(item->argument))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--power: expected NAME[:ARGUMENT], found \"%.100s\"", at);
    snprintf(item->name, sizeof(item->name), "%.*s", (int)name, at);
    snprintf(item->argument, sizeof(item->argument), "%.*s", (int)len, argument);
    return 0;
}

static bool is_auto(const struct item *item)
{
    return strcmp(item->name, "auto") == 0 && !item->has_argument;
}

static int check_item(const struct item *item, struct edge_message *message)
{
    char names[256] = "auto, none";
    const struct edge_power_source *row = edge_power_find(item->name);
    if (row && row->argument && row->argument[0] != '[' && !item->argument[0])
        return edge_fail(message, EDGE_ERR_USAGE, "--power: expected %s:%s", row->name,
                         row->argument);
    if (row || is_auto(item))
        return 0;
    for (const struct edge_power_source *const *each = edge_power_sources(); *each; each++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, ", %s", (*each)->name);
    }
    return edge_fail(message, EDGE_ERR_USAGE, "--power: expected %s, found \"%s\"", names,
                     item->name);
}

int edge_meters_check(const char *list, struct edge_message *message)
{
    unsigned count = 0;
    if (strcmp(list, "none") == 0)
        return 0;
    for (const char *at = list; at;) {
        struct item item = {.has_argument = false};
        int error = next_item(at, &item, &at, message);
        if (!error)
            error = check_item(&item, message);
        if (!error && ++count > EDGE_METERS_MAX)
            error = edge_fail(message, EDGE_ERR_USAGE, "--power: expected at most %d sources",
                              EDGE_METERS_MAX);
        if (error)
            return error;
    }
    return 0;
}

static void copy_text(const json_t *object, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));
    snprintf(text, size, "%s", value ? value : "");
}

// 0 of a source is "there is none"; in records that is null.
static uint64_t or_none(uint64_t value)
{
    return value > 0 ? value : EDGE_UNMEASURED;
}

static uint64_t or_zero(uint64_t value)
{
    return value == EDGE_UNMEASURED ? 0 : value;
}

static uint64_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : EDGE_READING_NONE;
}

static struct edge_meter *add(struct edge_meters *meters)
{
    struct edge_meter *meter = &meters->at[meters->count++];
    edge_record_init(EDGE_RECORD_SOURCE, &meter->facts);
    meter->facts.source = meters->count;
    return meter;
}

// A source of the board, through the agent.
static int open_board(struct edge_meters *meters, const struct item *item, const char *scope,
                      struct edge_message *message)
{
    json_t *answer;
    json_t *request =
        json_pack("{ss ss ss* ss*}", "op", "power", "name", item->name, "argument",
                  item->has_argument ? item->argument : NULL, "scope", scope ? scope : NULL);
    int error = edge_agent_client_call(meters->agent, request, REQUEST_NS, &answer, message);
    if (error)
        return error;
    const json_t *source = json_object_get(answer, "source");
    copy_text(answer, "why", meters->why, sizeof(meters->why));
    if (json_is_object(source)) {
        struct edge_meter *meter = add(meters);
        struct edge_record_source *facts = &meter->facts;
        meter->on_board = true;
        for (unsigned i = 0; i + 1 < meters->count; i++)
            meter->agent_source += meters->at[i].on_board;
        copy_text(source, "name", facts->name, sizeof(facts->name));
        copy_text(source, "scope", facts->scope, sizeof(facts->scope));
        copy_text(source, "detail", facts->detail, sizeof(facts->detail));
        copy_text(source, "correction", facts->correction, sizeof(facts->correction));
        copy_text(source, "warning", facts->warning, sizeof(facts->warning));
        snprintf(facts->place, sizeof(facts->place), "board");
        facts->interval_ns = or_none(number_of(source, "interval_ns"));
        facts->quantum_uj = or_none(number_of(source, "quantum_uj"));
    }
    json_decref(answer);
    return 0;
}

static int open_host(struct edge_meters *meters, const struct item *item, const char *scope,
                     struct edge_message *message)
{
    struct edge_meter *meter = add(meters);
    snprintf(meter->argument, sizeof(meter->argument), "%s", item->argument);
    struct edge_power_config config = {
        .name = edge_power_find(item->name)->name,
        .argument = item->has_argument ? meter->argument : NULL,
        .root = "",
        .scope = scope,
    };
    int error = edge_power_open(&meter->power, &config, message);
    if (error)
        return error;
    struct edge_record_source *facts = &meter->facts;
    snprintf(facts->name, sizeof(facts->name), "%s", item->name);
    snprintf(facts->place, sizeof(facts->place), "host");
    snprintf(facts->scope, sizeof(facts->scope), "%s", meter->power.scope);
    snprintf(facts->detail, sizeof(facts->detail), "%s", meter->power.detail);
    snprintf(facts->correction, sizeof(facts->correction), "%s", meter->power.correction);
    snprintf(facts->warning, sizeof(facts->warning), "%s", meter->power.warning);
    facts->interval_ns = or_none(meter->power.interval_ns);
    facts->quantum_uj = or_none(meter->power.quantum_uj);
    return 0;
}

int edge_meters_open(struct edge_meters *meters, const char *list, const char *scope,
                     struct edge_agent_client *agent, struct edge_message *message)
{
    *meters = (struct edge_meters){.agent = agent};
    if (strcmp(list, "none") == 0) {
        snprintf(meters->why, sizeof(meters->why), "--power none");
        return 0;
    }
    int error = edge_meters_check(list, message);
    for (const char *at = list; at && !error;) {
        struct item item = {.has_argument = false};
        error = next_item(at, &item, &at, message);
        if (error)
            break;
        bool board = is_auto(&item) || edge_power_find(item.name)->place == EDGE_POWER_BOARD;
        error = board ? open_board(meters, &item, scope, message)
                      : open_host(meters, &item, scope, message);
    }
    if (error)
        edge_meters_free(meters);
    return error;
}

int edge_meters_poll(struct edge_meters *meters, bool on, struct edge_message *message)
{
    bool board = false;
    for (unsigned i = 0; i < meters->count; i++) {
        struct edge_meter *meter = &meters->at[i];
        board = board || meter->on_board;
        if (on)
            meter->failure[0] = '\0';
        if (!on && meter->poller) {
            edge_meters_collect(meters);
            edge_power_poller_stop(meter->poller);
            meter->poller = NULL;
        } else if (on && !meter->on_board && !meter->poller) {
            int error = edge_power_poller_start(&meter->poller, &meter->power, message);
            if (error)
                return error;
        }
    }
    if (!board)
        return 0;
    return edge_agent_client_call(meters->agent, json_pack("{ss sb}", "op", "poll", "on", on),
                                  REQUEST_NS, NULL, message);
}

static void keep(struct edge_meters *meters, struct edge_meter *meter,
                 const struct edge_reading *reading)
{
    size_t count = meter->count;
    if (count > 0 && reading->t_ns < meter->readings[count - 1].t_ns)
        return;                       // the clocks were related anew, and this one fell behind
    if ((count & (count - 1)) == 0) { // full at each power of two
        struct edge_reading *readings =
            realloc(meter->readings, (count ? count * 2 : 1) * sizeof(*readings));
        if (!readings) {
            meters->error = -ENOMEM;
            return;
        }
        meter->readings = readings;
    }
    meter->readings[meter->count++] = *reading;
}

void edge_meters_collect(struct edge_meters *meters)
{
    for (unsigned i = 0; i < meters->count; i++) {
        struct edge_meter *meter = &meters->at[i];
        struct edge_reading batch[BATCH];
        struct edge_message last;
        size_t taken;
        if (!meter->poller)
            continue;
        while ((taken = edge_power_poller_take(meter->poller, batch, BATCH)) > 0)
            for (size_t r = 0; r < taken; r++)
                keep(meters, meter, &batch[r]);
        if (edge_power_poller_failures(meter->poller, &last) > 0)
            snprintf(meter->failure, sizeof(meter->failure), "%.250s", last.text);
    }
}

bool edge_meters_take(struct edge_meters *meters, const json_t *event)
{
    const char *name = json_string_value(json_object_get(event, "event"));
    bool failed = name && strcmp(name, "power_failed") == 0;
    if (!failed && (!name || strcmp(name, "power") != 0))
        return false;
    for (unsigned i = 0; i < meters->count; i++) {
        struct edge_meter *meter = &meters->at[i];
        if (!meter->on_board || meter->agent_source != number_of(event, "source"))
            continue;
        if (failed) {
            copy_text(event, "text", meter->failure, sizeof(meter->failure));
            break;
        }
        struct edge_reading reading = {.t_ns = number_of(event, "t_ns"),
                                       .power_uw = number_of(event, "power_uw"),
                                       .energy_uj = number_of(event, "energy_uj")};
        if (reading.t_ns == EDGE_READING_NONE)
            break;
        reading.t_ns -= (uint64_t)meters->agent->offset_ns;
        keep(meters, meter, &reading);
        break;
    }
    return true;
}

bool edge_meters_reach(const struct edge_meters *meters, uint64_t t_ns)
{
    for (unsigned i = 0; i < meters->count; i++) {
        const struct edge_meter *meter = &meters->at[i];
        if (meter->count == 0 || meter->readings[meter->count - 1].t_ns < t_ns)
            return false;
    }
    return true;
}

int edge_meters_integrate(const struct edge_meters *meters, unsigned index, uint64_t start_ns,
                          uint64_t stop_ns, struct edge_energy *energy)
{
    const struct edge_meter *meter = &meters->at[index];
    return edge_energy_integrate(meter->readings, meter->count, or_zero(meter->facts.interval_ns),
                                 or_zero(meter->facts.quantum_uj), start_ns, stop_ns, energy);
}

void edge_meters_free(struct edge_meters *meters)
{
    for (unsigned i = 0; i < meters->count; i++) {
        struct edge_meter *meter = &meters->at[i];
        edge_power_poller_stop(meter->poller);
        edge_power_close(&meter->power);
        free(meter->readings);
        meter->readings = NULL;
        meter->poller = NULL;
        meter->count = 0;
    }
    meters->count = 0;
}
