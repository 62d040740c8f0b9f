#include "cmocka_headers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/subprocess.h"

// Starts `sh -c script` with its stdout on a pipe.
static void start(const char *script, struct edge_subprocess_config *config,
                  struct edge_subprocess *process)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct edge_message message;
    config->argv = argv;
    config->pipe_stdout = true;
    assert_int_equal(edge_subprocess_spawn(config, process, &message), 0);
}

static void read_all(struct edge_subprocess *process, char *text, size_t size)
{
    size_t len = 0;
    ssize_t got;
    while ((got = read(process->stdout_fd, text + len, size - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
}

static void passes_environment_and_output(void **state)
{
    (void)state;
    static const char *const env[] = {"EDGE_A=1", "HOME=/elsewhere", NULL};
    struct edge_subprocess_config config = {.env = env};
    struct edge_subprocess process;
    char text[128];
    start("echo $EDGE_A $HOME; exit 3", &config, &process);
    read_all(&process, text, sizeof(text));
    assert_string_equal(text, "1 /elsewhere\n");
    edge_subprocess_stop(&process, EDGE_NS_PER_S);
    assert_true(process.exited);
    assert_string_equal(edge_subprocess_status_text(process.status, text, sizeof(text)),
                        "exited with code 3");
}

static void pins_and_limits(void **state)
{
    (void)state;
    struct edge_cpuset allowed;
    struct edge_cpuset one = {.count = 1};
    char text[128];
    char expected[128];
    assert_int_equal(edge_cpuset_allowed(&allowed), 0);
    one.cpus[0] = allowed.cpus[allowed.count - 1];
    struct edge_subprocess_config config = {.cpus = &one, .data_bytes = 64 << 20};
    struct edge_subprocess process;
    start("grep Cpus_allowed_list /proc/self/status | cut -f2; ulimit -d", &config, &process);
    read_all(&process, text, sizeof(text));
    // qemu-user keeps memory limits to itself.
    snprintf(expected, sizeof(expected), "%u\n%s\n", one.cpus[0],
             getenv("EDGE_EMULATED") ? "unlimited" : "65536");
    assert_string_equal(text, expected);
    edge_subprocess_stop(&process, EDGE_NS_PER_S);
}

static void a_program_that_is_not_there_is_an_error_of_spawn(void **state)
{
    (void)state;
    const char *argv[] = {"/nonexistent/program", NULL};
    struct edge_subprocess_config config = {.argv = argv};
    struct edge_subprocess process;
    struct edge_message message;
    assert_int_equal(edge_subprocess_spawn(&config, &process, &message), -ENOENT);
    assert_string_equal(message.text,
                        "cannot start /nonexistent/program: No such file or directory");
    assert_int_equal(edge_subprocess_stop(&process, 0), 0);
}

static void stop_terms_then_kills(void **state)
{
    (void)state;
    struct edge_subprocess_config config = {0};
    struct edge_subprocess process;
    char text[64];
    start("exec sleep 1000", &config, &process);
    assert_false(edge_subprocess_poll(&process));
    assert_int_equal(edge_subprocess_stop(&process, 5 * EDGE_NS_PER_S), 0);
    assert_string_equal(edge_subprocess_status_text(process.status, text, sizeof(text)),
                        "killed by SIGTERM (Terminated)");

    start("trap '' TERM; echo ready; while :; do sleep 0.01; done", &config, &process);
    assert_int_equal(read(process.stdout_fd, text, 1), 1); // the trap is set
    assert_int_equal(edge_subprocess_stop(&process, 20 * EDGE_NS_PER_MS), EDGE_ERR_FAILED);
    assert_true(WIFSIGNALED(process.status) && WTERMSIG(process.status) == SIGKILL);
    assert_int_equal(edge_subprocess_stop(&process, 0), 0);
}

static void stdin_is_a_pipe_or_nothing(void **state)
{
    (void)state;
    struct edge_subprocess_config config = {.pipe_stdin = true};
    struct edge_subprocess process;
    char text[64];
    start("cat", &config, &process);
    assert_int_equal(write(process.stdin_fd, "abc", 3), 3);
    assert_int_equal(read(process.stdout_fd, text, sizeof(text)), 3);
    edge_subprocess_stop(&process, EDGE_NS_PER_S);

    config = (struct edge_subprocess_config){0};
    start("cat; echo end", &config, &process);
    read_all(&process, text, sizeof(text));
    assert_string_equal(text, "end\n");
    edge_subprocess_stop(&process, EDGE_NS_PER_S);
}

static void stop_ends_the_whole_group(void **state)
{
    (void)state;
    struct edge_subprocess_config config = {.own_group = true};
    struct edge_subprocess process;
    char text[64];
    start("sleep 1000 & echo ready; wait", &config, &process);
    assert_int_equal(read(process.stdout_fd, text, 6), 6);
    int held = dup(process.stdout_fd);
    assert_int_equal(edge_subprocess_stop(&process, EDGE_NS_PER_S), 0);
    assert_int_equal(read(held, text, 1), 0); // the grandchild held the other end
    close(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_environment_and_output),
        cmocka_unit_test(pins_and_limits),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error_of_spawn),
        cmocka_unit_test(stop_terms_then_kills),
        cmocka_unit_test(stdin_is_a_pipe_or_nothing),
        cmocka_unit_test(stop_ends_the_whole_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
