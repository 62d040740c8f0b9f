// The whole agent over two pipes, as a host sees it.
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_json.h"
#include "base/clock.h"

struct host {
    int to[2], from[2];
    FILE *in;
    pthread_t thread;
    int result;
    struct edge_message message;
    struct edge_agent_config config;
};

static void *serve(void *argument)
{
    struct host *host = argument;
    host->result = edge_agent_run(&host->config, &host->message);
    close(host->from[1]);
    return NULL;
}

static int set_up_on(void **state, const char *root)
{
    static struct host host;
    signal(SIGPIPE, SIG_IGN);
    sigset_t child; // in the program there is one thread only, which blocks it
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, NULL);
    if (pipe2(host.to, O_CLOEXEC) != 0 || pipe2(host.from, O_CLOEXEC) != 0)
        return -1;
    host.in = fdopen(host.from[0], "r");
    host.config = (struct edge_agent_config){root, host.to[0], host.from[1]};
    *state = &host;
    return pthread_create(&host.thread, NULL, serve, &host);
}

static int set_up(void **state)
{
    return set_up_on(state, "");
}

static int set_up_pi5(void **state)
{
    return set_up_on(state, EDGE_DATA_DIR "/boards/pi-5");
}

static int tear_down(void **state)
{
    struct host *host = *state;
    if (host->to[1] >= 0)
        close(host->to[1]);
    pthread_join(host->thread, NULL);
    close(host->to[0]);
    fclose(host->in);
    return host->result;
}

static void say(struct host *host, const char *line)
{
    assert_int_equal(write(host->to[1], line, strlen(line)), strlen(line));
    assert_int_equal(write(host->to[1], "\n", 1), 1);
}

static json_t *hear(struct host *host)
{
    char line[8192];
    json_t *object;
    struct edge_message message;
    assert_non_null(fgets(line, sizeof(line), host->in));
    assert_int_equal(edge_agent_json_line(line, strcspn(line, "\n"), &object, &message), 0);
    return object;
}

static void expect_error(struct host *host, const char *line, int re, const char *words)
{
    say(host, line);
    json_t *event = hear(host);
    assert_string_equal(json_string_value(json_object_get(event, "event")), "error");
    const json_t *member = json_object_get(event, "re");
    assert_int_equal(json_is_null(member) ? -1 : json_integer_value(member), re);
    const char *text = json_string_value(json_object_get(event, "text"));
    if (!strstr(text, words))
        fail_msg("%s: %s", line, text);
    json_decref(event);
}

static json_t *expect_answer(struct host *host, const char *line, int re)
{
    say(host, line);
    json_t *answer = hear(host);
    assert_int_equal(json_integer_value(json_object_get(answer, "re")), re);
    if (json_object_get(answer, "event"))
        fail_msg("%s: %s", line, json_string_value(json_object_get(answer, "text")));
    return answer;
}

static void greet(struct host *host)
{
    json_decref(expect_answer(host, "{\"op\":\"hello\",\"id\":0,\"protocol\":2}", 0));
}

static void malformed_lines_are_answered(void **state)
{
    struct host *host = *state;
    expect_error(host, "x", -1, "JSON object");
    expect_error(host, "[]", -1, "JSON object");
    expect_error(host, "{\"op\":\"hello\"}", -1, "\"id\"");
    expect_error(host, "{\"op\":\"hello\",\"id\":\"1\"}", -1, "\"id\"");
    expect_error(host, "{\"op\":\"ping\",\"id\":1}", 1, "hello first");
    expect_error(host, "{\"op\":\"hello\",\"id\":2}", 2, "protocol 0");
    expect_error(host, "{\"op\":\"hello\",\"id\":3,\"protocol\":1}", 3, "protocol 1");
    expect_error(host, "{\"op\":\"port\",\"id\":3}", 3, "hello first");
    greet(host);
    expect_error(host, "{\"op\":7,\"id\":4}", 4, "\"op\"");
    expect_error(host, "{\"op\":\"dance\",\"id\":5}", 5, "found \"dance\"");
    expect_error(host, "{\"op\":\"spawn\",\"id\":6}", 6, "\"argv\"");
    expect_error(host, "{\"op\":\"spawn\",\"id\":7,\"argv\":[1]}", 7, "\"argv\"[0]");
    expect_error(host, "{\"op\":\"spawn\",\"id\":8,\"argv\":[\"true\"],\"cpus\":\"a\"}", 8,
                 "\"cpus\"");
    expect_error(host, "{\"op\":\"spawn\",\"id\":9,\"argv\":[\"/nonexistent\"]}", 9,
                 "/nonexistent");
    expect_error(host, "{\"op\":\"stop\",\"id\":10}", 10, "no server is running");
    expect_error(host, "{\"op\":\"reset_peak\",\"id\":11}", 11, "no server is running");
    expect_error(host, "{\"op\":\"sample\",\"id\":12,\"period_ns\":1}", 12, "\"period_ns\"");
    json_decref(expect_answer(host, "{\"op\":\"ping\",\"id\":13}", 13)); // still there
}

