#include "agent/probe_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>

#include "agent/agent_json.h"
#include "agent/probe_cpus.h"
#include "agent/probe_link.h"
#include "agent/probe_policies.h"
#include "agent/probe_pressure.h"
#include "agent/probe_userland.h"
#include "agent/probe_virtual.h"
#include "agent/ram_limit.h"
#include "base/procfs.h"
#include "base/recognise.h"
#include "result/record.h"

#define TRY_LIMIT (UINT64_C(1) << 30)

void edge_probe_json_miss(json_t *facts, const char *fact, const char *format, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    json_object_set_new(facts, fact, json_null());
    json_object_set_new(json_object_get(facts, "missing"), fact,
                        edge_agent_json_from_bytes(why, strlen(why)));
}

static json_t *text(const char *value)
{
    return edge_agent_json_from_bytes(value, strlen(value));
}

static json_t *number(uint64_t value)
{
    return value == EDGE_UNMEASURED ? json_null() : json_integer((json_int_t)value);
}

void edge_probe_json_permission(json_t *facts, const char *why)
{
    json_array_append_new(json_object_get(facts, "permissions"), text(why));
}

// A text or its reason.
static void put_text(json_t *facts, const char *fact, const char *value, const char *why)
{
    if (value[0])
        json_object_set_new(facts, fact, text(value));
    else
        edge_probe_json_miss(facts, fact, "%s", why);
}

// A number that is above 0 or not known.
static void put_number(json_t *facts, const char *fact, uint64_t value, const char *why)
{
    if (value > 0 && value != EDGE_UNMEASURED)
        json_object_set_new(facts, fact, json_integer((json_int_t)value));
    else
        edge_probe_json_miss(facts, fact, "%s", why);
}

static json_t *traps(const struct edge_catalogue_board *board)
{
    json_t *list = json_array();
    for (const char *const *trap = board->trap; trap && *trap; trap++)
        json_array_append_new(list, text(*trap));
    return list;
}

static void put_catalogue(json_t *facts, const char *root, const struct edge_board *board)
{
    struct edge_recognise_facts known;
    struct edge_recognised result;
    char revision[16] = "";
    edge_recognise_read(root, &known);
    snprintf(known.machine, sizeof known.machine, "%s", board->machine);
    edge_recognise(&known, &result);
    json_t *compatible = json_array();
    size_t len;
    for (const char *at = known.compatible; *at; at += len + (at[len] == '\n')) {
        len = strcspn(at, "\n");
        json_array_append_new(compatible, edge_agent_json_from_bytes(at, len));
    }
    json_object_set_new(facts, "compatible", compatible);
    if (known.revision)
        snprintf(revision, sizeof revision, "%06" PRIx32, known.revision);
    put_text(facts, "revision", revision, "no Revision in /proc/cpuinfo: no Raspberry Pi");
    if (result.board)
        json_object_set_new(facts, "catalogue",
                            json_pack("{ss ss ss so so}", "id", result.board->id, "name",
                                      result.board->name, "soc", result.board->soc, "by",
                                      text(result.why), "traps", traps(result.board)));
    else
        edge_probe_json_miss(facts, "catalogue", "%s", result.why);
    if (result.build)
        json_object_set_new(facts, "build", text(result.build->id));
    else
        edge_probe_json_miss(facts, "build", "%s", result.build_why);
}

static void put_cpus(json_t *facts, const char *root)
{
    static const char *const files[] = {"online", "present"};
    struct edge_probe_cpus cpus;
    int error = edge_probe_cpus_read(root, &cpus);
    json_t *kinds = json_array();
    for (unsigned i = 0; i < cpus.kind_count; i++)
        json_array_append_new(kinds, json_pack("{so si}", "name", text(cpus.kinds[i].name), "count",
                                               (int)cpus.kinds[i].count));
    json_object_set_new(facts, "cores", kinds);
    if (error)
        edge_probe_json_miss(facts, "cores", "/proc/cpuinfo: %s", edge_error_text(error));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64], list[256] = "", name[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", files[i]);
        snprintf(name, sizeof name, "cpus_%s", files[i]);
        error = edge_procfs_line(root, path, list, sizeof list);
        if (error > 0)
            json_object_set_new(facts, name, text(list));
        else
            edge_probe_json_miss(facts, name, "%s: %s", path, edge_error_text(error));
    }
}

