#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

// A figure, and half the width of its interval in percent.
static void append_interval(double half, double of, int decimals, char *text, size_t size)
{
    size_t used = strlen(text);
    if (!isnan(half) && of > 0)
        snprintf(text + used, size - used, " ± %.*f %%", decimals, 100 * half / of);
}

static void show_rate(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.*f", row->rate < 100 && !row->emulated ? 2 : 0, row->rate);
    if (!row->emulated)
        append_interval(row->rate_ci, row->rate, 1, text, size);
}

static void show_instructions(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.0f", row->instructions_per_call);
    if (row->repeats > 1)
        append_interval(row->instructions_spread * row->instructions_per_call,
                        row->instructions_per_call, 3, text, size);
}

static void show_watts(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.2f W %s", row->watts, row->facts.at[EDGE_FACT_POWER_SCOPE]);
}

static void show_system_calls(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.3f", row->system_calls_per_call);
}

static void show_binary(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.0f KiB", row->size_bytes / 1024);
}

static void show_cpu_time(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.2f us", row->cpu_ns_per_call / 1e3);
}

static void show_energy(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.4f", 1e3 * row->joule_per_call);
}

static void show_name(const struct edge_row *row, char *text, size_t size)
{
    edge_row_name(row, text, size);
}

static void show_verdict(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%s", row->verdict);
}

static void show_reasons(const struct edge_row *row, char *text, size_t size)
{
    snprintf(text, size, "%s", row->reasons);
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '\n')
        text[len - 1] = '\0';
    for (char *at = strchr(text, '\n'); at != NULL; at = strchr(at, '\n'))
        *at = ';';
}

#define TEXT(name_, title_, fact_)                                                                 \
    {                                                                                              \
        .name = (name_), .title = (title_), .fact = (fact_)                                        \
    }
#define OF_ROW(name_, show_)                                                                       \
    {                                                                                              \
        .name = (name_), .title = (name_), .fact = EDGE_FACTS, .show = (show_)                     \
    }
#define FIGURE(member) .offset = offsetof(struct edge_row, member), .fact = EDGE_FACTS
#define HIGHER         .better = EDGE_BETTER_HIGHER
#define LOWER          .better = EDGE_BETTER_LOWER

