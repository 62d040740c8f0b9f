#include "result/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MEMBER(kind, s, member)                                                                    \
    .type = (kind), .offset = offsetof(struct s, member), .size = sizeof(((struct s *)0)->member)
#define TEXT(s, member)  .key = #member, MEMBER(EDGE_FIELD_TEXT, s, member)
#define UINT(s, member)  .key = #member, MEMBER(EDGE_FIELD_UINT, s, member)
#define TRUTH(s, member) .key = #member, MEMBER(EDGE_FIELD_TRUTH, s, member)
#define TALLY(s, member) .key = #member, MEMBER(EDGE_FIELD_TALLY, s, member)
#define TEXTS(s, member) .key = #member, MEMBER(EDGE_FIELD_TEXTS, s, member)
#define BINS(s, member)  .key = #member, MEMBER(EDGE_FIELD_BINS, s, member)
#define REPEAT(s)                                                                                  \
    {                                                                                              \
        UINT(s, repeat), .required = true, .help = "number of the repeat, from 1"                  \
    }
#define LAST                                                                                       \
    {                                                                                              \
        .key = NULL                                                                                \
    }

static const struct edge_field run_fields[] = {
    {TEXT(edge_record_run, tool_version), .help = "version of bench-edge, apart from the format's"},
    {TEXT(edge_record_run, started_utc), .help = "when the run began; a label"},
    {TEXT(edge_record_run, server), .required = true, .help = "the server's name: a row in tables"},
    {TEXT(edge_record_run, scenario), .required = true, .help = "the payload"},
    {TEXT(edge_record_run, call), .required = true, .help = "the method"},
    {TEXT(edge_record_run, target), .required = true, .help = "`local`, `qemu:BOARD`, `ssh://...`"},
    {TRUTH(edge_record_run, emulated), .help = "the server ran under an emulator"},
    {TRUTH(edge_record_run, calibration), .help = "the server only calibrates the generator"},
    {UINT(edge_record_run, repeats), .help = "how many repeats were planned"},
    LAST};

static const struct edge_field build_fields[] = {
    {TEXT(edge_record_build, program), .required = true, .help = "`bench-edge` or `server`"},
    {TEXT(edge_record_build, version), .help = "its version; of a foreign server, what it says"},
    {TEXT(edge_record_build, git), .help = "its commit"},
    {TEXT(edge_record_build, compiler), .help = "compiler and version"},
    {TEXT(edge_record_build, flags), .help = "as given to the compiler"},
    {TEXT(edge_record_build, build), .help = "type of the build: `Release`"},
    {TEXT(edge_record_build, target), .help = "the machine it was built for"},
    {TEXT(edge_record_build, codec), .help = "server only: protobuf library"},
    {TEXT(edge_record_build, tls), .help = "server only: `off`, or the TLS library"},
    {UINT(edge_record_build, size_bytes), .help = "server only: size of its file"},
    LAST};

static const struct edge_field board_fields[] = {
    {TEXT(edge_record_board, id), .required = true, .help = "the board's id, or `host`"},
    {TEXT(edge_record_board, model), .help = "what the board says it is"},
    {TEXT(edge_record_board, cpu), .help = "CPU model, or core types"},
    {UINT(edge_record_board, cpus), .help = "CPUs online"},
    {UINT(edge_record_board, ram_bytes), .help = "RAM"},
    {TEXT(edge_record_board, kernel), .help = "kernel and release"},
    {TEXT(edge_record_board, os), .help = "distribution"},
    {TEXT(edge_record_board, arch), .help = "machine, as the kernel calls it"},
    {TEXT(edge_record_board, ram_limit), .help = "how the server's RAM limit was applied"},
    {TEXT(edge_record_board, governor), .help = "cpufreq governor; several where they differ"},
    {UINT(edge_record_board, max_hz), .help = "highest clock of the hardware"},
    {UINT(edge_record_board, cap_hz), .help = "highest clock that is allowed"},
    {TEXT(edge_record_board, thermal_zone), .help = "whose temperature is read"},
    {TEXT(edge_record_board, throttle_source), .help = "`firmware`, `rpi_volt`, `cooling_device`"},
    {TEXT(edge_record_board, link), .help = "network link and its speed"},
    LAST};

static const struct edge_field opt_fields[] = {
    {TEXT(edge_record_opt, name), .required = true, .help = "long name of the option"},
    {TEXT(edge_record_opt, env), .help = "its environment variable"},
    {TEXT(edge_record_opt, value), .help = "its effective value, as a person would type it"},
    LAST};

