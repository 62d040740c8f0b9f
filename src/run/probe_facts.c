#include "run/probe_facts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpuset.h"
#include "run/probe_member.h"
#include "run/probe_text.h"

#define MHZ(hz)     ((double)(hz) / 1e6)
#define POLICY_CPUS 256

static bool number(const json_t *object, const char *key, double *value)
{
    const json_t *member = json_object_get(object, key);
    *value = json_number_value(member);
    return json_is_number(member);
}

static void missing(const json_t *facts, const char *label, const char *fact, FILE *out)
{
    edge_probe_text(out, label, "-  %s", edge_probe_reason(facts, fact));
}

// --- What it is ---

static void print_identity(const json_t *facts, FILE *out)
{
    const json_t *catalogue = json_object_get(facts, "catalogue");
    const json_t *compatible = json_object_get(facts, "compatible");
    size_t last = json_array_size(compatible);
    const char *part =
        last > 0 ? json_string_value(json_array_get(compatible, last - 1)) : NULL; // the SoC's
    if (json_is_object(catalogue))
        edge_probe_text(out, "board", "%s: %s (by %s)", edge_probe_member(catalogue, "id"),
                        edge_probe_member(catalogue, "name"), edge_probe_member(catalogue, "by"));
    else
        edge_probe_text(out, "board", "-  none of the catalogue: %s",
                        edge_probe_reason(facts, "catalogue"));
    if (!catalogue || json_is_null(catalogue))
        edge_probe_text(out, "programs", "scripts/build.sh %s",
                        edge_probe_member(facts, "build")[0] ? edge_probe_member(facts, "build")
                                                             : "host, on the machine itself");
    if (json_is_object(catalogue))
        edge_probe_text(out, "SoC", "%s%s%s%s", edge_probe_member(catalogue, "soc"),
                        part ? " (" : "", part ? part : "", part ? ")" : "");
    else if (part)
        edge_probe_text(out, "SoC", "%s", part);
    else
        edge_probe_text(out, "SoC", "-  no device tree names it");
    if (edge_probe_member(facts, "revision")[0])
        edge_probe_text(out, "revision", "%s", edge_probe_member(facts, "revision"));
}

static void print_cores(const json_t *facts, FILE *out)
{
    char kinds[512] = "";
    size_t i;
    const json_t *kind;
    if (edge_probe_reason(facts, "cores")[0]) {
        missing(facts, "cores", "cores", out);
        return;
    }
    json_array_foreach(json_object_get(facts, "cores"), i, kind)
    {
        size_t used = strlen(kinds);
        snprintf(kinds + used, sizeof kinds - used, "%s%d x %s", i ? ", " : "",
                 (int)json_integer_value(json_object_get(kind, "count")),
                 edge_probe_member(kind, "name"));
    }
    const char *online = edge_probe_member(facts, "cpus_online"),
               *present = edge_probe_member(facts, "cpus_present");
    if (!online[0])
        edge_probe_text(out, "cores", "%s; which are online: -  %s", kinds,
                        edge_probe_reason(facts, "cpus_online"));
    else if (present[0] && strcmp(present, online) != 0)
        edge_probe_text(out, "cores", "%s; online are %s of %s", kinds, online, present);
    else
        edge_probe_text(out, "cores", "%s; CPU %s", kinds, online);
}

static void print_memory(const json_t *facts, FILE *out)
{
    double ram, available, swap, used;
    char rest[128] = "";
    if (!number(facts, "ram_bytes", &ram)) {
        missing(facts, "memory", "ram_bytes", out);
        return;
    }
    const double mib = 1 << 20;
    if (number(facts, "ram_available_bytes", &available))
        snprintf(rest, sizeof rest, ", %.0f MiB available", available / mib);
    size_t at = strlen(rest);
    if (number(facts, "swap_bytes", &swap) && swap == 0)
        snprintf(rest + at, sizeof rest - at, "; no swap");
    else if (swap > 0 && number(facts, "swap_used_bytes", &used))
        snprintf(rest + at, sizeof rest - at, "; swap %.2f of %.0f MiB in use", used / mib,
                 swap / mib);
    edge_probe_text(out, "memory", "%.0f MiB%s", ram / mib, rest);
}

