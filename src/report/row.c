#include "report/row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/block.h"
#include "report/grid.h"
#include "result/statistics.h"

#define NAME_COLUMNS 30 // the tables stay below 160 columns

// Sums over the repeats; a quotient is formed only over repeats that have both of its terms.
struct sums {
    double cpu_ns, cpu_window_ns, cpu_calls;
    double memory_bytes, memory_repeats;
    double energy_uj, energy_window_ns, energy_calls;
    double instructions, instruction_calls;
    double least_instructions, most_instructions; // per call, over the repeats; 0: none yet
    double system_calls, system_call_calls;
};

static double quotient(double over, double under)
{
    return under > 0 ? over / under : (double)NAN;
}

static bool measured(uint64_t value)
{
    return value != EDGE_UNMEASURED;
}

static void add_repeat(const struct edge_result_repeat *repeat, struct sums *sums,
                       struct edge_row *row)
{
    const struct edge_record_interval *window = &repeat->window;
    if (!measured(window->start_ns))
        return;
    double length = (double)(window->stop_ns - window->start_ns);
    double calls = measured(repeat->count.ok_in_window) ? (double)repeat->count.ok_in_window : 0;
    if (measured(window->server_cpu_ns)) {
        sums->cpu_ns += (double)window->server_cpu_ns;
        sums->cpu_window_ns += length;
        sums->cpu_calls += calls;
    }
    if (measured(window->rss_bytes)) {
        sums->memory_bytes += (double)window->rss_bytes;
        sums->memory_repeats++;
    }
    if (measured(window->peak_bytes))
        row->peak_bytes = fmax(row->peak_bytes, (double)window->peak_bytes);
    if (measured(window->energy_uj)) {
        sums->energy_uj += (double)window->energy_uj;
        sums->energy_window_ns += length;
        sums->energy_calls += calls;
        snprintf(row->power_scope, sizeof(row->power_scope), "%s", window->power_scope);
    }
}

// What an emulator counted is over whole calls, so not the window's.
static void add_counts(const struct edge_record_interval *load, struct sums *sums)
{
    double calls = measured(load->ok) ? (double)load->ok : 0;
    if (strcmp(load->name, "load") != 0 || calls <= 0)
        return;
    if (measured(load->instructions)) {
        double per_call = (double)load->instructions / calls;
        bool first = sums->instruction_calls <= 0;
        sums->least_instructions = first ? per_call : fmin(sums->least_instructions, per_call);
        sums->most_instructions = fmax(sums->most_instructions, per_call);
        sums->instructions += (double)load->instructions;
        sums->instruction_calls += calls;
    }
    if (measured(load->system_calls)) {
        sums->system_calls += (double)load->system_calls;
        sums->system_call_calls += calls;
    }
}

static int fill_rate(struct edge_row *row, const struct edge_result *result)
{
    double *rates = calloc(result->repeat_count + 1, sizeof(*rates));
    if (rates == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < result->repeat_count; i++) {
        double rate = edge_result_rate(&result->repeats[i]);
        if (isnan(rate))
            continue;
        rates[row->repeats++] = rate;
        row->verified += result->repeats[i].count.ok_in_window;
    }
    struct edge_statistics statistics;
    int rv = edge_statistics_compute(rates, row->repeats, &statistics);
    free(rates);
    row->rate = statistics.median;
    row->rate_ci = statistics.ci95;
    return rv;
}

static int fill_latency(struct edge_row *row, const struct edge_result *result)
{
    struct edge_histogram histogram;
    int rv = edge_histogram_init(&histogram);
    if (rv != 0)
        return rv;
    edge_result_merge(result, "response", &histogram);
    row->response = histogram.count > 0;
    if (!row->response)
        edge_result_merge(result, "service", &histogram);
    if (histogram.count > 0) {
        row->latency_mean = edge_histogram_mean(&histogram);
        row->p50 = (double)edge_histogram_percentile(&histogram, 50);
        row->p90 = (double)edge_histogram_percentile(&histogram, 90);
        row->p95 = (double)edge_histogram_percentile(&histogram, 95);
        row->p99 = (double)edge_histogram_percentile(&histogram, 99);
        row->p999 = (double)edge_histogram_percentile(&histogram, 99.9);
    }
    edge_histogram_free(&histogram);
    return 0;
}

static enum edge_row_group group_of(const struct edge_result *result)
{
    if (result->run.calibration == EDGE_YES)
        return EDGE_ROW_CALIBRATION;
    // An emulator's speed is never ranked, whatever the file claims.
    if (result->end.valid != EDGE_YES || result->run.emulated == EDGE_YES)
        return EDGE_ROW_NOT_RANKED;
    return EDGE_ROW_RANKED;
}

