// vcgencmd is a script here, found first in PATH.
#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "power/power.h"
#include "power/vcgencmd.h"

static char folder[] = "/tmp/edge_vcgencmd_XXXXXX";
static char path[64], inherited[4096];

static int set_up(void **state)
{
    (void)state;
    char search[4200];
    strcpy(folder, "/tmp/edge_vcgencmd_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/vcgencmd", folder);
    snprintf(inherited, sizeof inherited, "%s", getenv("PATH"));
    snprintf(search, sizeof search, "%s:%s", folder, inherited);
    return setenv("PATH", search, 1);
}

static int tear_down(void **state)
{
    (void)state;
    setenv("PATH", inherited, 1);
    unlink(path);
    return rmdir(folder);
}

static void be(const char *script)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int run(char *text, size_t size, struct edge_message *message)
{
    return edge_vcgencmd_run("pmic_read_adc", text, size, message);
}

static void what_it_prints_comes_back(void **state)
{
    (void)state;
    char text[64];
    struct edge_message message;
    be("echo \"asked for $1\"");
    assert_int_equal(run(text, sizeof text, &message), 0);
    assert_string_equal(text, "asked for pmic_read_adc\n");
    assert_int_equal(run(text, 8, &message), EDGE_ERR_LIMIT);
}

static void each_fault_is_told_apart(void **state)
{
    (void)state;
    char text[64];
    struct edge_message message;
    assert_int_equal(run(text, sizeof text, &message), -ENOENT);
    be("exit 3");
    assert_int_equal(run(text, sizeof text, &message), EDGE_ERR_FAILED);
    assert_non_null(strstr(message.text, "code 3"));
    be("exec sleep 100");
    assert_int_equal(run(text, sizeof text, &message), -ETIMEDOUT);
}

static void rails_are_summed_where_there_is_no_mailbox(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_power_config config = {.name = "pmic", .root = ""};
    struct edge_reading reading;
    struct edge_message message;
    if (access("/dev/vcio", F_OK) == 0 || access("/dev/vcio_gencmd", F_OK) == 0)
        skip(); // a Raspberry Pi
    be("echo ' 3V3_SYS_A current(1)=0.5A'; echo ' 3V3_SYS_V volt(9)=3.3V'");
    assert_int_equal(edge_power_open(&power, &config, &message), 0);
    assert_non_null(strstr(power.detail, "sum of 1 rails by vcgencmd"));
    assert_non_null(strstr(power.warning, "disturbs"));
    assert_int_equal(power.interval_ns, EDGE_NS_PER_S);
    assert_int_equal(edge_power_read(&power, &reading, &message), 0);
    assert_int_equal(reading.power_uw, 1650000);
    be("echo ' 3V3_SYS_A current(1)=nanA'; echo ' 3V3_SYS_V volt(9)=3.3V'");
    assert_int_equal(edge_power_read(&power, &reading, &message), EDGE_ERR_FORMAT);
    be("exit 1");
    assert_true(edge_power_read(&power, &reading, &message) < 0);
    edge_power_close(&power);
    // A tree's mailbox is its own: the program here is not asked for it.
    config.root = "/nowhere";
    assert_int_equal(edge_power_open(&power, &config, &message), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_it_prints_comes_back),
        TEST(each_fault_is_told_apart),
        TEST(rails_are_summed_where_there_is_no_mailbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
