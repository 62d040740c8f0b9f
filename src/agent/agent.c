#include "agent/agent.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent_internal.h"
#include "agent/agent_json.h"
#include "base/clock.h"

#define LAST_GRACE_NS (EDGE_NS_PER_S / 2) // for the server, when the host has gone

void edge_agent_end(struct edge_agent *agent, int result)
{
    if (!agent->done)
        agent->result = result;
    agent->done = true;
    edge_loop_stop(&agent->loop);
}

// A host that is gone takes nothing either. A pipe that is writable takes PIPE_BUF at once.
static bool wait_writable(const struct edge_agent *agent)
{
    struct pollfd out = {.fd = agent->out_fd, .events = POLLOUT};
    int patience_ms = agent->patience_ns > 0 ? (int)(agent->patience_ns / EDGE_NS_PER_MS) : -1;
    int ready;
    do {
        ready = poll(&out, 1, patience_ms);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

void edge_agent_send(struct edge_agent *agent, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text) {
        edge_agent_end(agent, -ENOMEM);
        return;
    }
    size_t len = strlen(text), sent = 0;
    text[len++] = '\n'; // in place of the terminator
    while (sent < len) {
        size_t left = len - sent;
        if (!wait_writable(agent)) {
            edge_agent_end(agent, -ETIMEDOUT);
            break;
        }
        ssize_t put = write(agent->out_fd, text + sent, left < PIPE_BUF ? left : PIPE_BUF);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            edge_agent_end(agent, errno == EPIPE ? EDGE_ERR_CLOSED : -errno);
            break;
        }
        sent += (size_t)put;
    }
    free(text);
}

json_t *edge_agent_new_answer(json_int_t id)
{
    return json_pack("{sI}", "re", id);
}

// `id` < 0: not the answer to a request that could be read.
static void send_error(struct edge_agent *agent, json_int_t id, const char *text)
{
    json_t *event = json_pack("{ss}", "event", "error");
    json_object_set_new(event, "re", id >= 0 ? json_integer(id) : json_null());
    json_object_set_new(event, "text", edge_agent_json_from_bytes(text, strlen(text)));
    edge_agent_send(agent, event);
}

static void silence_due(struct edge_timer *timer)
{
    edge_agent_end(EDGE_AGENT_OWNER(timer, silence), -ETIMEDOUT);
}

void edge_agent_hear(struct edge_agent *agent)
{
    if (agent->patience_ns > 0 &&
        edge_timer_start(&agent->loop, &agent->silence, edge_clock_ns() + agent->patience_ns) != 0)
        edge_agent_end(agent, -ENOMEM);
}

static void take_line(struct edge_agent *agent, const char *line, size_t len)
{
    struct edge_message message = {""};
    json_t *request;
    if (edge_agent_json_line(line, len, &request, &message) < 0) {
        send_error(agent, -1, message.text);
        return;
    }
    const json_t *id_member = json_object_get(request, "id");
    if (!json_is_integer(id_member) || json_integer_value(id_member) < 0) {
        send_error(agent, -1, "\"id\": expected a number of 0 or more in each request");
        json_decref(request);
        return;
    }
    json_int_t id = json_integer_value(id_member);
    json_t *answer = edge_agent_new_answer(id);
    int result = answer ? edge_agent_op(agent, id, request, answer, &message) : -ENOMEM;
    if (result == 0) {
        edge_agent_send(agent, json_incref(answer));
    } else if (result < 0) {
        send_error(agent, id, message.text[0] ? message.text : edge_error_text(result));
    }
    json_decref(answer);
    json_decref(request);
}

static void take_lines(struct edge_agent *agent)
{
    struct edge_buffer *input = &agent->input;
    while (!agent->done && input->len > 0) {
        char *start = (char *)edge_buffer_head(input);
        char *newline = memchr(start, '\n', input->len);
        if (!newline) {
            if (input->len < EDGE_AGENT_LINE_MAX)
                return;
            if (!agent->skipping)
                send_error(agent, -1, "a line is longer than 65536 bytes: skipped");
            agent->skipping = true;
            edge_buffer_consume(input, input->len);
            return;
        }
        size_t len = (size_t)(newline - start);
        if (!agent->skipping && len > 0)
            take_line(agent, start, len);
        agent->skipping = false;
        edge_buffer_consume(input, len + 1);
    }
}

static void in_ready(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct edge_agent *agent = EDGE_AGENT_OWNER(watch, in);
    int error = edge_buffer_reserve(&agent->input, 4096);
    if (error) {
        edge_agent_end(agent, error);
        return;
    }
    ssize_t got = read(watch->fd, edge_buffer_tail(&agent->input), 4096);
    if (got > 0) {
        agent->input.len += (size_t)got;
        edge_agent_hear(agent);
        take_lines(agent);
    } else if (got == 0) {
        edge_agent_end(agent, 0);
    } else if (errno != EINTR && errno != EAGAIN) {
        edge_agent_end(agent, -errno);
    }
}

static void signals_ready(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct edge_agent *agent = EDGE_AGENT_OWNER(watch, signals);
    struct signalfd_siginfo info;
    if (read(watch->fd, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD && edge_agent_server_reap(&agent->server))
        edge_agent_server_ended(agent);
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP)
        edge_agent_end(agent, 0);
}

static int set_up(struct edge_agent *agent, int in_fd, const sigset_t *signals,
                  struct edge_message *message)
{
    int error = edge_loop_init(&agent->loop);
    if (error)
        return edge_fail(message, error, "cannot make an event loop: %s", edge_error_text(error));
    agent->in = (struct edge_watch){.fd = in_fd, .events = EPOLLIN, .ready = in_ready};
    agent->signals = (struct edge_watch){
        .fd = signalfd(-1, signals, SFD_CLOEXEC), .events = EPOLLIN, .ready = signals_ready};
    agent->silence.fire = silence_due;
    if (agent->signals.fd < 0)
        error = -errno;
    if (!error)
        error = edge_loop_add(&agent->loop, &agent->signals);
    if (error)
        return edge_fail(message, error, "cannot watch signals: %s", edge_error_text(error));
    error = edge_loop_add(&agent->loop, &agent->in);
    if (error == -EPERM)
        return edge_fail(message, error, "expected a pipe on stdin, found a file");
    if (error)
        return edge_fail(message, error, "cannot watch stdin: %s", edge_error_text(error));
    return 0;
}

int edge_agent_run(const struct edge_agent_config *config, struct edge_message *message)
{
    struct edge_agent agent = {
        .root = config->root ? config->root : "",
        .out_fd = config->out_fd,
        .loop = {.epoll_fd = -1},
        .signals = {.fd = -1},
    };
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    edge_agent_ops_init(&agent);
    int error = set_up(&agent, config->in_fd, &signals, message);
    if (!error)
        error = edge_loop_run(&agent.loop);
    if (!error && agent.result == -ETIMEDOUT)
        error = edge_fail(message, agent.result, "the host was silent for %.1f s: it is gone",
                          (double)agent.patience_ns / 1e9);
    else if (!error && agent.result < 0)
        error = edge_fail(message, agent.result, "cannot answer the host: %s",
                          edge_error_text(agent.result));
    edge_agent_server_free(&agent.server, LAST_GRACE_NS);
    edge_agent_power_free(&agent.power);
    edge_agent_probe_free(&agent.probe);
    edge_probes_free(&agent.probes);
    if (agent.signals.fd >= 0)
        close(agent.signals.fd);
    edge_loop_free(&agent.loop);
    edge_buffer_free(&agent.input);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
