#include "report/slo.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static bool find_column(const char *name, void *context, enum edge_unit *unit,
                        struct edge_message *message)
{
    struct edge_slo *slo = context;
    slo->column = edge_columns_find(name, message);
    if (slo->column == NULL)
        return false;
    *unit = slo->column->unit;
    return true;
}

int edge_slo_parse(const char *text, struct edge_slo *slo, struct edge_message *message)
{
    int error = edge_goal_parse(text, find_column, slo, &slo->goal, message);
    if (error == 0) // one name for all that mean the column
        snprintf(slo->goal.name, sizeof(slo->goal.name), "%s", slo->column->name);
    return error;
}

int edge_slo_percent(const char *text, double *fraction, struct edge_message *message)
{
    double percent = 0;
    const char *rest = edge_number_parse(text, &percent);
    if (rest == NULL || strcmp(rest + strspn(rest, " "), "%") != 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--tolerance: expected a percentage such as 5%%, found \"%.40s\"", text);
    *fraction = percent / 100;
    return 0;
}
