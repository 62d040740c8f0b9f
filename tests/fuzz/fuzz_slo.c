// The parser of goals: what it accepts, it writes in a form that it reads back to the same goal.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/slo.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    if (text == NULL)
        return 0;
    memcpy(text, bytes, len);
    text[len] = '\0';
    struct edge_slo slo;
    struct edge_slo again;
    struct edge_message message;
    double fraction;
    if (edge_slo_parse(text, &slo, &message) == 0) {
        char written[96];
        edge_goal_text(&slo.goal, written, sizeof(written));
        if (!isfinite(slo.goal.limit) || slo.goal.limit < 0 ||
            edge_slo_parse(written, &again, &message) != 0 || again.column != slo.column ||
            again.goal.relation != slo.goal.relation ||
            fabs(again.goal.limit - slo.goal.limit) > 1e-9 * slo.goal.limit)
            abort();
    }
    if (edge_slo_percent(text, &fraction, &message) == 0 && !(fraction >= 0 && isfinite(fraction)))
        abort();
    free(text);
    return 0;
}