static const struct edge_field sync_fields[] = {
    REPEAT(edge_record_sync),
    {UINT(edge_record_sync, time_ns), .required = true, .help = "CLOCK_MONOTONIC of the host"},
    {UINT(edge_record_sync, agent_time_ns), .help = "CLOCK_MONOTONIC of the agent, at that time"},
    {UINT(edge_record_sync, round_trip_ns), .help = "round trip of the ping: bounds the error"},
    {UINT(edge_record_sync, wall_ns), .help = "CLOCK_REALTIME of the host, to notice a step"},
    LAST};

static const struct edge_field interval_fields[] = {
    REPEAT(edge_record_interval),
    {TEXT(edge_record_interval, name), .required = true,
     .help = "`warmup`, `window`, `slice`, `load`, `level`, ..."},
    {UINT(edge_record_interval, start_ns), .required = true, .help = "host clock"},
    {UINT(edge_record_interval, stop_ns), .required = true, .help = "host clock, >= `start_ns`"},
    {UINT(edge_record_interval, ended), .help = "calls that ended in it"},
    {UINT(edge_record_interval, ok), .help = "of those, verified"},
    {UINT(edge_record_interval, server_cpu_ns), .help = "CPU time of the server"},
    {UINT(edge_record_interval, client_cpu_ns), .help = "CPU time of the generator's threads"},
    {UINT(edge_record_interval, background_cpu_ns), .help = "CPU time of everything else"},
    {UINT(edge_record_interval, cpus), .help = "CPUs that this is over"},
    {UINT(edge_record_interval, rss_bytes), .help = "resident memory, mean of the samples"},
    {UINT(edge_record_interval, pss_bytes), .help = "proportional share, mean of the samples"},
    {UINT(edge_record_interval, peak_bytes), .help = "peak resident memory"},
    {UINT(edge_record_interval, connection_bytes),
     .help = "of `connected`: what a connection adds to the proportional share"},
    {UINT(edge_record_interval, energy_uj), .help = "energy, gross"},
    {TEXT(edge_record_interval, power_scope), .help = "what that energy covers: `wall`, ..."},
    {UINT(edge_record_interval, instructions), .help = "emulated: instructions executed"},
    {UINT(edge_record_interval, system_calls), .help = "emulated: system calls made"},
    {UINT(edge_record_interval, load_percent), .help = "of a level: percent of the rate found"},
    {UINT(edge_record_interval, target_rate), .help = "of a level: calls due per second"},
    {UINT(edge_record_interval, temperature_start_millicelsius), .help = "at its start"},
    {UINT(edge_record_interval, temperature_max_millicelsius), .help = "the highest in it"},
    {UINT(edge_record_interval, requested_hz), .help = "clock that was asked for, mean"},
    {UINT(edge_record_interval, measured_hz), .help = "clock that the firmware measured, mean"},
    {UINT(edge_record_interval, below_max_ns), .help = "time below the highest clock"},
    {UINT(edge_record_interval, throttle_bits), .help = "set at any moment, or risen in it"},
    {UINT(edge_record_interval, steal_ns), .help = "CPU time that a hypervisor gave to others"},
    {UINT(edge_record_interval, swap_bytes), .help = "by which used swap grew"},
    {UINT(edge_record_interval, cpu_pressure_ns), .help = "some task waited for a CPU"},
    {UINT(edge_record_interval, memory_pressure_ns), .help = "some task waited for memory"},
    {UINT(edge_record_interval, io_pressure_ns), .help = "some task waited for storage"},
    {UINT(edge_record_interval, cgroup_peak_bytes), .help = "peak of the cgroup, cache included"},
    LAST};

static const struct edge_field sample_fields[] = {
    REPEAT(edge_record_sample),
    {UINT(edge_record_sample, agent_time_ns), .required = true, .help = "clock of the agent"},
    {UINT(edge_record_sample, cpu_ns), .help = "CPU time of the server since it started"},
    {UINT(edge_record_sample, rss_bytes), .help = "resident memory"},
    {UINT(edge_record_sample, pss_bytes), .help = "proportional share of memory"},
    {UINT(edge_record_sample, peak_bytes), .help = "peak resident memory since the reset"},
    {UINT(edge_record_sample, temperature_millicelsius), .help = "temperature of the CPU"},
    {UINT(edge_record_sample, requested_hz), .help = "clock that the kernel asked for"},
    {UINT(edge_record_sample, measured_hz), .help = "clock that the firmware measured"},
    {UINT(edge_record_sample, throttle_bits), .help = "as Raspberry Pi firmware counts them"},
    LAST};

static const struct edge_field hist_fields[] = {
    REPEAT(edge_record_hist),
    {TEXT(edge_record_hist, name), .required = true, .help = "`service`, `response`, `send_lag`"},
    {UINT(edge_record_hist, count), .required = true, .help = "values recorded"},
    {UINT(edge_record_hist, sum_ns), .required = true, .help = "their sum"},
    {UINT(edge_record_hist, min_ns), .help = "the lowest, exact; null if there is none"},
    {UINT(edge_record_hist, max_ns), .help = "the highest, exact; null if there is none"},
    {UINT(edge_record_hist, clamped), .required = true, .help = "values too high for a bin"},
    {UINT(edge_record_hist, censored),
     .help = "of the values, lower bounds: calls timed out, unfinished or never sent"},
    {BINS(edge_record_hist, bins), .required = true,
     .help = "`[lowest value in ns, count]` of each bin that is not empty, ascending"},
    LAST};

