#include "agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent_json.h"
#include "agent/agent_power.h"
#include "agent/agent_server.h"
#include "agent/board.h"
#include "agent/probes.h"
#include "base/buffer.h"
#include "base/build_info.h"
#include "base/clock.h"
#include "net/loop.h"

#define MARKS         8
#define LAST_GRACE_NS (EDGE_NS_PER_S / 2) // for the server, when the host has gone

struct agent;

// A sample asked for at a time that has not come yet.
struct mark {
    struct edge_timer timer;
    struct agent *agent;
    bool used;
    bool deep;
    json_int_t id;
    char label[24];
};

struct agent {
    const char *root;
    int out_fd;
    struct edge_loop loop;
    struct edge_watch in;
    struct edge_watch signals;
    struct edge_buffer input;
    bool skipping; // inside a line that was too long
    bool greeted;
    bool done;
    int result; // why it ended
    struct edge_agent_server server;
    struct edge_probes probes;
    struct edge_agent_power power;
    struct edge_timer sampling;
    uint64_t period_ns;
    struct mark marks[MARKS];
    bool stopping; // SIGTERM was sent for request stop_id
    bool killed;
    json_int_t stop_id;
    struct edge_timer kill_timer;
};

#define OWNER(pointer, member) ((struct agent *)((char *)(pointer)-offsetof(struct agent, member)))

static void end(struct agent *agent, int result)
{
    if (!agent->done)
        agent->result = result;
    agent->done = true;
    edge_loop_stop(&agent->loop);
}

// Takes the reference. A line that cannot be sent ends the agent: the host has gone.
static void send_object(struct agent *agent, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text) {
        end(agent, -ENOMEM);
        return;
    }
    size_t len = strlen(text), sent = 0;
    text[len++] = '\n'; // in place of the terminator
    while (sent < len) {
        ssize_t put = write(agent->out_fd, text + sent, len - sent);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            end(agent, errno == EPIPE ? EDGE_ERR_CLOSED : -errno);
            break;
        }
        sent += (size_t)put;
    }
    free(text);
}

static json_t *new_answer(json_int_t id)
{
    return json_pack("{sI}", "re", id);
}

// `id` < 0: not the answer to a request that could be read.
static void send_error(struct agent *agent, json_int_t id, const char *text)
{
    json_t *event = json_pack("{ss}", "event", "error");
    json_object_set_new(event, "re", id >= 0 ? json_integer(id) : json_null());
    json_object_set_new(event, "text", edge_agent_json_from_bytes(text, strlen(text)));
    send_object(agent, event);
}

static json_t *take_sample(struct agent *agent, const char *label, bool deep)
{
    struct edge_agent_sample sample;
    edge_agent_sample_init(&sample);
    snprintf(sample.label, sizeof sample.label, "%s", label);
    sample.t_ns = edge_clock_ns();
    sample.wall_ns = edge_clock_wall_ns();
    // First, as it moves fastest; most servers are not emulated.
    edge_probe_guest_sample(&agent->server.guest, &sample);
    if (agent->server.running) // one that has just died leaves the server's part unmeasured
        edge_agent_server_sample(&agent->server, label[0] != '\0', deep, &sample);
    edge_probes_sample(&agent->probes, label[0] != '\0', &sample);
    return edge_agent_json_from_sample(&sample);
}

static void tell_power(struct edge_agent_power *power, json_t *event)
{
    send_object(OWNER(power, power), event);
}

static void sampling_due(struct edge_timer *timer)
{
    struct agent *agent = OWNER(timer, sampling);
    json_t *event = json_pack("{ss}", "event", "sample");
    json_object_set_new(event, "sample", take_sample(agent, "", false));
    send_object(agent, event);
    // Due times stay on their grid; those that were missed are left out.
    uint64_t now = edge_clock_ns();
    uint64_t due = timer->due_ns + agent->period_ns;
    if (due <= now)
        due += (now - due) / agent->period_ns * agent->period_ns + agent->period_ns;
    edge_timer_start(&agent->loop, timer, due);
}

