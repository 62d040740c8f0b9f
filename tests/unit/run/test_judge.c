#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "run/judge.h"

static struct edge_target target;
static struct edge_window_figures figures;
static const struct edge_board board = {.cores = 4, .governor = "ondemand"};

static struct edge_readings judge(const struct edge_measurement *measurement)
{
    struct edge_readings readings;
    edge_measurement_figures(measurement, true, &figures);
    edge_judge_repeat(measurement, &figures, &target, &board, &readings);
    return readings;
}

static void a_server_that_was_not_ready(void **state)
{
    (void)state;
    struct edge_measurement m;
    edge_measurement_init(&m, 1);
    strcpy(m.problem, "was not ready");
    struct edge_readings r = judge(&m);
    assert_int_equal(r.ready, EDGE_NO);
    assert_string_equal(r.ready_why, "was not ready");
    assert_int_equal(r.finished, EDGE_YES);
    assert_int_equal(r.server_alive, EDGE_UNKNOWN);
    assert_true(r.sent == EDGE_UNMEASURED);
    m.interrupted = true; // then it had no chance
    r = judge(&m);
    assert_int_equal(r.ready, EDGE_UNKNOWN);
    assert_int_equal(r.finished, EDGE_NO);
}

static void a_load_is_read(void **state)
{
    (void)state;
    struct edge_measurement m;
    edge_measurement_init(&m, 1);
    m.ready = m.loaded = true;
    m.load.window_start_ns = 100;
    m.load.window_stop_ns = 350;
    m.load.sent = 50;
    m.load.outcomes[EDGE_OUTCOME_OK] = 48;
    m.load.ok_in_window = 47;
    m.load.balanced = true;
    struct edge_readings r = judge(&m);
    assert_int_equal(r.ready, EDGE_YES);
    assert_int_equal(r.server_alive, EDGE_YES);
    assert_int_equal(r.window_ns, 250);
    assert_int_equal(r.sent, 50);
    assert_int_equal(r.failed, 2);
    assert_int_equal(r.verified, 47);
    assert_int_equal(r.balanced, EDGE_YES);
    assert_int_equal(r.client_limited, EDGE_NO);
    assert_int_equal(r.cpus, 4);
    assert_string_equal(r.governor, "ondemand");
    assert_true(r.throttle_bits == EDGE_UNMEASURED);
    assert_true(r.background_cpu_ns == EDGE_UNMEASURED);
    m.died = true;
    strcpy(m.problem, "died: killed by SIGSEGV");
    r = judge(&m);
    assert_int_equal(r.server_alive, EDGE_NO);
    assert_string_equal(r.server_alive_why, "died: killed by SIGSEGV");
}

static void a_shared_cpu_limits_the_generator(void **state)
{
    (void)state;
    struct edge_measurement m;
    edge_measurement_init(&m, 1);
    m.ready = m.loaded = true;
    target.shared = true;
    struct edge_readings r = judge(&m);
    target.shared = false;
    assert_int_equal(r.client_limited, EDGE_YES);
    assert_non_null(strstr(r.client_limited_why, "share"));
}

static void the_run_as_a_whole(void **state)
{
    (void)state;
    static const double rates[] = {1, 2};
    struct edge_readings r;
    edge_judge_run(rates, 2, true, false, false, &r);
    assert_ptr_equal(r.rates, rates);
    assert_int_equal(r.rate_count, 2);
    assert_int_equal(r.calibration, EDGE_YES);
    assert_int_equal(r.emulated, EDGE_NO);
    assert_int_equal(r.recorded, EDGE_NO);
    assert_int_equal(r.ready, EDGE_UNKNOWN);
    edge_judge_run(rates, 2, false, true, true, &r);
    assert_int_equal(r.recorded, EDGE_YES);
    assert_int_equal(r.calibration, EDGE_NO);
    assert_int_equal(r.emulated, EDGE_YES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_was_not_ready),
        cmocka_unit_test(a_load_is_read),
        cmocka_unit_test(a_shared_cpu_limits_the_generator),
        cmocka_unit_test(the_run_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
