#include "load/summary.h"
#include "load/write.h"

int edge_write_summary(const struct edge_sheet *sheet, FILE *out)
{
    if (sheet->found != NULL)
        edge_find_max_print(sheet->found, sheet->goals, out);
    edge_summary_print(sheet->config, sheet->result, out);
    edge_goals_print(sheet->goals, sheet->config, sheet->result, out);
    return 0;
}
