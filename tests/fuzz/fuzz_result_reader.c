// The reader of result files, and the report of what it accepts. With a space after each brace that
// begins a line, every line is left to the JSON parser: the outcome must be the same.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "report/table.h"
#include "result/reader.h"

static char *spaced(const uint8_t *bytes, size_t len, size_t *spaced_len)
{
    char *text = malloc(2 * len + 1);
    size_t at = 0;
    if (text == NULL)
        abort();
    for (size_t i = 0; i < len; i++) {
        text[at++] = (char)bytes[i];
        if (bytes[i] == '{' && (i == 0 || bytes[i - 1] == '\n'))
            text[at++] = ' ';
    }
    *spaced_len = at;
    return text;
}

static void report(struct edge_row *row, const struct edge_result *result)
{
    struct edge_row_order order = {NULL, NULL, false};
    struct edge_column_list columns = {.count = 0};
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL || edge_row_init(row, result) != 0 || edge_row_sort(row, 1, &order) != 0 ||
        edge_table_print(row, 1, &columns, EDGE_GRID_TEXT, out) != 0)
        abort();
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct edge_result result;
    struct edge_result again;
    struct edge_message message;
    size_t text_len;
    char *text = spaced(bytes, len, &text_len);
    int rv = edge_result_parse("fuzz", (const char *)bytes, len, &result, &message);
    int other = edge_result_parse("fuzz", text, text_len, &again, &message);
    free(text);
    if (rv != other && rv != EDGE_ERR_LIMIT && other != EDGE_ERR_LIMIT) // a space may be too much
        abort();
    if (rv == 0 && other == 0) {
        struct edge_row row;
        struct edge_row other_row;
        report(&row, &result);
        report(&other_row, &again);
        if (strcmp(row.key, other_row.key) != 0 || strcmp(row.quote, other_row.quote) != 0 ||
            memcmp(row.curve, other_row.curve, sizeof(row.curve)) != 0)
            abort();
        edge_row_free(&row);
        edge_row_free(&other_row);
    }
    edge_result_free(&result);
    edge_result_free(&again);
    return 0;
}
