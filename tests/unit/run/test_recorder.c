// What the recorder writes, read back by the reader.
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/reader.h"
#include "run/recorder.h"
#include "run/run_options.h"

static struct edge_run_options options;
static struct edge_target target = {.name = "local", .board = "host", .same_machine = true};
static struct edge_payload payload = {.scenario = "empty", .call = "SayEmpty"};
static struct edge_board board = {.model = "Pi", .kernel = "6.1", .cores = 4};
static struct edge_meters meters;
static const struct edge_recorder_facts facts = {
    &edge_run_command_options, &options, &target, &payload, &board, &meters};
static char path[] = "/tmp/edge_recorder_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    edge_options_defaults(&edge_run_command_options, &options);
    options.repeat = 2;
    strcpy(path, "/tmp/edge_recorder_XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    return unlink(path); // the writer makes it anew
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void open_recorder(struct edge_recorder *recorder)
{
    static const struct edge_server_entry server = {.name = "srv", .version = "srv 1 codec=x"};
    struct edge_message message;
    assert_int_equal(edge_recorder_open(recorder, path, &facts, &server, &message), 0);
}

static struct edge_measurement good(uint64_t repeat)
{
    struct edge_measurement m;
    edge_measurement_init(&m, repeat);
    m.spawned = m.ready = m.loaded = true;
    strcpy(m.ram_limit, "cgroup memory.max");
    m.load.window_start_ns = 1000;
    m.load.window_stop_ns = 1000 + UINT64_C(10000000000);
    m.load_stop_ns = m.load.window_stop_ns + 5;
    m.load.due = m.load.sent = m.load.outcomes[EDGE_OUTCOME_OK] = m.load.ok_in_window = 5000;
    m.load.balanced = true;
    assert_int_equal(edge_histogram_init(&m.load.service), 0);
    edge_histogram_record(&m.load.service, 777);
    return m;
}

static struct edge_result *read_back(void)
{
    static struct edge_result result;
    struct edge_message message = {""};
    if (edge_result_read(path, &result, &message) != 0)
        fail_msg("%s", message.text);
    return &result;
}

static void repeats_come_back(void **state)
{
    (void)state;
    struct edge_recorder recorder;
    struct edge_message message;
    open_recorder(&recorder);
    for (uint64_t repeat = 1; repeat <= 2; repeat++) {
        struct edge_measurement m = good(repeat);
        struct edge_agent_sample sample;
        edge_agent_sample_init(&sample);
        sample.t_ns = 1000 * repeat;
        sample.cpu_ns = repeat;
        edge_recorder_sample(&recorder, repeat, &sample);
        edge_agent_sample_init(&sample); // of a mark that the agent could not make
        edge_recorder_sample(&recorder, repeat, &sample);
        edge_recorder_slice(&recorder, repeat, 1000, 2000, 7, 6);
        edge_recorder_repeat(&recorder, &m);
        edge_measurement_free(&m);
    }
    assert_int_equal(recorder.verified, 10000);
    assert_int_equal(edge_recorder_end(&recorder, NULL, &message), 0);
    edge_recorder_free(&recorder);

    struct edge_result *result = read_back();
    assert_string_equal(result->run.server, "srv");
    assert_string_equal(result->run.call, "SayEmpty");
    assert_string_equal(result->server.codec, "x");
    assert_string_equal(result->server.tls, "off");
    assert_string_equal(result->board.kernel, "Linux 6.1");
    assert_string_equal(result->board.ram_limit, "cgroup memory.max");
    assert_string_equal(edge_result_option(result, "concurrency"), "1000");
    assert_int_equal(result->repeat_count, 2);
    assert_true(edge_result_rate(&result->repeats[1]) == 500.0);
    assert_int_equal(result->repeats[0].sample_count, 1);
    assert_int_equal(result->repeats[0].hist_count, 1); // empty ones are left out
    assert_true(result->ended);
    assert_int_equal(result->end.valid, EDGE_NO); // no samples, for one
    edge_result_free(result);
}

static void a_server_that_lied_is_counted_by_kind(void **state)
{
    (void)state;
    struct edge_recorder recorder;
    struct edge_message message;
    struct edge_measurement m;
    open_recorder(&recorder);
    edge_measurement_init(&m, 1);
    m.spawned = true;
    m.readiness.calls = 48;
    m.readiness.outcomes[EDGE_OUTCOME_GRPC_STATUS] = 48;
    m.readiness.grpc_status[13] = 40;
    m.readiness.grpc_status[16] = 8;
    strcpy(m.readiness.first_error, "grpc-status 13");
    strcpy(m.problem, "answered 48 calls, none was verified");
    edge_recorder_repeat(&recorder, &m);
    assert_int_equal(recorder.verified, 0);
    assert_int_equal(edge_recorder_end(&recorder, NULL, &message), 0);
    edge_recorder_free(&recorder);

    struct edge_result *result = read_back();
    const struct edge_record_count *count = &result->repeats[0].count;
    assert_int_equal(count->ok_in_window, 0);
    assert_int_equal(edge_tally_get(&count->outcomes, "grpc_status"), 48);
    assert_int_equal(edge_tally_get(&count->outcomes, "ok"), 0);
    assert_int_equal(edge_tally_get(&count->grpc_status, "13"), 40);
    assert_int_equal(edge_tally_get(&count->grpc_status, "16+"), 8);
    assert_string_equal(count->first_error, "grpc-status 13");
    assert_int_equal(result->end.valid, EDGE_NO);
    assert_non_null(strstr(result->end.reasons.at[0], "none was verified"));
    edge_result_free(result);
}

static void an_interrupted_run_says_so(void **state)
{
    (void)state;
    struct edge_recorder recorder;
    struct edge_message message;
    open_recorder(&recorder);
    assert_int_equal(edge_recorder_end(&recorder, "the link is cut", &message), 0);
    edge_recorder_free(&recorder);
    struct edge_result *result = read_back();
    assert_int_equal(result->end.valid, EDGE_NO);
    assert_non_null(strstr(result->end.reasons.at[0], "interrupted"));
    edge_result_free(result);
}

static void a_failed_write_is_kept_and_told(void **state)
{
    (void)state;
    struct edge_recorder recorder;
    struct edge_message message = {""};
    open_recorder(&recorder);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_true(dup2(full, recorder.writer.fd) >= 0);
    close(full);
    struct edge_measurement m = good(1);
    edge_recorder_repeat(&recorder, &m);
    edge_measurement_free(&m);
    assert_int_equal(recorder.error, -ENOSPC);
    assert_int_equal(edge_recorder_end(&recorder, NULL, &message), -ENOSPC);
    assert_non_null(strstr(message.text, path));
    edge_recorder_free(&recorder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(repeats_come_back),
        TEST(a_server_that_lied_is_counted_by_kind),
        TEST(an_interrupted_run_says_so),
        TEST(a_failed_write_is_kept_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
