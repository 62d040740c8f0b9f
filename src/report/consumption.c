#include "report/consumption.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct sums {
    double energy_uj, window_ns, calls;
    double idle_uj;
    bool idle; // known for all of them
};

static const struct edge_record_energy *energy_of(const struct edge_result_repeat *repeat,
                                                  uint64_t source)
{
    for (size_t e = 0; e < repeat->energy_count; e++)
        if (repeat->energies[e].source == source && strcmp(repeat->energies[e].name, "window") == 0)
            return &repeat->energies[e];
    return NULL;
}

// Over the windows of all repeats that this source has an energy for. That of the first source is
// in the window itself, too.
static void add_up(const struct edge_result *result, uint64_t source, struct sums *sums)
{
    *sums = (struct sums){.idle = true};
    for (size_t r = 0; r < result->repeat_count; r++) {
        const struct edge_result_repeat *repeat = &result->repeats[r];
        const struct edge_record_interval *window = &repeat->window;
        const struct edge_record_energy *energy = energy_of(repeat, source);
        uint64_t gross_uj = energy != NULL ? energy->energy_uj
                            : source == 1  ? window->energy_uj
                                           : EDGE_UNMEASURED;
        if (window->start_ns == EDGE_UNMEASURED || gross_uj == EDGE_UNMEASURED ||
            repeat->count.ok_in_window == EDGE_UNMEASURED)
            continue;
        sums->energy_uj += (double)gross_uj;
        sums->window_ns += (double)(window->stop_ns - window->start_ns);
        sums->calls += (double)repeat->count.ok_in_window;
        sums->idle = sums->idle && energy != NULL && energy->idle_uj != EDGE_UNMEASURED;
        if (sums->idle)
            sums->idle_uj += (double)energy->idle_uj;
    }
}

static void print_power(const struct sums *sums, FILE *out)
{
    if (sums->window_ns <= 0) {
        fputs("no energy", out);
        return;
    }
    fprintf(out, "%.2f W", 1e3 * sums->energy_uj / sums->window_ns);
    if (sums->calls > 0)
        fprintf(out, ", %.4f mJ/req", sums->energy_uj / 1e3 / sums->calls);
    if (!sums->idle)
        return;
    double net_uj = sums->energy_uj - sums->idle_uj;
    fprintf(out, "; idle %.2f W, net %.2f W", 1e3 * sums->idle_uj / sums->window_ns,
            1e3 * net_uj / sums->window_ns);
    if (sums->calls > 0)
        fprintf(out, ", %.4f mJ/req", net_uj / 1e3 / sums->calls);
}

void edge_consumption_write_power(const struct edge_row *row, const struct edge_result *result,
                                  FILE *out)
{
    (void)row;
    for (size_t s = 0; s < result->source_count; s++) {
        const struct edge_record_source *source = &result->sources[s];
        struct sums sums;
        add_up(result, source->source, &sums);
        fprintf(out, "%s, %s%s%s: ", source->name, source->scope,
                source->detail[0] != '\0' ? ", " : "", source->detail);
        print_power(&sums, out);
        fputc('\n', out);
    }
}

// Means and extremes over the windows of all repeats; NAN where nobody told.
struct heat {
    double start, hottest, requested, measured;
};

static void keep_mean(double *mean, double *weight, uint64_t value)
{
    if (value == EDGE_UNMEASURED)
        return;
    *weight += 1;
    *mean = isnan(*mean) ? (double)value : *mean + ((double)value - *mean) / *weight;
}

static struct heat heat_of(const struct edge_result *result)
{
    struct heat heat = {NAN, NAN, NAN, NAN};
    double requests = 0, measures = 0;
    for (size_t r = 0; r < result->repeat_count; r++) {
        const struct edge_record_interval *window = &result->repeats[r].window;
        if (window->temperature_start_millicelsius != EDGE_UNMEASURED)
            heat.start = fmin(heat.start, (double)window->temperature_start_millicelsius);
        if (window->temperature_max_millicelsius != EDGE_UNMEASURED)
            heat.hottest = fmax(heat.hottest, (double)window->temperature_max_millicelsius);
        keep_mean(&heat.requested, &requests, window->requested_hz);
        keep_mean(&heat.measured, &measures, window->measured_hz);
    }
    return heat;
}

void edge_consumption_write_heat(const struct edge_row *row, const struct edge_result *result,
                                 FILE *out)
{
    (void)row;
    struct heat heat = heat_of(result);
    const char *comma = "";
    if (!isnan(heat.start) && !isnan(heat.hottest)) {
        fprintf(out, "from %.1f up to %.1f degrees", heat.start / 1e3, heat.hottest / 1e3);
        comma = ", ";
    }
    if (!isnan(heat.requested)) {
        fprintf(out, "%s%.0f MHz asked for", comma, heat.requested / 1e6);
        comma = ", ";
    }
    if (!isnan(heat.measured)) {
        fprintf(out, "%s%.0f MHz measured", comma, heat.measured / 1e6);
        comma = ", ";
    }
    fputs(comma[0] != '\0' ? "\n" : "", out);
}