static void fill_sums(struct edge_row *row, const struct edge_result *result)
{
    struct sums sums = {0};
    for (size_t i = 0; i < result->repeat_count; i++)
        add_repeat(&result->repeats[i], &sums, row);
    for (size_t i = 0; i < result->repeat_count; i++)
        for (size_t k = 0; k < result->repeats[i].interval_count; k++)
            add_counts(&result->repeats[i].intervals[k], &sums);
    row->cpu_percent = 100 * quotient(sums.cpu_ns, sums.cpu_window_ns);
    row->cpu_ns_per_call = quotient(sums.cpu_ns, sums.cpu_calls);
    row->memory_bytes = quotient(sums.memory_bytes, sums.memory_repeats);
    row->rate_per_mib = quotient(row->rate, row->memory_bytes / (1 << 20));
    // uJ over ns, and calls over uJ: both from the same energy and calls.
    row->watts = 1e3 * quotient(sums.energy_uj, sums.energy_window_ns);
    row->rate_per_watt = quotient(sums.energy_calls, sums.energy_uj / 1e6);
    row->joule_per_call = quotient(sums.energy_uj / 1e6, sums.energy_calls);
    row->instructions_per_call = quotient(sums.instructions, sums.instruction_calls);
    row->instructions_spread = quotient((sums.most_instructions - sums.least_instructions) / 2,
                                        row->instructions_per_call);
    row->system_calls_per_call = quotient(sums.system_calls, sums.system_call_calls);
    bool sized = result->server.program[0] != '\0' && measured(result->server.size_bytes);
    row->size_bytes = sized ? (double)result->server.size_bytes : (double)NAN;
}

int edge_row_init(struct edge_row *row, const struct edge_result *result)
{
    *row = (struct edge_row){
        .result = result,
        .group = group_of(result),
        .emulated = result->run.emulated == EDGE_YES,
        .latency_mean = NAN,
        .p50 = NAN,
        .p90 = NAN,
        .p95 = NAN,
        .p99 = NAN,
        .p999 = NAN,
        .peak_bytes = NAN,
    };
    int rv = fill_rate(row, result);
    if (rv == 0)
        rv = fill_latency(row, result);
    if (rv == 0)
        fill_sums(row, result);
    if (rv == 0 && (row->key = edge_block_text(result)) == NULL)
        rv = -ENOMEM;
    return rv;
}

void edge_row_free(struct edge_row *row)
{
    free(row->key);
    row->key = NULL;
}

// What rows are sorted by: the higher, the further up.
static double merit(const struct edge_row *row)
{
    double figure = row->emulated ? -row->instructions_per_call : row->rate;
    return isnan(figure) ? -INFINITY : figure;
}

static int order(const void *a, const void *b)
{
    const struct edge_row *x = a;
    const struct edge_row *y = b;
    int by_key = strcmp(x->key, y->key);
    if (by_key != 0)
        return by_key;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    double left = merit(x);
    double right = merit(y);
    if (left < right || left > right)
        return left > right ? -1 : 1;
    int name = strcmp(x->result->run.server, y->result->run.server);
    return name != 0 ? name : strcmp(x->result->path, y->result->path);
}

static bool same_name(const struct edge_row *x, const struct edge_row *y)
{
    return strcmp(x->key, y->key) == 0 && strcmp(x->result->run.server, y->result->run.server) == 0;
}

static int by_name(const void *a, const void *b)
{
    const struct edge_row *x = *(struct edge_row *const *)a;
    const struct edge_row *y = *(struct edge_row *const *)b;
    int key = strcmp(x->key, y->key);
    int name = key != 0 ? key : strcmp(x->result->run.server, y->result->run.server);
    return name != 0 ? name : (x > y) - (x < y);
}

int edge_row_sort(struct edge_row *rows, size_t count)
{
    qsort(rows, count, sizeof(*rows), order);
    struct edge_row **names = calloc(count + 1, sizeof(struct edge_row *));
    if (names == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        names[i] = &rows[i];
    qsort(names, count, sizeof(struct edge_row *), by_name);
    for (size_t i = 0; i < count; i++) {
        bool follows = i > 0 && same_name(names[i - 1], names[i]);
        bool leads = i + 1 < count && same_name(names[i], names[i + 1]);
        names[i]->ordinal = follows ? names[i - 1]->ordinal + 1 : leads;
    }
    free(names);
    return 0;
}

const char *edge_row_name(const struct edge_row *row, char *text, size_t size)
{
    char mark[64] = "";
    if (row->ordinal > 0)
        snprintf(mark, sizeof(mark), " #%zu", row->ordinal);
    if (row->emulated)
        strncat(mark, " (emulated)", sizeof(mark) - strlen(mark) - 1);
    const char *server = row->result->run.server;
    size_t room = NAME_COLUMNS - strlen(mark);
    size_t len = strlen(server);
    bool cut = edge_grid_width(server) > room;
    if (cut) {
        len = 0;
        for (size_t width = 0; width + 1 < room; width++)
            do {
                len++;
            } while (((unsigned char)server[len] & 0xc0) == 0x80);
    }
    snprintf(text, size, "%.*s%s%s", (int)len, server, cut ? "~" : "", mark);
    return text;
}
