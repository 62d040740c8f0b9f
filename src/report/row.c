#include "report/row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/block.h"
#include "report/grid.h"
#include "report/notes.h"
#include "report/tls.h"
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

static int fill_rate(struct edge_row *row, const struct edge_result_repeat *repeats, size_t count)
{
    double *rates = calloc(count + 1, sizeof(*rates));
    if (rates == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        double rate = edge_result_rate(&repeats[i]);
        if (isnan(rate))
            continue;
        rates[row->repeats++] = rate;
        row->verified = fmax(row->verified, 0) + (double)repeats[i].count.ok_in_window;
    }
    struct edge_statistics statistics;
    int rv = edge_statistics_compute(rates, row->repeats, &statistics);
    free(rates);
    row->rate = statistics.median;
    row->rate_ci = statistics.ci95;
    return rv;
}

const double edge_row_curve_percents[EDGE_ROW_CURVE] = {
    10,   25,    50,     75,    90,     95,      97.5,   99,      99.5,     99.75,
    99.9, 99.95, 99.975, 99.99, 99.995, 99.9975, 99.999, 99.9995, 99.99975, 99.9999};

// The figures of the tables are points of the curve. A point that fewer than ten calls lie above is
// chance; the tables' own percentiles are shown all the same, as everybody shows them.
static void fill_percentiles(struct edge_row *row, const struct edge_histogram *histogram)
{
    enum { P50 = 2, P90 = 4, P95 = 5, P99 = 7, P999 = 10 };
    uint64_t values[EDGE_ROW_CURVE];
    edge_histogram_percentiles(histogram, edge_row_curve_percents, EDGE_ROW_CURVE, values);
    for (size_t i = 0; i < EDGE_ROW_CURVE; i++)
        if ((100 - nextafter(edge_row_curve_percents[i], 0)) / 100 * (double)histogram->count >= 10)
            row->curve[i] = (double)values[i];
    row->latency_mean = edge_histogram_mean(histogram);
    if (histogram->censored > 0)
        row->bounds_from = 100 * (1 - (double)histogram->censored / (double)histogram->count);
    row->p50 = (double)values[P50];
    row->p90 = (double)values[P90];
    row->p95 = (double)values[P95];
    row->p99 = (double)values[P99];
    row->p999 = (double)values[P999];
}

static void merge(const struct edge_result_repeat *repeats, size_t count, const char *name,
                  struct edge_histogram *into)
{
    for (size_t i = 0; i < count; i++)
        edge_result_merge_repeat(&repeats[i], name, into);
}

static int fill_latency(struct edge_row *row, const struct edge_result_repeat *repeats,
                        size_t count)
{
    struct edge_histogram histogram;
    int rv = edge_histogram_init(&histogram);
    if (rv != 0)
        return rv;
    merge(repeats, count, "response", &histogram);
    row->response = histogram.count > 0;
    if (!row->response)
        merge(repeats, count, "service", &histogram);
    if (histogram.count > 0)
        fill_percentiles(row, &histogram);
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

static void add_failed(const struct edge_record_count *count, struct edge_row *row)
{
    if (count->sent == EDGE_UNMEASURED)
        return;
    uint64_t ok = edge_tally_get(&count->outcomes, "ok");
    row->failed = fmax(row->failed, 0) + (double)(count->sent > ok ? count->sent - ok : 0);
}

static void fill_sums(struct edge_row *row, const struct edge_result_repeat *repeats, size_t count)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++) {
        add_repeat(&repeats[i], &sums, row);
        add_failed(&repeats[i].count, row);
        for (size_t k = 0; k < repeats[i].interval_count; k++)
            add_counts(&repeats[i].intervals[k], &sums);
    }
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
}

struct level_sums {
    uint64_t load_percent;
    double repeats, target, calls, length_ns;
    double cpu_ns, cpu_length_ns;
    double energy_uj, energy_length_ns;
};

static void add_level(struct level_sums *sums, size_t *count,
                      const struct edge_record_interval *level)
{
    double length_ns = (double)(level->stop_ns - level->start_ns);
    size_t at = 0;
    while (at < *count && sums[at].load_percent != level->load_percent)
        at++;
    if (!measured(level->ok) || !measured(level->load_percent) || at == EDGE_ROW_LEVELS)
        return;
    *count += at == *count;
    sums[at].load_percent = level->load_percent;
    sums[at].repeats++;
    sums[at].calls += (double)level->ok;
    sums[at].length_ns += length_ns;
    if (measured(level->target_rate))
        sums[at].target += (double)level->target_rate;
    if (measured(level->server_cpu_ns)) {
        sums[at].cpu_ns += (double)level->server_cpu_ns;
        sums[at].cpu_length_ns += length_ns;
    }
    if (measured(level->energy_uj)) {
        sums[at].energy_uj += (double)level->energy_uj;
        sums[at].energy_length_ns += length_ns;
    }
}

static int by_falling_load(const void *a, const void *b)
{
    const struct edge_row_level *x = a;
    const struct edge_row_level *y = b;
    return (x->load_percent < y->load_percent) - (x->load_percent > y->load_percent);
}

