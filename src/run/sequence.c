#include "run/sequence.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent_json.h"
#include "base/clock.h"
#include "base/units.h"
#include "run/follow.h"
#include "run/handshakes.h"
#include "run/levels.h"
#include "run/readiness.h"
#include "run/run_tls.h"

#define REQUEST_NS  (10 * EDGE_NS_PER_S) // for the agent to answer
#define GRACE_NS    (5 * EDGE_NS_PER_S)  // for the server, after SIGTERM
#define SAMPLE_NS   (100 * EDGE_NS_PER_MS)
#define DRAIN_NS    (5 * EDGE_NS_PER_S)
#define CONNECT_NS  (5 * EDGE_NS_PER_S)
#define TRY_NS      EDGE_NS_PER_S // for one call that tries whether it is ready
#define RETRY_NS    (20 * EDGE_NS_PER_MS)
#define PATIENCE_NS EDGE_NS_PER_S // with a server that answers, but wrongly

static json_t *spawn_request(const struct edge_sequence *sequence, int port)
{
    const struct edge_run_options *options = sequence->options;
    char port_text[16], cpus[1024], cpus_env[64], ram_env[64], host_env[96], ram[24];
    snprintf(port_text, sizeof(port_text), "%d", port);
    snprintf(cpus_env, sizeof(cpus_env), "GRPC_SERVER_CPUS=%" PRIu64, options->server_cpus);
    snprintf(ram_env, sizeof(ram_env), "GRPC_SERVER_RAM=%s",
             edge_format_bytes(options->server_ram, ram, sizeof(ram)));
    snprintf(host_env, sizeof(host_env), "GRPC_SERVER_HOST=%s", sequence->target->listen);
    edge_cpuset_text(&sequence->target->server_cpus, cpus, sizeof(cpus));
    const struct edge_emulator *emulator = &sequence->target->emulator;
    bool emulated = sequence->target->emulated;
    json_t *argv = json_array();
    for (size_t i = 0; emulated && emulator->prefix[i]; i++)
        json_array_append_new(argv, json_string(emulator->prefix[i]));
    json_array_append_new(argv, json_string(sequence->server->path));
    json_array_append_new(argv, json_string("--port"));
    json_array_append_new(argv, json_string(port_text));
    const struct edge_run_tls *tls = sequence->tls;
    const char *const words[] = {"--tls-cert", tls->cert, "--tls-key", tls->key};
    for (size_t i = 0; tls->cert && i < sizeof(words) / sizeof(words[0]); i++)
        json_array_append_new(argv, json_string(words[i]));
    // An emulator's memory is not the server's: a limit for one says nothing about the other.
    return json_pack("{ss so s[sss] ss sI ss*}", "op", "spawn", "argv", argv, "env", cpus_env,
                     ram_env, host_env, "cpus", cpus, "ram_bytes",
                     (json_int_t)(emulated ? 0 : options->server_ram), "guest_counters",
                     emulated && !emulator->not_counted[0] ? emulator->counters : NULL);
}

// A port that is free where the server runs.
static int pick_port(struct edge_follow *follow, int *port)
{
    json_t *answer;
    int error = edge_follow_call(
        follow, json_pack("{ss ss}", "op", "port", "host", follow->sequence->target->listen),
        &answer);
    if (error)
        return error;
    *port = (int)json_integer_value(json_object_get(answer, "port"));
    json_decref(answer);
    return edge_address_numeric(follow->sequence->target->host, (uint16_t)*port, &follow->address,
                                follow->message);
}

// Starts the server. A server that cannot be started is a problem, not an error.
static int spawn(struct edge_follow *follow)
{
    const struct edge_sequence *sequence = follow->sequence;
    struct edge_measurement *measurement = follow->measurement;
    json_t *answer;
    int port;
    int error = pick_port(follow, &port);
    if (!error)
        error = edge_follow_call(follow, spawn_request(sequence, port), &answer);
    if (error == EDGE_ERR_FAILED) {
        EDGE_FOLLOW_PROBLEM(follow, "%s", follow->message->text);
        return 0;
    }
    if (error)
        return error;
    measurement->spawned = true;
    const char *limit = json_string_value(json_object_get(answer, "ram_limit"));
    snprintf(measurement->ram_limit, sizeof(measurement->ram_limit), "%s", limit ? limit : "");
    json_decref(answer);
    return 0;
}

