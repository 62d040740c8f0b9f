// Trees that change while they are read: counters that wrap, batteries, readings that fail.
#include "cmocka_headers.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "power/power.h"

static char root[] = "/tmp/edge_power_XXXXXX";

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void take_away(const char *path)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    assert_int_equal(unlink(full), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/edge_power_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void open_it(struct edge_power *power, const char *name)
{
    struct edge_message message;
    struct edge_power_config config = {.name = name, .root = root};
    if (edge_power_open(power, &config, &message) != 0)
        fail_msg("%s", message.text);
}

#define RAPL "/sys/class/powercap/intel-rapl:0"

static void rapl(uint64_t now, uint64_t range)
{
    char text[32];
    put(RAPL "/name", "package-0\n");
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)now);
    put(RAPL "/energy_uj", text);
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)range);
    put(RAPL "/max_energy_range_uj", text);
}

static void a_counter_that_wraps_goes_on(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    rapl(900, 1000);
    open_it(&power, "rapl");
    rapl(950, 1000);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.energy_uj, 50);
    rapl(30, 1000);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.energy_uj, 50 + 50 + 30);
    rapl(40, 1000);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.energy_uj, 140);
    edge_power_close(&power);
}

// Without the range the step is not known, and no later total would be right.
static void a_wrap_of_unknown_size_ends_the_counting(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    rapl(900, 1000);
    open_it(&power, "rapl");
    rapl(30, 1000);
    take_away(RAPL "/max_energy_range_uj");
    assert_int_equal(edge_power_read(&power, &reading, &message), -ENOENT);
    assert_non_null(strstr(message.text, "step of the counter was lost"));
    rapl(950, 1000);
    assert_true(edge_power_read(&power, &reading, &message) < 0);
    edge_power_close(&power);
}

static void a_reading_that_failed_is_made_up_for(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    rapl(900, 1000);
    open_it(&power, "rapl");
    take_away(RAPL "/energy_uj");
    assert_int_equal(edge_power_read(&power, &reading, &message), -ENOENT);
    rapl(950, 1000);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.energy_uj, 50);
    edge_power_close(&power);
}

#define BATTERY "/sys/class/power_supply/BAT0"

static void a_battery_counts_only_while_it_discharges(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    struct edge_power_config config = {.name = "power_supply", .root = root};
    put(BATTERY "/type", "Battery\n");
    put(BATTERY "/voltage_now", "3700000\n");
    put(BATTERY "/current_now", "-1000000\n");
    put(BATTERY "/status", "Charging\n");
    assert_int_equal(edge_power_open(&power, &config, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "not discharging"));
    put(BATTERY "/status", "Discharging\n");
    open_it(&power, "power_supply");
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.power_uw, 3700000);
    put(BATTERY "/status", "Full\n");
    assert_int_equal(edge_power_read(&power, &reading, &message), EDGE_ERR_LIMIT);
    edge_power_close(&power);
}

static void a_current_without_a_voltage_is_refused(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_power_config config = {.name = "power_supply", .root = root};
    put("/sys/class/power_supply/rpi-poe/type", "Mains\n");
    put("/sys/class/power_supply/rpi-poe/current_now", "500000\n");
    assert_int_equal(edge_power_open(&power, &config, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "rpi-poe has a current, but no voltage"));
}

#define HWMON(n) "/sys/class/hwmon/hwmon" #n

static void hwmon_takes_what_there_is(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    put(HWMON(0) "/name", "powerz\n");
    put(HWMON(0) "/in0_input", "5100\n");
    put(HWMON(0) "/curr1_input", "700\n");
    open_it(&power, "hwmon");
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.power_uw, 5100 * 700);
    put(HWMON(0) "/curr1_input", "-700\n");
    assert_int_equal(edge_power_read(&power, &reading, &message), EDGE_ERR_LIMIT);
    assert_non_null(strstr(message.text, "swapped"));
    take_away(HWMON(0) "/curr1_input");
    assert_int_equal(edge_power_read(&power, &reading, &message), -ENOENT);
    edge_power_close(&power);

    put(HWMON(0) "/curr1_input", "700\n");
    put(HWMON(1) "/name", "ina226\n"); // slow, and a second one: which sees the board?
    put(HWMON(1) "/power1_input", "2500000\n");
    put(HWMON(1) "/update_interval", "1100\n");
    struct edge_power_config config = {.name = "hwmon", .root = root};
    assert_int_equal(edge_power_open(&power, &config, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "2 sensors (powerz, ina226)"));
    config.argument = "hwmon1";
    assert_int_equal(edge_power_open(&power, &config, &message), 0);
    assert_int_equal(power.interval_ns, 1100000000);
    edge_power_close(&power);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_counter_that_wraps_goes_on),
        TEST(a_wrap_of_unknown_size_ends_the_counting),
        TEST(a_reading_that_failed_is_made_up_for),
        TEST(a_battery_counts_only_while_it_discharges),
        TEST(a_current_without_a_voltage_is_refused),
        TEST(hwmon_takes_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
