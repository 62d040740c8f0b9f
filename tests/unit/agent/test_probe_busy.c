// Who uses the CPUs, seen by a process that does.
#include "cmocka_headers.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/probe_busy.h"
#include "base/clock.h"

static pid_t spin(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "spin (x) y");
        for (volatile unsigned long i = 0;; i = i + 1)
            ;
    }
    return pid;
}

// Until it is among the busiest: others may be busier for a while.
static const struct edge_probe_busy_entry *watch(pid_t pid, struct edge_probe_busy_entry *top)
{
    for (int i = 0; i < 100; i++) {
        struct edge_probe_busy busy;
        assert_int_equal(edge_probe_busy_begin(&busy), 0);
        edge_clock_sleep_until(edge_clock_ns() + 100 * EDGE_NS_PER_MS);
        size_t count = edge_probe_busy_end(&busy, top);
        assert_true(count <= EDGE_PROBE_BUSY_TOP);
        for (size_t j = 0; j < count; j++) {
            assert_true(top[j].cpu_ns > 0);
            assert_true(j == 0 || top[j - 1].cpu_ns >= top[j].cpu_ns);
            assert_int_not_equal(top[j].pid, getpid());
            if (top[j].pid == pid)
                return &top[j];
        }
    }
    return NULL;
}

static void a_busy_process_is_named(void **state)
{
    (void)state;
    struct edge_probe_busy_entry top[EDGE_PROBE_BUSY_TOP];
    pid_t pid = spin();
    assert_true(pid > 0);
    const struct edge_probe_busy_entry *found = watch(pid, top);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_non_null(found);
    assert_string_equal(found->name, "spin (x) y");
}

static void nothing_is_kept_without_a_first_look(void **state)
{
    (void)state;
    struct edge_probe_busy busy = {.count = 0};
    struct edge_probe_busy_entry top[EDGE_PROBE_BUSY_TOP];
    assert_int_equal(edge_probe_busy_end(&busy, top), 0);
    edge_probe_busy_free(&busy);
    edge_probe_busy_free(&busy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_process_is_named),
        cmocka_unit_test(nothing_is_kept_without_a_first_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