// One call on one connection.
static bool try_call(struct edge_follow *follow, uint64_t timeout_ns, struct edge_message *why)
{
    struct edge_readiness *readiness = &follow->measurement->readiness;
    struct edge_load_config config = {
        .address = follow->address,
        .tls = edge_run_tls_client(follow->sequence->tls),
        .payload = follow->sequence->payload,
        .connections = 1,
        .concurrency = 1,
        .total = 1,
        .timeout_ns = timeout_ns,
        .connect_timeout_ns = timeout_ns,
        .drain_ns = timeout_ns,
        .cpus = follow->sequence->target->client_cpus,
    };
    config.cpus.count = 1;
    struct edge_load *load;
    struct edge_load_result result;
    int error = edge_load_start(&config, &load, why);
    if (error == EDGE_ERR_PROTOCOL || error == EDGE_ERR_TLS)
        edge_readiness_add_refusal(readiness, why->text);
    if (error || edge_load_finish(load, &result) != 0)
        return false;
    bool verified = edge_readiness_add(readiness, &result);
    edge_load_result_free(&result);
    return verified;
}

static void explain_not_ready(struct edge_follow *follow, const struct edge_message *why)
{
    const struct edge_readiness *readiness = &follow->measurement->readiness;
    char text[768];
    if (edge_readiness_answered(readiness))
        EDGE_FOLLOW_PROBLEM(follow, "%s", edge_readiness_text(readiness, text, sizeof(text)));
    else
        EDGE_FOLLOW_PROBLEM(
            follow, "was not ready within %.4g s on %s: %s",
            (double)follow->sequence->options->ready_timeout_ns / 1e9, follow->address.text,
            readiness->calls > 0 ? "it takes calls, but does not answer" : why->text);
    if (follow->sequence->target->remote && readiness->calls == 0) {
        size_t used = strlen(follow->measurement->problem);
        snprintf(follow->measurement->problem + used, sizeof(follow->measurement->problem) - used,
                 "; it was started on the board: does a firewall or NAT keep its ports (10000 to "
                 "31999) from here, or does it listen on the board's own 127.0.0.1 only, without "
                 "heeding GRPC_SERVER_HOST?");
    }
}

static int wait_ready(struct edge_follow *follow)
{
    struct edge_measurement *measurement = follow->measurement;
    struct edge_message why = {""};
    uint64_t give_up_ns = edge_clock_ns() + follow->sequence->options->ready_timeout_ns;
    bool answered = false;
    for (;;) {
        uint64_t now = edge_clock_ns();
        int error = edge_follow_turn(follow, now);
        if (error || edge_follow_is_over(follow))
            return error;
        if (now >= give_up_ns) {
            explain_not_ready(follow, &why);
            return 0;
        }
        uint64_t left_ns = give_up_ns - now;
        measurement->ready = try_call(follow, left_ns < TRY_NS ? left_ns : TRY_NS, &why);
        if (measurement->ready)
            return 0;
        if (!answered && edge_readiness_answered(&measurement->readiness)) {
            answered = true;
            uint64_t patience_ns = edge_clock_ns() + PATIENCE_NS;
            give_up_ns = patience_ns < give_up_ns ? patience_ns : give_up_ns;
        }
        error = edge_follow_turn(follow, edge_clock_ns() + RETRY_NS);
        if (error || edge_follow_is_over(follow))
            return error;
    }
}

