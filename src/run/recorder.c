#include "run/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "run/board_record.h"
#include "run/energies.h"
#include "run/judge.h"
#include "run/version_line.h"

static void put(struct edge_recorder *recorder, enum edge_record_type type, const void *record)
{
    if (!recorder->error)
        recorder->error = edge_result_write(&recorder->writer, type, record, &recorder->message);
}

static void put_histogram(struct edge_recorder *recorder, uint64_t repeat, const char *name,
                          const struct edge_histogram *histogram)
{
    if (!recorder->error && histogram->count > 0)
        recorder->error = edge_result_write_histogram(&recorder->writer, repeat, name, histogram,
                                                      &recorder->message);
}

static int truth(bool value)
{
    return value ? EDGE_YES : EDGE_NO;
}

#define SET(member, ...) snprintf(member, sizeof(member), __VA_ARGS__)

static void put_run(struct edge_recorder *recorder, const struct edge_server_entry *server)
{
    const struct edge_recorder_facts *facts = recorder->facts;
    struct edge_record_run run;
    edge_record_init(EDGE_RECORD_RUN, &run);
    SET(run.tool_version, "%s", edge_build_info()->version);
    edge_clock_utc(edge_clock_wall_ns(), run.started_utc);
    SET(run.server, "%s", server->name);
    SET(run.scenario, "%s", facts->payload->scenario);
    SET(run.call, "%s", facts->payload->call);
    SET(run.target, "%s", facts->target->name);
    run.emulated = truth(facts->target->emulated);
    run.calibration = truth(server->calibration);
    run.repeats = facts->options->repeat;
    put(recorder, EDGE_RECORD_RUN, &run);
}

static void put_builds(struct edge_recorder *recorder, const struct edge_server_entry *server)
{
    const struct edge_build_info *info = edge_build_info();
    struct edge_record_build build;
    edge_record_init(EDGE_RECORD_BUILD, &build);
    SET(build.program, "bench-edge");
    SET(build.version, "%s", info->version);
    SET(build.git, "%s", info->git);
    SET(build.compiler, "%s", info->compiler);
    SET(build.flags, "%s", info->flags);
    SET(build.build, "%s", info->build);
    SET(build.target, "%s", info->target);
    put(recorder, EDGE_RECORD_BUILD, &build);
    edge_version_line_parse(server->version, server->name, &build);
    build.size_bytes = server->size_bytes;
    if (!recorder->facts->options->tls)
        SET(build.tls, "off"); // whatever it could do
    else if (!build.tls[0])
        SET(build.tls, "on");
    put(recorder, EDGE_RECORD_BUILD, &build);
}

static void put_opt(struct edge_recorder *recorder, const char *name, const char *env,
                    const char *value)
{
    struct edge_record_opt opt;
    edge_record_init(EDGE_RECORD_OPT, &opt);
    SET(opt.name, "%s", name);
    SET(opt.env, "%s", env ? env : "");
    SET(opt.value, "%s", value);
    put(recorder, EDGE_RECORD_OPT, &opt);
}

// The options as asked for, then what was made of them.
static void put_opts(struct edge_recorder *recorder)
{
    const struct edge_recorder_facts *facts = recorder->facts;
    const struct edge_target *target = facts->target;
    char text[512];
    for (const struct edge_option *row = facts->command->options; row->name; row++)
        put_opt(recorder, row->name, row->env,
                edge_option_text(row, facts->options, text, sizeof(text)));
    put_opt(recorder, "server-cpu-list", NULL,
            edge_cpuset_text(&target->server_cpus, text, sizeof(text)));
    put_opt(recorder, "client-cpu-list", NULL,
            edge_cpuset_text(&target->client_cpus, text, sizeof(text)));
    if (target->emulated)
        put_opt(recorder, "guest-counters", NULL,
                target->emulator.not_counted[0] ? target->emulator.not_counted : "true");
    if (target->shared)
        put_opt(recorder, "cpu-shared", NULL, "true");
}

static void put_sources(struct edge_recorder *recorder)
{
    const struct edge_meters *meters = recorder->facts->meters;
    for (unsigned i = 0; i < meters->count; i++)
        put(recorder, EDGE_RECORD_SOURCE, &meters->at[i].facts);
}