static void a_line_that_is_too_long_is_skipped(void **state)
{
    struct host *host = *state;
    size_t len = 2 * EDGE_AGENT_LINE_MAX + 100;
    char *line = malloc(len + 1);
    assert_non_null(line);
    memset(line, ' ', len);
    line[len] = '\0';
    expect_error(host, line, -1, "longer than");
    free(line);
    greet(host);
}

static void hello_tells_about_the_board(void **state)
{
    struct host *host = *state;
    json_t *answer = expect_answer(host, "{\"op\":\"hello\",\"id\":1,\"protocol\":2}", 1);
    assert_int_equal(json_integer_value(json_object_get(answer, "protocol")), EDGE_AGENT_PROTOCOL);
    struct edge_board board;
    edge_agent_json_to_board(json_object_get(answer, "board"), &board);
    assert_true(board.cores > 0 && board.ram_bytes > 0);
    assert_true(board.kernel[0] && board.allowed_cpus[0]);
    json_decref(answer);
}

static void a_free_port_is_told(void **state)
{
    struct host *host = *state;
    greet(host);
    json_t *answer = expect_answer(host, "{\"op\":\"port\",\"id\":1}", 1);
    assert_in_range(json_integer_value(json_object_get(answer, "port")), 10000, 31999);
    json_decref(answer);
    expect_error(host, "{\"op\":\"port\",\"id\":2,\"host\":\"no.such.host\"}", 2, "no.such.host");
}

static void *nothing(void *argument)
{
    return argument;
}

// A link that is cut closes nothing: silence is all that there is.
static void a_silent_host_ends_the_agent(void **state)
{
    struct host *host = *state;
    json_decref(expect_answer(
        host, "{\"op\":\"hello\",\"id\":0,\"protocol\":2,\"patience_ns\":400000000}", 0));
    json_decref(
        expect_answer(host, "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sleep\",\"1000\"]}", 1));
    uint64_t start_ns = edge_clock_ns();
    for (int i = 0; i < 6; i++) { // signs of life
        edge_clock_sleep_until(edge_clock_ns() + 100 * EDGE_NS_PER_MS);
        say(host, "");
    }
    json_decref(expect_answer(host, "{\"op\":\"ping\",\"id\":2}", 2));
    assert_true(edge_clock_ns() - start_ns > 400 * EDGE_NS_PER_MS);
    assert_int_equal(fgetc(host->in), EOF); // it has ended by itself
    pthread_join(host->thread, NULL);
    assert_int_equal(host->result, -ETIMEDOUT);
    assert_non_null(strstr(host->message.text, "silent for 0.4 s"));
    host->result = 0;
    assert_int_equal(pthread_create(&host->thread, NULL, nothing, NULL), 0); // for tear_down()
}

