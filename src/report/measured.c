#include "report/measured.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/collect.h"
#include "report/files.h"
#include "result/reader.h"

static int measure(struct edge_measured *measured, const struct edge_result *result)
{
    int rv = edge_row_init(&measured->row, result);
    measured->repeats = calloc(result->repeat_count + 1, sizeof(*measured->repeats));
    if (rv != 0 || measured->repeats == NULL)
        return -ENOMEM;
    measured->count = result->repeat_count;
    for (size_t i = 0; rv == 0 && i < measured->count; i++)
        rv = edge_row_measure(&measured->repeats[i], result, i, 1);
    return rv;
}

int edge_measured_read(struct edge_measured *measured, const char *path,
                       struct edge_message *message)
{
    struct edge_result result;
    memset(measured, 0, sizeof(*measured));
    int rv = edge_result_read(path, &result, message);
    if (rv != 0)
        return rv;
    rv = measure(measured, &result);
    edge_result_free(&result);
    return rv == 0 ? 0 : edge_fail(message, rv, "%s: out of memory", path);
}

void edge_measured_free(struct edge_measured *measured)
{
    edge_row_free(&measured->row);
    free(measured->repeats); // figures only: they hold nothing
    memset(measured, 0, sizeof(*measured));
}

size_t edge_measured_list_read(struct edge_measured_list *list, const char *const *paths,
                               size_t count, FILE *err)
{
    struct edge_files files = {0};
    struct edge_message message;
    size_t failures = 0;
    for (size_t i = 0; i < count; i++)
        if (edge_files_add(&files, paths[i], &message) != 0) {
            edge_collect_tell(message.text, err);
            failures++;
        }
    list->count = 0;
    list->at = calloc(files.count + 1, sizeof(*list->at));
    if (list->at == NULL) {
        fputs("out of memory\n", err);
        failures++;
    }
    for (size_t i = 0; list->at != NULL && i < files.count; i++) {
        struct edge_measured *measured = &list->at[list->count];
        if (edge_measured_read(measured, files.paths[i], &message) == 0) {
            list->count++;
            continue;
        }
        edge_measured_free(measured);
        edge_collect_tell(message.text, err);
        failures++;
    }
    edge_files_free(&files);
    return failures;
}

void edge_measured_list_free(struct edge_measured_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        edge_measured_free(&list->at[i]);
    free(list->at);
    *list = (struct edge_measured_list){0};
}

// The figures of the repeats that have one. The caller frees *values. Returns how many.
static size_t values_of(const struct edge_column *column, const struct edge_measured *measured,
                        double **values)
{
    size_t count = 0;
    *values = calloc(measured->count + 1, sizeof(**values));
    for (size_t i = 0; *values != NULL && i < measured->count; i++) {
        double value = edge_column_figure(column, &measured->repeats[i]);
        if (!isnan(value))
            (*values)[count++] = value;
    }
    return count;
}

struct edge_ratio edge_measured_ratio(const struct edge_column *column,
                                      const struct edge_measured *base,
                                      const struct edge_measured *other)
{
    double *a;
    double *b;
    size_t a_count = values_of(column, base, &a);
    size_t b_count = values_of(column, other, &b);
    struct edge_ratio ratio = edge_statistics_ratio(a, a_count, b, b_count);
    free(a);
    free(b);
    return ratio;
}

const char *edge_measured_ratio_text(const struct edge_ratio *ratio, char *text, size_t size)
{
    if (isnan(ratio->ratio))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.3f", ratio->ratio);
    return text;
}

const char *edge_measured_interval_text(const struct edge_ratio *ratio, char *text, size_t size)
{
    if (isnan(ratio->low))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.3f to %.3f", ratio->low, ratio->high);
    return text;
}