static const struct edge_field count_fields[] = {
    REPEAT(edge_record_count),
    {UINT(edge_record_count, due), .help = "calls due inside the window: `sent` + `unsent`"},
    {UINT(edge_record_count, sent), .required = true, .help = "the sum of `outcomes`"},
    {UINT(edge_record_count, unsent), .help = "due, but never sent"},
    {TALLY(edge_record_count, outcomes), .required = true, .help = "calls by how they ended"},
    {TALLY(edge_record_count, grpc_status), .help = "calls by grpc-status"},
    {TALLY(edge_record_count, reset_code), .help = "streams reset, by HTTP/2 error code"},
    {TRUTH(edge_record_count, balanced), .help = "both sums above hold"},
    {UINT(edge_record_count, ok_in_window), .required = true,
     .help = "verified calls that ended inside the window: by its length, the throughput"},
    {UINT(edge_record_count, messages_in_window), .help = "replies of those calls"},
    {UINT(edge_record_count, noncanonical), .help = "replies encoded in another valid way"},
    {UINT(edge_record_count, bytes_in), .help = "received inside the window"},
    {UINT(edge_record_count, bytes_out), .help = "sent inside the window"},
    {UINT(edge_record_count, connections_opened), .help = "reconnects included"},
    {UINT(edge_record_count, connections_lost), .help = "closed by the server, or broken"},
    {TEXT(edge_record_count, tls_version), .help = "what was agreed on: `TLSv1.2`"},
    {TEXT(edge_record_count, tls_suite), .help = "likewise"},
    {UINT(edge_record_count, tls_full), .help = "full TLS handshakes"},
    {UINT(edge_record_count, tls_resumed), .help = "resumed ones"},
    {TRUTH(edge_record_count, client_limited), .help = "the generator was the limit"},
    {TEXT(edge_record_count, client_limited_why), .help = "if so, a sentence"},
    {TEXT(edge_record_count, first_error), .help = "the first failure, in words"},
    LAST};

static const struct edge_field source_fields[] = {
    {UINT(edge_record_source, source), .required = true,
     .help = "its number, from 1; tables show 1"},
    {TEXT(edge_record_source, name), .required = true, .help = "its name: see power.md"},
    {TEXT(edge_record_source, place), .help = "`board` or `host`: who reads it"},
    {TEXT(edge_record_source, scope), .required = true, .help = "what lies behind it: `wall`, ..."},
    {TEXT(edge_record_source, detail), .help = "what exactly is read"},
    {TEXT(edge_record_source, correction), .help = "what is known to be missing from it"},
    {TEXT(edge_record_source, warning), .help = "why its readings may be wrong"},
    {UINT(edge_record_source, interval_ns), .help = "nominal time between two new values"},
    {UINT(edge_record_source, quantum_uj), .help = "step of its energy counter"},
    LAST};

static const struct edge_field power_fields[] = {
    REPEAT(edge_record_power),
    {UINT(edge_record_power, source), .required = true, .help = "number of the source"},
    {UINT(edge_record_power, time_ns), .required = true, .help = "host clock"},
    {UINT(edge_record_power, power_uw), .help = "power at that moment"},
    {UINT(edge_record_power, energy_uj), .help = "energy counter: only differences count"},
    LAST};

static const struct edge_field energy_fields[] = {
    REPEAT(edge_record_energy),
    {UINT(edge_record_energy, source), .required = true, .help = "number of the source"},
    {TEXT(edge_record_energy, name), .required = true, .help = "name of the interval"},
    {UINT(edge_record_energy, load_percent), .help = "of a level"},
    {UINT(edge_record_energy, start_ns), .required = true, .help = "host clock"},
    {UINT(edge_record_energy, stop_ns), .required = true, .help = "host clock, >= `start_ns`"},
    {UINT(edge_record_energy, energy_uj), .help = "energy, gross"},
    {UINT(edge_record_energy, idle_uj), .help = "what idling as long would have taken"},
    {TEXT(edge_record_energy, method), .help = "`trapezoid` or `counter`"},
    {UINT(edge_record_energy, readings), .help = "readings in the interval"},
    {UINT(edge_record_energy, updates), .help = "of those, with another value than before"},
    {UINT(edge_record_energy, interval_ns), .help = "time between two readings, as it should be"},
    {UINT(edge_record_energy, longest_gap_ns), .help = "longest time without a reading"},
    LAST};