static void put_memory(json_t *facts, const char *root, const struct edge_board *board)
{
    static const struct {
        const char *key, *fact;
    } lines[] = {{"MemAvailable:", "ram_available_bytes"}, {"SwapTotal:", "swap_bytes"}};
    char file[8192];
    uint64_t kib;
    put_number(facts, "ram_bytes", board->ram_bytes, "no MemTotal in /proc/meminfo");
    if (edge_procfs_read(root, "/proc/meminfo", file, sizeof file) < 0)
        file[0] = '\0';
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (edge_procfs_number(file, lines[i].key, &kib))
            json_object_set_new(facts, lines[i].fact, json_integer((json_int_t)kib * 1024));
        else
            edge_probe_json_miss(facts, lines[i].fact, "no %.*s in /proc/meminfo",
                                 (int)strlen(lines[i].key) - 1, lines[i].key);
    uint64_t used = edge_probe_pressure_swap_bytes(root);
    json_object_set_new(facts, "swap_used_bytes", number(used));
    if (used == EDGE_UNMEASURED)
        edge_probe_json_miss(facts, "swap_used_bytes",
                             "no SwapTotal and SwapFree in /proc/meminfo");
}

static void put_system(json_t *facts, const char *root, const struct edge_board *board)
{
    const char *recorded = "a recorded tree does not hold it";
    char libc[32];
    put_text(facts, "model", board->model, "no device tree and no DMI");
    put_text(facts, "model_source", board->model_source, "there is no model");
    put_text(facts, "kernel", board->kernel, "no /proc/sys/kernel/osrelease");
    put_text(facts, "machine", board->machine, recorded);
    put_number(facts, "page_bytes", board->page_bytes, recorded);
    put_text(facts, "os", board->os, "no PRETTY_NAME in /etc/os-release");
    put_number(facts, "userland_bits", board->userland_bits, "no /bin/sh in ELF format");
    put_text(facts, "libc", edge_probe_userland_libc(root, libc, sizeof libc),
             "no glibc and no musl below /lib");
}

static void put_clock(json_t *facts, const char *root)
{
    struct edge_probe_policy policies[EDGE_PROBE_POLICIES_MAX];
    size_t count = edge_probe_policies_read(root, policies);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct edge_probe_policy *policy = &policies[i];
        json_array_append_new(
            list, json_pack("{so so so so so so so}", "cpus", text(policy->cpus), "driver",
                            text(policy->driver), "governor", text(policy->governor), "min_hz",
                            number(policy->min_hz), "max_hz", number(policy->max_hz), "cap_hz",
                            number(policy->cap_hz), "requested_hz", number(policy->requested_hz)));
    }
    json_object_set_new(facts, "policies", list);
    if (count == 0)
        edge_probe_json_miss(facts, "policies",
                             "no policy below /sys/devices/system/cpu/cpufreq: firmware or a "
                             "hypervisor sets the clock, or it is fixed");
}

static void put_heat(json_t *facts, const struct edge_probe_heat *heat)
{
    struct edge_probe_heat_zone zones[EDGE_PROBE_HEAT_ZONES];
    size_t count = edge_probe_heat_zones(heat, zones);
    char types[EDGE_PROBE_HEAT_ZONES * (sizeof zones[0].type + 2)] = ""; // ", " between them
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(types);
        snprintf(types + used, sizeof types - used, "%s%.*s", i ? ", " : "",
                 (int)sizeof zones[i].type, zones[i].type);
        json_array_append_new(list,
                              json_pack("{so so sb}", "type", text(zones[i].type), "millicelsius",
                                        number(zones[i].millicelsius), "cpu", zones[i].cpu));
    }
    json_object_set_new(facts, "zones", list);
    json_object_set_new(facts, "temperature_millicelsius", number(edge_probe_heat_read(heat)));
    if (count == 0)
        edge_probe_json_miss(facts, "temperature_millicelsius",
                             "no thermal zone below /sys/class/thermal");
    else if (!heat->zone[0])
        edge_probe_json_miss(facts, "temperature_millicelsius",
                             "no thermal zone is known to be the CPU's: there are %s", types);
    else if (edge_probe_heat_read(heat) == EDGE_UNMEASURED)
        edge_probe_json_miss(facts, "temperature_millicelsius", "%s cannot be read", heat->path);
}