int edge_recorder_open(struct edge_recorder *recorder, const char *path,
                       const struct edge_recorder_facts *facts,
                       const struct edge_server_entry *server, struct edge_message *message)
{
    *recorder = (struct edge_recorder){.facts = facts,
                                       .writer = {.fd = -1},
                                       .started_ns = edge_clock_ns(),
                                       .calibration = server->calibration,
                                       .valid = EDGE_UNKNOWN};
    int error = edge_result_writer_open(&recorder->writer, path, message);
    if (error)
        return error;
    put_run(recorder, server);
    put_builds(recorder, server);
    put_opts(recorder);
    put_sources(recorder);
    if (recorder->error)
        *message = recorder->message;
    return recorder->error;
}

void edge_recorder_sample(struct edge_recorder *recorder, uint64_t repeat,
                          const struct edge_agent_sample *sample)
{
    struct edge_record_sample record;
    edge_record_init(EDGE_RECORD_SAMPLE, &record);
    record.repeat = repeat;
    record.agent_time_ns = sample->t_ns;
    if (!recorder->facts->target->emulated) { // else they are the emulator's own
        record.cpu_ns = sample->cpu_ns;
        record.rss_bytes = sample->rss_bytes;
        record.pss_bytes = sample->pss_bytes;
        record.peak_bytes = sample->hwm_bytes;
        record.temperature_millicelsius = sample->temperature_millicelsius;
        record.requested_hz = sample->requested_hz;
        record.measured_hz = sample->measured_hz;
        record.throttle_bits = sample->throttle_bits;
    }
    put(recorder, EDGE_RECORD_SAMPLE, &record);
}

void edge_recorder_power(struct edge_recorder *recorder, uint64_t repeat)
{
    struct edge_meters *meters = recorder->facts->meters;
    uint64_t now_ns = edge_clock_ns();
    for (unsigned i = 0; i < meters->count; i++) {
        struct edge_meter *meter = &meters->at[i];
        for (; meter->written < meter->count; meter->written++) {
            const struct edge_reading *reading = &meter->readings[meter->written];
            struct edge_record_power record;
            if (reading->t_ns > now_ns)
                break;
            edge_record_init(EDGE_RECORD_POWER, &record);
            record.repeat = repeat;
            record.source = i + 1;
            record.time_ns = reading->t_ns;
            record.power_uw = reading->power_uw;
            record.energy_uj = reading->energy_uj;
            put(recorder, EDGE_RECORD_POWER, &record);
        }
    }
}

static void put_interval(struct edge_recorder *recorder, uint64_t repeat, const char *name,
                         uint64_t start_ns, uint64_t stop_ns)
{
    struct edge_record_interval interval;
    edge_record_init(EDGE_RECORD_INTERVAL, &interval);
    interval.repeat = repeat;
    SET(interval.name, "%s", name);
    interval.start_ns = start_ns;
    interval.stop_ns = stop_ns;
    put(recorder, EDGE_RECORD_INTERVAL, &interval);
}

void edge_recorder_slice(struct edge_recorder *recorder, uint64_t repeat, uint64_t start_ns,
                         uint64_t stop_ns, uint64_t ended, uint64_t ok)
{
    struct edge_record_interval interval;
    edge_record_init(EDGE_RECORD_INTERVAL, &interval);
    interval.repeat = repeat;
    SET(interval.name, "slice");
    interval.start_ns = start_ns;
    interval.stop_ns = stop_ns;
    interval.ended = ended;
    interval.ok = ok;
    put(recorder, EDGE_RECORD_INTERVAL, &interval);
}

static void put_board(struct edge_recorder *recorder, const char *ram_limit)
{
    struct edge_record_board board;
    if (recorder->board_written)
        return;
    recorder->board_written = true;
    edge_record_init(EDGE_RECORD_BOARD, &board);
    edge_board_record_fill(recorder->facts->target, recorder->facts->board, ram_limit, &board);
    put(recorder, EDGE_RECORD_BOARD, &board);
}

static void put_sync(struct edge_recorder *recorder, uint64_t repeat,
                     const struct edge_agent_sync *sync)
{
    struct edge_record_sync record;
    if (sync->round_trip_ns == 0)
        return;
    edge_record_init(EDGE_RECORD_SYNC, &record);
    record.repeat = repeat;
    record.time_ns = sync->time_ns;
    record.agent_time_ns = sync->agent_time_ns;
    record.round_trip_ns = sync->round_trip_ns;
    record.wall_ns = sync->wall_ns;
    put(recorder, EDGE_RECORD_SYNC, &record);
}

