#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "result/rules.h"

// Readings that keep every rule of a repeat, each just at its limit.
static struct edge_readings good(void)
{
    struct edge_readings r;
    edge_readings_init(&r);
    r.ready = r.server_alive = r.finished = r.balanced = EDGE_YES;
    r.client_limited = EDGE_NO;
    r.window_ns = 10 * EDGE_NS_PER_S;
    r.samples = 20;
    r.sent = 1000;
    r.failed = 1;
    r.verified = 1;
    r.cpus = 2;
    r.background_cpu_ns = EDGE_NS_PER_S; // of 20 s
    r.clock_step_ns = -(int64_t)EDGE_NS_PER_S / 2;
    r.throttle_bits = 0;
    r.governor = "performance";
    r.cpus_lost = 0;
    r.swap_bytes = 1 << 20;
    r.steal_ns = 2 * EDGE_NS_PER_S / 5; // of 20 s
    r.power = EDGE_YES;
    r.power_gap_periods = 3;
    r.power_lost_percent = 5;
    r.power_updates = 10;
    r.power_doubtful = r.power_shared = EDGE_NO;
    r.idle_drift_percent = 5;
    r.emulated = EDGE_NO;
    r.calibration = EDGE_NO;
    r.recorded = EDGE_NO;
    return r;
}

static const struct edge_record_rule *find(const struct edge_record_rule *rules, size_t count,
                                           const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rules[i].id, id) == 0)
            return &rules[i];
    fail_msg("there is no rule %s", id);
    return NULL;
}

static void expect(const struct edge_readings *readings, enum edge_rule_scope scope, const char *id,
                   const char *verdict, const char *reading)
{
    struct edge_record_rule rules[EDGE_RULES_MAX];
    size_t count = edge_rules_judge(scope, 3, readings, rules);
    const struct edge_record_rule *rule = find(rules, count, id);
    assert_string_equal(rule->verdict, verdict);
    assert_string_equal(rule->reading, reading);
    assert_int_equal(rule->repeat, 3);
}

static void at_the_limits(void **state)
{
    (void)state;
    struct edge_readings r = good();
    struct edge_record_rule rules[EDGE_RULES_MAX];
    size_t count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &r, rules);
    assert_true(count >= 11);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rules[i].verdict, "pass") != 0)
            fail_msg("%s: %s", rules[i].id, rules[i].verdict);
        assert_string_equal(rules[i].words, "");
    }
}

static void beyond_the_limits(void **state)
{
    (void)state;
    const enum edge_rule_scope each = EDGE_RULE_EACH_REPEAT;
    struct edge_readings r = good();
    r.ready = EDGE_NO;
    expect(&r, each, "ready", "fail", "no");
    r = good();
    r.server_alive = EDGE_NO;
    expect(&r, each, "server_alive", "fail", "no");
    r = good();
    r.finished = EDGE_NO;
    expect(&r, each, "finished", "fail", "no");
    r = good();
    r.window_ns = 10 * EDGE_NS_PER_S - 10 * EDGE_NS_PER_MS;
    expect(&r, each, "duration", "fail", "9.99 s");
    r = good();
    r.samples = 19;
    expect(&r, each, "samples", "fail", "19");
    r = good();
    r.verified = 0;
    expect(&r, each, "verified", "fail", "0");
    r = good();
    r.failed = 2;
    expect(&r, each, "errors", "fail", "0.2 %");
    r = good();
    r.balanced = EDGE_NO;
    expect(&r, each, "books", "fail", "no");
    r = good();
    r.client_limited = EDGE_YES;
    expect(&r, each, "client_limited", "fail", "yes");
    r = good();
    r.background_cpu_ns = EDGE_NS_PER_S + 20 * EDGE_NS_PER_MS;
    expect(&r, each, "background", "fail", "5.1 %");
    r = good();
    r.clock_step_ns = (int64_t)(501 * EDGE_NS_PER_MS);
    expect(&r, each, "clock_step", "fail", "0.501 s");
    r.clock_step_ns = -r.clock_step_ns;
    expect(&r, each, "clock_step", "fail", "0.501 s");
}

