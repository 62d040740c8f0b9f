#include "report/html.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/text.h"
#include "report/html_plots.h"
#include "report/html_result.h"
#include "report/page_assets.h"

static const char usual[] =
    "board,req_per_s,p50,p99,p99.9,cpu,cpu_per_req,memory,power,req_per_s_per_w,energy_per_req,"
    "req_per_s_per_mib";
static const char usual_emulated[] = "board,instr_per_req,syscalls_per_req,binary,verified";

// The rows of one work, in their order.
struct work {
    const struct edge_row *const *rows;
    const size_t *numbers; // of the sections of the results
    size_t count;
};

// ---- table

static void print_head(const struct edge_column_list *columns, FILE *out)
{
    fputs("<thead><tr><th class=\"text\"><button type=\"button\">server</button></th>", out);
    for (size_t c = 0; c < columns->count; c++) {
        const struct edge_column *column = columns->at[c];
        fprintf(out, "<th scope=\"col\"%s%s title=\"",
                column->unit == EDGE_UNIT_TEXT ? " class=\"text\"" : "",
                column->better == EDGE_BETTER_HIGHER ? " data-first=\"descending\"" : "");
        edge_text_html(column->help != NULL ? column->help : column->title, out);
        fputs("\"><button type=\"button\">", out);
        edge_text_html(column->title, out);
        fputs("</button></th>", out);
    }
    fputs("</tr></thead>\n", out);
}

static void print_cell(const struct edge_column *column, const struct edge_row *row, FILE *out)
{
    char shown[1024];
    edge_column_text(column, row, shown, sizeof(shown));
    if (column->unit != EDGE_UNIT_TEXT) {
        edge_html_cell(shown, edge_column_figure(column, row), out);
        return;
    }
    fputs(strcmp(column->name, "reasons") == 0 ? "<td class=\"words\">" : "<td class=\"text\">",
          out);
    edge_text_html(shown, out);
    fputs("</td>", out);
}

