#include "result/rules.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

void edge_readings_init(struct edge_readings *readings)
{
    *readings = (struct edge_readings){
        .ready = EDGE_UNKNOWN,
        .server_alive = EDGE_UNKNOWN,
        .finished = EDGE_UNKNOWN,
        .window_ns = EDGE_UNMEASURED,
        .samples = EDGE_UNMEASURED,
        .sent = EDGE_UNMEASURED,
        .failed = EDGE_UNMEASURED,
        .verified = EDGE_UNMEASURED,
        .balanced = EDGE_UNKNOWN,
        .client_limited = EDGE_UNKNOWN,
        .background_cpu_ns = EDGE_UNMEASURED,
        .cpus = EDGE_UNMEASURED,
        .clock_step_ns = EDGE_UNMEASURED_SIGNED,
        .throttle_bits = EDGE_UNMEASURED,
        .cpus_lost = EDGE_UNMEASURED,
        .swap_bytes = EDGE_UNMEASURED,
        .steal_ns = EDGE_UNMEASURED,
        .power = EDGE_UNKNOWN,
        .power_gap_periods = NAN,
        .power_lost_percent = NAN,
        .power_updates = EDGE_UNMEASURED,
        .power_doubtful = EDGE_UNKNOWN,
        .power_shared = EDGE_UNKNOWN,
        .idle_drift_percent = NAN,
        .emulated = EDGE_UNKNOWN,
        .calibration = EDGE_UNKNOWN,
        .recorded = EDGE_UNKNOWN,
    };
}

const char *edge_verdict_name(enum edge_verdict verdict)
{
    static const char *const names[] = {"pass", "warn", "fail", "not_judged"};
    return names[verdict];
}

static void value_text(enum edge_rule_unit unit, double value, char *text, size_t size)
{
    switch (unit) {
    case EDGE_RULE_SECONDS:
        snprintf(text, size, "%.4g s", round(value / 1e6) / 1e3);
        break;
    case EDGE_RULE_COUNT:
        snprintf(text, size, "%.0f", value);
        break;
    case EDGE_RULE_PERCENT:
        snprintf(text, size, "%.3g %%", value);
        break;
    case EDGE_RULE_YES_NO:
        snprintf(text, size, "%s", value > 0 ? "yes" : "no");
        break;
    case EDGE_RULE_BYTES:
        snprintf(text, size, "%.3g MiB", value / (1 << 20));
        break;
    case EDGE_RULE_PERIODS:
        snprintf(text, size, "%.3g periods", value);
        break;
    }
}

const char *edge_rule_limit_text(const struct edge_rule *rule, char *text, size_t size)
{
    char value[32];
    value_text(rule->unit, rule->limit, value, sizeof(value));
    const char *sign = rule->compare == EDGE_RULE_AT_LEAST ? ">= " : "<= ";
    snprintf(text, size, "%s%s", rule->unit == EDGE_RULE_YES_NO ? "" : sign, value);
    return text;
}

static enum edge_verdict judge(const struct edge_rule *rule, double reading)
{
    if (isnan(reading))
        return rule->missing;
    bool kept =
        rule->compare == EDGE_RULE_AT_LEAST ? reading >= rule->limit : reading <= rule->limit;
    return kept ? EDGE_VERDICT_PASS : rule->broken;
}

static const char not_measured[] = "not measured";

static bool is_missing(const struct edge_record_rule *verdict)
{
    return strcmp(verdict->reading, not_measured) == 0;
}

static bool is_failed(const struct edge_record_rule *verdict)
{
    return strcmp(verdict->verdict, edge_verdict_name(EDGE_VERDICT_FAIL)) == 0;
}

