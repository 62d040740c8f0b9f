#include "result/reader_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/hist_json.h"
#include "result/reader.h"
#include "result/record_json.h"
#include "result/record_scan.h"

#define OPTS_MAX    256u
#define HISTS_MAX   16u
#define SOURCES_MAX 16u

// A record of any type.
union any {
    struct edge_record_build build;
    struct edge_record_board board;
    struct edge_record_opt opt;
    struct edge_record_sync sync;
    struct edge_record_interval interval;
    struct edge_record_sample sample;
    struct edge_record_hist hist;
    struct edge_record_count count;
    struct edge_record_source source;
    struct edge_record_power power;
    struct edge_record_energy energy;
    struct edge_record_rule rule;
    struct edge_record_end end;
};

// Makes room for one more element at the end of an array that doubles: its count is the index.
static int grow(void **array, size_t count, size_t element)
{
    if ((count & (count - 1)) != 0)
        return 0;
    void *larger = reallocarray(*array, count == 0 ? 1 : 2 * count, element);
    if (larger == NULL)
        return -ENOMEM;
    *array = larger;
    return 0;
}

int edge_reading_out_of_memory(const struct edge_reading *reading)
{
    return edge_fail(reading->message, -ENOMEM, "%s: out of memory", reading->where);
}

// The repeat of that number, which may be a new one. NULL if *rv is, or now becomes, an error.
static struct edge_result_repeat *repeat_of(struct edge_reading *reading, uint64_t number, int *rv)
{
    struct edge_result *result = reading->result;
    if (*rv != 0)
        return NULL;
    if (number == 0 || number > result->repeat_count + 1) {
        *rv = edge_fail(reading->message, EDGE_ERR_FORMAT,
                        "%s: \"repeat\": expected 1 to %zu, found %llu", reading->where,
                        result->repeat_count + 1, (unsigned long long)number);
        return NULL;
    }
    if (number <= result->repeat_count)
        return &result->repeats[number - 1];
    if (number > EDGE_RESULT_REPEATS_MAX) {
        *rv = edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: more than %u repeats",
                        reading->where, EDGE_RESULT_REPEATS_MAX);
        return NULL;
    }
    if (grow((void **)&result->repeats, result->repeat_count, sizeof(*result->repeats)) != 0) {
        *rv = edge_reading_out_of_memory(reading);
        return NULL;
    }
    struct edge_result_repeat *fresh = &result->repeats[result->repeat_count++];
    memset(fresh, 0, sizeof(*fresh));
    edge_record_init(EDGE_RECORD_INTERVAL, &fresh->window);
    edge_record_init(EDGE_RECORD_COUNT, &fresh->count);
    edge_record_init(EDGE_RECORD_SYNC, &fresh->sync);
    return fresh;
}

// Fills `record` from the object, or, if there is none, from what was scanned.
static int decode(struct edge_reading *reading, enum edge_record_type type, const json_t *object,
                  void *record)
{
    if (object != NULL)
        return edge_record_decode(type, object, record, reading->where, reading->message);
    memcpy(record, reading->scanned, edge_record_describe(type)->size);
    return 0;
}

static int twice(const struct edge_reading *reading, const char *what)
{
    return edge_fail(reading->message, EDGE_ERR_FORMAT, "%s: a second %s", reading->where, what);
}

static int take_run(struct edge_reading *reading, const json_t *object)
{
    char format[64];
    uint64_t major = 0;
    int rv = edge_record_decode_text(object, "format", true, format, sizeof(format), reading->where,
                                     reading->message);
    if (rv == 0 && strcmp(format, EDGE_RESULT_FORMAT) != 0)
        rv = edge_fail(reading->message, EDGE_ERR_FORMAT,
                       "%s: \"format\": expected \"%s\", found \"%s\"", reading->where,
                       EDGE_RESULT_FORMAT, format);
    if (rv == 0)
        rv = edge_record_decode_uint(object, "major", true, &major, reading->where,
                                     reading->message);
    if (rv == 0 && major != EDGE_RESULT_MAJOR)
        rv = edge_fail(reading->message, EDGE_ERR_UNSUPPORTED,
                       "%s: this is version %llu of the result format, and this program reads "
                       "version %d: use the bench-edge that wrote it",
                       reading->where, (unsigned long long)major, EDGE_RESULT_MAJOR);
    if (rv == 0)
        rv = decode(reading, EDGE_RECORD_RUN, object, &reading->result->run);
    reading->begun = rv == 0;
    return rv;
}

