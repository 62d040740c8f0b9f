#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

// All descriptors of one spawn. -1 where there is none.
struct pipes {
    int in[2];
    int out[2];
    int report[2]; // carries errno from the child if exec fails; closed by exec otherwise
    int null_fd;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct pipes *pipes)
{
    for (int i = 0; i < 2; i++) {
        close_fd(&pipes->in[i]);
        close_fd(&pipes->out[i]);
        close_fd(&pipes->report[i]);
    }
    close_fd(&pipes->null_fd);
}

static int open_all(const struct edge_subprocess_config *config, struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, -1};
    pipes->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (pipes->null_fd < 0 || pipe2(pipes->report, O_CLOEXEC) < 0 ||
        (config->pipe_stdin && pipe2(pipes->in, O_CLOEXEC) < 0) ||
        (config->pipe_stdout && pipe2(pipes->out, O_CLOEXEC) < 0)) {
        int error = -errno;
        close_all(pipes);
        return error;
    }
    return 0;
}

// The child's environment: the caller's, with `extra` in front (the first one found wins).
static char **build_environment(const char *const *extra)
{
    size_t own = 0;
    size_t inherited = 0;
    while (extra != NULL && extra[own] != NULL)
        own++;
    while (environ[inherited] != NULL)
        inherited++;
    char **env = calloc(own + inherited + 1, sizeof(*env));
    if (env == NULL)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < own; i++)
        env[count++] = (char *)(uintptr_t)extra[i];
    for (size_t i = 0; i < inherited; i++) {
        size_t name = strcspn(environ[i], "=");
        size_t k = 0;
        while (k < own && (strncmp(extra[k], environ[i], name) != 0 || extra[k][name] != '='))
            k++;
        if (k == own)
            env[count++] = environ[i];
    }
    return env;
}

static int set_up_child(const struct edge_subprocess_config *config, const struct pipes *pipes,
                        pid_t parent)
{
    if (config->die_with_parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
            return errno;
        if (getppid() != parent)
            return ESRCH; // the parent died before prctl
    }
    if (config->own_group && setpgid(0, 0) < 0)
        return errno;
    int input = config->stdin_fd > 0 ? config->stdin_fd : pipes->null_fd;
    if (dup2(pipes->in[0] >= 0 ? pipes->in[0] : input, STDIN_FILENO) < 0 ||
        dup2(pipes->out[1] >= 0 ? pipes->out[1] : pipes->null_fd, STDOUT_FILENO) < 0 ||
        (config->stderr_fd > 0 && dup2(config->stderr_fd, STDERR_FILENO) < 0))
        return errno;
    if (config->cpus != NULL) {
        int error = edge_cpuset_pin(0, config->cpus);
        if (error < 0)
            return -error;
    }
    if (config->data_bytes > 0) {
        struct rlimit limit = {config->data_bytes, config->data_bytes};
        if (setrlimit(RLIMIT_DATA, &limit) < 0)
            return errno;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    return 0;
}

_Noreturn static void run_child(const struct edge_subprocess_config *config,
                                const struct pipes *pipes, pid_t parent, char **env)
{
    int error = set_up_child(config, pipes, parent);
    if (error == 0) {
        execvpe(config->argv[0], (char *const *)(uintptr_t)config->argv, env);
        error = errno;
    }
    ssize_t wrote = write(pipes->report[1], &error, sizeof(error));
    _exit(wrote == (ssize_t)sizeof(error) ? 127 : 126);
}

// Waits for the child's exec. 0, or the errno with which it failed.
static int read_report(int fd)
{
    int error = 0;
    ssize_t got;
    do {
        got = read(fd, &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(error) ? error : 0;
}

int edge_subprocess_spawn(const struct edge_subprocess_config *config,
                          struct edge_subprocess *process, struct edge_message *message)
{
    *process = (struct edge_subprocess){.stdin_fd = -1, .stdout_fd = -1};
    struct pipes pipes;
    int error = open_all(config, &pipes);
    if (error < 0)
        return edge_fail(message, error, "cannot start %s: %s", config->argv[0],
                         edge_error_text(error));
    char **env = build_environment(config->env);
    pid_t parent = getpid();
    pid_t pid = env != NULL ? fork() : -1;
    if (pid == 0)
        run_child(config, &pipes, parent, env);
    error = env == NULL ? -ENOMEM : pid < 0 ? -errno : 0;
    free(env);
    if (error == 0) {
        close_fd(&pipes.report[1]);
        error = -read_report(pipes.report[0]);
        if (error < 0)
            waitpid(pid, NULL, 0);
    }
    if (error < 0) {
        close_all(&pipes);
        return edge_fail(message, error, "cannot start %s: %s", config->argv[0],
                         edge_error_text(error));
    }
    process->pid = pid;
    process->own_group = config->own_group;
    process->stdin_fd = pipes.in[1];
    process->stdout_fd = pipes.out[0];
    pipes.in[1] = -1;
    pipes.out[0] = -1;
    close_all(&pipes);
    return 0;
}

bool edge_subprocess_poll(struct edge_subprocess *process)
{
    if (process->pid > 0 && !process->exited &&
        waitpid(process->pid, &process->status, WNOHANG) == process->pid)
        process->exited = true;
    return process->exited;
}

static bool wait_until(struct edge_subprocess *process, uint64_t due_ns)
{
    while (!edge_subprocess_poll(process)) {
        uint64_t now = edge_clock_ns();
        if (now >= due_ns)
            return false;
        edge_clock_sleep_until(now + 2 * EDGE_NS_PER_MS);
    }
    return true;
}

int edge_subprocess_stop(struct edge_subprocess *process, uint64_t grace_ns)
{
    close_fd(&process->stdin_fd);
    close_fd(&process->stdout_fd);
    if (process->pid <= 0)
        return 0;
    pid_t whom = process->own_group ? -process->pid : process->pid;
    if (!edge_subprocess_poll(process))
        kill(whom, SIGTERM);
    bool in_time = wait_until(process, edge_clock_ns() + grace_ns);
    if (process->own_group || !in_time)
        kill(whom, SIGKILL);    // and what the group's leader has left behind
    process->own_group = false; // swept: its number may be given to another group now
    if (in_time)
        return 0;
    while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
        continue;
    process->exited = true;
    return EDGE_ERR_FAILED;
}

const char *edge_subprocess_status_text(int status, char *text, size_t size)
{
    if (WIFEXITED(status))
        snprintf(text, size, "exited with code %d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(text, size, "killed by SIG%s (%s)", sigabbrev_np(WTERMSIG(status)),
                 sigdescr_np(WTERMSIG(status)));
    else
        snprintf(text, size, "wait status 0x%x", (unsigned)status);
    return text;
}