static void answer_mark(struct agent *agent, json_int_t id, const char *label, bool deep)
{
    json_t *answer = new_answer(id);
    json_object_set_new(answer, "sample", take_sample(agent, label, deep));
    send_object(agent, answer);
}

static void mark_due(struct edge_timer *timer)
{
    struct mark *mark = (struct mark *)((char *)timer - offsetof(struct mark, timer));
    mark->used = false;
    answer_mark(mark->agent, mark->id, mark->label, mark->deep);
}

// Without a server the marks that wait would say nothing.
static void drop_marks(struct agent *agent)
{
    for (unsigned i = 0; i < MARKS; i++) {
        edge_timer_stop(&agent->loop, &agent->marks[i].timer);
        agent->marks[i].used = false;
    }
}

static void send_server_ended(struct agent *agent)
{
    edge_timer_stop(&agent->loop, &agent->kill_timer);
    edge_timer_stop(&agent->loop, &agent->sampling);
    drop_marks(agent);
    json_t *object =
        agent->stopping ? new_answer(agent->stop_id) : json_pack("{ss}", "event", "server_exited");
    json_object_set_new(object, "t_ns", json_integer((json_int_t)edge_clock_ns()));
    json_object_set_new(object, "killed", json_boolean(agent->killed));
    edge_agent_server_describe(&agent->server, object);
    agent->stopping = false;
    send_object(agent, object);
}

static void kill_due(struct edge_timer *timer)
{
    struct agent *agent = OWNER(timer, kill_timer);
    agent->killed = true;
    edge_agent_server_signal(&agent->server, SIGKILL);
}

// What an op returns: 0, the answer is sent as filled in; LATER, it is sent by someone else.
enum { LATER = 1 };

typedef int op_function(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                        struct edge_message *message);

static int op_hello(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)id;
    uint64_t protocol;
    int error = edge_agent_json_number(request, "protocol", 0, &protocol, message);
    if (error)
        return error;
    if (protocol != EDGE_AGENT_PROTOCOL)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "the host speaks protocol %llu, this agent (bench-edge %s) protocol %d: "
                         "use the same bench-edge on both",
                         (unsigned long long)protocol, edge_build_info()->version,
                         EDGE_AGENT_PROTOCOL);
    agent->greeted = true;
    struct edge_board board;
    edge_board_read(agent->root, &board);
    edge_probes_describe(&agent->probes, &board);
    json_object_set_new(answer, "protocol", json_integer(EDGE_AGENT_PROTOCOL));
    json_object_set_new(answer, "version", json_string(edge_build_info()->version));
    json_object_set_new(answer, "git", json_string(edge_build_info()->git));
    json_object_set_new(answer, "board", edge_agent_json_from_board(&board));
    return 0;
}

static int op_ping(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)agent, (void)id, (void)request, (void)message;
    json_object_set_new(answer, "t_ns", json_integer((json_int_t)edge_clock_ns()));
    json_object_set_new(answer, "wall_ns", json_integer((json_int_t)edge_clock_wall_ns()));
    return 0;
}

static int need_server(const struct agent *agent, struct edge_message *message)
{
    if (agent->server.running)
        return 0;
    return edge_fail(message, EDGE_ERR_NOT_FOUND, "no server is running: expected a spawn before");
}