static void tally_calls(struct edge_record_count *count, const uint64_t *outcomes,
                        const uint64_t *grpc_status, const uint64_t *reset_code)
{
    char name[16];
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++)
        if (outcomes[i] > 0 || i == EDGE_OUTCOME_OK)
            edge_tally_add(&count->outcomes, edge_outcome_name(i), outcomes[i]);
    for (unsigned i = 0; i < 17; i++) {
        snprintf(name, sizeof(name), i < 16 ? "%u" : "16+", i);
        if (grpc_status[i] > 0)
            edge_tally_add(&count->grpc_status, name, grpc_status[i]);
    }
    for (unsigned i = 0; i < 16; i++) {
        snprintf(name, sizeof(name), "%u", i);
        if (reset_code[i] > 0)
            edge_tally_add(&count->reset_code, name, reset_code[i]);
    }
}

static void set_tls(const struct edge_load_tls *tls, struct edge_record_count *count)
{
    if (!tls->version[0])
        return;
    SET(count->tls_version, "%s", tls->version);
    SET(count->tls_suite, "%s", tls->suite);
    count->tls_full = tls->full;
    count->tls_resumed = tls->resumed;
}

// The books of the load; of the calls that tried whether it is ready, if it never was.
static void put_count(struct edge_recorder *recorder, const struct edge_measurement *measurement)
{
    const struct edge_load_result *load = &measurement->load;
    const struct edge_readiness *readiness = &measurement->readiness;
    struct edge_record_count count;
    edge_record_init(EDGE_RECORD_COUNT, &count);
    count.repeat = measurement->repeat;
    if (measurement->loaded) {
        count.due = load->due;
        count.sent = load->sent;
        count.unsent = load->unsent;
        tally_calls(&count, load->outcomes, load->grpc_status, load->reset_code);
        count.balanced = truth(load->balanced);
        count.ok_in_window = load->ok_in_window;
        count.messages_in_window = load->messages_in_window;
        count.noncanonical = load->noncanonical;
        count.bytes_in = load->bytes_in;
        count.bytes_out = load->bytes_out;
        count.connections_opened = load->connections_opened;
        count.connections_lost = load->connections_lost;
        set_tls(&load->tls, &count);
        count.client_limited = truth(load->client_limited);
        SET(count.client_limited_why, "%s", load->client_limited_why);
        SET(count.first_error, "%s", load->first_error);
    } else if (!measurement->ready && readiness->calls > 0) {
        count.due = readiness->calls;
        count.sent = readiness->calls;
        count.unsent = 0;
        tally_calls(&count, readiness->outcomes, readiness->grpc_status, readiness->reset_code);
        count.balanced = EDGE_YES;
        count.ok_in_window = 0;
        SET(count.first_error, "%s", readiness->first_error);
    } else {
        return;
    }
    put(recorder, EDGE_RECORD_COUNT, &count);
}

static void set_energy(const struct edge_recorder *recorder, const struct edge_energies *energies,
                       struct edge_record_interval *interval)
{
    interval->energy_uj = edge_energies_find(energies, interval->start_ns);
    if (interval->energy_uj != EDGE_UNMEASURED)
        SET(interval->power_scope, "%s", recorder->facts->meters->at[0].facts.scope);
}

static void set_board_figures(const struct edge_window_figures *figures,
                              struct edge_record_interval *window)
{
    window->temperature_start_millicelsius = figures->temperature_start_millicelsius;
    window->temperature_max_millicelsius = figures->temperature_max_millicelsius;
    window->requested_hz = figures->requested_hz;
    window->measured_hz = figures->measured_hz;
    window->below_max_ns = figures->below_max_ns;
    window->throttle_bits = figures->throttle_bits;
    window->steal_ns = figures->steal_ns;
    window->swap_bytes = figures->swap_bytes;
    window->cpu_pressure_ns = figures->cpu_pressure_ns;
    window->memory_pressure_ns = figures->memory_pressure_ns;
    window->io_pressure_ns = figures->io_pressure_ns;
    window->cgroup_peak_bytes = figures->cgroup_peak_bytes;
}

// From the server alone to all connections open. Before the load, so that no call's memory is in
// it.
static uint64_t connection_bytes(const struct edge_recorder_facts *facts,
                                 const struct edge_measurement *measurement,
                                 const struct edge_measurement_span *span)
{
    uint64_t before = measurement->idle.pss_bytes, after = span->stop.pss_bytes;
    if (strcmp(span->name, "connected") != 0 || facts->target->emulated ||
        before == EDGE_UNMEASURED || after == EDGE_UNMEASURED || after < before)
        return EDGE_UNMEASURED;
    return (after - before) / facts->options->connections;
}