static void print_system(const json_t *facts, FILE *out)
{
    const char *kernel = edge_probe_member(facts, "kernel"),
               *machine = edge_probe_member(facts, "machine");
    double page, bits;
    char pages[64] = "", userland[32] = "userland's bits -";
    if (number(facts, "page_bytes", &page))
        snprintf(pages, sizeof pages, ", pages of %.0f KiB", page / 1024);
    if (kernel[0])
        edge_probe_text(out, "kernel", "Linux %s %s%s", kernel,
                        machine[0] ? machine : "(machine: -)", pages);
    else
        missing(facts, "kernel", "kernel", out);
    if (!machine[0] && kernel[0])
        missing(facts, "", "machine", out);
    if (number(facts, "userland_bits", &bits))
        snprintf(userland, sizeof userland, "%.0f bits", bits);
    edge_probe_text(out, "system", "%s; %s; %s",
                    edge_probe_member(facts, "os")[0] ? edge_probe_member(facts, "os")
                                                      : edge_probe_reason(facts, "os"),
                    userland,
                    edge_probe_member(facts, "libc")[0] ? edge_probe_member(facts, "libc")
                                                        : "C library -");
    if (edge_probe_reason(facts, "userland_bits")[0])
        missing(facts, "", "userland_bits", out);
    if (edge_probe_reason(facts, "libc")[0])
        missing(facts, "", "libc", out);
}

void edge_probe_facts_board(const json_t *facts, FILE *out)
{
    print_identity(facts, out);
    print_cores(facts, out);
    print_memory(facts, out);
    print_system(facts, out);
}

// --- What it can measure ---

static bool same(const json_t *one, const json_t *other, const char *key)
{
    return json_equal(json_object_get(one, key), json_object_get(other, key));
}

static bool alike(const json_t *one, const json_t *other)
{
    return same(one, other, "driver") && same(one, other, "governor") &&
           same(one, other, "min_hz") && same(one, other, "max_hz") && same(one, other, "cap_hz");
}

static void print_policy(const json_t *policy, const char *label, char *cpus, double low,
                         double high, FILE *out)
{
    double min, max, cap;
    struct edge_cpuset set;
    if (edge_cpuset_parse(cpus, &set) == 0)
        edge_cpuset_text(&set, cpus, POLICY_CPUS);
    char range[64] = "bounds -", capped[64] = "", now[64] = "-";
    if (number(policy, "min_hz", &min) && number(policy, "max_hz", &max))
        snprintf(range, sizeof range, "%.0f to %.0f MHz", MHZ(min), MHZ(max));
    if (number(policy, "cap_hz", &cap) && number(policy, "max_hz", &max) && cap < max)
        snprintf(capped, sizeof capped, ", allowed up to %.0f MHz", MHZ(cap));
    if (high > 0 && low < high)
        snprintf(now, sizeof now, "%.0f to %.0f MHz", MHZ(low), MHZ(high));
    else if (high > 0)
        snprintf(now, sizeof now, "%.0f MHz", MHZ(high));
    edge_probe_text(out, label, "CPU %s: %s, %s%s; now asked for: %s%s%s", cpus,
                    edge_probe_member(policy, "governor")[0] ? edge_probe_member(policy, "governor")
                                                             : "governor -",
                    range, capped, now, edge_probe_member(policy, "driver")[0] ? "; driver " : "",
                    edge_probe_member(policy, "driver"));
}

// Policies that are alike share a line: x86 has one for every CPU.
static void print_policies(const json_t *facts, FILE *out)
{
    const json_t *policies = json_object_get(facts, "policies");
    for (size_t i = 0; i < json_array_size(policies); i++) {
        const json_t *policy = json_array_get(policies, i);
        char cpus[POLICY_CPUS] = "";
        double low = 0, high = 0, one;
        bool printed = false;
        for (size_t j = 0; j < json_array_size(policies); j++) {
            const json_t *other = json_array_get(policies, j);
            if (!alike(policy, other))
                continue;
            printed = printed || j < i;
            size_t used = strlen(cpus);
            snprintf(cpus + used, sizeof cpus - used, "%s%s", used ? "," : "",
                     edge_probe_member(other, "cpus"));
            if (number(other, "requested_hz", &one)) {
                low = low == 0 || one < low ? one : low;
                high = one > high ? one : high;
            }
        }
        if (!printed)
            print_policy(policy, i ? "" : "clock", cpus, low, high, out);
    }
}