static int op_spawn(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)id;
    if (agent->server.running)
        return edge_fail(message, EDGE_ERR_USAGE, "a server is running already: stop it first");
    struct edge_agent_server_config config = {.root = ""}; // a real one, whatever the board
    const char **argv = NULL, **env = NULL;
    int error = edge_agent_json_texts(request, "argv", &argv, message);
    if (!error && !argv[0])
        error = edge_fail(message, EDGE_ERR_FORMAT, "\"argv\": expected at least the program");
    if (!error)
        error = edge_agent_json_texts(request, "env", &env, message);
    if (!error)
        error = edge_agent_json_text(request, "cpus", NULL, &config.cpus, message);
    if (!error)
        error = edge_agent_json_number(request, "ram_bytes", 0, &config.ram_bytes, message);
    if (!error)
        error =
            edge_agent_json_text(request, "guest_counters", NULL, &config.guest_counters, message);
    if (!error) {
        config.argv = argv;
        config.env = env;
        error = edge_agent_server_start(&agent->server, &agent->loop, &config, message);
    }
    free((void *)argv);
    free((void *)env);
    if (error)
        return error;
    agent->killed = false;
    edge_probes_watch_cpu(&agent->probes, agent->server.first_cpu);
    json_object_set_new(answer, "pid", json_integer(agent->server.process.pid));
    json_object_set_new(answer, "ram_limit", json_string(agent->server.limit.how));
    return 0;
}

static int op_reset_peak(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                         struct edge_message *message)
{
    (void)id, (void)request, (void)answer;
    int error = need_server(agent, message);
    return error ? error : edge_probe_process_reset_peak(&agent->server.probe, message);
}

static int op_sample(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                     struct edge_message *message)
{
    (void)id, (void)answer;
    uint64_t period_ns;
    int error = edge_agent_json_number(request, "period_ns", 0, &period_ns, message);
    if (error)
        return error;
    edge_timer_stop(&agent->loop, &agent->sampling);
    if (period_ns == 0)
        return 0;
    if (period_ns < EDGE_NS_PER_MS)
        return edge_fail(message, EDGE_ERR_LIMIT, "\"period_ns\": expected 1000000 or more");
    agent->period_ns = period_ns;
    return edge_timer_start(&agent->loop, &agent->sampling, edge_clock_ns() + period_ns);
}

static int op_mark(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    const char *label;
    uint64_t at_ns;
    int error = edge_agent_json_text(request, "label", "", &label, message);
    if (!error)
        error = edge_agent_json_number(request, "at_ns", 0, &at_ns, message);
    if (error)
        return error;
    bool deep = json_is_true(json_object_get(request, "deep"));
    if (at_ns <= edge_clock_ns()) {
        json_object_set_new(answer, "sample", take_sample(agent, label, deep));
        return 0;
    }
    for (unsigned i = 0; i < MARKS; i++) {
        struct mark *mark = &agent->marks[i];
        if (mark->used)
            continue;
        *mark = (struct mark){
            .agent = agent, .used = true, .deep = deep, .id = id, .timer = {.fire = mark_due}};
        snprintf(mark->label, sizeof mark->label, "%s", label);
        error = edge_timer_start(&agent->loop, &mark->timer, at_ns);
        return error ? error : LATER;
    }
    return edge_fail(message, EDGE_ERR_LIMIT, "%d marks are waiting already", MARKS);
}

static int op_stop(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)answer;
    uint64_t grace_ns;
    int error = edge_agent_json_number(request, "grace_ns", 5 * EDGE_NS_PER_S, &grace_ns, message);
    if (!error)
        error = need_server(agent, message);
    if (!error && agent->stopping)
        error = edge_fail(message, EDGE_ERR_USAGE, "the server is being stopped already");
    if (error)
        return error;
    agent->stopping = true;
    agent->stop_id = id;
    edge_agent_server_signal(&agent->server, SIGTERM);
    error = edge_timer_start(&agent->loop, &agent->kill_timer, edge_clock_ns() + grace_ns);
    return error ? error : LATER;
}

static int op_power(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)id;
    return edge_agent_power_open(&agent->power, request, answer, message);
}

static int op_poll(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)id, (void)answer, (void)message;
    return edge_agent_power_poll(&agent->power, json_is_true(json_object_get(request, "on")));
}