static void a_server_is_spawned_sampled_and_stopped(void **state)
{
    struct host *host = *state;
    struct edge_agent_sample sample;
    greet(host);
    json_t *answer =
        expect_answer(host,
                      "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sh\",\"-c\",\"echo $A >&2;"
                      "sleep 100 & wait\"],\"env\":[\"A=hello there\"]}",
                      1);
    assert_true(json_integer_value(json_object_get(answer, "pid")) > 0);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "ram_limit")), "none"));
    json_decref(answer);
    expect_error(host, "{\"op\":\"spawn\",\"id\":2,\"argv\":[\"true\"]}", 2, "running already");
    json_decref(expect_answer(host, "{\"op\":\"reset_peak\",\"id\":3}", 3));

    json_decref(expect_answer(host, "{\"op\":\"sample\",\"id\":4,\"period_ns\":5000000}", 4));
    uint64_t before_ns = 0;
    for (int i = 0; i < 3; i++) {
        json_t *event = hear(host);
        assert_string_equal(json_string_value(json_object_get(event, "event")), "sample");
        edge_agent_json_to_sample(json_object_get(event, "sample"), &sample);
        assert_true(sample.t_ns > before_ns);
        assert_true(sample.cpu_ns != EDGE_UNMEASURED && sample.rss_bytes != EDGE_UNMEASURED);
        assert_true(sample.pss_bytes == EDGE_UNMEASURED);
        before_ns = sample.t_ns;
        json_decref(event);
    }
    say(host, "{\"op\":\"sample\",\"id\":5,\"period_ns\":0}");
    while ((answer = hear(host), json_object_get(answer, "event")))
        json_decref(answer);
    json_decref(answer);

    char line[160];
    uint64_t at_ns = edge_clock_ns() + 20 * EDGE_NS_PER_MS;
    snprintf(line, sizeof(line),
             "{\"op\":\"mark\",\"id\":6,\"label\":\"edge\",\"deep\":true,\"at_ns\":%llu}",
             (unsigned long long)at_ns);
    answer = expect_answer(host, line, 6);
    edge_agent_json_to_sample(json_object_get(answer, "sample"), &sample);
    assert_string_equal(sample.label, "edge");
    assert_true(sample.t_ns >= at_ns);
    assert_true(sample.pss_bytes != EDGE_UNMEASURED);
    json_decref(answer);

    answer = expect_answer(host, "{\"op\":\"stop\",\"id\":7}", 7);
    assert_string_equal(json_string_value(json_object_get(answer, "status")),
                        "killed by SIGTERM (Terminated)");
    assert_string_equal(json_string_value(json_object_get(answer, "stderr")), "hello there\n");
    assert_true(json_is_false(json_object_get(answer, "killed")));
    json_decref(answer);
    answer = expect_answer(host, "{\"op\":\"mark\",\"id\":8}", 8); // the machine alone
    edge_agent_json_to_sample(json_object_get(answer, "sample"), &sample);
    assert_true(sample.cpu_ns == EDGE_UNMEASURED && sample.machine_busy_ns != EDGE_UNMEASURED);
    json_decref(answer);
}

static void a_server_that_does_not_listen_is_killed(void **state)
{
    struct host *host = *state;
    greet(host);
    json_decref(expect_answer(
        host,
        "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sh\",\"-c\",\"trap '' TERM; echo >&2; while :; do "
        "sleep 0.01; done\"]}",
        1));
    // The trap is set once it has slept: it then has a child.
    struct edge_agent_sample sample;
    do {
        json_t *answer = expect_answer(host, "{\"op\":\"mark\",\"id\":2}", 2);
        edge_agent_json_to_sample(json_object_get(answer, "sample"), &sample);
        json_decref(answer);
    } while (sample.processes < 2);
    json_t *answer = expect_answer(host, "{\"op\":\"stop\",\"id\":3,\"grace_ns\":20000000}", 3);
    assert_true(json_is_true(json_object_get(answer, "killed")));
    assert_string_equal(json_string_value(json_object_get(answer, "status")),
                        "killed by SIGKILL (Killed)");
    json_decref(answer);
}

static void a_death_is_told_at_once(void **state)
{
    struct host *host = *state;
    greet(host);
    json_decref(expect_answer(
        host, "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sh\",\"-c\",\"echo no port >&2; exit 3\"]}",
        1));
    json_t *event = hear(host);
    assert_string_equal(json_string_value(json_object_get(event, "event")), "server_exited");
    assert_string_equal(json_string_value(json_object_get(event, "status")), "exited with code 3");
    assert_int_equal(json_integer_value(json_object_get(event, "exit_code")), 3);
    assert_string_equal(json_string_value(json_object_get(event, "stderr")), "no port\n");
    json_decref(event);
    json_decref(expect_answer(host, "{\"op\":\"spawn\",\"id\":2,\"argv\":[\"sleep\",\"100\"]}", 2));
    json_decref(expect_answer(host, "{\"op\":\"stop\",\"id\":3}", 3));
}

static void the_end_of_input_takes_the_server_along(void **state)
{
    struct host *host = *state;
    int held[2];
    char line[160], byte;
    assert_int_equal(pipe(held), 0); // not close-on-exec: the server and its child inherit it
    greet(host);
    snprintf(
        line, sizeof(line),
        "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sh\",\"-c\",\"trap '' TERM; sleep 100 & wait\"]}");
    json_decref(expect_answer(host, line, 1));
    close(held[1]);
    close(host->to[1]);
    host->to[1] = -1;
    assert_int_equal(read(held[0], &byte, 1), 0); // the last holder is gone
    close(held[0]);
}

