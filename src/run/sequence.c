#include "run/sequence.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent_json.h"
#include "base/clock.h"
#include "base/units.h"
#include "run/port.h"
#include "run/readiness.h"

#define REQUEST_NS  (10 * EDGE_NS_PER_S) // for the agent to answer
#define GRACE_NS    (5 * EDGE_NS_PER_S)  // for the server, after SIGTERM
#define SAMPLE_NS   (100 * EDGE_NS_PER_MS)
#define TICK_NS     (100 * EDGE_NS_PER_MS)
#define SLICE_NS    EDGE_NS_PER_S
#define DRAIN_NS    (5 * EDGE_NS_PER_S)
#define CONNECT_NS  (5 * EDGE_NS_PER_S)
#define TRY_NS      EDGE_NS_PER_S // for one call that tries whether it is ready
#define RETRY_NS    (20 * EDGE_NS_PER_MS)
#define PATIENCE_NS EDGE_NS_PER_S // with a server that answers, but wrongly

// One measurement in progress.
struct progress {
    const struct edge_sequence *sequence;
    struct edge_measurement *measurement;
    struct edge_message *message; // for errors that end the whole run
    struct edge_address address;
    uint64_t start_mark, stop_mark; // ids of requests under way; 0: none
};

#define PROBLEM(progress, ...)                                                                     \
    snprintf((progress)->measurement->problem, sizeof((progress)->measurement->problem),           \
             __VA_ARGS__)

// "exited with code 3; its last words: ..."
static void describe_death(const json_t *event, char *text, size_t size)
{
    const char *status = json_string_value(json_object_get(event, "status"));
    const char *words = json_string_value(json_object_get(event, "stderr"));
    json_int_t oom = json_integer_value(json_object_get(event, "oom_kills"));
    size_t len = words ? strlen(words) : 0;
    while (len > 0 && words[len - 1] == '\n')
        len--;
    const char *last = len > 300 ? words + len - 300 : words;
    snprintf(text, size, "%s%s%s%.*s", status ? status : "ended",
             oom > 0 ? " at its RAM limit (--server-ram)" : "", len > 0 ? "; it said: " : "",
             (int)(len > 300 ? 300 : len), last ? last : "");
    for (char *newline; (newline = strchr(text, '\n'));)
        *newline = ' ';
}

static int take_event(struct progress *progress, const json_t *event)
{
    struct edge_measurement *measurement = progress->measurement;
    const char *name = json_string_value(json_object_get(event, "event"));
    if (name && strcmp(name, "sample") == 0) {
        struct edge_agent_sample sample;
        edge_agent_json_to_sample(json_object_get(event, "sample"), &sample);
        edge_recorder_sample(progress->sequence->recorder, measurement->repeat, &sample);
        if (edge_measurement_add(measurement, &sample) != 0)
            return edge_fail(progress->message, -ENOMEM, "out of memory");
    } else if (name && strcmp(name, "server_exited") == 0) {
        char text[512];
        describe_death(event, text, sizeof(text));
        measurement->died = true;
        PROBLEM(progress, "%s: %s", measurement->ready ? "died" : "died before it was ready", text);
    }
    return 0;
}

// Takes the reference.
static void keep_mark(struct progress *progress, json_t *answer, struct edge_agent_sample *sample)
{
    edge_agent_json_to_sample(json_object_get(answer, "sample"), sample);
    edge_recorder_sample(progress->sequence->recorder, progress->measurement->repeat, sample);
    json_decref(answer);
}

static void take_mark(struct progress *progress, uint64_t *id, struct edge_agent_sample *sample)
{
    json_t *answer = *id ? edge_agent_client_answer(progress->sequence->agent, *id) : NULL;
    if (!answer)
        return;
    keep_mark(progress, answer, sample);
    *id = 0;
}

// Waits, then takes what the agent has said.
static int turn(struct progress *progress, uint64_t until_ns)
{
    const struct edge_sequence *sequence = progress->sequence;
    struct edge_measurement *measurement = progress->measurement;
    int error = edge_agent_client_wait(sequence->agent,
                                       measurement->interrupted ? -1 : sequence->interrupt->fd,
                                       until_ns, progress->message);
    if (edge_interrupt_poll(sequence->interrupt))
        measurement->interrupted = true;
    json_t *event;
    while (!error && (event = edge_agent_client_event(sequence->agent))) {
        error = take_event(progress, event);
        json_decref(event);
    }
    take_mark(progress, &progress->start_mark, &measurement->window_start);
    take_mark(progress, &progress->stop_mark, &measurement->window_stop);
    return error;
}