static int op_bye(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                  struct edge_message *message)
{
    (void)id, (void)request, (void)answer, (void)message;
    end(agent, 0);
    return 0;
}

static const struct {
    const char *name;
    op_function *run;
} ops[] = {
    {"hello", op_hello},   {"ping", op_ping}, {"spawn", op_spawn}, {"reset_peak", op_reset_peak},
    {"sample", op_sample}, {"mark", op_mark}, {"power", op_power}, {"poll", op_poll},
    {"stop", op_stop},     {"bye", op_bye},
};

static int run_op(struct agent *agent, json_int_t id, const json_t *request, json_t *answer,
                  struct edge_message *message)
{
    const char *name;
    int error = edge_agent_json_text(request, "op", "", &name, message);
    if (error)
        return error;
    if (!agent->greeted && strcmp(name, "hello") != 0)
        return edge_fail(message, EDGE_ERR_PROTOCOL, "expected hello first, found \"%s\"", name);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(name, ops[i].name) == 0)
            return ops[i].run(agent, id, request, answer, message);
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "\"op\": expected hello, ping, spawn, reset_peak, sample, mark, power, poll, "
                     "stop or bye, found \"%s\"",
                     name);
}

static void take_line(struct agent *agent, const char *line, size_t len)
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
    json_t *answer = new_answer(id);
    int result = answer ? run_op(agent, id, request, answer, &message) : -ENOMEM;
    if (result == 0) {
        send_object(agent, json_incref(answer));
    } else if (result < 0) {
        send_error(agent, id, message.text[0] ? message.text : edge_error_text(result));
    }
    json_decref(answer);
    json_decref(request);
}

static void take_lines(struct agent *agent)
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
    struct agent *agent = OWNER(watch, in);
    int error = edge_buffer_reserve(&agent->input, 4096);
    if (error) {
        end(agent, error);
        return;
    }
    ssize_t got = read(watch->fd, edge_buffer_tail(&agent->input), 4096);
    if (got > 0) {
        agent->input.len += (size_t)got;
        take_lines(agent);
    } else if (got == 0) {
        end(agent, 0);
    } else if (errno != EINTR && errno != EAGAIN) {
        end(agent, -errno);
    }
}

static void signals_ready(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct agent *agent = OWNER(watch, signals);
    struct signalfd_siginfo info;
    if (read(watch->fd, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD && edge_agent_server_reap(&agent->server))
        send_server_ended(agent);
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP)
        end(agent, 0);
}

static int set_up(struct agent *agent, int in_fd, const sigset_t *signals,
                  struct edge_message *message)
{
    int error = edge_loop_init(&agent->loop);
    if (error)
        return edge_fail(message, error, "cannot make an event loop: %s", edge_error_text(error));
    agent->in = (struct edge_watch){.fd = in_fd, .events = EPOLLIN, .ready = in_ready};
    agent->signals = (struct edge_watch){
        .fd = signalfd(-1, signals, SFD_CLOEXEC), .events = EPOLLIN, .ready = signals_ready};
    agent->sampling.fire = sampling_due;
    agent->kill_timer.fire = kill_due;
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
    struct agent agent = {
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
    edge_probes_init(&agent.probes, agent.root);
    agent.power =
        (struct edge_agent_power){.root = agent.root, .loop = &agent.loop, .tell = tell_power};
    int error = set_up(&agent, config->in_fd, &signals, message);
    if (!error)
        error = edge_loop_run(&agent.loop);
    if (!error && agent.result < 0)
        error = edge_fail(message, agent.result, "cannot answer the host: %s",
                          edge_error_text(agent.result));
    edge_agent_server_free(&agent.server, LAST_GRACE_NS);
    edge_agent_power_free(&agent.power);
    edge_probes_free(&agent.probes);
    if (agent.signals.fd >= 0)
        close(agent.signals.fd);
    edge_loop_free(&agent.loop);
    edge_buffer_free(&agent.input);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
