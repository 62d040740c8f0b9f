#include "run/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/board_record.h"
#include "run/judge.h"
#include "run/recorder_internal.h"

void edge_recorder_put(struct edge_recorder *recorder, enum edge_record_type type,
                       const void *record)
{
    if (!recorder->error)
        recorder->error = edge_result_write(&recorder->writer, type, record, &recorder->message);
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
    edge_recorder_head(recorder, server);
    if (recorder->error)
        *message = recorder->message;
    return recorder->error;
}

void edge_recorder_sample(struct edge_recorder *recorder, uint64_t repeat,
                          const struct edge_agent_sample *sample)
{
    struct edge_record_sample record;
    if (sample->t_ns == EDGE_UNMEASURED)
        return; // the agent had none to give, and a record must have a time
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
    edge_recorder_put(recorder, EDGE_RECORD_SAMPLE, &record);
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
            edge_recorder_put(recorder, EDGE_RECORD_POWER, &record);
        }
    }
}

void edge_recorder_slice(struct edge_recorder *recorder, uint64_t repeat, uint64_t start_ns,
                         uint64_t stop_ns, uint64_t ended, uint64_t ok)
{
    struct edge_record_interval interval;
    edge_record_init(EDGE_RECORD_INTERVAL, &interval);
    interval.repeat = repeat;
    EDGE_RECORDER_SET(interval.name, "slice");
    interval.start_ns = start_ns;
    interval.stop_ns = stop_ns;
    interval.ended = ended;
    interval.ok = ok;
    edge_recorder_put(recorder, EDGE_RECORD_INTERVAL, &interval);
}

static void put_board(struct edge_recorder *recorder, const char *ram_limit)
{
    struct edge_record_board board;
    if (recorder->board_written)
        return;
    recorder->board_written = true;
    edge_record_init(EDGE_RECORD_BOARD, &board);
    edge_board_record_fill(recorder->facts->target, recorder->facts->board, ram_limit, &board);
    edge_recorder_put(recorder, EDGE_RECORD_BOARD, &board);
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
    edge_recorder_put(recorder, EDGE_RECORD_SYNC, &record);
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
        edge_recorder_put(recorder, EDGE_RECORD_RULE, &first[i]);
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
        edge_recorder_load(recorder, measurement, &figures, &energies);
    edge_recorder_spans(recorder, measurement, &energies);
    edge_recorder_count(recorder, measurement);
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
    edge_recorder_put(recorder, EDGE_RECORD_END, &end);
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
