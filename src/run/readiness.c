#include "run/readiness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool edge_readiness_add(struct edge_readiness *readiness, const struct edge_load_result *result)
{
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++) {
        readiness->calls += result->outcomes[i];
        readiness->outcomes[i] += result->outcomes[i];
    }
    for (unsigned i = 0; i < 17; i++)
        readiness->grpc_status[i] += result->grpc_status[i];
    for (unsigned i = 0; i < 16; i++)
        readiness->reset_code[i] += result->reset_code[i];
    if (!readiness->first_error[0])
        snprintf(readiness->first_error, sizeof(readiness->first_error), "%s", result->first_error);
    return result->outcomes[EDGE_OUTCOME_OK] > 0;
}

void edge_readiness_add_refusal(struct edge_readiness *readiness, const char *why)
{
    readiness->calls++;
    readiness->outcomes[EDGE_OUTCOME_CONNECTION]++;
    if (!readiness->first_error[0])
        snprintf(readiness->first_error, sizeof(readiness->first_error), "%s", why);
}

bool edge_readiness_answered(const struct edge_readiness *readiness)
{
    return readiness->calls >
           readiness->outcomes[EDGE_OUTCOME_TIMEOUT] + readiness->outcomes[EDGE_OUTCOME_UNFINISHED];
}

const char *edge_readiness_text(const struct edge_readiness *readiness, char *text, size_t size)
{
    int used =
        snprintf(text, size, "answered %" PRIu64 " calls, none was verified:", readiness->calls);
    for (unsigned i = 0; i < EDGE_OUTCOMES && used >= 0 && (size_t)used < size; i++)
        if (readiness->outcomes[i] > 0)
            used += snprintf(text + used, size - (size_t)used, " %" PRIu64 " %s",
                             readiness->outcomes[i], edge_outcome_name(i));
    if (readiness->first_error[0] && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; first: %s", readiness->first_error);
    return text;
}