static void print_clock(const json_t *facts, FILE *out)
{
    double measured;
    if (json_is_array(json_object_get(facts, "policies")))
        print_policies(facts, out);
    else
        missing(facts, "clock", "policies", out);
    if (number(facts, "measured_hz", &measured))
        edge_probe_text(out, "", "measured by the firmware: %.0f MHz", MHZ(measured));
    else
        edge_probe_text(out, "", "measured: -  %s", edge_probe_reason(facts, "measured_hz"));
    if (json_is_array(json_object_get(facts, "policies")) &&
        json_is_false(json_object_get(facts, "time_in_state")))
        edge_probe_text(out, "",
                        "time below the highest: -  no stats/time_in_state (the kernel's "
                        "CONFIG_CPU_FREQ_STAT)");
}

static void print_heat(const json_t *facts, FILE *out)
{
    char others[512] = "";
    size_t i;
    const json_t *zone;
    json_array_foreach(json_object_get(facts, "zones"), i, zone)
    {
        double temperature;
        if (json_is_true(json_object_get(zone, "cpu"))) {
            number(zone, "millicelsius", &temperature);
            if (!edge_probe_reason(facts, "temperature_millicelsius")[0])
                edge_probe_text(out, "temperature", "%.1f degrees (%s)", temperature / 1e3,
                                edge_probe_member(zone, "type"));
            continue;
        }
        size_t used = strlen(others);
        if (number(zone, "millicelsius", &temperature))
            snprintf(others + used, sizeof others - used, "%s%s %.1f", used ? ", " : "",
                     edge_probe_member(zone, "type"), temperature / 1e3);
        else
            snprintf(others + used, sizeof others - used, "%s%s -", used ? ", " : "",
                     edge_probe_member(zone, "type"));
    }
    if (edge_probe_reason(facts, "temperature_millicelsius")[0])
        missing(facts, "temperature", "temperature_millicelsius", out);
    if (others[0])
        edge_probe_text(out, "", "not the CPU's: %s", others);
}

