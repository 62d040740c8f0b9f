#include "result/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "result/hist_json.h"
#include "result/record_json.h"

#define READ_CHUNK 65536u
#define OPTS_MAX   256u
#define HISTS_MAX  16u

struct reading {
    struct edge_result *result;
    const char *name;
    uint64_t line;
    bool begun;
    char where[560]; // "FILE:LINE"
    struct edge_message *message;
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

static int out_of_memory(const struct reading *reading)
{
    return edge_fail(reading->message, -ENOMEM, "%s: out of memory", reading->where);
}

// The repeat of that number, which may be a new one. NULL if *rv is, or now becomes, an error.
static struct edge_result_repeat *repeat_of(struct reading *reading, uint64_t number, int *rv)
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
        *rv = out_of_memory(reading);
        return NULL;
    }
    struct edge_result_repeat *fresh = &result->repeats[result->repeat_count++];
    memset(fresh, 0, sizeof(*fresh));
    edge_record_init(EDGE_RECORD_INTERVAL, &fresh->window);
    edge_record_init(EDGE_RECORD_COUNT, &fresh->count);
    return fresh;
}

static int twice(const struct reading *reading, const char *what)
{
    return edge_fail(reading->message, EDGE_ERR_FORMAT, "%s: a second %s", reading->where, what);
}

static int take_run(struct reading *reading, const json_t *object)
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
        rv = edge_record_decode(EDGE_RECORD_RUN, object, &reading->result->run, reading->where,
                                reading->message);
    reading->begun = rv == 0;
    return rv;
}

static int take_build(struct reading *reading, const json_t *object)
{
    struct edge_record_build build;
    int rv =
        edge_record_decode(EDGE_RECORD_BUILD, object, &build, reading->where, reading->message);
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

static int take_board(struct reading *reading, const json_t *object)
{
    if (reading->result->board.id[0] != '\0')
        return twice(reading, "board record");
    return edge_record_decode(EDGE_RECORD_BOARD, object, &reading->result->board, reading->where,
                              reading->message);
}

static int take_opt(struct reading *reading, const json_t *object)
{
    struct edge_result *result = reading->result;
    struct edge_record_opt opt;
    int rv = edge_record_decode(EDGE_RECORD_OPT, object, &opt, reading->where, reading->message);
    if (rv != 0)
        return rv;
    if (edge_result_option(result, opt.name) != NULL)
        return twice(reading, "opt record of that name");
    if (result->opt_count == OPTS_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: more than %u options",
                         reading->where, OPTS_MAX);
    if (grow((void **)&result->opts, result->opt_count, sizeof(opt)) != 0)
        return out_of_memory(reading);
    result->opts[result->opt_count++] = opt;
    return 0;
}

static int take_sync(struct reading *reading, const json_t *object)
{
    struct edge_record_sync sync;
    int rv = edge_record_decode(EDGE_RECORD_SYNC, object, &sync, reading->where, reading->message);
    repeat_of(reading, sync.repeat, &rv);
    return rv;
}

static int take_interval(struct reading *reading, const json_t *object)
{
    struct edge_record_interval interval;
    int rv = edge_record_decode(EDGE_RECORD_INTERVAL, object, &interval, reading->where,
                                reading->message);
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
        return out_of_memory(reading);
    repeat->intervals[repeat->interval_count++] = interval;
    if (window)
        repeat->window = interval;
    return 0;
}

static int take_sample(struct reading *reading, const json_t *object)
{
    struct edge_record_sample sample;
    int rv =
        edge_record_decode(EDGE_RECORD_SAMPLE, object, &sample, reading->where, reading->message);
    struct edge_result_repeat *repeat = repeat_of(reading, sample.repeat, &rv);
    if (repeat != NULL)
        repeat->samples++;
    return rv;
}

static int add_hist(struct reading *reading, const struct edge_record_hist *hist)
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
        return out_of_memory(reading);
    repeat->hists[repeat->hist_count++] = *hist;
    return 0;
}

static int take_hist(struct reading *reading, const json_t *object)
{
    struct edge_record_hist hist;
    int rv = edge_hist_decode(object, &hist, reading->where, reading->message);
    if (rv != 0)
        return rv;
    rv = add_hist(reading, &hist);
    if (rv != 0)
        free(hist.bins);
    return rv;
}