static const struct edge_column table[] = {
    {"req_per_s", "req/s", "verified calls per second: median of the repeats", EDGE_UNIT_NONE,
     HIGHER, FIGURE(rate), .show = show_rate},
    {"req_per_s_ci95", "± req/s",
     "half the 95 % confidence interval of the mean of the repeats' req/s", EDGE_UNIT_NONE,
     FIGURE(rate_ci)},
    {"latency_mean", "avg. latency", "mean latency", EDGE_UNIT_NS, LOWER, FIGURE(latency_mean)},
    {"p50", "50 % in", "latency that half of the calls kept", EDGE_UNIT_NS, LOWER, FIGURE(p50)},
    {"p90", "90 % in", "latency that 90 % of the calls kept", EDGE_UNIT_NS, LOWER, FIGURE(p90)},
    {"p95", "95 % in", "latency that 95 % of the calls kept", EDGE_UNIT_NS, LOWER, FIGURE(p95)},
    {"p99", "99 % in", "latency that 99 % of the calls kept", EDGE_UNIT_NS, LOWER, FIGURE(p99)},
    {"p99.9", "99.9 % in", "latency that 99.9 % of the calls kept", EDGE_UNIT_NS, LOWER,
     FIGURE(p999)},
    {"cpu", "avg. cpu", "CPU use of the server, of one core", EDGE_UNIT_PERCENT,
     FIGURE(cpu_percent)},
    {"cpu_per_req", "CPU/req", "CPU time of the server for each verified call", EDGE_UNIT_NS, LOWER,
     FIGURE(cpu_ns_per_call), .show = show_cpu_time},
    {"memory", "avg. memory", "resident memory of the server, mean", EDGE_UNIT_BYTES, LOWER,
     FIGURE(memory_bytes)},
    {"peak_memory", "peak memory", "resident memory of the server, peak", EDGE_UNIT_BYTES, LOWER,
     FIGURE(peak_bytes)},
    {"power", "power", "mean power in the window, of its scope", EDGE_UNIT_WATT, .power = true,
     FIGURE(watts), .show = show_watts},
    {"req_per_s_per_w", "req/s per W", "verified calls per second and watt", EDGE_UNIT_NONE, HIGHER,
     .power = true, FIGURE(rate_per_watt)},
    {"energy_per_req", "mJ/req", "energy for each verified call", EDGE_UNIT_JOULE, LOWER,
     .power = true, FIGURE(joule_per_call), .show = show_energy},
    {"req_per_s_per_mib", "req/s per MiB", "req/s per MiB of mean memory", EDGE_UNIT_NONE, HIGHER,
     FIGURE(rate_per_mib)},
    {"instr_per_req", "instr/req", "emulated: instructions for each verified call", EDGE_UNIT_NONE,
     LOWER, .stands = true, FIGURE(instructions_per_call), .show = show_instructions},
    {"syscalls_per_req", "syscalls/req", "emulated: system calls for each verified call",
     EDGE_UNIT_NONE, LOWER, .stands = true, FIGURE(system_calls_per_call),
     .show = show_system_calls},
    {"binary", "binary size", "size of the server's file", EDGE_UNIT_BYTES, LOWER, .stands = true,
     FIGURE(size_bytes), .show = show_binary},
    {"verified", "verified", "verified calls in the windows", EDGE_UNIT_NONE, .stands = true,
     FIGURE(verified)},
    {"failed", "failed", "calls that ended in any other way", EDGE_UNIT_NONE, .stands = true,
     FIGURE(failed)},
    OF_ROW("name", show_name),
    OF_ROW("verdict", show_verdict),
    OF_ROW("reasons", show_reasons),
    TEXT("server", "server", EDGE_FACT_SERVER),
    TEXT("board", "board", EDGE_FACT_BOARD),
    TEXT("scenario", "scenario", EDGE_FACT_SCENARIO),
    TEXT("call", "call", EDGE_FACT_CALL),
    TEXT("messages", "messages", EDGE_FACT_MESSAGES),
    TEXT("connections", "connections", EDGE_FACT_CONNECTIONS),
    TEXT("concurrency", "concurrency", EDGE_FACT_CONCURRENCY),
    TEXT("rps", "offered rate", EDGE_FACT_RPS),
    TEXT("server_cpus", "server CPUs", EDGE_FACT_SERVER_CPUS),
    TEXT("tls", "TLS", EDGE_FACT_TLS),
    TEXT("codec", "codec", EDGE_FACT_CODEC),
    TEXT("emulated", "emulated", EDGE_FACT_EMULATED),
    TEXT("generator", "generator on", EDGE_FACT_GENERATOR),
    TEXT("power_scope", "power scope", EDGE_FACT_POWER_SCOPE),
    TEXT("model", "model", EDGE_FACT_MODEL),
    TEXT("cpu_model", "CPU", EDGE_FACT_CPU),
    TEXT("cpus", "CPUs", EDGE_FACT_CPUS),
    TEXT("ram_bytes", "RAM, bytes", EDGE_FACT_RAM),
    TEXT("arch", "architecture", EDGE_FACT_ARCH),
    TEXT("kernel", "kernel", EDGE_FACT_KERNEL),
    TEXT("os", "system", EDGE_FACT_OS),
    TEXT("ram_limit", "RAM limit by", EDGE_FACT_RAM_LIMIT),
    TEXT("duration", "duration", EDGE_FACT_DURATION),
    TEXT("server_ram", "server RAM", EDGE_FACT_SERVER_RAM),
    TEXT("client_cpus", "client CPUs", EDGE_FACT_CLIENT_CPUS),
    TEXT("target", "target", EDGE_FACT_TARGET),
    TEXT("compiler", "compiler", EDGE_FACT_COMPILER),
    TEXT("flags", "flags", EDGE_FACT_FLAGS),
    TEXT("server_version", "server version", EDGE_FACT_SERVER_VERSION),
    TEXT("server_git", "server commit", EDGE_FACT_SERVER_GIT),
    TEXT("tool_version", "bench-edge", EDGE_FACT_TOOL_VERSION),
    TEXT("started_utc", "started", EDGE_FACT_STARTED),
    TEXT("guest_counters", "guest counters", EDGE_FACT_COUNTERS),
    TEXT("file", "file", EDGE_FACT_FILE),
    {.name = NULL},
};

const struct edge_column *edge_columns_table(void)
{
    return table;
}

