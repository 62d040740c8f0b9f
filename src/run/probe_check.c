#include "run/probe_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpuset.h"
#include "result/rules.h"
#include "run/probe_member.h"

#define LITTLE_RAM (UINT64_C(256) << 20)

// Throttle bits: agent/probe_throttle.h.
#define LIVE_BITS               UINT64_C(0xf)
#define UNDERVOLTAGE_SINCE_BOOT UINT64_C(0x10000)
#define THROTTLED_SINCE_BOOT    UINT64_C(0xe0000)

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : EDGE_UNMEASURED;
}

// What the readings point to while they are judged.
struct words {
    char governors[128];
    char doubt[256];
};

static void collect_governors(const json_t *facts, char *list, size_t size)
{
    size_t i;
    const json_t *policy;
    list[0] = '\0';
    json_array_foreach(json_object_get(facts, "policies"), i, policy)
    {
        const char *governor = edge_probe_member(policy, "governor");
        size_t used = strlen(list);
        if (governor[0] && !strstr(list, governor))
            snprintf(list + used, size - used, "%s%s", used ? "," : "", governor);
    }
}

static const json_t *first_source(const json_t *facts)
{
    size_t i;
    const json_t *source;
    json_array_foreach(json_object_get(facts, "power"), i, source)
    {
        if (json_object_get(source, "scope"))
            return source;
    }
    return NULL;
}

static void read_facts(const json_t *facts, const struct edge_target *target, bool recorded,
                       struct words *words, struct edge_readings *readings)
{
    const json_t *background = json_object_get(facts, "background");
    const json_t *source = target->emulated ? NULL : first_source(facts);
    struct edge_cpuset online;
    edge_readings_init(readings);
    if (target->shared) {
        readings->client_limited = EDGE_YES;
        readings->client_limited_why = "there is one CPU only: server and generator would share it";
    }
    readings->window_ns = number(background, "interval_ns");
    readings->background_cpu_ns = number(background, "cpu_ns");
    readings->steal_ns = number(background, "steal_ns");
    if (edge_cpuset_parse(edge_probe_member(facts, "cpus_online"), &online) == 0)
        readings->cpus = online.count;
    const json_t *step = json_object_get(background, "clock_step_ns");
    if (json_is_integer(step))
        readings->clock_step_ns = json_integer_value(step);
    uint64_t bits = number(facts, "throttle_bits"); // those since boot say nothing of a run
    readings->throttle_bits = bits == EDGE_UNMEASURED ? bits : bits & LIVE_BITS;
    readings->throttle_source = edge_probe_member(facts, "throttle_source");
    collect_governors(facts, words->governors, sizeof words->governors);
    readings->governor = words->governors[0] ? words->governors : NULL;
    readings->emulated =
        target->emulated || edge_probe_member(facts, "emulator")[0] ? EDGE_YES : EDGE_NO;
    readings->recorded = recorded ? EDGE_YES : EDGE_NO;
    if (!source)
        return;
    snprintf(words->doubt, sizeof words->doubt, "%s", edge_probe_member(source, "warning"));
    readings->power = EDGE_YES;
    readings->power_doubtful = words->doubt[0] ? EDGE_YES : EDGE_NO;
    readings->power_doubt = words->doubt;
    readings->power_shared = target->same_machine ? EDGE_YES : EDGE_NO;
}

// --- What the rules cannot know before a run ---

static void add_words(struct edge_record_rule *rule, const char *more)
{
    size_t used = strlen(rule->words);
    snprintf(rule->words + used, sizeof rule->words - used, "%s%s", used ? ": " : "", more);
}

static void warn(struct edge_record_rule *rule, const char *words)
{
    if (strcmp(rule->verdict, edge_verdict_name(EDGE_VERDICT_FAIL)) != 0)
        snprintf(rule->verdict, sizeof rule->verdict, "%s", edge_verdict_name(EDGE_VERDICT_WARN));
    add_words(rule, words);
}

static bool passes(const struct edge_record_rule *rule)
{
    return strcmp(rule->verdict, edge_verdict_name(EDGE_VERDICT_PASS)) == 0;
}