static void power_is_read_at_its_own_pace(void **state)
{
    struct host *host = *state;
    greet(host);
    json_t *answer = expect_answer(host, "{\"op\":\"power\",\"id\":1}", 1);
    const json_t *source = json_object_get(answer, "source");
    assert_string_equal(json_string_value(json_object_get(source, "name")), "pmic");
    assert_string_equal(json_string_value(json_object_get(source, "scope")), "soc_rails");
    assert_int_equal(json_integer_value(json_object_get(source, "interval_ns")), 100000000);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "why")), "hwmon"));
    json_decref(answer);
    expect_error(host, "{\"op\":\"power\",\"id\":2,\"name\":\"rapl\"}", 2, "no package zone");
    expect_error(host, "{\"op\":\"power\",\"id\":3,\"name\":\"tasmota\"}", 3, "of a board");
    json_decref(expect_answer(host, "{\"op\":\"poll\",\"id\":4,\"on\":true}", 4));
    uint64_t before_ns = 0;
    for (int i = 0; i < 3; i++) {
        json_t *event = hear(host);
        assert_string_equal(json_string_value(json_object_get(event, "event")), "power");
        assert_int_equal(json_integer_value(json_object_get(event, "source")), 0);
        assert_int_equal(json_integer_value(json_object_get(event, "power_uw")), 3010369);
        assert_true(json_is_null(json_object_get(event, "energy_uj")));
        uint64_t t_ns = (uint64_t)json_integer_value(json_object_get(event, "t_ns"));
        assert_true(t_ns > before_ns);
        before_ns = t_ns;
        json_decref(event);
    }
    say(host, "{\"op\":\"poll\",\"id\":5,\"on\":false}");
    while ((answer = hear(host), json_object_get(answer, "event")))
        json_decref(answer);
    json_decref(answer);
    json_decref(expect_answer(host, "{\"op\":\"ping\",\"id\":6}", 6));
}

static void a_probe_tells_all_at_once(void **state)
{
    struct host *host = *state;
    greet(host);
    say(host, "{\"op\":\"probe\",\"id\":1,\"for_ns\":300000000}");
    expect_error(host, "{\"op\":\"probe\",\"id\":2}", 2, "running already");
    json_decref(expect_answer(host, "{\"op\":\"ping\",\"id\":3}", 3)); // it does not block
    json_t *answer = hear(host);
    assert_int_equal(json_integer_value(json_object_get(answer, "re")), 1);
    const json_t *facts = json_object_get(answer, "probe");
    assert_string_equal(json_string_value(json_object_get(facts, "model")),
                        "Raspberry Pi 5 Model B Rev 1.0");
    const json_t *source = json_array_get(json_object_get(facts, "power"), 3);
    assert_string_equal(json_string_value(json_object_get(source, "name")), "pmic");
    assert_int_equal(json_integer_value(json_object_get(source, "power_uw")), 3010369);
    json_decref(answer);
}

static void a_probe_does_not_disturb_a_server(void **state)
{
    struct host *host = *state;
    greet(host);
    json_decref(expect_answer(host, "{\"op\":\"spawn\",\"id\":1,\"argv\":[\"sleep\",\"100\"]}", 1));
    expect_error(host, "{\"op\":\"probe\",\"id\":2}", 2, "stop it first");
}

static void a_host_may_go_away_during_a_probe(void **state)
{
    struct host *host = *state;
    greet(host);
    say(host, "{\"op\":\"probe\",\"id\":1,\"for_ns\":60000000000}");
}

static void bye_ends_it(void **state)
{
    struct host *host = *state;
    greet(host);
    json_decref(expect_answer(host, "{\"op\":\"bye\",\"id\":1}", 1));
    assert_int_equal(fgetc(host->in), EOF);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_free_port_is_told),
        TEST(a_silent_host_ends_the_agent),
        TEST(malformed_lines_are_answered),
        TEST(a_line_that_is_too_long_is_skipped),
        TEST(hello_tells_about_the_board),
        TEST(a_server_is_spawned_sampled_and_stopped),
        TEST(a_server_that_does_not_listen_is_killed),
        TEST(a_death_is_told_at_once),
        TEST(the_end_of_input_takes_the_server_along),
        TEST(bye_ends_it),
        TEST(a_probe_does_not_disturb_a_server),
        TEST(a_host_may_go_away_during_a_probe),
        cmocka_unit_test_setup_teardown(a_probe_tells_all_at_once, set_up_pi5, tear_down),
        cmocka_unit_test_setup_teardown(power_is_read_at_its_own_pace, set_up_pi5, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