static int take_build(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_build build;
    int rv = decode(reading, EDGE_RECORD_BUILD, object, &build);
    if (rv != 0)
        return rv;
    struct edge_record_build *to = NULL;
    if (strcmp(build.program, "bench-edge") == 0)
        to = &reading->result->tool;
    else if (strcmp(build.program, "server") == 0)
        to = &reading->result->server;
    else
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: \"program\": expected \"bench-edge\" or \"server\", found \"%s\"",
                         reading->where, build.program);
    if (to->program[0] != '\0')
        return twice(reading, "build record of that program");
    *to = build;
    return 0;
}

static int take_board(struct edge_reading *reading, const json_t *object)
{
    if (reading->result->board.id[0] != '\0')
        return twice(reading, "board record");
    return decode(reading, EDGE_RECORD_BOARD, object, &reading->result->board);
}

static int take_opt(struct edge_reading *reading, const json_t *object)
{
    struct edge_result *result = reading->result;
    struct edge_record_opt opt;
    int rv = decode(reading, EDGE_RECORD_OPT, object, &opt);
    if (rv != 0)
        return rv;
    if (edge_result_option(result, opt.name) != NULL)
        return twice(reading, "opt record of that name");
    if (result->opt_count == OPTS_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: more than %u options",
                         reading->where, OPTS_MAX);
    if (grow((void **)&result->opts, result->opt_count, sizeof(opt)) != 0)
        return edge_reading_out_of_memory(reading);
    result->opts[result->opt_count++] = opt;
    return 0;
}

static int take_sync(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_sync sync;
    int rv = decode(reading, EDGE_RECORD_SYNC, object, &sync);
    struct edge_result_repeat *repeat = repeat_of(reading, sync.repeat, &rv);
    if (repeat != NULL && repeat->sync.time_ns == EDGE_UNMEASURED)
        repeat->sync = sync;
    return rv;
}

static int take_interval(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_interval interval;
    int rv = decode(reading, EDGE_RECORD_INTERVAL, object, &interval);
    struct edge_result_repeat *repeat = repeat_of(reading, interval.repeat, &rv);
    if (repeat == NULL)
        return rv;
    if (interval.stop_ns < interval.start_ns)
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: \"stop_ns\": expected at least start_ns, %llu, found %llu",
                         reading->where, (unsigned long long)interval.start_ns,
                         (unsigned long long)interval.stop_ns);
    bool window = strcmp(interval.name, "window") == 0;
    if (window && repeat->window.start_ns != EDGE_UNMEASURED)
        return twice(reading, "window of that repeat");
    if (grow((void **)&repeat->intervals, repeat->interval_count, sizeof(interval)) != 0)
        return edge_reading_out_of_memory(reading);
    repeat->intervals[repeat->interval_count++] = interval;
    if (window)
        repeat->window = interval;
    return 0;
}

static int take_sample(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_sample sample;
    int rv = decode(reading, EDGE_RECORD_SAMPLE, object, &sample);
    struct edge_result_repeat *repeat = repeat_of(reading, sample.repeat, &rv);
    if (repeat == NULL)
        return rv;
    if (grow((void **)&repeat->samples, repeat->sample_count, sizeof(sample)) != 0)
        return edge_reading_out_of_memory(reading);
    repeat->samples[repeat->sample_count++] = sample;
    return 0;
}

