#include "report/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text.h"

// Where a fact comes from: a text of the result, an option, or a function.
struct source {
    struct edge_fact_description description;
    const char *option;
    void (*write)(const struct edge_result *result, char *text, size_t size);
    size_t offset; // into struct edge_result, if neither of the others
};

static void write_uint(uint64_t value, char *text, size_t size)
{
    if (value != EDGE_UNMEASURED)
        snprintf(text, size, "%" PRIu64, value);
}

// A board record that is not there is all zero, not all unmeasured.
static void write_cpus(const struct edge_result *result, char *text, size_t size)
{
    if (result->board.cpus > 0)
        write_uint(result->board.cpus, text, size);
}

static void write_ram(const struct edge_result *result, char *text, size_t size)
{
    if (result->board.ram_bytes > 0)
        write_uint(result->board.ram_bytes, text, size);
}

static void write_emulated(const struct edge_result *result, char *text, size_t size)
{
    snprintf(text, size, "%s", result->run.emulated == EDGE_YES ? "yes" : "no");
}

static void write_generator(const struct edge_result *result, char *text, size_t size)
{
    bool apart = strncmp(result->run.target, "ssh:", 4) == 0;
    snprintf(text, size, "%s", apart ? "another machine" : "same machine");
}

// What was agreed on, where that is known: the library may differ. Repeats that disagree are named
// together, so that they match no other.
static void write_tls(const struct edge_result *result, char *text, size_t size)
{
    for (size_t i = 0; i < result->repeat_count; i++) {
        const struct edge_record_count *count = &result->repeats[i].count;
        char agreed[96];
        snprintf(agreed, sizeof(agreed), "%s %s", count->tls_version, count->tls_suite);
        if (count->tls_version[0] != '\0' && strstr(text, agreed) == NULL)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] != '\0' ? " + " : "",
                     agreed);
    }
    if (text[0] == '\0')
        snprintf(text, size, "%s", result->server.tls);
}

// Of the windows that have energy; several scopes are named together, so that they match no other.
static void write_scope(const struct edge_result *result, char *text, size_t size)
{
    for (size_t i = 0; i < result->repeat_count; i++) {
        const struct edge_record_interval *window = &result->repeats[i].window;
        if (window->energy_uj == EDGE_UNMEASURED)
            continue;
        const char *scope = window->power_scope[0] != '\0' ? window->power_scope : "unknown";
        if (strstr(text, scope) == NULL)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] != '\0' ? "+" : "",
                     scope);
    }
}

#define RECORD(member) .offset = offsetof(struct edge_result, member)
#define SUBJECT        EDGE_FACT_SUBJECT
#define WORK           EDGE_FACT_WORK
#define CONDITION      EDGE_FACT_CONDITION
#define BACKGROUND     EDGE_FACT_BACKGROUND

static const struct source sources[EDGE_FACTS] = {
    [EDGE_FACT_SERVER] = {{"server", "server", SUBJECT}, RECORD(run.server)},
    [EDGE_FACT_BOARD] = {{"board", "board", SUBJECT}, RECORD(board.id)},
    [EDGE_FACT_SCENARIO] = {{"scenario", "scenario", WORK}, RECORD(run.scenario)},
    [EDGE_FACT_CALL] = {{"call", "call", WORK}, RECORD(run.call)},
    [EDGE_FACT_MESSAGES] = {{"messages", "messages", WORK}, .option = "messages"},
    [EDGE_FACT_CONNECTIONS] = {{"connections", "connections", WORK}, .option = "connections"},
    [EDGE_FACT_CONCURRENCY] = {{"concurrency", "concurrency", WORK}, .option = "concurrency"},
    [EDGE_FACT_RPS] = {{"rps", "offered rate", WORK}, .option = "rps"},
    [EDGE_FACT_SERVER_CPUS] = {{"server_cpus", "server CPUs", WORK}, .option = "server-cpus"},
    [EDGE_FACT_TLS] = {{"tls", "TLS", WORK}, .write = write_tls},
    [EDGE_FACT_CODEC] = {{"codec", "codec", CONDITION}, RECORD(server.codec)},
    [EDGE_FACT_EMULATED] = {{"emulated", "emulated", WORK}, .write = write_emulated},
    [EDGE_FACT_GENERATOR] = {{"generator", "generator on", CONDITION}, .write = write_generator},
    [EDGE_FACT_POWER_SCOPE] = {{"power_scope", "power scope", CONDITION}, .write = write_scope},
    [EDGE_FACT_MODEL] = {{"model", "model", BACKGROUND}, RECORD(board.model)},
    [EDGE_FACT_CPU] = {{"cpu_model", "CPU", BACKGROUND}, RECORD(board.cpu)},
    [EDGE_FACT_CPUS] = {{"cpus", "CPUs", BACKGROUND}, .write = write_cpus},
    [EDGE_FACT_RAM] = {{"ram_bytes", "RAM, bytes", BACKGROUND}, .write = write_ram},
    [EDGE_FACT_ARCH] = {{"arch", "architecture", BACKGROUND}, RECORD(board.arch)},
    [EDGE_FACT_KERNEL] = {{"kernel", "kernel", BACKGROUND}, RECORD(board.kernel)},
    [EDGE_FACT_OS] = {{"os", "system", BACKGROUND}, RECORD(board.os)},
    [EDGE_FACT_RAM_LIMIT] = {{"ram_limit", "RAM limit by", BACKGROUND}, RECORD(board.ram_limit)},
    [EDGE_FACT_DURATION] = {{"duration", "duration", BACKGROUND}, .option = "duration"},
    [EDGE_FACT_SERVER_RAM] = {{"server_ram", "server RAM", BACKGROUND}, .option = "server-ram"},
    [EDGE_FACT_CLIENT_CPUS] = {{"client_cpus", "client CPUs", BACKGROUND}, .option = "client-cpus"},
    [EDGE_FACT_TARGET] = {{"target", "target", BACKGROUND}, RECORD(run.target)},
    [EDGE_FACT_COMPILER] = {{"compiler", "compiler", BACKGROUND}, RECORD(server.compiler)},
    [EDGE_FACT_FLAGS] = {{"flags", "flags", BACKGROUND}, RECORD(server.flags)},
    [EDGE_FACT_SERVER_VERSION] = {{"server_version", "server version", BACKGROUND},
                                  RECORD(server.version)},
    [EDGE_FACT_SERVER_GIT] = {{"server_git", "server commit", BACKGROUND}, RECORD(server.git)},
    [EDGE_FACT_TOOL_VERSION] = {{"tool_version", "bench-edge", BACKGROUND},
                                RECORD(run.tool_version)},
    [EDGE_FACT_STARTED] = {{"started_utc", "started", BACKGROUND}, RECORD(run.started_utc)},
    [EDGE_FACT_COUNTERS] = {{"guest_counters", "guest counters", BACKGROUND},
                            .option = "guest-counters"},
    [EDGE_FACT_FILE] = {{"file", "file", BACKGROUND}, RECORD(path)},
};