// A server that never got ready gave no readings either: that is one reason, not ten.
static void drop_consequences(struct edge_record_rule *verdicts, size_t count)
{
    bool broken_by_reading = false;
    for (size_t i = 0; i < count; i++)
        if (is_failed(&verdicts[i]) && !is_missing(&verdicts[i]))
            broken_by_reading = true;
    for (size_t i = 0; broken_by_reading && i < count; i++)
        if (is_missing(&verdicts[i]))
            snprintf(verdicts[i].verdict, sizeof(verdicts[i].verdict), "%s",
                     edge_verdict_name(EDGE_VERDICT_NOT_JUDGED));
}

static void judge_one(const struct edge_rule *rule, uint64_t repeat,
                      const struct edge_readings *readings, struct edge_record_rule *record)
{
    double reading = rule->measure(readings);
    bool applies = !(rule->speed && readings->emulated == EDGE_YES);
    enum edge_verdict verdict = applies ? judge(rule, reading) : EDGE_VERDICT_NOT_JUDGED;
    const char *why = rule->why != NULL ? rule->why(readings) : NULL;

    edge_record_init(EDGE_RECORD_RULE, record);
    record->repeat = repeat;
    snprintf(record->id, sizeof(record->id), "%s", rule->id);
    snprintf(record->verdict, sizeof(record->verdict), "%s", edge_verdict_name(verdict));
    edge_rule_limit_text(rule, record->limit, sizeof(record->limit));
    if (!applies)
        why = "an emulator's speed is not judged";
    if (isnan(reading)) {
        const char *words = rule->unmeasured != NULL ? rule->unmeasured : "there is no reading";
        snprintf(record->reading, sizeof(record->reading), "%s", not_measured);
        snprintf(record->words, sizeof(record->words), "%s",
                 why != NULL && why[0] != '\0' ? why : words);
    } else {
        value_text(rule->unit, reading, record->reading, sizeof(record->reading));
        if (verdict != EDGE_VERDICT_PASS)
            snprintf(record->words, sizeof(record->words), "%s",
                     why != NULL && why[0] != '\0' ? why : rule->words);
    }
}

size_t edge_rules_judge(enum edge_rule_scope scope, uint64_t repeat,
                        const struct edge_readings *readings,
                        struct edge_record_rule verdicts[EDGE_RULES_MAX])
{
    size_t count = 0;
    for (const struct edge_rule *rule = edge_rules_table(); rule->id != NULL; rule++)
        if (rule->scope == scope)
            judge_one(rule, repeat, readings, &verdicts[count++]);
    drop_consequences(verdicts, count);
    return count;
}

// Where `id` was broken first, and in how many of how many repeats.
static const struct edge_record_rule *broken(const struct edge_record_rule *verdicts, size_t count,
                                             const char *id, size_t *times, size_t *judged)
{
    const struct edge_record_rule *first = NULL;
    *times = *judged = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(verdicts[i].id, id) != 0)
            continue;
        ++*judged;
        if (!is_failed(&verdicts[i]))
            continue;
        ++*times;
        if (first == NULL)
            first = &verdicts[i];
    }
    return first;
}

void edge_rules_conclude(const struct edge_record_rule *verdicts, size_t count,
                         struct edge_record_end *end)
{
    end->valid = count == 0 ? EDGE_UNKNOWN : EDGE_YES;
    end->reasons.count = 0;
    for (const struct edge_rule *rule = edge_rules_table(); rule->id != NULL; rule++) {
        size_t times;
        size_t judged;
        const struct edge_record_rule *first = broken(verdicts, count, rule->id, &times, &judged);
        if (first == NULL)
            continue;
        end->valid = EDGE_NO;
        char scope[64] = "";
        if (judged > 1)
            snprintf(scope, sizeof(scope), " in %zu of %zu repeats", times, judged);
        if (rule->unit == EDGE_RULE_YES_NO)
            edge_texts_add(&end->reasons, "%s%s: %s", rule->id, scope, first->words);
        else
            edge_texts_add(&end->reasons, "%s %s (must be %s)%s: %s", rule->id, first->reading,
                           first->limit, scope, first->words);
    }
}