static int add_hist(struct edge_reading *reading, const struct edge_record_hist *hist)
{
    int rv = 0;
    struct edge_result_repeat *repeat = repeat_of(reading, hist->repeat, &rv);
    if (repeat == NULL)
        return rv;
    for (size_t i = 0; i < repeat->hist_count; i++)
        if (strcmp(repeat->hists[i].name, hist->name) == 0)
            return twice(reading, "hist record of that name and repeat");
    if (repeat->hist_count == HISTS_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT,
                         "%s: more than %u histograms in a repeat", reading->where, HISTS_MAX);
    if (grow((void **)&repeat->hists, repeat->hist_count, sizeof(*hist)) != 0)
        return edge_reading_out_of_memory(reading);
    repeat->hists[repeat->hist_count++] = *hist;
    return 0;
}

static int take_hist(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_hist hist;
    int rv;
    if (object != NULL) {
        rv = edge_hist_decode(object, &hist, reading->where, reading->message);
        if (rv != 0)
            return rv;
    } else {
        decode(reading, EDGE_RECORD_HIST, NULL, &hist);
        rv = edge_hist_check(&hist, reading->where, reading->message);
    }
    if (rv == 0)
        rv = add_hist(reading, &hist);
    if (rv != 0)
        free(hist.bins);
    return rv;
}

static int take_count(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_count count;
    int rv = decode(reading, EDGE_RECORD_COUNT, object, &count);
    struct edge_result_repeat *repeat = repeat_of(reading, count.repeat, &rv);
    if (repeat == NULL)
        return rv;
    uint64_t outcomes = 0;
    for (unsigned i = 0; i < count.outcomes.count; i++)
        outcomes += count.outcomes.at[i].value;
    bool balanced = outcomes == count.sent && count.due == count.sent + count.unsent;
    if (count.balanced == EDGE_YES && !balanced)
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: \"balanced\" is true, but the counts do not add up", reading->where);
    if (repeat->count.sent != EDGE_UNMEASURED)
        return twice(reading, "count record of that repeat");
    repeat->count = count;
    return 0;
}

static int take_source(struct edge_reading *reading, const json_t *object)
{
    struct edge_result *result = reading->result;
    struct edge_record_source source;
    int rv = decode(reading, EDGE_RECORD_SOURCE, object, &source);
    if (rv != 0)
        return rv;
    if (edge_result_source(result, source.source) != NULL)
        return twice(reading, "power_source record of that number");
    if (result->source_count == SOURCES_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: more than %u power sources",
                         reading->where, SOURCES_MAX);
    if (grow((void **)&result->sources, result->source_count, sizeof(source)) != 0)
        return edge_reading_out_of_memory(reading);
    result->sources[result->source_count++] = source;
    return 0;
}

// A source that is not described has no scope, and a reading without one means nothing.
static int need_source(const struct edge_reading *reading, uint64_t number)
{
    if (edge_result_source(reading->result, number) != NULL)
        return 0;
    return edge_fail(reading->message, EDGE_ERR_FORMAT,
                     "%s: \"source\": expected the number of a power_source record above, found "
                     "%llu",
                     reading->where, (unsigned long long)number);
}

static int take_power(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_power power;
    int rv = decode(reading, EDGE_RECORD_POWER, object, &power);
    struct edge_result_repeat *repeat = repeat_of(reading, power.repeat, &rv);
    if (repeat == NULL)
        return rv;
    rv = need_source(reading, power.source);
    if (rv != 0)
        return rv;
    if (grow((void **)&repeat->powers, repeat->power_count, sizeof(power)) != 0)
        return edge_reading_out_of_memory(reading);
    repeat->powers[repeat->power_count++] = power;
    return 0;
}