static void print_table(const struct work *work, const struct edge_column_list *columns,
                        bool ranked, FILE *out)
{
    fputs("<div class=\"scroll\"><table>\n", out);
    print_head(columns, out);
    fputs("<tbody>\n", out);
    for (size_t i = 0; i < work->count; i++) {
        const struct edge_row *row = work->rows[i];
        if ((row->group == EDGE_ROW_RANKED || row->only_emulated) != ranked)
            continue;
        fprintf(out, "<tr><th scope=\"row\"><a href=\"#r%zu\">", work->numbers[i]);
        edge_text_html(row->facts.at[EDGE_FACT_SERVER], out);
        if (row->ordinal > 0)
            fprintf(out, " #%zu", row->ordinal);
        fputs("</a></th>", out);
        for (size_t c = 0; c < columns->count; c++)
            print_cell(columns->at[c], row, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

// ---- cards

static void card(const char *what, const char *figure, FILE *out)
{
    fputs("<li><div class=\"what\">", out);
    edge_text_html(what, out);
    fputs("</div><div class=\"figure\">", out);
    edge_text_html(figure, out);
    fputs("</div>", out);
}

// The best row by a column, of one power scope if there is one.
static const struct edge_row *best_of(const struct work *work, const struct edge_column *column,
                                      const char *scope)
{
    const struct edge_row *best = NULL;
    for (size_t i = 0; i < work->count; i++) {
        const struct edge_row *row = work->rows[i];
        double value = edge_column_figure(column, row);
        if (!edge_column_stands(column, row) || isnan(value) ||
            (scope != NULL && strcmp(row->facts.at[EDGE_FACT_POWER_SCOPE], scope) != 0))
            continue;
        double so_far = best != NULL ? edge_column_figure(column, best) : (double)NAN;
        if (best == NULL ||
            (column->better == EDGE_BETTER_HIGHER ? value > so_far : value < so_far))
            best = row;
    }
    return best;
}

static void best_card(const struct work *work, const char *name, const char *what,
                      const char *scope, FILE *out)
{
    const struct edge_column *column = edge_columns_find(name, NULL);
    const struct edge_row *best = best_of(work, column, scope);
    char shown[64];
    char title[128];
    if (best == NULL)
        return;
    snprintf(title, sizeof(title), scope != NULL ? "%s (%s)" : "%s", what, scope);
    card(title, edge_column_show(column, edge_column_figure(column, best), shown, sizeof(shown)),
         out);
    fputs("<div class=\"who\">", out);
    edge_html_name(best, out);
    fputs("</div></li>\n", out);
}

static void print_cards(const struct work *work, FILE *out)
{
    fputs("<ul class=\"cards\">\n", out);
    best_card(work, "req_per_s", "most req/s", NULL, out);
    best_card(work, "p99", "lowest 99 % latency", NULL, out);
    for (size_t i = 0; i < work->count; i++) {
        const char *scope = work->rows[i]->facts.at[EDGE_FACT_POWER_SCOPE];
        bool first = scope[0] != '\0';
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(work->rows[j]->facts.at[EDGE_FACT_POWER_SCOPE], scope) != 0;
        if (first)
            best_card(work, "req_per_s_per_w", "most req/s per W", scope, out);
    }
    best_card(work, "memory", "least memory", NULL, out);
    if (work->rows[0]->emulated)
        best_card(work, "instr_per_req", "fewest instructions for a call", NULL, out);
    fputs("</ul>\n", out);
}

// ---- sections

static int print_work(const struct work *work, const struct edge_column_list *asked, FILE *out)
{
    struct edge_column_list columns = *asked;
    struct edge_message message;
    char heading[512];
    size_t ranked = 0;
    int rv = 0;
    for (size_t i = 0; i < work->count; i++)
        ranked += work->rows[i]->group == EDGE_ROW_RANKED || work->rows[i]->only_emulated;
    if (columns.count == 0)
        rv = edge_columns_parse(work->rows[0]->emulated ? usual_emulated : usual, &columns,
                                &message);
    if (rv != 0)
        return rv;
    fputs("<section>\n<h2>", out);
    edge_text_html(edge_facts_work(&work->rows[0]->facts, heading, sizeof(heading)), out);
    fputs("</h2>\n", out);
    if (ranked > 0) {
        print_cards(work, out);
        print_table(work, &columns, true, out);
        if (work->rows[0]->emulated)
            fputs("<p class=\"quiet\">Counted under an emulator: no speed of the board, and never "
                  "ranked.</p>\n",
                  out);
        edge_html_plots(work->rows, work->count, out);
    } else {
        fputs("<p class=\"bad\">No valid result.</p>\n", out);
    }
    if (ranked < work->count) {
        fputs("<h3>Not ranked</h3>\n", out);
        if (columns.count < EDGE_COLUMNS_MAX) {
            memmove(&columns.at[2], &columns.at[1], (columns.count - 1) * sizeof(columns.at[0]));
            columns.at[1] = edge_columns_find("reasons", NULL);
            columns.count++;
        }
        print_table(work, &columns, false, out);
    }
    fputs("</section>\n", out);
    return 0;
}

static int by_work(const void *a, const void *b, void *rows)
{
    const struct edge_row *x = (const struct edge_row *)rows + *(const size_t *)a;
    const struct edge_row *y = (const struct edge_row *)rows + *(const size_t *)b;
    int order = edge_facts_compare_work(&x->facts, &y->facts);
    return order != 0 ? order : (x > y) - (x < y);
}

static int print_works(const struct edge_row *rows, size_t count,
                       const struct edge_column_list *columns, FILE *out)
{
    size_t *numbers = calloc(count + 1, sizeof(*numbers));
    const struct edge_row **sorted = calloc(count + 1, sizeof(*sorted));
    int rv = numbers == NULL || sorted == NULL ? -ENOMEM : 0;
    if (rv == 0) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = i;
        qsort_r(numbers, count, sizeof(*numbers), by_work, (void *)(uintptr_t)rows);
        for (size_t i = 0; i < count; i++)
            sorted[i] = &rows[numbers[i]];
    }
    for (size_t first = 0; rv == 0 && first < count;) {
        size_t last = first + 1;
        while (last < count &&
               edge_facts_compare_work(&sorted[first]->facts, &sorted[last]->facts) == 0)
            last++;
        struct work work = {sorted + first, numbers + first, last - first};
        rv = print_work(&work, columns, out);
        first = last;
    }
    free(numbers);
    free((void *)sorted);
    return rv;
}

// ---- page

static void print_asset(const unsigned char *bytes, size_t size, FILE *out)
{
    fwrite(bytes, 1, size, out);
}

static void print_begin(FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>bench-edge report</title>\n<style>\n",
          out);
    print_asset(edge_page_css, edge_page_css_size, out);
    fputs("</style>\n</head>\n<body>\n", out);
}

static void number_card(const char *what, size_t number, FILE *out)
{
    char text[32];
    snprintf(text, sizeof(text), "%zu", number);
    card(what, text, out);
    fputs("</li>\n", out);
}

static void print_summary(const struct edge_row *rows, size_t count, FILE *out)
{
    size_t valid = 0;
    size_t emulated = 0;
    size_t calibration = 0;
    for (size_t i = 0; i < count; i++) {
        valid += rows[i].group == EDGE_ROW_RANKED;
        emulated += rows[i].only_emulated;
        calibration += rows[i].group == EDGE_ROW_CALIBRATION;
    }
    fprintf(out,
            "<header>\n<h1>bench-edge report</h1>\n<p class=\"quiet\">How much gRPC can this board "
            "serve? Made by bench-edge %s (%s).</p>\n<ul class=\"cards\">\n",
            edge_build_info()->version, edge_build_info()->git);
    number_card("results", count, out);
    number_card("valid", valid, out);
    if (emulated > 0)
        number_card("emulated", emulated, out);
    if (calibration > 0)
        number_card("calibration", calibration, out);
    number_card("not valid", count - valid - emulated - calibration, out);
    fputs("</ul>\n<noscript><p>The plots need JavaScript; their numbers stand below each, without "
          "it.</p></noscript>\n</header>\n<main>\n",
          out);
}

static void print_end(FILE *out)
{
    fputs("</main>\n<footer>\n<p class=\"quiet\">req/s: verified calls in the measured window, "
          "median of the repeats; ± half the 95 % confidence interval of their mean. Latency: over "
          "the merged histograms of all repeats. CPU: of one core. -: not measured. Results of "
          "different work are not compared, and neither are power scopes.</p>\n"
          "<details><summary>Licence of the plotting library</summary>\n<pre>",
          out);
    print_asset(edge_page_chart_licence, edge_page_chart_licence_size, out);
    fputs("</pre></details>\n</footer>\n<script>\n", out);
    print_asset(edge_page_chart_js, edge_page_chart_js_size, out);
    fputs("</script>\n<script>\n", out);
    print_asset(edge_page_js, edge_page_js_size, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

int edge_html_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, bool raw, FILE *out, FILE *err)
{
    print_begin(out);
    print_summary(rows, count, out);
    int rv = print_works(rows, count, columns, out);
    if (rv == 0)
        edge_html_load_power(rows, count, out);
    fputs("<h2>Each result</h2>\n", out);
    for (size_t i = 0; rv == 0 && i < count; i++)
        rv = edge_html_result(&rows[i], i, raw, out, err);
    print_end(out);
    return rv;
}