static const struct {
    const char *suffix; // of a key
    int decimals;       // as shown
    const char *shown;  // behind the figure
    double scale;       // shown figure = figure / scale
} units[EDGE_UNITS] = {
    [EDGE_UNIT_TEXT] = {"", 0, "", 1},
    [EDGE_UNIT_NONE] = {"", 0, "", 1},
    [EDGE_UNIT_NS] = {"_ns", 0, "", 1}, // edge_format_latency()
    [EDGE_UNIT_BYTES] = {"_bytes", 2, " MiB", 1 << 20},
    [EDGE_UNIT_PERCENT] = {"_percent", 1, " %", 1},
    [EDGE_UNIT_WATT] = {"_w", 2, " W", 1},
    [EDGE_UNIT_JOULE] = {"_j", 4, " mJ", 1e-3},
};

const char *edge_column_key(const struct edge_column *column, char *text, size_t size)
{
    snprintf(text, size, "%s%s", column->name, units[column->unit].suffix);
    return text;
}

const struct edge_column *edge_columns_find(const char *name, struct edge_message *message)
{
    const struct edge_column *nearest = NULL;
    size_t best = EDGE_NEAREST_FAR;
    char key[64];
    for (const struct edge_column *c = table; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0 || strcmp(edge_column_key(c, key, sizeof(key)), name) == 0)
            return c;
        size_t distance = edge_nearest_distance(name, c->name);
        if (distance < best) {
            best = distance;
            nearest = c;
        }
    }
    char known[400] = "";
    for (const struct edge_column *c = table; c->name != NULL && c->unit != EDGE_UNIT_TEXT; c++)
        snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s", c->name);
    if (nearest != NULL)
        edge_fail(message, EDGE_ERR_USAGE, "there is no column \"%.60s\"; did you mean %s?", name,
                  nearest->name);
    else
        edge_fail(message, EDGE_ERR_USAGE,
                  "there is no column \"%.60s\". Figures:%s. Texts: server board scenario ... "
                  "(docs/reading-results.md has them all)",
                  name, known);
    return NULL;
}

double edge_column_figure(const struct edge_column *column, const struct edge_row *row)
{
    if (column->unit == EDGE_UNIT_TEXT)
        return NAN;
    return *(const double *)(const void *)((const char *)row + column->offset);
}

bool edge_column_stands(const struct edge_column *column, const struct edge_row *row)
{
    return row->group == EDGE_ROW_RANKED || (row->only_emulated && column->stands);
}

const char *edge_column_show(const struct edge_column *column, double value, char *text,
                             size_t size)
{
    enum edge_unit unit = column->unit;
    if (isnan(value))
        snprintf(text, size, "-");
    else if (unit == EDGE_UNIT_NS)
        edge_format_latency(value, text, size);
    else if (unit == EDGE_UNIT_NONE)
        snprintf(text, size, "%.*f", fabs(value) < 100 && value != floor(value) ? 2 : 0, value);
    else
        snprintf(text, size, "%.*f%s", units[unit].decimals, value / units[unit].scale,
                 units[unit].shown);
    return text;
}

const char *edge_column_text(const struct edge_column *column, const struct edge_row *row,
                             char *text, size_t size)
{
    double value = edge_column_figure(column, row);
    if (column->unit == EDGE_UNIT_TEXT) {
        edge_column_plain(column, row, text, size);
        if (text[0] == '\0')
            snprintf(text, size, "-");
    } else if (column->show != NULL && !isnan(value)) {
        column->show(row, text, size);
    } else {
        edge_column_show(column, value, text, size);
    }
    return text;
}

const char *edge_column_plain(const struct edge_column *column, const struct edge_row *row,
                              char *text, size_t size)
{
    double value = edge_column_figure(column, row);
    text[0] = '\0';
    if (column->fact < EDGE_FACTS)
        snprintf(text, size, "%s", row->facts.at[column->fact]);
    else if (column->unit == EDGE_UNIT_TEXT)
        column->show(row, text, size);
    else if (!isnan(value))
        snprintf(text, size, "%.15g", value);
    return text;
}

int edge_columns_parse(const char *names, struct edge_column_list *list,
                       struct edge_message *message)
{
    list->count = 0;
    for (;;) {
        char name[64];
        size_t len = strcspn(names, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, names);
        if (list->count == EDGE_COLUMNS_MAX)
            return edge_fail(message, EDGE_ERR_USAGE, "more than %d columns", EDGE_COLUMNS_MAX);
        const struct edge_column *column = edge_columns_find(name, message);
        if (column == NULL)
            return EDGE_ERR_USAGE;
        list->at[list->count++] = column;
        if (names[len] == '\0')
            return 0;
        names += len + 1;
    }
}
