// A hist record as a JSON object and back: bins that are not empty, as [lowest value, count].
#ifndef EDGE_RESULT_HIST_JSON_H
#define EDGE_RESULT_HIST_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "base/histogram.h"
#include "result/record.h"

// The whole record. NULL: out of memory.
json_t *edge_hist_encode(uint64_t repeat, const char *name, const struct edge_histogram *histogram);

// Whether the bins are bins of edge_histogram, ascending, and agree with count, sum, min and max.
// 0 or EDGE_ERR_FORMAT.
int edge_hist_check(const struct edge_record_hist *hist, const char *where,
                    struct edge_message *message);

// Fills *hist; the caller frees hist->bins. Bins must be bins of edge_histogram, ascending, and
// agree with count, min and max. `where` ("FILE:LINE") stands in messages.
// 0, EDGE_ERR_FORMAT or -ENOMEM; then hist->bins is NULL.
int edge_hist_decode(const json_t *object, struct edge_record_hist *hist, const char *where,
                     struct edge_message *message);

#endif