static int take_count(struct reading *reading, const json_t *object)
{
    struct edge_record_count count;
    int rv =
        edge_record_decode(EDGE_RECORD_COUNT, object, &count, reading->where, reading->message);
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

static int take_rule(struct reading *reading, const json_t *object)
{
    static const char *const verdicts[] = {"pass", "warn", "fail", "not_judged"};
    struct edge_result *result = reading->result;
    struct edge_record_rule rule;
    int rv = edge_record_decode(EDGE_RECORD_RULE, object, &rule, reading->where, reading->message);
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
        return out_of_memory(reading);
    result->rules[result->rule_count++] = rule;
    return 0;
}

static int take_end(struct reading *reading, const json_t *object)
{
    int rv = edge_record_decode(EDGE_RECORD_END, object, &reading->result->end, reading->where,
                                reading->message);
    reading->result->ended = rv == 0;
    return rv;
}

static int take_record(struct reading *reading, const json_t *object)
{
    static int (*const take[EDGE_RECORD_TYPES])(struct reading *, const json_t *) = {
        [EDGE_RECORD_RUN] = take_run,       [EDGE_RECORD_BUILD] = take_build,
        [EDGE_RECORD_BOARD] = take_board,   [EDGE_RECORD_OPT] = take_opt,
        [EDGE_RECORD_SYNC] = take_sync,     [EDGE_RECORD_INTERVAL] = take_interval,
        [EDGE_RECORD_SAMPLE] = take_sample, [EDGE_RECORD_HIST] = take_hist,
        [EDGE_RECORD_COUNT] = take_count,   [EDGE_RECORD_RULE] = take_rule,
        [EDGE_RECORD_END] = take_end,
    };
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

// `whole`: the line ended in a newline. One that did not and is no JSON was cut short by a kill.
static int take_line(struct reading *reading, const char *text, size_t len, bool whole)
{
    reading->line++;
    snprintf(reading->where, sizeof(reading->where), "%s:%llu", reading->name,
             (unsigned long long)reading->line);
    if (len > EDGE_RESULT_LINE_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: a line of more than %u bytes",
                         reading->where, EDGE_RESULT_LINE_MAX);
    json_error_t error;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        if (!whole && reading->begun)
            return 0;
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: expected one JSON object on the line: column %d: %s", reading->where,
                         error.column, error.text);
    }
    int rv =
        json_is_object(object)
            ? take_record(reading, object)
            : edge_fail(reading->message, EDGE_ERR_FORMAT,
                        "%s: expected one JSON object on the line, found an array", reading->where);
    json_decref(object);
    return rv;
}

static void begin(struct reading *reading, const char *name, struct edge_result *result,
                  struct edge_message *message)
{
    memset(result, 0, sizeof(*result));
    snprintf(result->path, sizeof(result->path), "%s", name);
    *reading = (struct reading){.result = result, .name = result->path, .message = message};
    snprintf(reading->where, sizeof(reading->where), "%s", result->path);
}

static int finish(struct reading *reading, int rv)
{
    struct edge_result *result = reading->result;
    if (rv == 0 && !reading->begun)
        rv = edge_fail(reading->message, EDGE_ERR_FORMAT,
                       "%s: the file is empty: expected a \"run\" record first", reading->name);
    if (rv != 0) {
        edge_result_free(result);
    } else if (!result->ended) {
        edge_record_init(EDGE_RECORD_END, &result->end);
        result->end.valid = EDGE_NO;
        edge_texts_add(&result->end.reasons, "interrupted: the file has no end record");
    }
    return rv;
}

int edge_result_parse(const char *name, const char *text, size_t len, struct edge_result *result,
                      struct edge_message *message)
{
    struct reading reading;
    begin(&reading, name, result, message);
    int rv = 0;
    for (size_t at = 0; rv == 0 && at < len;) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline != NULL ? (size_t)(newline - text) - at : len - at;
        rv = take_line(&reading, text + at, line, newline != NULL);
        at += line + 1;
    }
    return finish(&reading, rv);
}

// Takes the whole lines of the buffer; `*searched` bytes of it are known to hold no newline.
static int take_lines(struct reading *reading, struct edge_buffer *buffer, size_t *searched)
{
    int rv = 0;
    while (rv == 0 && *searched < buffer->len) {
        const char *head = (const char *)edge_buffer_head(buffer);
        const char *newline = memchr(head + *searched, '\n', buffer->len - *searched);
        if (newline == NULL) {
            *searched = buffer->len;
            // Too long already: no need to read on to its end.
            if (buffer->len > EDGE_RESULT_LINE_MAX)
                rv = take_line(reading, head, buffer->len, false);
            break;
        }
        rv = take_line(reading, head, (size_t)(newline - head), true);
        edge_buffer_consume(buffer, (size_t)(newline - head) + 1);
        *searched = 0;
    }
    return rv;
}

static int read_all(struct reading *reading, int fd, struct edge_buffer *buffer)
{
    size_t searched = 0;
    for (;;) {
        if (edge_buffer_reserve(buffer, READ_CHUNK) != 0)
            return out_of_memory(reading);
        ssize_t n = read(fd, edge_buffer_tail(buffer), READ_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return edge_fail(reading->message, -errno, "cannot read %s: %s", reading->name,
                             edge_error_text(-errno));
        if (n == 0)
            break;
        buffer->len += (size_t)n;
        int rv = take_lines(reading, buffer, &searched);
        if (rv != 0)
            return rv;
    }
    return buffer->len == 0
               ? 0
               : take_line(reading, (const char *)edge_buffer_head(buffer), buffer->len, false);
}

int edge_result_read(const char *path, struct edge_result *result, struct edge_message *message)
{
    struct reading reading;
    begin(&reading, path, result, message);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return edge_fail(message, -errno, "cannot read %s: %s", path, edge_error_text(-errno));
    struct edge_buffer buffer = {0};
    int rv = read_all(&reading, fd, &buffer);
    edge_buffer_free(&buffer);
    close(fd);
    return finish(&reading, rv);
}
