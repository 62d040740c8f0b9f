// The rules before a run: what facts of a board lead to.
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "result/rules.h"
#include "run/probe_check.h"

// A board with which nothing is wrong.
static json_t *good(void)
{
    return json_loads(
        "{\"missing\":{},\"cpus_online\":\"0-3\",\"ram_available_bytes\":1073741824,"
        "\"policies\":[{\"governor\":\"performance\"},{\"governor\":\"performance\"}],"
        "\"throttle_bits\":0,\"throttle_source\":\"firmware\",\"clock_synchronised\":true,"
        "\"virtual_machine\":\"\",\"emulator\":\"\","
        "\"background\":{\"interval_ns\":1000000000,\"cpu_ns\":40000000,\"steal_ns\":0,"
        "\"clock_step_ns\":-3000000,\"busiest\":[]},"
        "\"power\":[{\"name\":\"hwmon\",\"why\":\"none\",\"permission\":false},"
        "{\"name\":\"pmic\",\"scope\":\"soc_rails\",\"warning\":\"\"}]}",
        0, NULL);
}

static const struct edge_target far = {.name = "ssh://board"};
static const struct edge_target here = {.name = "local", .same_machine = true};

static const json_t *find(const json_t *rules, const char *id)
{
    size_t i;
    const json_t *rule;
    json_array_foreach(rules, i, rule)
    {
        if (strcmp(json_string_value(json_object_get(rule, "id")), id) == 0)
            return rule;
    }
    return NULL;
}

// Judges `facts` (the reference is taken).
static void expect(json_t *facts, const struct edge_target *target, const char *id,
                   const char *verdict, const char *reading, const char *words)
{
    assert_non_null(facts);
    json_t *rules = edge_probe_check(facts, target, false);
    const json_t *rule = find(rules, id);
    assert_non_null(rule);
    assert_string_equal(json_string_value(json_object_get(rule, "verdict")), verdict);
    assert_string_equal(json_string_value(json_object_get(rule, "reading")), reading);
    const char *found = json_string_value(json_object_get(rule, "words"));
    if (words[0] ? !strstr(found, words) : found[0])
        fail_msg("%s: %s", id, found);
    json_decref(rules);
    json_decref(facts);
}

static json_t *with(const char *path, const char *value)
{
    json_t *facts = good(), *at = facts;
    char key[64];
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        at = json_object_get(at, key);
    }
    json_object_set_new(at, path, json_loads(value, JSON_DECODE_ANY, NULL));
    return facts;
}

static void a_good_board_passes(void **state)
{
    (void)state;
    json_t *facts = good(), *rules = edge_probe_check(facts, &far, false);
    size_t i;
    const json_t *rule;
    json_array_foreach(rules, i, rule)
    {
        if (strcmp(json_string_value(json_object_get(rule, "verdict")), "pass") != 0)
            fail_msg("%s", json_string_value(json_object_get(rule, "id")));
    }
    assert_true(edge_probe_check_passes(rules));
    json_decref(rules);
    json_decref(facts);
    expect(good(), &far, "background", "pass", "1 %", "");
    expect(good(), &far, "power", "pass", "pmic (soc_rails)", "");
}

// The list and its rest are the table, no more and no less.
static void every_rule_is_told_of(void **state)
{
    (void)state;
    char others[512];
    json_t *facts = good(), *rules = edge_probe_check(facts, &here, true);
    const char *rest = edge_probe_check_others(rules, others, sizeof others);
    size_t count = 0;
    for (const struct edge_rule *rule = edge_rules_table(); rule->id; rule++, count++)
        assert_true((find(rules, rule->id) != NULL) != (strstr(rest, rule->id) != NULL) ||
                    strcmp(rule->id, "power") == 0); // part of other names
    for (const char *at = rest; at; at = strchr(at + 1, ' '))
        count--;
    assert_int_equal(count, json_array_size(rules));
    assert_false(edge_probe_check_passes(rules)); // recorded
    json_decref(rules);
    json_decref(facts);
}