// Idle around the load, the steps of the curve, handshakes.
static void put_spans(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                      const struct edge_energies *energies)
{
    for (unsigned i = 0; i < measurement->span_count; i++) {
        const struct edge_measurement_span *span = &measurement->spans[i];
        struct edge_record_interval interval;
        edge_record_init(EDGE_RECORD_INTERVAL, &interval);
        interval.repeat = measurement->repeat;
        SET(interval.name, "%s", span->name);
        interval.start_ns = span->start_ns;
        interval.stop_ns = span->stop_ns;
        interval.ok = span->ok;
        if (strncmp(span->name, "handshakes", strlen("handshakes")) == 0)
            interval.ended = span->ended;
        if (strcmp(span->name, "level") == 0) {
            interval.load_percent = span->load_percent;
            interval.target_rate = span->target_rate;
        }
        interval.connection_bytes = connection_bytes(recorder->facts, measurement, span);
        if (!recorder->facts->target->emulated && span->stop.cpu_ns != EDGE_UNMEASURED &&
            span->start.cpu_ns <= span->stop.cpu_ns)
            interval.server_cpu_ns = span->stop.cpu_ns - span->start.cpu_ns;
        set_energy(recorder, energies, &interval);
        put(recorder, EDGE_RECORD_INTERVAL, &interval);
    }
    for (unsigned i = 0; i < energies->count; i++)
        put(recorder, EDGE_RECORD_ENERGY, &energies->at[i]);
}

static void put_window(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                       const struct edge_window_figures *figures,
                       const struct edge_energies *energies)
{
    const struct edge_load_result *load = &measurement->load;
    struct edge_record_interval window;
    edge_record_init(EDGE_RECORD_INTERVAL, &window);
    window.repeat = measurement->repeat;
    SET(window.name, "window");
    window.start_ns = load->window_start_ns;
    window.stop_ns = load->window_stop_ns;
    window.ok = load->ok_in_window;
    window.client_cpu_ns = figures->client_cpu_ns;
    window.background_cpu_ns = figures->background_cpu_ns;
    if (recorder->facts->board->cores > 0)
        window.cpus = recorder->facts->board->cores;
    if (!recorder->facts->target->emulated) { // else they are the emulator's own
        window.server_cpu_ns = figures->server_cpu_ns;
        window.rss_bytes = figures->rss_bytes;
        window.pss_bytes = figures->pss_bytes;
        window.peak_bytes = figures->peak_bytes;
        set_board_figures(figures, &window);
    }
    set_energy(recorder, energies, &window);
    put(recorder, EDGE_RECORD_INTERVAL, &window);
}

// What an emulator counted, over all calls from the first connection to the last reply.
static void put_counted(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                        const struct edge_window_figures *figures)
{
    struct edge_record_interval load;
    edge_record_init(EDGE_RECORD_INTERVAL, &load);
    load.repeat = measurement->repeat;
    SET(load.name, "load");
    load.start_ns = measurement->load_start_ns;
    load.stop_ns = measurement->load_stop_ns;
    load.ended = measurement->ended;
    load.ok = measurement->ok;
    load.instructions = figures->instructions;
    load.system_calls = figures->system_calls;
    put(recorder, EDGE_RECORD_INTERVAL, &load);
}

static void put_load(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                     const struct edge_window_figures *figures,
                     const struct edge_energies *energies)
{
    const struct edge_load_result *load = &measurement->load;
    uint64_t repeat = measurement->repeat;
    put_interval(recorder, repeat, "warmup", measurement->load_start_ns, load->window_start_ns);
    put_window(recorder, measurement, figures, energies);
    if (recorder->facts->target->emulated)
        put_counted(recorder, measurement, figures);
    put_interval(recorder, repeat, "drain", load->window_stop_ns, measurement->load_stop_ns);
    put_histogram(recorder, repeat, "service", &load->service);
    put_histogram(recorder, repeat, "response", &load->response);
    put_histogram(recorder, repeat, "send_lag", &load->send_lag);
    double window_s = (double)(load->window_stop_ns - load->window_start_ns) / 1e9;
    if (window_s <= 0)
        return;
    double *rates = realloc(recorder->rates, (recorder->rate_count + 1) * sizeof(*rates));
    if (!rates) {
        recorder->error = edge_fail(&recorder->message, -ENOMEM, "out of memory");
        return;
    }
    recorder->rates = rates;
    rates[recorder->rate_count++] = (double)load->ok_in_window / window_s;
    recorder->verified += load->ok_in_window;
}

