#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/recorder_internal.h"

static void put_histogram(struct edge_recorder *recorder, uint64_t repeat, const char *name,
                          const struct edge_histogram *histogram)
{
    if (!recorder->error && histogram->count > 0)
        recorder->error = edge_result_write_histogram(&recorder->writer, repeat, name, histogram,
                                                      &recorder->message);
}

static void put_interval(struct edge_recorder *recorder, uint64_t repeat, const char *name,
                         uint64_t start_ns, uint64_t stop_ns)
{
    struct edge_record_interval interval;
    edge_record_init(EDGE_RECORD_INTERVAL, &interval);
    interval.repeat = repeat;
    EDGE_RECORDER_SET(interval.name, "%s", name);
    interval.start_ns = start_ns;
    interval.stop_ns = stop_ns;
    edge_recorder_put(recorder, EDGE_RECORD_INTERVAL, &interval);
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
    EDGE_RECORDER_SET(count->tls_version, "%s", tls->version);
    EDGE_RECORDER_SET(count->tls_suite, "%s", tls->suite);
    count->tls_full = tls->full;
    count->tls_resumed = tls->resumed;
}

// The books of the load; of the calls that tried whether it is ready, if it never was.
void edge_recorder_count(struct edge_recorder *recorder, const struct edge_measurement *measurement)
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
        count.balanced = edge_recorder_truth(load->balanced);
        count.ok_in_window = load->ok_in_window;
        count.messages_in_window = load->messages_in_window;
        count.noncanonical = load->noncanonical;
        count.bytes_in = load->bytes_in;
        count.bytes_out = load->bytes_out;
        count.connections_opened = load->connections_opened;
        count.connections_lost = load->connections_lost;
        set_tls(&load->tls, &count);
        count.client_limited = edge_recorder_truth(load->client_limited);
        EDGE_RECORDER_SET(count.client_limited_why, "%s", load->client_limited_why);
        EDGE_RECORDER_SET(count.first_error, "%s", load->first_error);
    } else if (!measurement->ready && readiness->calls > 0) {
        count.due = readiness->calls;
        count.sent = readiness->calls;
        count.unsent = 0;
        tally_calls(&count, readiness->outcomes, readiness->grpc_status, readiness->reset_code);
        count.balanced = EDGE_YES;
        count.ok_in_window = 0;
        EDGE_RECORDER_SET(count.first_error, "%s", readiness->first_error);
    } else {
        return;
    }
    edge_recorder_put(recorder, EDGE_RECORD_COUNT, &count);
}

static void set_energy(const struct edge_recorder *recorder, const struct edge_energies *energies,
                       struct edge_record_interval *interval)
{
    interval->energy_uj = edge_energies_find(energies, interval->start_ns);
    if (interval->energy_uj != EDGE_UNMEASURED)
        EDGE_RECORDER_SET(interval->power_scope, "%s", recorder->facts->meters->at[0].facts.scope);
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
void edge_recorder_spans(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                         const struct edge_energies *energies)
{
    for (unsigned i = 0; i < measurement->span_count; i++) {
        const struct edge_measurement_span *span = &measurement->spans[i];
        struct edge_record_interval interval;
        edge_record_init(EDGE_RECORD_INTERVAL, &interval);
        interval.repeat = measurement->repeat;
        EDGE_RECORDER_SET(interval.name, "%s", span->name);
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
        edge_recorder_put(recorder, EDGE_RECORD_INTERVAL, &interval);
    }
    for (unsigned i = 0; i < energies->count; i++)
        edge_recorder_put(recorder, EDGE_RECORD_ENERGY, &energies->at[i]);
}

static void put_window(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                       const struct edge_window_figures *figures,
                       const struct edge_energies *energies)
{
    const struct edge_load_result *load = &measurement->load;
    struct edge_record_interval window;
    edge_record_init(EDGE_RECORD_INTERVAL, &window);
    window.repeat = measurement->repeat;
    EDGE_RECORDER_SET(window.name, "window");
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
    edge_recorder_put(recorder, EDGE_RECORD_INTERVAL, &window);
}

// What an emulator counted, over all calls from the first connection to the last reply.
static void put_counted(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                        const struct edge_window_figures *figures)
{
    struct edge_record_interval load;
    edge_record_init(EDGE_RECORD_INTERVAL, &load);
    load.repeat = measurement->repeat;
    EDGE_RECORDER_SET(load.name, "load");
    load.start_ns = measurement->load_start_ns;
    load.stop_ns = measurement->load_stop_ns;
    load.ended = measurement->ended;
    load.ok = measurement->ok;
    load.instructions = figures->instructions;
    load.system_calls = figures->system_calls;
    edge_recorder_put(recorder, EDGE_RECORD_INTERVAL, &load);
}

void edge_recorder_load(struct edge_recorder *recorder, const struct edge_measurement *measurement,
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