static bool is_over(const struct progress *progress)
{
    return progress->measurement->died || progress->measurement->interrupted;
}

static int call(struct progress *progress, json_t *request, json_t **answer)
{
    return edge_agent_client_call(progress->sequence->agent, request, REQUEST_NS, answer,
                                  progress->message);
}

static json_t *spawn_request(const struct edge_sequence *sequence, int port)
{
    const struct edge_run_options *options = sequence->options;
    char port_text[16], cpus[1024], cpus_env[64], ram_env[64], ram[24];
    snprintf(port_text, sizeof(port_text), "%d", port);
    snprintf(cpus_env, sizeof(cpus_env), "GRPC_SERVER_CPUS=%" PRIu64, options->server_cpus);
    snprintf(ram_env, sizeof(ram_env), "GRPC_SERVER_RAM=%s",
             edge_format_bytes(options->server_ram, ram, sizeof(ram)));
    edge_cpuset_text(&sequence->target->server_cpus, cpus, sizeof(cpus));
    const struct edge_emulator *emulator = &sequence->target->emulator;
    bool emulated = sequence->target->emulated;
    json_t *argv = json_array();
    for (size_t i = 0; emulated && emulator->prefix[i]; i++)
        json_array_append_new(argv, json_string(emulator->prefix[i]));
    json_array_append_new(argv, json_string(sequence->server->path));
    json_array_append_new(argv, json_string("--port"));
    json_array_append_new(argv, json_string(port_text));
    // An emulator's memory is not the server's: a limit for one says nothing about the other.
    return json_pack("{ss so s[ss] ss sI ss*}", "op", "spawn", "argv", argv, "env", cpus_env,
                     ram_env, "cpus", cpus, "ram_bytes",
                     (json_int_t)(emulated ? 0 : options->server_ram), "guest_counters",
                     emulated && !emulator->not_counted[0] ? emulator->counters : NULL);
}