static void put_verdicts(struct edge_recorder *recorder, enum edge_rule_scope scope,
                         uint64_t repeat, const struct edge_readings *readings)
{
    struct edge_record_rule *verdicts =
        realloc(recorder->verdicts,
                (recorder->verdict_count + EDGE_RULES_MAX) * sizeof(*recorder->verdicts));
    if (!verdicts) {
        recorder->error = edge_fail(&recorder->message, -ENOMEM, "out of memory");
        return;
    }
    recorder->verdicts = verdicts;
    struct edge_record_rule *first = verdicts + recorder->verdict_count;
    size_t count = edge_rules_judge(scope, repeat, readings, first);
    recorder->verdict_count += count;
    for (size_t i = 0; i < count; i++)
        put(recorder, EDGE_RECORD_RULE, &first[i]);
}

void edge_recorder_repeat(struct edge_recorder *recorder,
                          const struct edge_measurement *measurement)
{
    const struct edge_recorder_facts *facts = recorder->facts;
    struct edge_window_figures figures;
    struct edge_energies energies;
    struct edge_readings readings;
    edge_recorder_power(recorder, measurement->repeat);
    if (edge_energies_compute(facts->meters, measurement, &energies) != 0 && !recorder->error)
        recorder->error = edge_fail(&recorder->message, -ENOMEM, "out of memory");
    edge_measurement_figures(measurement, facts->target->same_machine, &figures);
    if (measurement->spawned)
        put_board(recorder, measurement->ram_limit);
    put_sync(recorder, measurement->repeat, &measurement->sync_before);
    put_sync(recorder, measurement->repeat, &measurement->sync_after);
    if (measurement->loaded)
        put_load(recorder, measurement, &figures, &energies);
    put_spans(recorder, measurement, &energies);
    put_count(recorder, measurement);
    edge_judge_repeat(measurement, &figures, facts->target, facts->board, &readings);
    if (measurement->loaded)
        edge_energies_judge(&energies, facts->meters, facts->target->same_machine, &readings);
    put_verdicts(recorder, EDGE_RULE_EACH_REPEAT, measurement->repeat, &readings);
}

int edge_recorder_end(struct edge_recorder *recorder, const char *interrupted,
                      struct edge_message *message)
{
    struct edge_readings readings;
    struct edge_record_end end;
    edge_record_init(EDGE_RECORD_END, &end);
    put_board(recorder, "");
    edge_judge_run(recorder->rates, recorder->rate_count, recorder->calibration,
                   recorder->facts->target->emulated, recorder->facts->options->root != NULL,
                   &readings);
    put_verdicts(recorder, EDGE_RULE_OVER_REPEATS, 0, &readings);
    edge_rules_conclude(recorder->verdicts, recorder->verdict_count, &end);
    if (interrupted) {
        end.valid = EDGE_NO;
        edge_texts_add(&end.reasons, "interrupted: %s", interrupted);
    }
    recorder->valid = end.valid;
    recorder->sound = end.valid == EDGE_YES ||
                      (recorder->facts->target->emulated && end.reasons.count == 1 &&
                       strncmp(end.reasons.at[0], "emulated:", strlen("emulated:")) == 0);
    edge_clock_utc(edge_clock_wall_ns(), end.finished_utc);
    end.elapsed_ns = edge_clock_ns() - recorder->started_ns;
    put(recorder, EDGE_RECORD_END, &end);
    struct edge_message close_message = {""};
    int error = edge_result_writer_close(&recorder->writer, &close_message);
    if (error && !recorder->error) {
        recorder->error = error;
        recorder->message = close_message;
    }
    if (recorder->error)
        *message = recorder->message;
    return recorder->error;
}

void edge_recorder_free(struct edge_recorder *recorder)
{
    struct edge_message ignored; // edge_recorder_end() tells of errors; here there is one already
    edge_result_writer_close(&recorder->writer, &ignored);
    free(recorder->rates);
    free(recorder->verdicts);
    recorder->rates = NULL;
    recorder->verdicts = NULL;
}