static void what_would_break_a_run_fails(void **state)
{
    (void)state;
    expect(with("throttle_bits", "5"), &far, "undervoltage", "fail", "yes", "supply");
    expect(with("throttle_bits", "4"), &far, "throttled", "fail", "yes", "throttled");
    // Since boot only.
    expect(with("throttle_bits", "262144"), &far, "undervoltage", "pass", "no", "");
    expect(with("throttle_bits", "262144"), &far, "throttled", "warn", "no", "reboot");
    expect(with("throttle_bits", "65536"), &far, "undervoltage", "warn", "no", "reboot");
    expect(with("background.cpu_ns", "400000000"), &far, "background", "fail", "10 %", "busy");
    expect(with("background.busiest", "[{\"name\":\"apt\",\"cpu_ns\":350000000}]"), &far,
           "background", "pass", "1 %", "");
    json_t *busy = with("background.busiest", "[{\"name\":\"apt\",\"cpu_ns\":350000000}]");
    json_object_set_new(json_object_get(busy, "background"), "cpu_ns", json_integer(400000000));
    expect(busy, &far, "background", "fail", "10 %", "apt (35 % of a CPU)");
    expect(with("background.steal_ns", "200000000"), &far, "steal", "fail", "5 %",
           "shared virtual machine");
    expect(with("background.clock_step_ns", "900000000"), &far, "clock_step", "fail", "0.9 s",
           "time synchronisation");
    expect(with("emulator", "\"a program for arm\""), &far, "emulated", "fail", "yes",
           "a program for arm");
    struct edge_target shared = here;
    shared.shared = true;
    expect(good(), &shared, "client_limited", "fail", "yes", "one CPU only");
}

static void what_may_break_a_run_warns(void **state)
{
    (void)state;
    expect(with("policies", "[{\"governor\":\"ondemand\"},{\"governor\":\"performance\"}]"), &far,
           "governor", "warn", "no", "scaling_governor");
    expect(with("ram_available_bytes", "104857600"), &far, "swap", "warn", "100 MiB",
           "--server-ram");
    expect(with("clock_synchronised", "false"), &far, "clock_step", "warn", "0.003 s",
           "may be set during a run");
    expect(with("virtual_machine", "\"QEMU\""), &far, "steal", "warn", "0 %", "virtual machine");
    expect(good(), &here, "power_shared", "warn", "yes", "same supply");
    json_t *doubtful = good();
    json_object_set_new(json_array_get(json_object_get(doubtful, "power"), 1), "warning",
                        json_string("the shunt"));
    expect(doubtful, &far, "power_doubt", "warn", "yes", "the shunt");
}

static void what_is_not_known_is_not_judged(void **state)
{
    (void)state;
    json_t *facts = with("throttle_source", "null");
    json_object_set_new(facts, "throttle_bits", json_null());
    json_object_set_new(json_object_get(facts, "missing"), "throttle_source", json_string("no Pi"));
    expect(facts, &far, "throttled", "not_judged", "not measured", "no Pi");
    expect(with("throttle_source", "\"cooling_device\""), &far, "undervoltage", "not_judged",
           "not measured", "low voltage");
    expect(with("power", "[{\"name\":\"rapl\",\"why\":\"x\"}]"), &far, "power", "not_judged",
           "not measured", "--power");
    facts = with("background", "null");
    json_object_set_new(json_object_get(facts, "missing"), "background", json_string("still"));
    expect(facts, &far, "background", "not_judged", "not measured", "still");
    struct edge_target emulated = {.name = "qemu:x", .emulated = true};
    expect(with("throttle_bits", "5"), &emulated, "throttled", "not_judged", "yes", "emulator");
    expect(good(), &emulated, "power", "not_judged", "not measured", "no power of a board");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_board_passes),
        cmocka_unit_test(every_rule_is_told_of),
        cmocka_unit_test(what_would_break_a_run_fails),
        cmocka_unit_test(what_may_break_a_run_warns),
        cmocka_unit_test(what_is_not_known_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
