// The reader of result files, and the report of what it accepts.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/row.h"
#include "report/table.h"
#include "result/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct edge_result result;
    struct edge_message message;
    if (edge_result_parse("fuzz", (const char *)bytes, len, &result, &message) != 0)
        return 0;
    struct edge_row row;
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL || edge_row_init(&row, &result) != 0 || edge_row_sort(&row, 1) != 0 ||
        edge_table_print(&row, 1, out) != 0)
        abort();
    fclose(out);
    edge_row_free(&row);
    edge_result_free(&result);
    return 0;
}