static const struct edge_field rule_fields[] = {
    {UINT(edge_record_rule, repeat), .required = true, .help = "number of the repeat; 0: over all"},
    {TEXT(edge_record_rule, id), .required = true, .help = "the rule: see run-rules.md"},
    {TEXT(edge_record_rule, verdict), .required = true,
     .help = "`pass`, `warn`, `fail` or `not_judged`"},
    {TEXT(edge_record_rule, reading), .help = "what was found"},
    {TEXT(edge_record_rule, limit), .help = "what is asked for"},
    {TEXT(edge_record_rule, words), .help = "what it means and what to do"},
    LAST};

static const struct edge_field end_fields[] = {
    {TRUTH(edge_record_end, valid), .help = "the verdict; null: nothing could be judged"},
    {TEXTS(edge_record_end, reasons), .help = "why it is not valid"},
    {TEXT(edge_record_end, finished_utc), .help = "a label"},
    {UINT(edge_record_end, elapsed_ns), .help = "time since the run record"},
    LAST};

static const struct edge_record_description descriptions[EDGE_RECORD_TYPES] = {
    [EDGE_RECORD_RUN] = {"run", sizeof(struct edge_record_run), run_fields},
    [EDGE_RECORD_BUILD] = {"build", sizeof(struct edge_record_build), build_fields},
    [EDGE_RECORD_BOARD] = {"board", sizeof(struct edge_record_board), board_fields},
    [EDGE_RECORD_OPT] = {"opt", sizeof(struct edge_record_opt), opt_fields},
    [EDGE_RECORD_SYNC] = {"sync", sizeof(struct edge_record_sync), sync_fields},
    [EDGE_RECORD_INTERVAL] = {"interval", sizeof(struct edge_record_interval), interval_fields},
    [EDGE_RECORD_SAMPLE] = {"sample", sizeof(struct edge_record_sample), sample_fields},
    [EDGE_RECORD_HIST] = {"hist", sizeof(struct edge_record_hist), hist_fields},
    [EDGE_RECORD_COUNT] = {"count", sizeof(struct edge_record_count), count_fields},
    [EDGE_RECORD_SOURCE] = {"power_source", sizeof(struct edge_record_source), source_fields},
    [EDGE_RECORD_POWER] = {"power", sizeof(struct edge_record_power), power_fields},
    [EDGE_RECORD_ENERGY] = {"energy", sizeof(struct edge_record_energy), energy_fields},
    [EDGE_RECORD_RULE] = {"rule", sizeof(struct edge_record_rule), rule_fields},
    [EDGE_RECORD_END] = {"end", sizeof(struct edge_record_end), end_fields},
};

const struct edge_record_description *edge_record_describe(enum edge_record_type type)
{
    return &descriptions[type];
}

enum edge_record_type edge_record_find(const char *name)
{
    unsigned type = 0;
    while (type < EDGE_RECORD_TYPES && strcmp(descriptions[type].name, name) != 0)
        type++;
    return (enum edge_record_type)type;
}

void edge_record_init(enum edge_record_type type, void *record)
{
    const struct edge_record_description *description = edge_record_describe(type);
    memset(record, 0, description->size);
    for (const struct edge_field *field = description->fields; field->key != NULL; field++) {
        char *member = (char *)record + field->offset;
        if (field->type == EDGE_FIELD_UINT && strcmp(field->key, "repeat") != 0)
            *(uint64_t *)(void *)member = EDGE_UNMEASURED;
        else if (field->type == EDGE_FIELD_TRUTH)
            *(int *)(void *)member = EDGE_UNKNOWN;
    }
}

void edge_tally_add(struct edge_tally *tally, const char *name, uint64_t value)
{
    unsigned at = 0;
    while (at < tally->count && strcmp(tally->at[at].name, name) != 0)
        at++;
    if (at == EDGE_TALLY_MAX) {
        // The last entry becomes the shared one; what it counted stays in the sum.
        at = EDGE_TALLY_MAX - 1;
        snprintf(tally->at[at].name, sizeof(tally->at[at].name), "other");
    } else if (at == tally->count) {
        snprintf(tally->at[at].name, sizeof(tally->at[at].name), "%s", name);
        tally->at[at].value = 0;
        tally->count++;
    }
    tally->at[at].value += value;
}

uint64_t edge_tally_get(const struct edge_tally *tally, const char *name)
{
    for (unsigned i = 0; i < tally->count; i++)
        if (strcmp(tally->at[i].name, name) == 0)
            return tally->at[i].value;
    return 0;
}

void edge_texts_add(struct edge_texts *texts, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (texts->count < EDGE_TEXTS_MAX)
        vsnprintf(texts->at[texts->count++], sizeof(texts->at[0]), format, args);
    va_end(args);
}
