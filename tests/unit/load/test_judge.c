#include "cmocka_headers.h"

#include <string.h>

#include "load/books.h"
#include "load/judge.h"

#define US UINT64_C(1000)

static void busy_thread(void **state)
{
    (void)state;
    struct edge_load_result result = {.thread_count = 2};
    result.threads[0] = (struct edge_load_thread){.elapsed_ns = 1000000, .cpu_ns = 500000};
    result.threads[1] = (struct edge_load_thread){.elapsed_ns = 1000000, .cpu_ns = 900000};
    edge_judge(&result);
    assert_false(result.client_limited);
    assert_string_equal(result.client_limited_why, "");
    result.threads[1].cpu_ns = 950000;
    edge_judge(&result);
    assert_true(result.client_limited);
    assert_string_equal(result.client_limited_why,
                        "generator thread 1 used 95 % of its CPU (limit 90 %): give it more CPUs "
                        "with --cpus");
}

static void record(struct edge_load_result *result, uint64_t lag_ns, uint64_t service_ns)
{
    edge_histogram_reset(&result->send_lag);
    edge_histogram_reset(&result->service);
    for (int i = 0; i < 100; i++) {
        edge_histogram_record(&result->send_lag, lag_ns);
        edge_histogram_record(&result->service, service_ns);
    }
}

static void late_sends(void **state)
{
    (void)state;
    struct edge_load_result result;
    assert_int_equal(edge_books_init(&result), 0);
    result.sent = 100;
    record(&result, 190 * US, 50 * US); // what a timer's wake-up costs
    edge_judge(&result);
    assert_false(result.client_limited);
    record(&result, 210 * US, 50 * US);
    edge_judge(&result);
    assert_true(result.client_limited);
    assert_non_null(strstr(result.client_limited_why, "send lag p99 210"));
    record(&result, 900 * US, 10000 * US); // below 10 % of the service time
    edge_judge(&result);
    assert_false(result.client_limited);
    record(&result, 1100 * US, 10000 * US);
    edge_judge(&result);
    assert_true(result.client_limited);
    result.waited = 2; // it was the server that had no room
    edge_judge(&result);
    assert_false(result.client_limited);
    // Then the thread's CPU tells, as in a closed loop; otherwise it does not.
    result.thread_count = 1;
    result.threads[0] = (struct edge_load_thread){.elapsed_ns = 1000000, .cpu_ns = 950000};
    edge_judge(&result);
    assert_true(result.client_limited);
    record(&result, 190 * US, 50 * US);
    result.waited = 0;
    edge_judge(&result);
    assert_false(result.client_limited);
    edge_load_result_free(&result);
}

// Most calls timed out after 20 s: that is no reason to find a lag of 1 ms small.
static void timeouts_do_not_excuse_lag(void **state)
{
    (void)state;
    struct edge_load_result result;
    assert_int_equal(edge_books_init(&result), 0);
    result.sent = 300;
    record(&result, 1000 * US, 50 * US);
    for (int i = 0; i < 200; i++)
        edge_histogram_record_bound(&result.service, 20000000 * US);
    edge_judge(&result);
    assert_true(result.client_limited);
    assert_non_null(strstr(result.client_limited_why, "(limit 200"));
    // No call was answered: nothing to compare with.
    edge_histogram_reset(&result.service);
    edge_histogram_record_bound(&result.service, 20000000 * US);
    edge_judge(&result);
    assert_false(result.client_limited);
    edge_load_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_thread),
        cmocka_unit_test(late_sends),
        cmocka_unit_test(timeouts_do_not_excuse_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
