#include "cmocka_headers.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/probe_process.h"
#include "base/clock.h"

#define PI4 EDGE_DATA_DIR "/proc/pi4"

// Process 42 is a shell that has started 43, a server with two threads and an ugly name.
static void sums_a_process_and_its_descendants(void **state)
{
    (void)state;
    struct edge_probe_process probe;
    struct edge_agent_sample sample;
    edge_probe_process_init(&probe, PI4, 42);
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_sample(&probe, false, &sample), 0);
    uint64_t tick_ns = EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    assert_int_equal(sample.cpu_ns, (3 + 2 + 130 + 70) * tick_ns);
    assert_string_equal(sample.cpu_source, "stat");
    assert_int_equal(sample.processes, 2);
    assert_int_equal(sample.threads, 3);
    assert_int_equal(sample.rss_bytes, (700 + 1300) * 1024);
    assert_int_equal(sample.hwm_bytes, (720 + 2280) * 1024);
    assert_int_equal(sample.voluntary_switches, 11 + 100);
    assert_int_equal(sample.involuntary_switches, 1 + 9);
    assert_true(sample.pss_bytes == EDGE_UNMEASURED);
}

static void reads_pss_and_all_threads_when_asked(void **state)
{
    (void)state;
    struct edge_probe_process probe;
    struct edge_agent_sample sample;
    edge_probe_process_init(&probe, PI4, 42);
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_sample(&probe, true, &sample), 0);
    assert_int_equal(sample.pss_bytes, (100 + 1250) * 1024);
    assert_int_equal(sample.voluntary_switches, 11 + 100 + 400);
    assert_int_equal(sample.involuntary_switches, 1 + 9 + 90);
}

static void keeps_the_time_of_a_descendant_that_has_ended(void **state)
{
    (void)state;
    struct edge_probe_process probe;
    struct edge_agent_sample sample;
    edge_probe_process_init(&probe, PI4, 42);
    probe.count = 2; // 99 has been seen before; it is not there any more
    probe.tree[1] = (struct edge_probe_process_entry){.pid = 99, .cpu_ns = 12345};
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_sample(&probe, false, &sample), 0);
    uint64_t tick_ns = EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    assert_int_equal(sample.cpu_ns, (3 + 2 + 130 + 70) * tick_ns + 12345);
    assert_int_equal(sample.processes, 2);
}

static void says_when_the_server_is_gone(void **state)
{
    (void)state;
    struct edge_probe_process probe;
    struct edge_agent_sample sample;
    edge_probe_process_init(&probe, PI4, 77);
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_sample(&probe, false, &sample), -ESRCH);
    assert_true(sample.cpu_ns == EDGE_UNMEASURED);
    assert_true(sample.rss_bytes == EDGE_UNMEASURED);
}

// The live system: a child that has used at least 50 ms by its own clock.
static void reads_the_clock_of_a_live_process(void **state)
{
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        while (edge_clock_thread_cpu_ns() < 50 * EDGE_NS_PER_MS)
            continue;
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct edge_probe_process probe;
    struct edge_agent_sample sample;
    struct edge_message message;
    edge_probe_process_init(&probe, "", pid);
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_reset_peak(&probe, &message), 0);
    assert_int_equal(edge_probe_process_sample(&probe, true, &sample), 0);
    // The scheduler's sum may lag by a tick while the child still runs.
    assert_true(sample.cpu_ns >= 30 * EDGE_NS_PER_MS);
    assert_true(sample.rss_bytes > 0 && sample.rss_bytes != EDGE_UNMEASURED);
    assert_true(sample.pss_bytes != EDGE_UNMEASURED);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_process_sample(&probe, false, &sample), -ESRCH);
    assert_int_equal(edge_probe_process_reset_peak(&probe, &message), -ENOENT);
    assert_non_null(strstr(message.text, "clear_refs"));
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_a_process_and_its_descendants),
        cmocka_unit_test(reads_pss_and_all_threads_when_asked),
        cmocka_unit_test(keeps_the_time_of_a_descendant_that_has_ended),
        cmocka_unit_test(says_when_the_server_is_gone),
        cmocka_unit_test(reads_the_clock_of_a_live_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