// Why the firmware has not measured the clock.
static void explain_mailbox(json_t *facts, const char *root)
{
    struct edge_mailbox mailbox;
    struct edge_message why = {""};
    int error = edge_mailbox_open(&mailbox, root, &why);
    edge_mailbox_close(&mailbox);
    edge_probe_json_miss(facts, "measured_hz", "only a Raspberry Pi's firmware measures it: %s",
                         error ? why.text : "it gave no answer");
    if (error == -EACCES || error == -EPERM)
        edge_probe_json_permission(facts, why.text);
}

static void put_throttle(json_t *facts, struct edge_probes *probes)
{
    struct edge_probe_throttle *throttle = &probes->throttle;
    struct edge_probe_heat_cooler coolers[EDGE_PROBE_HEAT_COOLERS];
    size_t count = edge_probe_heat_cooler_list(&probes->heat, coolers);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{so so so}", "type", text(coolers[i].type), "state",
                                        number(coolers[i].state), "max", number(coolers[i].max)));
    json_object_set_new(facts, "coolers", list);
    json_object_set_new(facts, "rpi_volt", json_boolean(throttle->alarm[0]));
    uint64_t measured_hz = edge_probe_throttle_measured_hz(throttle);
    uint64_t bits = edge_probe_throttle_bits(throttle, &probes->heat);
    json_object_set_new(facts, "measured_hz", number(measured_hz));
    json_object_set_new(facts, "throttle_bits", number(bits));
    put_text(facts, "throttle_source", throttle->source,
             "no firmware mailbox, no rpi_volt sensor, and no cooling device that slows the CPU "
             "down");
    if (bits == EDGE_UNMEASURED)
        edge_probe_json_miss(facts, "throttle_bits", "%s",
                             throttle->source[0] ? "it cannot be read"
                                                 : "nothing here tells of throttling");
    if (measured_hz == EDGE_UNMEASURED)
        explain_mailbox(facts, probes->root);
}

static void put_links(json_t *facts, const char *root)
{
    struct edge_probe_link links[EDGE_PROBE_LINKS_MAX];
    size_t count = edge_probe_link_read(root, links);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{so ss so so}", "name", text(links[i].name), "kind",
                                              links[i].kind, "driver", text(links[i].driver),
                                              "mbit", number(links[i].mbit)));
    json_object_set_new(facts, "links", list);
    if (count == 0)
        edge_probe_json_miss(facts, "links", "no interface of /sys/class/net but lo is up");
}

// What the kernel keeps, that others leave out.
static void put_kernel(json_t *facts, struct edge_probes *probes, const struct edge_board *board)
{
    const char *root = probes->root;
    char words[160];
    bool pressure = edge_probe_pressure_ns(root, "cpu") != EDGE_UNMEASURED;
    bool states = edge_probe_clock_below_max_ns(&probes->clock) != EDGE_UNMEASURED;
    json_object_set_new(facts, "pressure", json_boolean(pressure));
    json_object_set_new(facts, "time_in_state", json_boolean(states));
    json_object_set_new(facts, "virtual_machine",
                        text(edge_probe_virtual_machine(root, words, sizeof words)));
    json_object_set_new(facts, "emulator", text(root[0] ? "" : board->emulator)); // not a tree's
    if (root[0]) {
        edge_probe_json_miss(facts, "ram_limit", "a recorded tree limits nothing");
        edge_probe_json_miss(facts, "clock_synchronised", "a recorded tree has no clock");
        return;
    }
    struct edge_ram_limit limit;
    edge_ram_limit_init(&limit, root, TRY_LIMIT);
    json_object_set_new(facts, "ram_limit", text(limit.how));
    edge_ram_limit_free(&limit);
    struct timex clock = {.modes = 0};
    if (adjtimex(&clock) < 0)
        edge_probe_json_miss(facts, "clock_synchronised", "adjtimex: %s", edge_error_text(-errno));
    else
        json_object_set_new(facts, "clock_synchronised",
                            json_boolean(!(clock.status & STA_UNSYNC)));
}

json_t *edge_probe_json(struct edge_probes *probes)
{
    const char *root = probes->root;
    struct edge_board board;
    json_t *facts = json_pack("{s{} s[]}", "missing", "permissions");
    if (!facts)
        return NULL;
    edge_board_read(root, &board);
    put_system(facts, root, &board);
    put_catalogue(facts, root, &board);
    put_cpus(facts, root);
    put_memory(facts, root, &board);
    put_clock(facts, root);
    put_heat(facts, &probes->heat);
    put_throttle(facts, probes);
    put_links(facts, root);
    put_kernel(facts, probes, &board);
    return facts;
}
