#include "agent/agent_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent_json.h"
#include "agent/board.h"
#include "agent/port.h"
#include "base/build_info.h"
#include "base/clock.h"

static json_t *take_sample(struct edge_agent *agent, const char *label, bool deep)
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
    edge_agent_send(EDGE_AGENT_OWNER(power, power), event);
}

static void sampling_due(struct edge_timer *timer)
{
    struct edge_agent *agent = EDGE_AGENT_OWNER(timer, sampling);
    json_t *event = json_pack("{ss}", "event", "sample");
    json_object_set_new(event, "sample", take_sample(agent, "", false));
    edge_agent_send(agent, event);
    // Due times stay on their grid; those that were missed are left out.
    uint64_t now = edge_clock_ns();
    uint64_t due = timer->due_ns + agent->period_ns;
    if (due <= now)
        due += (now - due) / agent->period_ns * agent->period_ns + agent->period_ns;
    edge_timer_start(&agent->loop, timer, due);
}

static void answer_mark(struct edge_agent *agent, json_int_t id, const char *label, bool deep)
{
    json_t *answer = edge_agent_new_answer(id);
    json_object_set_new(answer, "sample", take_sample(agent, label, deep));
    edge_agent_send(agent, answer);
}

static void mark_due(struct edge_timer *timer)
{
    struct edge_agent_mark *mark =
        (struct edge_agent_mark *)((char *)timer - offsetof(struct edge_agent_mark, timer));
    mark->used = false;
    answer_mark(mark->agent, mark->id, mark->label, mark->deep);
}

// Without a server the marks that wait would say nothing.
static void drop_marks(struct edge_agent *agent)
{
    for (unsigned i = 0; i < EDGE_AGENT_MARKS; i++) {
        edge_timer_stop(&agent->loop, &agent->marks[i].timer);
        agent->marks[i].used = false;
    }
}

void edge_agent_server_ended(struct edge_agent *agent)
{
    edge_timer_stop(&agent->loop, &agent->kill_timer);
    edge_timer_stop(&agent->loop, &agent->sampling);
    drop_marks(agent);
    json_t *object = agent->stopping ? edge_agent_new_answer(agent->stop_id)
                                     : json_pack("{ss}", "event", "server_exited");
    json_object_set_new(object, "t_ns", json_integer((json_int_t)edge_clock_ns()));
    json_object_set_new(object, "killed", json_boolean(agent->killed));
    edge_agent_server_describe(&agent->server, object);
    agent->stopping = false;
    edge_agent_send(agent, object);
}

static void kill_due(struct edge_timer *timer)
{
    struct edge_agent *agent = EDGE_AGENT_OWNER(timer, kill_timer);
    agent->killed = true;
    edge_agent_server_signal(&agent->server, SIGKILL);
}

typedef int op_function(struct edge_agent *agent, json_int_t id, const json_t *request,
                        json_t *answer, struct edge_message *message);

static int op_hello(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)id;
    uint64_t protocol;
    int error = edge_agent_json_number(request, "protocol", 0, &protocol, message);
    if (!error)
        error = edge_agent_json_number(request, "patience_ns", 0, &agent->patience_ns, message);
    if (error)
        return error;
    if (protocol != EDGE_AGENT_PROTOCOL)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "the host speaks protocol %llu, this agent (bench-edge %s) protocol %d: "
                         "use the same bench-edge on both",
                         (unsigned long long)protocol, edge_build_info()->version,
                         EDGE_AGENT_PROTOCOL);
    agent->greeted = true;
    edge_agent_hear(agent);
    struct edge_board board;
    edge_board_read(agent->root, &board);
    edge_probes_describe(&agent->probes, &board);
    json_object_set_new(answer, "protocol", json_integer(EDGE_AGENT_PROTOCOL));
    json_object_set_new(answer, "version", json_string(edge_build_info()->version));
    json_object_set_new(answer, "git", json_string(edge_build_info()->git));
    json_object_set_new(answer, "board", edge_agent_json_from_board(&board));
    return 0;
}

static int op_ping(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)agent, (void)id, (void)request, (void)message;
    json_object_set_new(answer, "t_ns", json_integer((json_int_t)edge_clock_ns()));
    json_object_set_new(answer, "wall_ns", json_integer((json_int_t)edge_clock_wall_ns()));
    return 0;
}