const struct edge_fact_description *edge_fact_describe(enum edge_fact fact)
{
    return &sources[fact].description;
}

enum edge_fact edge_fact_find(const char *name)
{
    unsigned fact = 0;
    while (fact < EDGE_FACTS && strcmp(sources[fact].description.name, name) != 0)
        fact++;
    return (enum edge_fact)fact;
}

static const char *look_up(const struct source *source, const struct edge_result *result,
                           char *text, size_t size)
{
    text[0] = '\0';
    if (source->write != NULL) {
        source->write(result, text, size);
        return text;
    }
    if (source->option == NULL)
        return (const char *)result + source->offset;
    const char *value = edge_result_option(result, source->option);
    return value != NULL ? value : "";
}

int edge_facts_init(struct edge_facts *facts, const struct edge_result *result)
{
    memset(facts, 0, sizeof(*facts));
    for (unsigned i = 0; i < EDGE_FACTS; i++) {
        char text[128];
        facts->at[i] = strdup(look_up(&sources[i], result, text, sizeof(text)));
        if (facts->at[i] == NULL)
            return -ENOMEM;
    }
    edge_text_clean(facts->at[EDGE_FACT_FILE]); // a path comes from a folder, not from a record
    return 0;
}

void edge_facts_free(struct edge_facts *facts)
{
    for (unsigned i = 0; i < EDGE_FACTS; i++)
        free(facts->at[i]);
    memset(facts, 0, sizeof(*facts));
}

int edge_facts_compare_work(const struct edge_facts *a, const struct edge_facts *b)
{
    for (unsigned i = 0; i < EDGE_FACTS; i++) {
        int order = sources[i].description.role == WORK ? strcmp(a->at[i], b->at[i]) : 0;
        if (order != 0)
            return order;
    }
    return 0;
}

const char *edge_facts_load(const struct edge_facts *facts, char *text, size_t size)
{
    uint64_t c = 0;
    uint64_t n = 0;
    if (edge_parse_count(facts->at[EDGE_FACT_CONNECTIONS], &c) != 0 ||
        edge_parse_count(facts->at[EDGE_FACT_CONCURRENCY], &n) != 0)
        snprintf(text, size, "connections not recorded");
    else if (c > 0 && n % c == 0)
        snprintf(text, size, "%" PRIu64 " connections x %" PRIu64, c, n / c);
    else
        snprintf(text, size, "%" PRIu64 " connections, %" PRIu64 " calls in flight", c, n);
    const char *rate = facts->at[EDGE_FACT_RPS];
    size_t used = strlen(text);
    if (rate[0] != '\0' && strcmp(rate, "0") != 0)
        snprintf(text + used, size - used, " at %s calls/s", rate);
    return text;
}

const char *edge_facts_work(const struct edge_facts *facts, char *text, size_t size)
{
    char load[160];
    const char *cpus = facts->at[EDGE_FACT_SERVER_CPUS];
    const char *tls = facts->at[EDGE_FACT_TLS];
    snprintf(text, size, "%s %s, %s, server CPUs %s, TLS %s%s", facts->at[EDGE_FACT_SCENARIO],
             facts->at[EDGE_FACT_CALL], edge_facts_load(facts, load, sizeof(load)),
             cpus[0] != '\0' ? cpus : "not recorded", tls[0] != '\0' ? tls : "not recorded",
             strcmp(facts->at[EDGE_FACT_EMULATED], "yes") == 0 ? ", emulated" : "");
    return text;
}