static void boards_beyond_the_limits(void **state)
{
    (void)state;
    const enum edge_rule_scope each = EDGE_RULE_EACH_REPEAT;
    struct edge_readings r = good();
    r.throttle_bits = 0x1; // under-voltage now
    expect(&r, each, "undervoltage", "fail", "yes");
    expect(&r, each, "throttled", "pass", "no");
    r.throttle_bits = 0x10000; // has risen
    expect(&r, each, "undervoltage", "fail", "yes");
    static const uint64_t throttled[] = {0x2, 0x4, 0x8, 0x20000, 0x40000, 0x80000};
    for (size_t i = 0; i < 6; i++) {
        r.throttle_bits = throttled[i];
        expect(&r, each, "throttled", "fail", "yes");
        expect(&r, each, "undervoltage", "pass", "no");
    }
    // Not all who tell bits know of all of them.
    r = good();
    r.throttle_source = "cooling_device";
    expect(&r, each, "undervoltage", "not_judged", "not measured");
    expect(&r, each, "throttled", "pass", "no");
    r.throttle_source = "rpi_volt";
    expect(&r, each, "undervoltage", "pass", "no");
    expect(&r, each, "throttled", "not_judged", "not measured");
    r.throttle_source = "rpi_volt, cooling_device";
    expect(&r, each, "undervoltage", "pass", "no");
    expect(&r, each, "throttled", "pass", "no");
    r = good();
    r.governor = "ondemand,performance";
    expect(&r, each, "governor", "warn", "no");
    r.cpus_lost = 1;
    expect(&r, each, "cpus_lost", "fail", "1");
    r.swap_bytes = 3 << 19;
    expect(&r, each, "swap", "fail", "1.5 MiB");
    r.steal_ns = EDGE_NS_PER_S;
    expect(&r, each, "steal", "fail", "5 %");
}

static void power_beyond_the_limits(void **state)
{
    (void)state;
    const enum edge_rule_scope each = EDGE_RULE_EACH_REPEAT;
    struct edge_readings r = good();
    r.power = EDGE_NO;
    expect(&r, each, "power", "fail", "no");
    r.power = EDGE_UNKNOWN;
    expect(&r, each, "power", "not_judged", "not measured");
    r.power_gap_periods = 3.5;
    expect(&r, each, "power_gaps", "fail", "3.5 periods");
    r.power_lost_percent = 5.1;
    expect(&r, each, "power_lost", "fail", "5.1 %");
    r.power_updates = 9;
    expect(&r, each, "power_updates", "warn", "9");
    r.power_doubtful = EDGE_YES;
    expect(&r, each, "power_doubt", "warn", "yes");
    r.power_shared = EDGE_YES;
    expect(&r, each, "power_shared", "warn", "yes");
    r.idle_drift_percent = 5.5;
    expect(&r, each, "idle_drift", "warn", "5.5 %");
    r.recorded = EDGE_YES;
    expect(&r, EDGE_RULE_OVER_REPEATS, "recorded", "fail", "yes");
}

// A reason that is known is told where the reading is missing, too.
static void why_there_is_no_reading(void **state)
{
    (void)state;
    struct edge_record_rule rules[EDGE_RULES_MAX];
    struct edge_readings r = good();
    r.power = EDGE_UNKNOWN;
    r.power_why = "hwmon: no sensor";
    size_t count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &r, rules);
    assert_string_equal(find(rules, count, "power")->words, "hwmon: no sensor");
    r.power_why = NULL;
    count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &r, rules);
    assert_non_null(strstr(find(rules, count, "power")->words, "--power"));
}

static void over_repeats(void **state)
{
    (void)state;
    const enum edge_rule_scope over = EDGE_RULE_OVER_REPEATS;
    struct edge_readings r = good();
    // Mean 100, sample deviation 3 and 3.1.
    static const double calm[] = {97, 100, 103};
    static const double wild[] = {96.9, 100, 103.1};
    r.rates = calm;
    r.rate_count = 3;
    expect(&r, over, "spread", "pass", "3 %");
    r.rates = wild;
    expect(&r, over, "spread", "fail", "3.1 %");
    r.rate_count = 2;
    expect(&r, over, "spread", "not_judged", "not measured");

    expect(&r, over, "emulated", "pass", "no");
    r.emulated = EDGE_YES;
    expect(&r, over, "emulated", "fail", "yes");
    expect(&r, over, "calibration", "pass", "no");
    r.calibration = EDGE_YES;
    expect(&r, over, "calibration", "warn", "yes");
}