static void list_bits(uint64_t bits, char *list, size_t size)
{
    static const char *const names[] = {"under-voltage", "clock capped", "throttled",
                                        "soft temperature limit"};
    list[0] = '\0';
    for (unsigned i = 0; i < 4; i++) {
        size_t used = strlen(list);
        if (bits >> i & 1)
            snprintf(list + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
    if (!list[0])
        snprintf(list, size, "none");
}

static void print_throttling(const json_t *facts, FILE *out)
{
    char now[80], boot[80] = "";
    size_t i;
    const json_t *cooler;
    const char *source = edge_probe_member(facts, "throttle_source");
    const json_t *value = json_object_get(facts, "throttle_bits");
    if (!source[0]) {
        missing(facts, "throttling", "throttle_source", out);
    } else if (!json_is_integer(value)) {
        edge_probe_text(out, "throttling", "-  %s gave no answer", source);
    } else {
        uint64_t bits = (uint64_t)json_integer_value(value);
        list_bits(bits & 0xf, now, sizeof now);
        list_bits(bits >> 16 & 0xf, boot, sizeof boot);
        bool firmware = strstr(source, "firmware") != NULL;
        edge_probe_text(out, "throttling", "now: %s%s%s (%s)", now,
                        firmware ? "; since boot: " : "", firmware ? boot : "", source);
        if (!firmware && !strstr(source, "rpi_volt"))
            edge_probe_text(out, "", "low voltage: -  nothing here tells of it");
        if (!firmware && !strstr(source, "cooling_device"))
            edge_probe_text(out, "", "throttling by heat: -  nothing here tells of it");
    }
    json_array_foreach(json_object_get(facts, "coolers"), i, cooler)
    {
        double state, max;
        if (number(cooler, "state", &state) && number(cooler, "max", &max))
            edge_probe_text(out, "", "cooling device %s: %.0f of %.0f",
                            edge_probe_member(cooler, "type"), state, max);
    }
}

static void print_links(const json_t *facts, FILE *out)
{
    static const struct {
        const char *kind, *words;
    } kinds[] = {
        {"ethernet", "Ethernet"},
        {"usb_ethernet", "Ethernet by USB (the bus and the CPU limit it)"},
        {"wifi", "Wi-Fi (no network to compare boards by)"},
        {"usb_wifi", "Wi-Fi by USB (no network to compare boards by)"},
        {"virtual", "virtual (no device behind it)"},
    };
    size_t i;
    const json_t *link;
    if (edge_probe_reason(facts, "links")[0])
        missing(facts, "network", "links", out);
    json_array_foreach(json_object_get(facts, "links"), i, link)
    {
        double mbit;
        char speed[48] = "its driver tells no speed";
        size_t kind = 0;
        while (kind + 1 < sizeof kinds / sizeof kinds[0] &&
               strcmp(kinds[kind].kind, edge_probe_member(link, "kind")) != 0)
            kind++;
        if (number(link, "mbit", &mbit))
            snprintf(speed, sizeof speed, "%.0f Mb/s", mbit);
        edge_probe_text(out, i ? "" : "network", "%s: %s, %s%s%s", edge_probe_member(link, "name"),
                        kinds[kind].words, speed,
                        edge_probe_member(link, "driver")[0] ? ", driver " : "",
                        edge_probe_member(link, "driver"));
    }
}

static void print_source(const json_t *source, const char *label, FILE *out)
{
    double power_uw;
    char watts[64] = "-  its counter stood still";
    if (number(source, "power_uw", &power_uw))
        snprintf(watts, sizeof watts, "%.3f W", power_uw / 1e6);
    edge_probe_text(out, label, "%s: %s (%s), %s", edge_probe_member(source, "name"), watts,
                    edge_probe_member(source, "scope"), edge_probe_member(source, "detail"));
    if (edge_probe_member(source, "correction")[0])
        edge_probe_text(out, "", "   correction: %s", edge_probe_member(source, "correction"));
    if (edge_probe_member(source, "warning")[0])
        edge_probe_text(out, "", "   WARNING: %s", edge_probe_member(source, "warning"));
}

static void print_power(const json_t *facts, FILE *out)
{
    size_t i;
    const json_t *source;
    bool found = false;
    json_array_foreach(json_object_get(facts, "power"), i, source)
    {
        if (!edge_probe_member(source, "scope")[0])
            continue;
        print_source(source, found ? "" : "power", out);
        found = true;
    }
    if (!found)
        edge_probe_text(out, "power", "-  no source of this board can be read:");
    json_array_foreach(json_object_get(facts, "power"), i, source)
    {
        if (!edge_probe_member(source, "scope")[0])
            edge_probe_text(out, "", "-  %s", edge_probe_member(source, "why"));
    }
}

static void print_background(const json_t *facts, FILE *out)
{
    const json_t *background = json_object_get(facts, "background");
    double interval_ns, load, used;
    char list[160] = "";
    size_t i;
    const json_t *process;
    if (!number(background, "interval_ns", &interval_ns)) {
        missing(facts, "background", "background", out);
        return;
    }
    number(background, "cpu_ns", &used);
    json_array_foreach(json_object_get(background, "busiest"), i, process)
    {
        double one;
        size_t at = strlen(list);
        number(process, "cpu_ns", &one);
        snprintf(list + at, sizeof list - at, "%s%s %.0f %%", at ? ", " : ": ",
                 edge_probe_member(process, "name"), 100 * one / interval_ns);
    }
    edge_probe_text(out, "background", "%.1f CPUs used in %.1f s%s", used / interval_ns,
                    interval_ns / (double)EDGE_NS_PER_S, list);
    if (number(background, "load", &load))
        edge_probe_text(out, "", "load average of the last minute %.2f", load);
}

static void print_limits(const json_t *facts, FILE *out)
{
    const char *machine = edge_probe_member(facts, "virtual_machine"),
               *emulator = edge_probe_member(facts, "emulator");
    if (edge_probe_member(facts, "ram_limit")[0])
        edge_probe_text(out, "RAM limit", "by %s", edge_probe_member(facts, "ram_limit"));
    else
        missing(facts, "RAM limit", "ram_limit", out);
    if (json_is_false(json_object_get(facts, "pressure")))
        edge_probe_text(out, "pressure",
                        "-  no /proc/pressure (the kernel's CONFIG_PSI, or psi=1 "
                        "on its command line)");
    if (machine[0])
        edge_probe_text(out, "virtual", "a virtual machine: %s", machine);
    if (emulator[0])
        edge_probe_text(out, "emulated", "%s", emulator);
}

static void print_traps(const json_t *facts, FILE *out)
{
    const json_t *traps = json_object_get(json_object_get(facts, "catalogue"), "traps");
    size_t i;
    const json_t *trap;
    json_array_foreach(traps, i, trap)
    {
        edge_probe_text(out, i ? "" : "to know", "%s", json_string_value(trap));
    }
}

void edge_probe_facts_sensors(const json_t *facts, FILE *out)
{
    print_clock(facts, out);
    print_heat(facts, out);
    print_throttling(facts, out);
    print_links(facts, out);
    print_power(facts, out);
    print_background(facts, out);
    print_limits(facts, out);
    print_traps(facts, out);
}