// Starts the server. A server that cannot be started is a problem, not an error.
static int spawn(struct progress *progress)
{
    const struct edge_sequence *sequence = progress->sequence;
    struct edge_measurement *measurement = progress->measurement;
    struct edge_message why;
    json_t *answer;
    int port = edge_port_pick(sequence->target->host, &why);
    if (port < 0) {
        PROBLEM(progress, "there is no free port for it: %s", why.text);
        return 0;
    }
    int error = edge_address_numeric(sequence->target->host, (uint16_t)port, &progress->address,
                                     progress->message);
    if (!error)
        error = call(progress, spawn_request(sequence, port), &answer);
    if (error == EDGE_ERR_FAILED) {
        PROBLEM(progress, "%s", progress->message->text);
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
static bool try_call(struct progress *progress, uint64_t timeout_ns, struct edge_message *why)
{
    struct edge_readiness *readiness = &progress->measurement->readiness;
    struct edge_load_config config = {
        .address = progress->address,
        .payload = progress->sequence->payload,
        .connections = 1,
        .concurrency = 1,
        .total = 1,
        .timeout_ns = timeout_ns,
        .connect_timeout_ns = timeout_ns,
        .drain_ns = timeout_ns,
        .cpus = progress->sequence->target->client_cpus,
    };
    config.cpus.count = 1;
    struct edge_load *load;
    struct edge_load_result result;
    int error = edge_load_start(&config, &load, why);
    if (error == EDGE_ERR_PROTOCOL)
        edge_readiness_add_refusal(readiness, why->text);
    if (error || edge_load_finish(load, &result) != 0)
        return false;
    bool verified = edge_readiness_add(readiness, &result);
    edge_load_result_free(&result);
    return verified;
}

static void explain_not_ready(struct progress *progress, const struct edge_message *why)
{
    const struct edge_readiness *readiness = &progress->measurement->readiness;
    char text[768];
    if (edge_readiness_answered(readiness))
        PROBLEM(progress, "%s", edge_readiness_text(readiness, text, sizeof(text)));
    else
        PROBLEM(progress, "was not ready within %.4g s on %s: %s",
                (double)progress->sequence->options->ready_timeout_ns / 1e9, progress->address.text,
                readiness->calls > 0 ? "it takes calls, but does not answer" : why->text);
}

static int wait_ready(struct progress *progress)
{
    struct edge_measurement *measurement = progress->measurement;
    struct edge_message why = {""};
    uint64_t give_up_ns = edge_clock_ns() + progress->sequence->options->ready_timeout_ns;
    bool answered = false;
    for (;;) {
        uint64_t now = edge_clock_ns();
        int error = turn(progress, now);
        if (error || is_over(progress))
            return error;
        if (now >= give_up_ns) {
            explain_not_ready(progress, &why);
            return 0;
        }
        uint64_t left_ns = give_up_ns - now;
        measurement->ready = try_call(progress, left_ns < TRY_NS ? left_ns : TRY_NS, &why);
        if (measurement->ready)
            return 0;
        if (!answered && edge_readiness_answered(&measurement->readiness)) {
            answered = true;
            uint64_t patience_ns = edge_clock_ns() + PATIENCE_NS;
            give_up_ns = patience_ns < give_up_ns ? patience_ns : give_up_ns;
        }
        error = turn(progress, edge_clock_ns() + RETRY_NS);
        if (error || is_over(progress))
            return error;
    }
}

// Asks for a sample at a moment of the host's clock (0: now). The answer comes in a later turn.
static int send_mark(struct progress *progress, const char *label, uint64_t at_ns, bool deep,
                     uint64_t *id)
{
    struct edge_agent_client *agent = progress->sequence->agent;
    json_int_t agent_ns = at_ns > 0 ? (json_int_t)at_ns + agent->offset_ns : 0;
    return edge_agent_client_send(
        agent,
        json_pack("{ss ss sI sb}", "op", "mark", "label", label, "at_ns", agent_ns, "deep", deep),
        id, progress->message);
}

// Calls between two looks at the counters, and the line for the terminal.
struct counting {
    uint64_t window_start_ns, window_stop_ns;
    uint64_t slice_start_ns; // 0: the window has not begun
    struct edge_load_snapshot slice, shown;
    uint64_t shown_ns;
};

static void count_slice(const struct progress *progress, struct counting *counting,
                        const struct edge_load_snapshot *now, uint64_t now_ns)
{
    if (now_ns < counting->window_start_ns || counting->slice_start_ns >= counting->window_stop_ns)
        return;
    if (counting->slice_start_ns > 0 && now_ns < counting->slice_start_ns + SLICE_NS)
        return;
    if (counting->slice_start_ns > 0)
        edge_recorder_slice(progress->sequence->recorder, progress->measurement->repeat,
                            counting->slice_start_ns, now_ns, now->ended - counting->slice.ended,
                            now->ok - counting->slice.ok);
    counting->slice = *now;
    counting->slice_start_ns = now_ns;
}

static void show(const struct progress *progress, struct counting *counting,
                 const struct edge_load_snapshot *now, uint64_t now_ns)
{
    double since_s = (double)(now_ns - counting->shown_ns) / 1e9;
    if (since_s < 0.45)
        return;
    bool warm = now_ns >= counting->window_start_ns;
    uint64_t end_ns = warm ? counting->window_stop_ns : counting->window_start_ns;
    double left_s = end_ns > now_ns ? (double)(end_ns - now_ns) / 1e9 : 0;
    edge_progress_update(progress->sequence->progress, "%s: %s, %.0f s left, %.0f verified req/s",
                         progress->sequence->title, warm ? "measuring" : "warming up", left_s,
                         (double)(now->ok - counting->shown.ok) / since_s);
    counting->shown = *now;
    counting->shown_ns = now_ns;
}

// Follows the load to its end.
static int watch_load(struct progress *progress, struct edge_load *load)
{
    struct counting counting = {.shown_ns = edge_clock_ns()};
    struct edge_load_snapshot snapshot;
    bool stopped = false;
    int error = 0;
    edge_load_window(load, &counting.window_start_ns, &counting.window_stop_ns);
    error =
        send_mark(progress, "window_start", counting.window_start_ns, false, &progress->start_mark);
    if (!error)
        error =
            send_mark(progress, "window_stop", counting.window_stop_ns, true, &progress->stop_mark);
    for (edge_load_snapshot(load, &snapshot); snapshot.running;
         edge_load_snapshot(load, &snapshot)) {
        if ((error || is_over(progress)) && !stopped) {
            stopped = true;
            edge_load_stop(load);
            if (edge_clock_ns() < counting.window_start_ns)
                progress->start_mark = 0; // it will not come
            if (!error)
                error = send_mark(progress, "window_stop", 0, true, &progress->stop_mark);
        }
        uint64_t now_ns = edge_clock_ns();
        if (error)
            edge_clock_sleep_until(now_ns + TICK_NS);
        else
            error = turn(progress, now_ns + TICK_NS);
        edge_load_snapshot(load, &snapshot);
        count_slice(progress, &counting, &snapshot, edge_clock_ns());
        show(progress, &counting, &snapshot, edge_clock_ns());
    }
    progress->measurement->ended = snapshot.ended;
    progress->measurement->ok = snapshot.ok;
    return error;
}

static int take_late_marks(struct progress *progress)
{
    uint64_t until_ns = edge_clock_ns() + EDGE_NS_PER_S;
    int error = 0;
    while (!error && !progress->measurement->died && edge_clock_ns() < until_ns &&
           (progress->start_mark || progress->stop_mark))
        error = turn(progress, until_ns);
    return error;
}

static int run_load(struct progress *progress)
{
    const struct edge_sequence *sequence = progress->sequence;
    const struct edge_run_options *options = sequence->options;
    struct edge_measurement *measurement = progress->measurement;
    struct edge_load_config config = {
        .address = progress->address,
        .payload = sequence->payload,
        .connections = options->connections,
        .concurrency = options->concurrency,
        .rate = options->rate,
        .duration_ns = options->duration_ns,
        .warmup_ns = options->warmup_ns,
        .timeout_ns = options->timeout_ns,
        .connect_timeout_ns = CONNECT_NS,
        .drain_ns = DRAIN_NS,
        .cpus = sequence->target->client_cpus,
    };
    struct edge_load *load;
    struct edge_message why;
    measurement->load_start_ns = edge_clock_ns();
    int error = edge_load_start(&config, &load, &why);
    if (error) {
        PROBLEM(progress, "was ready, but not for %" PRIu64 " connections: %s",
                options->connections, why.text);
        return turn(progress, edge_clock_ns()); // it may have died of them
    }
    int watched = watch_load(progress, load);
    error = edge_load_finish(load, &measurement->load);
    measurement->load_stop_ns = edge_clock_ns();
    if (error)
        return edge_fail(progress->message, error, "out of memory");
    measurement->loaded = measurement->load.window_stop_ns > measurement->load.window_start_ns;
    if (!measurement->loaded) {
        edge_load_result_free(&measurement->load);
        if (!measurement->problem[0])
            PROBLEM(progress, "was stopped before the window began");
    }
    return watched ? watched : take_late_marks(progress);
}

// Takes a sample now.
static int look(struct progress *progress, const char *label, bool deep,
                struct edge_agent_sample *sample)
{
    json_t *answer;
    json_t *request = json_pack("{ss ss sb}", "op", "mark", "label", label, "deep", deep);
    int error = call(progress, request, &answer);
    if (error)
        return error;
    keep_mark(progress, answer, sample);
    return 0;
}

static int measure(struct progress *progress)
{
    struct edge_measurement *measurement = progress->measurement;
    struct edge_agent_client *agent = progress->sequence->agent;
    int error = edge_agent_client_sync(agent, &measurement->sync_before, progress->message);
    if (!error)
        error = look(progress, "idle", true, &measurement->idle);
    if (error)
        return error;
    // Without it the peak counts from the server's start: worse, yet true.
    int reset = call(progress, json_pack("{ss}", "op", "reset_peak"), NULL);
    if (reset && reset != EDGE_ERR_FAILED)
        return reset;
    error = call(progress, json_pack("{ss sI}", "op", "sample", "period_ns", (json_int_t)SAMPLE_NS),
                 NULL);
    if (!error)
        error = run_load(progress);
    if (!error && measurement->loaded)
        error = look(progress, "rest", false, &measurement->rest);
    if (!error)
        error = edge_agent_client_sync(agent, &measurement->sync_after, progress->message);
    return error;
}

static int stop_server(struct progress *progress)
{
    struct edge_agent_client *agent = progress->sequence->agent;
    int error = call(progress, json_pack("{ss si}", "op", "sample", "period_ns", 0), NULL);
    if (error || !progress->measurement->spawned || progress->measurement->died)
        return error;
    error = edge_agent_client_call(
        agent, json_pack("{ss sI}", "op", "stop", "grace_ns", (json_int_t)GRACE_NS),
        GRACE_NS + REQUEST_NS, NULL, progress->message);
    if (error == EDGE_ERR_FAILED) // it has died in between: an event tells how
        error = 0;
    return error ? error : turn(progress, edge_clock_ns());
}

int edge_sequence_run(const struct edge_sequence *sequence, struct edge_measurement *measurement,
                      struct edge_message *message)
{
    struct progress progress = {sequence, measurement, message, .start_mark = 0};
    edge_progress_update(sequence->progress, "%s: starting", sequence->title);
    int error = spawn(&progress);
    if (!error && measurement->spawned)
        error = wait_ready(&progress);
    if (!error && measurement->ready && !is_over(&progress))
        error = measure(&progress);
    int stopped = stop_server(&progress);
    return error ? error : stopped;
}
