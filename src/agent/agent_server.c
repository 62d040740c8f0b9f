#include "agent/agent_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent_json.h"
#include "base/cpuset.h"

static struct edge_agent_server *of_errors(struct edge_watch *watch)
{
    return (struct edge_agent_server *)((char *)watch - offsetof(struct edge_agent_server, errors));
}

static void keep_tail(struct edge_agent_server *server, const char *bytes, size_t len)
{
    size_t cap = sizeof server->tail;
    if (len > cap) {
        bytes += len - cap;
        len = cap;
    }
    size_t keep = server->tail_len + len > cap ? cap - len : server->tail_len;
    memmove(server->tail, server->tail + server->tail_len - keep, keep);
    memcpy(server->tail + keep, bytes, len);
    server->tail_len = keep + len;
}

static void close_errors(struct edge_agent_server *server)
{
    edge_loop_remove(server->loop, &server->errors);
    close(server->errors.fd);
    server->errors.fd = -1;
}

static void errors_ready(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct edge_agent_server *server = of_errors(watch);
    char bytes[4096];
    ssize_t got = read(watch->fd, bytes, sizeof bytes);
    if (got > 0)
        keep_tail(server, bytes, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        close_errors(server);
}

static int spawn(struct edge_agent_server *server, const struct edge_agent_server_config *config,
                 int errors_fd, struct edge_message *message)
{
    struct edge_cpuset cpus;
    struct edge_subprocess_config child = {
        .argv = config->argv,
        .env = config->env,
        .data_bytes = server->limit.data_bytes,
        .stderr_fd = errors_fd,
        .die_with_parent = true,
        .own_group = true,
    };
    if (config->cpus) {
        if (edge_cpuset_parse(config->cpus, &cpus) != 0)
            return edge_fail(message, EDGE_ERR_FORMAT,
                             "\"cpus\": expected a list like \"0,2-3\", found \"%s\"",
                             config->cpus);
        child.cpus = &cpus;
        server->first_cpu = cpus.count > 0 ? (unsigned)cpus.cpus[0] : 0;
    }
    int error = edge_ram_limit_enter(&server->limit, message);
    if (error)
        return error;
    error = edge_subprocess_spawn(&child, &server->process, message);
    int left = edge_ram_limit_leave(&server->limit, message);
    if (!error && left) {
        edge_subprocess_stop(&server->process, 0);
        return left;
    }
    return error;
}

int edge_agent_server_start(struct edge_agent_server *server, struct edge_loop *loop,
                            const struct edge_agent_server_config *config,
                            struct edge_message *message)
{
    *server = (struct edge_agent_server){.loop = loop, .errors = {.fd = -1}};
    int errors[2];
    if (pipe2(errors, O_CLOEXEC) != 0) {
        int error = -errno;
        return edge_fail(message, error, "cannot make a pipe: %s", edge_error_text(error));
    }
    edge_ram_limit_init(&server->limit, config->root, config->ram_bytes);
    int error = 0;
    if (config->guest_counters)
        error = edge_probe_guest_init(&server->guest, config->guest_counters, message);
    if (!error)
        error = spawn(server, config, errors[1], message);
    close(errors[1]);
    if (!error) {
        fcntl(errors[0], F_SETFL, O_NONBLOCK);
        server->errors =
            (struct edge_watch){.fd = errors[0], .events = EPOLLIN, .ready = errors_ready};
        error = edge_loop_add(loop, &server->errors);
        if (error) {
            edge_subprocess_stop(&server->process, 0);
            edge_fail(message, error, "cannot watch the server: %s", edge_error_text(error));
        }
    }
    if (error) {
        close(errors[0]);
        edge_probe_guest_free(&server->guest);
        edge_ram_limit_free(&server->limit);
        return error;
    }
    edge_probe_process_init(&server->probe, config->root, server->process.pid);
    server->running = true;
    server->started = true;
    return 0;
}

void edge_agent_server_sample(struct edge_agent_server *server, bool mark, bool deep,
                              struct edge_agent_sample *sample)
{
    edge_probe_process_sample(&server->probe, deep, sample);
    if (mark)
        sample->cgroup_peak_bytes = edge_ram_limit_peak(&server->limit);
}

void edge_agent_server_signal(const struct edge_agent_server *server, int signal)
{
    if (server->running)
        kill(-server->process.pid, signal);
}

static void sweep(struct edge_agent_server *server)
{
    edge_subprocess_stop(&server->process, 0);
    for (uint32_t reads = 0; server->errors.fd >= 0 && reads < 64; reads++)
        errors_ready(&server->errors, EPOLLIN);
    if (server->errors.fd >= 0)
        close_errors(server);
    server->oom_kills = edge_ram_limit_kills(&server->limit);
    edge_ram_limit_free(&server->limit);
    edge_probe_guest_free(&server->guest);
    server->running = false;
}

bool edge_agent_server_reap(struct edge_agent_server *server)
{
    if (!server->running || !edge_subprocess_poll(&server->process))
        return false;
    sweep(server);
    return true;
}

void edge_agent_server_describe(const struct edge_agent_server *server, json_t *object)
{
    char text[128];
    int status = server->process.status;
    json_object_set_new(object, "status",
                        json_string(edge_subprocess_status_text(status, text, sizeof text)));
    json_object_set_new(object, "exit_code",
                        WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null());
    json_object_set_new(object, "stderr",
                        edge_agent_json_from_bytes(server->tail, server->tail_len));
    json_object_set_new(object, "oom_kills", json_integer((json_int_t)server->oom_kills));
    json_object_set_new(object, "ram_limit", json_string(server->limit.how));
}

void edge_agent_server_free(struct edge_agent_server *server, uint64_t grace_ns)
{
    if (!server->running)
        return;
    edge_subprocess_stop(&server->process, grace_ns);
    sweep(server);
}
