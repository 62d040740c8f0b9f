#include "result/hist_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/record_json.h"

static json_t *histogram_bins(const struct edge_histogram *histogram)
{
    json_t *bins = json_array();
    for (size_t i = 0; histogram->count > 0 && i < EDGE_HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        json_t *bin = json_pack("[I, I]", (json_int_t)edge_histogram_bin_low(i),
                                (json_int_t)histogram->bins[i]);
        if (json_array_append_new(bins, bin) != 0) {
            json_decref(bins);
            return NULL;
        }
    }
    return bins;
}

json_t *edge_hist_encode(uint64_t repeat, const char *name, const struct edge_histogram *histogram)
{
    struct edge_record_hist hist;
    edge_record_init(EDGE_RECORD_HIST, &hist);
    hist.repeat = repeat;
    snprintf(hist.name, sizeof(hist.name), "%s", name);
    hist.count = histogram->count;
    hist.sum_ns = histogram->sum;
    if (histogram->count > 0) {
        hist.min_ns = histogram->min;
        hist.max_ns = histogram->max;
    }
    hist.clamped = histogram->clamped;
    hist.censored = histogram->censored;
    json_t *object = json_pack("{s:s}", "type", "hist");
    if (edge_record_encode(EDGE_RECORD_HIST, &hist, object) != 0 ||
        json_object_set_new(object, "bins", histogram_bins(histogram)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static int bad_bin(const char *where, size_t index, const char *expected,
                   struct edge_message *message)
{
    return edge_fail(message, EDGE_ERR_FORMAT, "%s: \"bins\": bin %zu: expected %s", where, index,
                     expected);
}

static int decode_bin(const json_t *json, size_t index, struct edge_record_hist *hist,
                      const char *where, struct edge_message *message)
{
    const json_t *low = json_array_get(json, 0);
    const json_t *count = json_array_get(json, 1);
    if (json_array_size(json) != 2 || !json_is_integer(low) || !json_is_integer(count) ||
        json_integer_value(low) < 0 || json_integer_value(count) <= 0)
        return bad_bin(where, index, "[lowest value >= 0, count > 0]", message);
    struct edge_record_bin *bin = &hist->bins[index];
    bin->low_ns = (uint64_t)json_integer_value(low);
    bin->count = (uint64_t)json_integer_value(count);
    return 0;
}

static int decode_bins(const json_t *bins, struct edge_record_hist *hist, const char *where,
                       struct edge_message *message)
{
    size_t size = json_array_size(bins);
    if (!json_is_array(bins) || size > EDGE_HISTOGRAM_BINS)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"bins\": expected an array of at most %zu bins", where,
                         EDGE_HISTOGRAM_BINS);
    if (size > 0 && (hist->bins = calloc(size, sizeof(*hist->bins))) == NULL)
        return edge_fail(message, -ENOMEM, "%s: out of memory", where);
    hist->bin_count = size;
    for (size_t i = 0; i < size; i++) {
        int rv = decode_bin(json_array_get(bins, i), i, hist, where, message);
        if (rv != 0)
            return rv;
    }
    return 0;
}

static int check_bin(const struct edge_record_hist *hist, size_t index, const char *where,
                     struct edge_message *message)
{
    const struct edge_record_bin *bin = &hist->bins[index];
    if (bin->count == 0)
        return bad_bin(where, index, "[lowest value >= 0, count > 0]", message);
    if (bin->low_ns >= EDGE_HISTOGRAM_MAX ||
        edge_histogram_bin_low(edge_histogram_bin(bin->low_ns)) != bin->low_ns)
        return bad_bin(where, index, "the lowest value of a bin", message);
    if (index > 0 && bin->low_ns <= bin[-1].low_ns)
        return bad_bin(where, index, "ascending values", message);
    return 0;
}

static int check_bins(const struct edge_record_hist *hist, const char *where,
                      struct edge_message *message)
{
    uint64_t left = hist->count;
    for (size_t i = 0; i < hist->bin_count; i++) {
        int rv = check_bin(hist, i, where, message);
        if (rv != 0)
            return rv;
        if (hist->bins[i].count > left)
            return bad_bin(where, i, "counts that add up to \"count\", found more", message);
        left -= hist->bins[i].count;
    }
    if (left != 0)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"bins\": expected counts that add up to \"count\", %llu are missing",
                         where, (unsigned long long)left);
    return 0;
}

static size_t bin_of(uint64_t value)
{
    return edge_histogram_bin(value < EDGE_HISTOGRAM_MAX ? value : EDGE_HISTOGRAM_MAX - 1);
}

// Minimum and maximum must lie in the outermost bins, and the mean between them.
static int check_range(const struct edge_record_hist *hist, const char *where,
                       struct edge_message *message)
{
    if (hist->count == 0)
        return 0;
    size_t first = edge_histogram_bin(hist->bins[0].low_ns);
    size_t last = edge_histogram_bin(hist->bins[hist->bin_count - 1].low_ns);
    double mean = (double)hist->sum_ns / (double)hist->count;
    if (hist->censored != EDGE_UNMEASURED && hist->censored > hist->count)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"censored\": expected at most \"count\", %llu; found %llu", where,
                         (unsigned long long)hist->count, (unsigned long long)hist->censored);
    if (hist->min_ns > hist->max_ns || bin_of(hist->min_ns) != first ||
        bin_of(hist->max_ns) != last || hist->clamped > hist->count ||
        mean < (double)hist->min_ns * (1 - 1e-9) || mean > (double)hist->max_ns * (1 + 1e-9))
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"min_ns\", \"max_ns\", \"sum_ns\" and \"clamped\": expected values "
                         "that agree with \"bins\"",
                         where);
    return 0;
}

int edge_hist_check(const struct edge_record_hist *hist, const char *where,
                    struct edge_message *message)
{
    int rv = check_bins(hist, where, message);
    return rv != 0 ? rv : check_range(hist, where, message);
}

int edge_hist_decode(const json_t *object, struct edge_record_hist *hist, const char *where,
                     struct edge_message *message)
{
    int rv = edge_record_decode(EDGE_RECORD_HIST, object, hist, where, message);
    if (rv == 0)
        rv = decode_bins(json_object_get(object, "bins"), hist, where, message);
    if (rv == 0)
        rv = edge_hist_check(hist, where, message);
    if (rv != 0) {
        free(hist->bins);
        hist->bins = NULL;
        hist->bin_count = 0;
    }
    return rv;
}