static void name_busiest(const json_t *facts, struct edge_record_rule *rule)
{
    const json_t *background = json_object_get(facts, "background");
    double interval_ns = (double)number(background, "interval_ns");
    char list[128] = "";
    size_t i;
    const json_t *process;
    json_array_foreach(json_object_get(background, "busiest"), i, process)
    {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s (%.0f %% of a CPU)", used ? ", " : "",
                 edge_probe_member(process, "name"),
                 100 * (double)number(process, "cpu_ns") / interval_ns);
    }
    if (list[0])
        add_words(rule, list);
}

static void foresee_swap(const json_t *facts, struct edge_record_rule *rule)
{
    uint64_t available = number(facts, "ram_available_bytes");
    rule->words[0] = '\0';
    if (available == EDGE_UNMEASURED) {
        add_words(rule, edge_probe_reason(facts, "ram_available_bytes"));
        return;
    }
    snprintf(rule->reading, sizeof rule->reading, "%" PRIu64 " MiB", (available + (1 << 19)) >> 20);
    snprintf(rule->verdict, sizeof rule->verdict, "%s", edge_verdict_name(EDGE_VERDICT_PASS));
    snprintf(rule->limit, sizeof rule->limit, ">= %" PRIu64 " MiB", LITTLE_RAM >> 20);
    if (available < LITTLE_RAM)
        warn(rule, "memory may run short: stop other programs, or use a smaller --server-ram");
}

// What the firmware remembers hides what is too short for a sample.
static void foresee_bits(const json_t *facts, uint64_t since_boot, struct edge_record_rule *rule)
{
    uint64_t bits = number(facts, "throttle_bits");
    if (passes(rule) && bits != EDGE_UNMEASURED && (bits & since_boot))
        warn(rule, "not now, but it has happened since boot, so that a short one in a run may go "
                   "unseen: reboot first");
}

static void foresee(const json_t *facts, const struct edge_target *target,
                    struct edge_record_rule *rule)
{
    const char *id = rule->id;
    if (strcmp(id, "background") == 0 && !passes(rule))
        name_busiest(facts, rule);
    else if (strcmp(id, "undervoltage") == 0)
        foresee_bits(facts, UNDERVOLTAGE_SINCE_BOOT, rule);
    else if (strcmp(id, "throttled") == 0)
        foresee_bits(facts, THROTTLED_SINCE_BOOT, rule);
    else if (strcmp(id, "swap") == 0)
        foresee_swap(facts, rule);
    else if (strcmp(id, "clock_step") == 0 &&
             json_is_false(json_object_get(facts, "clock_synchronised")))
        warn(rule, "no time service has set the clock yet: it may be set during a run");
    else if (strcmp(id, "steal") == 0 && edge_probe_member(facts, "virtual_machine")[0])
        warn(rule, "this is a virtual machine: others may use its CPUs during a run");
    else if (strcmp(id, "governor") == 0 && strcmp(rule->verdict, "warn") == 0)
        add_words(rule, "echo performance | sudo tee "
                        "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor");
    else if (strcmp(id, "power_shared") == 0 && !passes(rule))
        snprintf(rule->words, sizeof rule->words,
                 "the generator would draw from the same supply: drive the board from another "
                 "machine to compare boards");
    else if (strcmp(id, "emulated") == 0 && edge_probe_member(facts, "emulator")[0])
        add_words(rule, edge_probe_member(facts, "emulator"));
    else if (strcmp(id, "power") == 0 && target->emulated)
        snprintf(rule->words, sizeof rule->words, "an emulator has no power of a board");
    else if (strcmp(id, "power") == 0 && passes(rule))
        snprintf(rule->reading, sizeof rule->reading, "%.40s (%.40s)",
                 edge_probe_member(first_source(facts), "name"),
                 edge_probe_member(first_source(facts), "scope"));
    else if (strcmp(id, "power") == 0)
        snprintf(rule->words, sizeof rule->words,
                 "no source of this board can be read: without a meter at the host (--power, "
                 "docs/power.md) a run has no watts");
}