static void missing_readings(void **state)
{
    (void)state;
    const enum edge_rule_scope each = EDGE_RULE_EACH_REPEAT;
    struct edge_readings r = good();
    r.background_cpu_ns = EDGE_UNMEASURED;
    r.clock_step_ns = EDGE_UNMEASURED_SIGNED;
    r.server_alive = EDGE_UNKNOWN;
    expect(&r, each, "background", "not_judged", "not measured");
    expect(&r, each, "clock_step", "not_judged", "not measured");
    expect(&r, each, "server_alive", "not_judged", "not measured");
    // What a result stands on cannot be missing.
    r.sent = EDGE_UNMEASURED;
    expect(&r, each, "errors", "fail", "not measured");
    r = good();
    r.sent = 0;
    expect(&r, each, "errors", "fail", "not measured");
    r = good();
    r.balanced = EDGE_UNKNOWN;
    expect(&r, each, "books", "fail", "not measured");
}

// A server that never got ready: one reason, in its own words.
static void consequences(void **state)
{
    (void)state;
    struct edge_readings r;
    edge_readings_init(&r);
    r.ready = EDGE_NO;
    r.ready_why = "exited with code 3";
    struct edge_record_rule rules[EDGE_RULES_MAX];
    size_t count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &r, rules);
    struct edge_record_end end;
    edge_record_init(EDGE_RECORD_END, &end);
    edge_rules_conclude(rules, count, &end);
    assert_int_equal(end.valid, EDGE_NO);
    assert_int_equal(end.reasons.count, 1);
    assert_string_equal(end.reasons.at[0], "ready: exited with code 3");
}

static void conclusion(void **state)
{
    (void)state;
    struct edge_record_rule rules[3 * EDGE_RULES_MAX];
    struct edge_record_end end;
    edge_record_init(EDGE_RECORD_END, &end);
    edge_rules_conclude(rules, 0, &end);
    assert_int_equal(end.valid, EDGE_UNKNOWN);

    struct edge_readings r = good();
    size_t count = edge_rules_judge(EDGE_RULE_EACH_REPEAT, 1, &r, rules);
    count += edge_rules_judge(EDGE_RULE_OVER_REPEATS, 0, &r, rules + count);
    edge_rules_conclude(rules, count, &end);
    assert_int_equal(end.valid, EDGE_YES); // spread is not judged: that does not invalidate
    assert_int_equal(end.reasons.count, 0);

    r.window_ns = 2 * EDGE_NS_PER_S;
    r.background_cpu_ns = r.steal_ns = 0;
    count += edge_rules_judge(EDGE_RULE_EACH_REPEAT, 2, &r, rules + count);
    edge_rules_conclude(rules, count, &end);
    assert_int_equal(end.valid, EDGE_NO);
    assert_int_equal(end.reasons.count, 1);
    assert_string_equal(end.reasons.at[0],
                        "duration 2 s (must be >= 10 s) in 1 of 2 repeats: too short to tell: use "
                        "--duration 10s or more");
}

static void table_is_sound(void **state)
{
    (void)state;
    struct edge_record_rule record;
    size_t count = 0;
    for (const struct edge_rule *rule = edge_rules_table(); rule->id != NULL; rule++, count++) {
        assert_true(strlen(rule->id) < sizeof(record.id));
        assert_true(strlen(rule->words) < sizeof(record.words));
        assert_non_null(rule->measure);
        assert_non_null(rule->reads);
        assert_true(rule->broken == EDGE_VERDICT_WARN || rule->broken == EDGE_VERDICT_FAIL);
        for (const struct edge_rule *other = edge_rules_table(); other != rule; other++)
            assert_string_not_equal(rule->id, other->id);
    }
    assert_true(count <= EDGE_RULES_MAX);
}

static void speeds_are_not_judged_under_an_emulator(void **state)
{
    (void)state;
    struct edge_readings r = good();
    r.emulated = EDGE_YES;
    r.window_ns = EDGE_NS_PER_S;
    r.client_limited = EDGE_YES;
    r.failed = 2;
    expect(&r, EDGE_RULE_EACH_REPEAT, "duration", "not_judged", "1 s");
    expect(&r, EDGE_RULE_EACH_REPEAT, "client_limited", "not_judged", "yes");
    expect(&r, EDGE_RULE_EACH_REPEAT, "errors", "fail", "0.2 %");
    expect(&r, EDGE_RULE_OVER_REPEATS, "emulated", "fail", "yes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_limits),
        cmocka_unit_test(beyond_the_limits),
        cmocka_unit_test(boards_beyond_the_limits),
        cmocka_unit_test(power_beyond_the_limits),
        cmocka_unit_test(why_there_is_no_reading),
        cmocka_unit_test(over_repeats),
        cmocka_unit_test(missing_readings),
        cmocka_unit_test(consequences),
        cmocka_unit_test(conclusion),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(speeds_are_not_judged_under_an_emulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