static int take_energy(struct edge_reading *reading, const json_t *object)
{
    struct edge_record_energy energy;
    int rv = decode(reading, EDGE_RECORD_ENERGY, object, &energy);
    struct edge_result_repeat *repeat = repeat_of(reading, energy.repeat, &rv);
    if (repeat == NULL)
        return rv;
    if (energy.stop_ns < energy.start_ns)
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: \"stop_ns\": expected at least start_ns, %llu, found %llu",
                         reading->where, (unsigned long long)energy.start_ns,
                         (unsigned long long)energy.stop_ns);
    rv = need_source(reading, energy.source);
    if (rv != 0)
        return rv;
    if (grow((void **)&repeat->energies, repeat->energy_count, sizeof(energy)) != 0)
        return edge_reading_out_of_memory(reading);
    repeat->energies[repeat->energy_count++] = energy;
    return 0;
}

static int take_rule(struct edge_reading *reading, const json_t *object)
{
    static const char *const verdicts[] = {"pass", "warn", "fail", "not_judged"};
    struct edge_result *result = reading->result;
    struct edge_record_rule rule;
    int rv = decode(reading, EDGE_RECORD_RULE, object, &rule);
    if (rule.repeat != 0)
        repeat_of(reading, rule.repeat, &rv);
    if (rv != 0)
        return rv;
    size_t known = 0;
    while (known < 4 && strcmp(rule.verdict, verdicts[known]) != 0)
        known++;
    if (known == 4)
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: \"verdict\": expected pass, warn, fail or not_judged, found \"%s\"",
                         reading->where, rule.verdict);
    if (grow((void **)&result->rules, result->rule_count, sizeof(rule)) != 0)
        return edge_reading_out_of_memory(reading);
    result->rules[result->rule_count++] = rule;
    return 0;
}

static int take_end(struct edge_reading *reading, const json_t *object)
{
    int rv = decode(reading, EDGE_RECORD_END, object, &reading->result->end);
    reading->result->ended = rv == 0;
    return rv;
}

static int (*const take[EDGE_RECORD_TYPES])(struct edge_reading *, const json_t *) = {
    [EDGE_RECORD_RUN] = take_run,       [EDGE_RECORD_BUILD] = take_build,
    [EDGE_RECORD_BOARD] = take_board,   [EDGE_RECORD_OPT] = take_opt,
    [EDGE_RECORD_SYNC] = take_sync,     [EDGE_RECORD_INTERVAL] = take_interval,
    [EDGE_RECORD_SAMPLE] = take_sample, [EDGE_RECORD_HIST] = take_hist,
    [EDGE_RECORD_COUNT] = take_count,   [EDGE_RECORD_SOURCE] = take_source,
    [EDGE_RECORD_POWER] = take_power,   [EDGE_RECORD_ENERGY] = take_energy,
    [EDGE_RECORD_RULE] = take_rule,     [EDGE_RECORD_END] = take_end,
};

int edge_reading_scan(struct edge_reading *reading, const char *text, size_t len)
{
    enum edge_record_type type = edge_record_scan_type(text, len);
    if (!reading->begun || reading->result->ended || type == EDGE_RECORD_RUN ||
        type == EDGE_RECORD_TYPES)
        return 1;
    union any any;
    if (!edge_record_scan(type, text, len, &any))
        return 1;
    reading->scanned = &any;
    int rv = take[type](reading, NULL);
    reading->scanned = NULL;
    return rv;
}

int edge_reading_take(struct edge_reading *reading, const json_t *object)
{
    char name[64];
    int rv = edge_record_decode_text(object, "type", true, name, sizeof(name), reading->where,
                                     reading->message);
    if (rv != 0)
        return rv;
    enum edge_record_type type = edge_record_find(name);
    if (!reading->begun && type != EDGE_RECORD_RUN)
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: expected a \"run\" record first, found \"%s\": is this a result "
                         "file?",
                         reading->where, name);
    if (reading->begun && type == EDGE_RECORD_RUN)
        return twice(reading, "run record");
    if (reading->result->ended)
        return edge_fail(reading->message, EDGE_ERR_FORMAT, "%s: a record after the end record",
                         reading->where);
    return type == EDGE_RECORD_TYPES ? 0 : take[type](reading, object);
}