static int op_port(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)agent, (void)id;
    const char *host;
    int error = edge_agent_json_text(request, "host", "127.0.0.1", &host, message);
    int port = error ? error : edge_port_pick(host, message);
    if (port < 0)
        return port;
    json_object_set_new(answer, "port", json_integer(port));
    return 0;
}

static int need_server(const struct edge_agent *agent, struct edge_message *message)
{
    if (agent->server.running)
        return 0;
    return edge_fail(message, EDGE_ERR_NOT_FOUND, "no server is running: expected a spawn before");
}

static int op_spawn(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
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

static int op_reset_peak(struct edge_agent *agent, json_int_t id, const json_t *request,
                         json_t *answer, struct edge_message *message)
{
    (void)id, (void)request, (void)answer;
    int error = need_server(agent, message);
    return error ? error : edge_probe_process_reset_peak(&agent->server.probe, message);
}

static int op_sample(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
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

static int op_mark(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
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
    for (unsigned i = 0; i < EDGE_AGENT_MARKS; i++) {
        struct edge_agent_mark *mark = &agent->marks[i];
        if (mark->used)
            continue;
        *mark = (struct edge_agent_mark){
            .agent = agent, .used = true, .deep = deep, .id = id, .timer = {.fire = mark_due}};
        snprintf(mark->label, sizeof mark->label, "%s", label);
        error = edge_timer_start(&agent->loop, &mark->timer, at_ns);
        mark->used = !error;
        return error ? error : EDGE_AGENT_LATER;
    }
    return edge_fail(message, EDGE_ERR_LIMIT, "%d marks are waiting already", EDGE_AGENT_MARKS);
}

static int op_stop(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
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
    return error ? error : EDGE_AGENT_LATER;
}

static int op_power(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)id;
    return edge_agent_power_open(&agent->power, request, answer, message);
}

static int op_poll(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                   struct edge_message *message)
{
    (void)id, (void)answer, (void)message;
    return edge_agent_power_poll(&agent->power, json_is_true(json_object_get(request, "on")));
}

static void tell_probe(struct edge_agent_probe *probe, json_t *facts)
{
    struct edge_agent *agent = EDGE_AGENT_OWNER(probe, probe);
    json_t *answer = edge_agent_new_answer(agent->probe_id);
    json_object_set_new(answer, "probe", facts ? facts : json_null());
    edge_agent_send(agent, answer);
}

static int op_probe(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                    struct edge_message *message)
{
    (void)answer;
    uint64_t for_ns;
    int error = edge_agent_json_number(request, "for_ns", EDGE_NS_PER_S, &for_ns, message);
    if (!error && agent->server.running)
        error = edge_fail(message, EDGE_ERR_USAGE, "a server is running: stop it first");
    if (!error)
        error = edge_agent_probe_start(&agent->probe, for_ns, message);
    if (error)
        return error;
    agent->probe_id = id;
    return EDGE_AGENT_LATER;
}

static int op_bye(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                  struct edge_message *message)
{
    (void)id, (void)request, (void)answer, (void)message;
    edge_agent_end(agent, 0);
    return 0;
}

static const struct {
    const char *name;
    op_function *run;
} ops[] = {
    {"hello", op_hello},
    {"ping", op_ping},
    {"port", op_port},
    {"spawn", op_spawn},
    {"reset_peak", op_reset_peak},
    {"sample", op_sample},
    {"mark", op_mark},
    {"power", op_power},
    {"poll", op_poll},
    {"probe", op_probe},
    {"stop", op_stop},
    {"bye", op_bye},
};

int edge_agent_op(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
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
    return edge_fail(
        message, EDGE_ERR_UNSUPPORTED,
        "\"op\": expected hello, ping, port, spawn, reset_peak, sample, mark, power, poll, "
        "probe, stop or bye, found \"%s\"",
        name);
}

void edge_agent_ops_init(struct edge_agent *agent)
{
    agent->sampling.fire = sampling_due;
    agent->kill_timer.fire = kill_due;
    edge_probes_init(&agent->probes, agent->root);
    agent->power =
        (struct edge_agent_power){.root = agent->root, .loop = &agent->loop, .tell = tell_power};
    agent->probe = (struct edge_agent_probe){
        .loop = &agent->loop, .probes = &agent->probes, .done = tell_probe};
}
