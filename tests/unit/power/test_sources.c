// The sources of boards, on trees that show what each board would.
#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "power/power.h"

static char root[256];

static int open_on(struct edge_power *power, const char *board, const char *name,
                   const char *argument, struct edge_message *message)
{
    snprintf(root, sizeof root, EDGE_DATA_DIR "/boards/%s", board);
    struct edge_power_config config = {.name = name, .argument = argument, .root = root};
    message->text[0] = '\0';
    return edge_power_open(power, &config, message);
}

static void gives(const char *board, const char *name, const char *argument, const char *scope,
                  const char *detail, uint64_t power_uw)
{
    struct edge_power power;
    struct edge_reading reading;
    struct edge_message message;
    if (open_on(&power, board, name, argument, &message) != 0)
        fail_msg("%s", message.text);
    assert_string_equal(power.scope, scope);
    assert_non_null(strstr(power.detail, detail));
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.power_uw, power_uw);
    assert_true(reading.energy_uj == EDGE_READING_NONE);
    assert_true(reading.t_ns > 0 && reading.t_ns <= edge_clock_ns());
    edge_power_close(&power);
    edge_power_close(&power);
}

static void refuses(const char *board, const char *name, const char *argument, int error,
                    const char *words)
{
    struct edge_power power;
    struct edge_message message;
    assert_int_equal(open_on(&power, board, name, argument, &message), error);
    if (!strstr(message.text, words) || !strstr(message.text, name))
        fail_msg("%s", message.text);
}

static void jetson_rails_are_not_added_to_their_total(void **state)
{
    (void)state;
    gives("jetson-nano", "ina3221", NULL, "dc_input", "POM_5V_IN", 5072 * 412);
    gives("jetson-orin-nano", "ina3221", NULL, "module", "VDD_IN", 5072 * 432);
    gives("jetson-orin-nano", "ina3221", "VDD_IN", "module", "VDD_IN", 5072 * 432); // by name, too
    gives("jetson-nano", "ina3221", "POM_5V_IN", "dc_input", "POM_5V_IN", 5072 * 412);
    gives("jetson-orin-nano", "ina3221", "VDD_SOC", "soc_rails", "VDD_SOC", 5064 * 224);
    refuses("jetson-orin-nano", "ina3221", "VDD_OUT", EDGE_ERR_USAGE, "VDD_CPU_GPU_CV");
    refuses("pi-4", "ina3221", NULL, -ENOENT, "no INA3221");
}

static void a_wrong_shunt_is_suspected(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    gives("ina219-wrong-shunt", "hwmon", NULL, "dc_input", "ina219 at hwmon2, shunt 0.01 Ohm",
          30720000);
    gives("ina219-wrong-shunt", "hwmon", "ina219", "dc_input", "ina219", 30720000);
    assert_int_equal(open_on(&power, "ina219-wrong-shunt", "hwmon", NULL, &message), 0);
    assert_non_null(strstr(power.warning, "10 times too high"));
    edge_power_close(&power);
    refuses("pi-4", "hwmon", NULL, -ENOENT, "cpu_thermal, rpi_volt");
    refuses("ina219-wrong-shunt", "hwmon", "ina226", -ENOENT, "ina226");
    refuses("n100", "hwmon", NULL, -ENOENT, "no sensor");
}

static void a_person_may_know_the_wiring_better(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_power_config config = {
        .name = "hwmon", .root = EDGE_DATA_DIR "/boards/ina219-wrong-shunt", .scope = "soc_rails"};
    assert_int_equal(edge_power_open(&power, &config, &message), 0);
    assert_string_equal(power.scope, "soc_rails");
    edge_power_close(&power);
}

static void the_pmic_pairs_rails_by_name(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    // 3.3 x (0.0625 + 0.0003663 + 0.00042735) + 1.8 x 0.16 + 1.1 x (0.01 + 0.175)
    // + 0.8 x (0.32 + 2.5 + 0.005) + 5 x 0.01 W; EXT5V and BATT have no current.
    gives("pi-5", "pmic", NULL, "soc_rails", "sum of 12 rails", 3010369);
    assert_int_equal(open_on(&power, "pi-5", "pmic", NULL, &message), 0);
    assert_non_null(strstr(power.correction, "1.1451"));
    edge_power_close(&power);
    refuses("pi-4", "pmic", NULL, EDGE_ERR_UNSUPPORTED, "only a Pi 5");
    refuses("n100", "pmic", NULL, -ENOENT, "mailbox");
}

static void a_negotiated_contract_is_no_reading(void **state)
{
    (void)state;
    refuses("ucsi-only", "power_supply", NULL, EDGE_ERR_UNSUPPORTED, "negotiated");
    refuses("ucsi-only", "power_supply", "tcpm-source-psy-4-0022", EDGE_ERR_UNSUPPORTED,
            "tcpm-source-psy-4-0022 shows the negotiated");
    refuses("pi-4", "power_supply", NULL, -ENOENT, "no supply");
}

static void rapl_counts_packages_only(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    assert_int_equal(open_on(&power, "n100", "rapl", NULL, &message), 0);
    assert_string_equal(power.scope, "cpu_package");
    assert_string_equal(power.detail, "1 package");
    assert_true(power.quantum_uj > 0);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.energy_uj, 0);
    assert_true(reading.power_uw == EDGE_READING_NONE);
    edge_power_close(&power);
    refuses("pi-4", "rapl", NULL, -ENOENT, "no package zone");
}

static void arguments_are_checked(void **state)
{
    (void)state;
    refuses("pi-5", "pmic", "3V3", EDGE_ERR_USAGE, "no argument");
    refuses("pi-5", "csv", NULL, EDGE_ERR_USAGE, "csv:FILE");
    refuses("pi-5", "tasmota", "user:secret@plug", EDGE_ERR_USAGE, ".netrc");
    assert_null(edge_power_find("watts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jetson_rails_are_not_added_to_their_total),
        cmocka_unit_test(a_wrong_shunt_is_suspected),
        cmocka_unit_test(a_person_may_know_the_wiring_better),
        cmocka_unit_test(the_pmic_pairs_rails_by_name),
        cmocka_unit_test(a_negotiated_contract_is_no_reading),
        cmocka_unit_test(rapl_counts_packages_only),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