static void fill_levels(struct edge_row *row, const struct edge_result_repeat *repeats,
                        size_t count)
{
    struct level_sums sums[EDGE_ROW_LEVELS] = {{0}};
    row->level_count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < repeats[i].interval_count; j++)
            if (strcmp(repeats[i].intervals[j].name, "level") == 0)
                add_level(sums, &row->level_count, &repeats[i].intervals[j]);
    for (size_t i = 0; i < row->level_count; i++)
        row->levels[i] = (struct edge_row_level){
            .load_percent = sums[i].load_percent,
            .target = quotient(sums[i].target, sums[i].repeats),
            .rate = 1e9 * quotient(sums[i].calls, sums[i].length_ns),
            .cpu_percent = 100 * quotient(sums[i].cpu_ns, sums[i].cpu_length_ns),
            .watts = 1e3 * quotient(sums[i].energy_uj, sums[i].energy_length_ns)};
    qsort(row->levels, row->level_count, sizeof(row->levels[0]), by_falling_load);
}

int edge_row_measure(struct edge_row *row, const struct edge_result *result, size_t first,
                     size_t count)
{
    const struct edge_result_repeat *repeats = count > 0 ? result->repeats + first : NULL;
    bool sized = result->server.program[0] != '\0' && measured(result->server.size_bytes);
    row->repeats = 0;
    row->size_bytes = sized ? (double)result->server.size_bytes : (double)NAN;
    row->latency_mean = row->p50 = row->p90 = row->p95 = row->p99 = row->p999 = NAN;
    row->peak_bytes = row->verified = row->failed = row->bounds_from = NAN;
    for (size_t i = 0; i < EDGE_ROW_CURVE; i++)
        row->curve[i] = NAN;
    int rv = fill_rate(row, repeats, count);
    if (rv == 0)
        rv = fill_latency(row, repeats, count);
    fill_sums(row, repeats, count);
    fill_levels(row, repeats, count);
    edge_tls_measure(&row->tls, repeats, count);
    return rv;
}

// The broken rule, and how many more there are: reasons begin with the rule's id.
static void fill_verdict(struct edge_row *row, const struct edge_texts *reasons)
{
    char *text = row->verdict;
    size_t size = sizeof(row->verdict);
    if (row->group == EDGE_ROW_CALIBRATION)
        snprintf(text, size, "calibration");
    else if (row->group == EDGE_ROW_RANKED)
        snprintf(text, size, "VALID");
    else if (reasons->count == 0)
        snprintf(text, size, row->emulated ? "emulated" : "not judged");
    else {
        size_t len = strcspn(reasons->at[0], " :");
        int used = snprintf(text, size, "%.*s", len < 20 ? (int)len : 20, reasons->at[0]);
        if (reasons->count > 1)
            snprintf(text + used, size - (size_t)used, " +%u", reasons->count - 1);
    }
    row->only_emulated = row->group == EDGE_ROW_NOT_RANKED && row->emulated &&
                         (reasons->count == 0 || strcmp(text, "emulated") == 0);
}

int edge_row_init(struct edge_row *row, const struct edge_result *result)
{
    *row = (struct edge_row){
        .digest = result->digest,
        .group = group_of(result),
        .emulated = result->run.emulated == EDGE_YES,
        .path = strdup(result->path),
        .key = edge_block_text(result),
    };
    fill_verdict(row, &result->end.reasons);
    int rv = edge_row_measure(row, result, 0, result->repeat_count);
    if (rv == 0)
        rv = edge_facts_init(&row->facts, result);
    if (rv == 0)
        rv = edge_notes_init(row, result);
    if (rv == 0)
        row->quote = edge_block_quote(row, result);
    return row->path == NULL || row->key == NULL || row->quote == NULL ? -ENOMEM : rv;
}

void edge_row_free(struct edge_row *row)
{
    edge_facts_free(&row->facts);
    free(row->path);
    free(row->key);
    free(row->quote);
    free(row->reasons);
    free(row->doubts);
    free(row->bounds);
    free(row->failures);
    free(row->power);
    free(row->heat);
    *row = (struct edge_row){0};
}

// What rows are sorted by: the higher, the further up.
static double merit(const struct edge_row *row)
{
    double figure = row->emulated ? -row->instructions_per_call : row->rate;
    return isnan(figure) ? -INFINITY : figure;
}

static int by_merit(const struct edge_row *x, const struct edge_row *y)
{
    double left = merit(x);
    double right = merit(y);
    if (left < right || left > right)
        return left > right ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct edge_row *x = a;
    const struct edge_row *y = b;
    const struct edge_row_order *order = context;
    int by_key = order->flat ? 0 : strcmp(x->key, y->key);
    if (by_key != 0)
        return by_key;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    int rv = order->compare != NULL ? order->compare(x, y, order->context) : by_merit(x, y);
    if (rv != 0)
        return rv;
    int name = strcmp(x->facts.at[EDGE_FACT_SERVER], y->facts.at[EDGE_FACT_SERVER]);
    return name != 0 ? name : strcmp(x->path, y->path);
}

static bool same_name(const struct edge_row *x, const struct edge_row *y)
{
    return strcmp(x->key, y->key) == 0 &&
           strcmp(x->facts.at[EDGE_FACT_SERVER], y->facts.at[EDGE_FACT_SERVER]) == 0;
}

static int by_name(const void *a, const void *b)
{
    const struct edge_row *x = *(struct edge_row *const *)a;
    const struct edge_row *y = *(struct edge_row *const *)b;
    int key = strcmp(x->key, y->key);
    int name =
        key != 0 ? key : strcmp(x->facts.at[EDGE_FACT_SERVER], y->facts.at[EDGE_FACT_SERVER]);
    return name != 0 ? name : (x > y) - (x < y);
}

int edge_row_sort(struct edge_row *rows, size_t count, const struct edge_row_order *order)
{
    struct edge_row_order how = *order;
    qsort_r(rows, count, sizeof(*rows), compare, &how);
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
    const char *server = row->facts.at[EDGE_FACT_SERVER];
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