// What each of these rules reads before a run, and the fact that it needs.
static const struct foreseen {
    const char *id, *reads, *fact;
} foreseen[] = {
    {"client_limited", "server and generator would share the only CPU", NULL},
    {"background", "CPU time that others use", "background"},
    {"clock_step", "change of the wall clock", "clock_synchronised"},
    {"undervoltage", "the supply voltage is too low", "throttle_source"},
    {"throttled", "the clock is capped or throttled", "throttle_source"},
    {"governor", "the governor of all CPUs is performance", "policies"},
    {"swap", "RAM that is available", "ram_available_bytes"},
    {"steal", "CPU time that a hypervisor gives to others", "background"},
    {"power", "the power source of the board", NULL},
    {"power_doubt", "the power source misleads as it is set up", NULL},
    {"power_shared", "the generator would run on the machine whose power is measured", NULL},
    {"emulated", "the server would run under an emulator", NULL},
    {"recorded", "the facts are from a recorded tree, not from a board", NULL},
};

static const struct foreseen *find(const char *id)
{
    for (size_t i = 0; i < sizeof foreseen / sizeof foreseen[0]; i++)
        if (strcmp(id, foreseen[i].id) == 0)
            return &foreseen[i];
    return NULL;
}

// Without one CPU only, or without a source, there is nothing to foresee.
static bool is_void(const char *id)
{
    return strcmp(id, "client_limited") == 0 || strcmp(id, "power_doubt") == 0 ||
           strcmp(id, "power_shared") == 0;
}

static void add(json_t *list, const json_t *facts, const struct edge_target *target,
                struct edge_record_rule *rule)
{
    const struct foreseen *row = find(rule->id);
    bool emulated = target->emulated || edge_probe_member(facts, "emulator")[0];
    bool unread = strcmp(rule->reading, "not measured") == 0;
    if (!row || (unread && is_void(rule->id)))
        return;
    if (unread && !emulated && row->fact && edge_probe_reason(facts, row->fact)[0])
        snprintf(rule->words, sizeof rule->words, "%s", edge_probe_reason(facts, row->fact));
    if (!emulated || strcmp(rule->id, "emulated") == 0 || strcmp(rule->id, "power") == 0)
        foresee(facts, target, rule);
    json_array_append_new(list,
                          json_pack("{ss ss ss ss ss ss}", "id", rule->id, "reads", row->reads,
                                    "verdict", rule->verdict, "reading", rule->reading, "limit",
                                    rule->limit, "words", rule->words));
}

json_t *edge_probe_check(const json_t *facts, const struct edge_target *target, bool recorded)
{
    struct edge_record_rule verdicts[EDGE_RULES_MAX];
    struct edge_readings readings;
    struct words words = {.governors = ""};
    json_t *list = json_array();
    read_facts(facts, target, recorded, &words, &readings);
    size_t count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &readings, verdicts);
    for (size_t i = 0; i < count; i++)
        add(list, facts, target, &verdicts[i]);
    count = edge_rules_judge(EDGE_RULE_OVER_REPEATS, 0, &readings, verdicts);
    for (size_t i = 0; i < count; i++)
        add(list, facts, target, &verdicts[i]);
    return list;
}

const char *edge_probe_check_others(const json_t *rules, char *list, size_t size)
{
    list[0] = '\0';
    for (const struct edge_rule *rule = edge_rules_table(); rule->id; rule++) {
        size_t i, used = strlen(list);
        const json_t *one;
        bool judged = false;
        json_array_foreach(rules, i, one) judged =
            judged || strcmp(edge_probe_member(one, "id"), rule->id) == 0;
        if (!judged)
            snprintf(list + used, size - used, "%s%s", used ? " " : "", rule->id);
    }
    return list;
}

bool edge_probe_check_passes(const json_t *rules)
{
    size_t i;
    const json_t *rule;
    json_array_foreach(rules, i, rule)
    {
        if (strcmp(edge_probe_member(rule, "verdict"), edge_verdict_name(EDGE_VERDICT_FAIL)) == 0)
            return false;
    }
    return true;
}