static int run_load(struct edge_follow *follow)
{
    const struct edge_run_options *options = follow->sequence->options;
    struct edge_measurement *measurement = follow->measurement;
    struct edge_load_snapshot totals = {0};
    const struct edge_follow_load plan = {
        .config = {.address = follow->address,
                   .tls = edge_run_tls_client(follow->sequence->tls),
                   .payload = follow->sequence->payload,
                   .connections = options->connections,
                   .concurrency = options->concurrency,
                   .rate = options->rate,
                   .duration_ns = options->duration_ns,
                   .warmup_ns = options->warmup_ns,
                   .timeout_ns = options->timeout_ns,
                   .connect_timeout_ns = CONNECT_NS,
                   .drain_ns = DRAIN_NS,
                   .cpus = follow->sequence->target->client_cpus},
        .doing = "measuring",
        .slices = true,
        .start = &measurement->window_start,
        .stop = &measurement->window_stop,
        .deep = true,
        .totals = &totals,
    };
    struct edge_message why;
    measurement->load_start_ns = edge_clock_ns();
    int error = edge_follow_run(follow, &plan, &measurement->loaded, &measurement->load, &why);
    measurement->load_stop_ns = edge_clock_ns();
    measurement->ended = totals.ended;
    measurement->ok = totals.ok;
    if (!measurement->loaded) {
        EDGE_FOLLOW_PROBLEM(follow, "was ready, but not for %" PRIu64 " connections: %s",
                            options->connections, why.text);
        return error;
    }
    measurement->loaded = measurement->load.window_stop_ns > measurement->load.window_start_ns;
    if (!measurement->loaded) {
        edge_load_result_free(&measurement->load);
        if (!measurement->problem[0])
            EDGE_FOLLOW_PROBLEM(follow, "was stopped before the window began");
    }
    return error;
}

// With the sampling on: idle, load, handshakes, the steps of the curve, idle again.
static int measure_loads(struct edge_follow *follow)
{
    int error = edge_handshakes_hold(follow);
    if (!error)
        error = edge_levels_idle(follow, "idle_before");
    if (!error && !edge_follow_is_over(follow))
        error = run_load(follow);
    if (!error && follow->measurement->loaded)
        error = edge_follow_look(follow, "rest", false, &follow->measurement->rest);
    if (!error && !edge_follow_is_over(follow) && follow->measurement->loaded)
        error = edge_handshakes_count(follow);
    if (!error && !edge_follow_is_over(follow) && follow->measurement->loaded)
        error = edge_levels_run(follow);
    if (!error && !edge_follow_is_over(follow))
        error = edge_levels_idle(follow, "idle_after");
    return error ? error : edge_levels_settle(follow);
}

static int measure(struct edge_follow *follow)
{
    struct edge_measurement *measurement = follow->measurement;
    const struct edge_sequence *sequence = follow->sequence;
    int error = edge_agent_client_sync(sequence->agent, &measurement->sync_before, follow->message);
    if (!error)
        error = edge_follow_look(follow, "idle", true, &measurement->idle);
    if (error)
        return error;
    // Without it the peak counts from the server's start: worse, yet true.
    int reset = edge_follow_call(follow, json_pack("{ss}", "op", "reset_peak"), NULL);
    if (reset && reset != EDGE_ERR_FAILED)
        return reset;
    error = edge_follow_call(
        follow, json_pack("{ss sI}", "op", "sample", "period_ns", (json_int_t)SAMPLE_NS), NULL);
    if (!error)
        error = edge_meters_poll(sequence->meters, true, follow->message);
    if (!error)
        error = measure_loads(follow);
    int stopped = edge_meters_poll(sequence->meters, false, follow->message);
    if (!error)
        error = stopped;
    if (!error)
        error = edge_agent_client_sync(sequence->agent, &measurement->sync_after, follow->message);
    return error;
}

static int stop_server(struct edge_follow *follow)
{
    struct edge_agent_client *agent = follow->sequence->agent;
    int error =
        edge_follow_call(follow, json_pack("{ss si}", "op", "sample", "period_ns", 0), NULL);
    if (error || !follow->measurement->spawned || follow->measurement->died)
        return error;
    error = edge_agent_client_call(
        agent, json_pack("{ss sI}", "op", "stop", "grace_ns", (json_int_t)GRACE_NS),
        GRACE_NS + REQUEST_NS, NULL, follow->message);
    if (error == EDGE_ERR_FAILED) // it has died in between: an event tells how
        error = 0;
    return error ? error : edge_follow_turn(follow, edge_clock_ns());
}

int edge_sequence_run(const struct edge_sequence *sequence, struct edge_measurement *measurement,
                      struct edge_message *message)
{
    struct edge_follow follow = {
        .sequence = sequence, .measurement = measurement, .message = message};
    edge_progress_update(sequence->progress, "%s: starting", sequence->title);
    int error = spawn(&follow);
    if (!error && measurement->spawned)
        error = wait_ready(&follow);
    if (!error && measurement->ready && !edge_follow_is_over(&follow))
        error = measure(&follow);
    int stopped = stop_server(&follow);
    return error ? error : stopped;
}
