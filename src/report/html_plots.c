#include "report/html_plots.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/series.h"

#define BARS_MAX   40 // more are no plot; the table above has them all
#define CURVES_MAX 8  // as many as there are colours
#define LOADS_MIN  3  // fewer points are no curve

void edge_html_name(const struct edge_row *row, FILE *out)
{
    edge_text_html(row->facts.at[EDGE_FACT_SERVER], out);
    if (row->ordinal > 0)
        fprintf(out, " #%zu", row->ordinal);
    fputs(" on ", out);
    edge_text_html(row->facts.at[EDGE_FACT_BOARD], out);
}

void edge_html_cell(const char *shown, double value, FILE *out)
{
    if (isnan(value))
        fputs("<td class=\"none\">-</td>", out);
    else {
        fprintf(out, "<td data-v=\"%.15g\">", value);
        edge_text_html(shown, out);
        fputs("</td>", out);
    }
}

void edge_html_plot_begin(const char *kind, const char *attributes, const char *caption,
                          const char *note, FILE *out)
{
    fprintf(out, "<figure data-plot=\"%s\"%s>\n<figcaption>", kind, attributes);
    edge_text_html(caption, out);
    fputs("<small>", out);
    edge_text_html(note, out);
    fputs("</small></figcaption>\n<div class=\"canvas\"></div>\n"
          "<details><summary>Numbers</summary><div class=\"scroll\"><table>\n",
          out);
}

void edge_html_plot_end(FILE *out)
{
    fputs("</tbody></table></div></details>\n</figure>\n", out);
}

static void begin_row(const struct edge_row *row, FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    edge_html_name(row, out);
    fputs("</th>", out);
}

static void figure_cell(const struct edge_column *column, double value, FILE *out)
{
    char shown[64];
    edge_html_cell(edge_column_show(column, value, shown, sizeof(shown)), value, out);
}

static bool has_figure(const struct edge_row *row, const struct edge_column *column,
                       const char *scope)
{
    return edge_column_stands(column, row) && !isnan(edge_column_figure(column, row)) &&
           (scope == NULL || strcmp(row->facts.at[EDGE_FACT_POWER_SCOPE], scope) == 0);
}

// Half the interval of a column that has one: only throughput, and what is proportional to it.
static double interval_of(const struct edge_row *row, const struct edge_column *column)
{
    if (strcmp(column->name, "req_per_s") == 0)
        return row->rate_ci;
    if (strcmp(column->name, "instr_per_req") == 0)
        return row->instructions_spread * row->instructions_per_call;
    return NAN;
}

static void bars(const struct edge_row *const *rows, size_t count, const char *name,
                 const char *scope, const char *note, FILE *out)
{
    const struct edge_column *column = edge_columns_find(name, NULL);
    char caption[128];
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        shown += has_figure(rows[i], column, scope);
    if (shown < 2) // a single bar says nothing
        return;
    snprintf(caption, sizeof(caption), scope != NULL ? "%s, power by %s" : "%s", column->title,
             scope);
    edge_html_plot_begin("bars",
                         column->better == EDGE_BETTER_LOWER ? " data-better=\"lower\"" : "",
                         caption, note, out);
    fputs("<thead><tr><th>name</th><th>", out);
    edge_text_html(column->title, out);
    fputs("</th><th>±</th></tr></thead><tbody>\n", out);
    shown = 0;
    for (size_t i = 0; i < count && shown < BARS_MAX; i++) {
        if (!has_figure(rows[i], column, scope))
            continue;
        begin_row(rows[i], out);
        figure_cell(column, edge_column_figure(column, rows[i]), out);
        figure_cell(column, interval_of(rows[i], column), out);
        fputs("</tr>\n", out);
        shown++;
    }
    edge_html_plot_end(out);
}

// Scopes are never ranked against each other: a plot for each.
static void efficiency(const struct edge_row *const *rows, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const char *scope = rows[i]->facts.at[EDGE_FACT_POWER_SCOPE];
        bool first = scope[0] != '\0';
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(rows[j]->facts.at[EDGE_FACT_POWER_SCOPE], scope) != 0;
        if (first)
            bars(rows, count, "req_per_s_per_w", scope,
                 "Verified calls per second for each watt, over the measured windows.", out);
    }
}

static size_t curves_of(const struct edge_row *const *rows, size_t count,
                        const struct edge_row **chosen)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < CURVES_MAX; i++)
        if (rows[i]->group == EDGE_ROW_RANKED && !isnan(rows[i]->p50))
            chosen[found++] = rows[i];
    return found;
}

static void latency(const struct edge_row *const *rows, size_t count, FILE *out)
{
    const struct edge_row *chosen[CURVES_MAX];
    size_t curves = curves_of(rows, count, chosen);
    if (curves == 0)
        return;
    edge_html_plot_begin("curve", "", "Latency by percentile, ms",
                         chosen[0]->response ? "From when a call was due to its end."
                                             : "From sending a call to its end.",
                         out);
    fputs("<thead><tr><th>% of calls</th>", out);
    for (size_t c = 0; c < curves; c++) {
        fputs("<th>", out);
        edge_html_name(chosen[c], out);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < EDGE_ROW_CURVE; i++) {
        double percent = edge_row_curve_percents[i];
        bool any = false;
        for (size_t c = 0; c < curves; c++)
            any = any || !isnan(chosen[c]->curve[i]);
        if (!any)
            continue;
        fprintf(out, "<tr><td data-v=\"%.10g\">%.10g</td>", percent, percent);
        for (size_t c = 0; c < curves; c++) {
            char shown[32];
            double ms = chosen[c]->curve[i] / 1e6;
            snprintf(shown, sizeof(shown), "%.3f", ms);
            edge_html_cell(shown, ms, out);
        }
        fputs("</tr>\n", out);
    }
    edge_html_plot_end(out);
}

// Instructions for each call over time: a column for each server and board.
static void history(const struct edge_row *const *rows, size_t count, FILE *out)
{
    const struct edge_column *column = edge_columns_find("instr_per_req", NULL);
    const struct edge_row *lines[CURVES_MAX];
    const struct edge_row *points[BARS_MAX];
    size_t line_count = 0;
    size_t point_count = 0;
    for (size_t i = 0; i < count && point_count < BARS_MAX; i++) {
        if (!has_figure(rows[i], column, NULL) || edge_series_time(rows[i]) == 0)
            continue;
        size_t line = 0;
        while (line < line_count && !edge_series_same(lines[line], rows[i]))
            line++;
        if (line == CURVES_MAX)
            continue;
        lines[line] = rows[i];
        line_count += line == line_count;
        size_t at = point_count++;
        for (; at > 0 && edge_series_time(points[at - 1]) > edge_series_time(rows[i]); at--)
            points[at] = points[at - 1];
        points[at] = rows[i];
    }
    if (point_count < 2)
        return;
    edge_html_plot_begin("history", "", "Instructions for each call, over time",
                         "Counted under an emulator: exact and repeatable, and no speed.", out);
    fputs("<thead><tr><th>run</th>", out);
    for (size_t l = 0; l < line_count; l++) {
        fputs("<th>", out);
        edge_text_html(lines[l]->facts.at[EDGE_FACT_SERVER], out);
        fputs(" on ", out);
        edge_text_html(lines[l]->facts.at[EDGE_FACT_BOARD], out);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t p = 0; p < point_count; p++) {
        fputs("<tr><th scope=\"row\">", out);
        edge_text_html(points[p]->facts.at[EDGE_FACT_STARTED], out);
        fputc(' ', out);
        edge_text_html(points[p]->facts.at[EDGE_FACT_SERVER_GIT], out);
        fputs("</th>", out);
        for (size_t l = 0; l < line_count; l++) {
            bool here = edge_series_same(lines[l], points[p]);
            figure_cell(column, here ? points[p]->instructions_per_call : (double)NAN, out);
        }
        fputs("</tr>\n", out);
    }
    edge_html_plot_end(out);
}

void edge_html_plots(const struct edge_row *const *rows, size_t count, FILE *out)
{
    fputs("<div class=\"plots\">\n", out);
    if (rows[0]->emulated) {
        bars(rows, count, "instr_per_req", NULL,
             "Instructions of the server for each verified call; the mark is half the range of the "
             "repeats.",
             out);
        history(rows, count, out);
    } else {
        bars(rows, count, "req_per_s", NULL,
             "Median of the repeats; the mark is the 95 % confidence interval of their mean.", out);
        efficiency(rows, count, out);
        bars(rows, count, "req_per_s_per_mib", NULL,
             "Verified calls per second for each MiB of resident memory.", out);
        latency(rows, count, out);
    }
    fputs("</div>\n", out);
}

static bool same_curve(const struct edge_row *a, const struct edge_row *b)
{
    for (unsigned i = 0; i < EDGE_FACTS; i++) {
        enum edge_fact_role role = edge_fact_describe((enum edge_fact)i)->role;
        if (role != EDGE_FACT_BACKGROUND && i != EDGE_FACT_RPS &&
            strcmp(a->facts.at[i], b->facts.at[i]) != 0)
            return false;
    }
    return true;
}

static bool has_power(const struct edge_row *row)
{
    return row->group == EDGE_ROW_RANKED && !isnan(row->watts) && !isnan(row->rate);
}

// A graduated run with a power source.
static bool has_curve(const struct edge_row *row)
{
    for (size_t i = 0; i < row->level_count; i++)
        if (!isnan(row->levels[i].watts))
            return true;
    return false;
}

static size_t loads_of(const struct edge_row *rows, size_t count, const struct edge_row *of)
{
    size_t loads = 0;
    for (size_t i = 0; i < count; i++)
        loads += has_power(&rows[i]) && same_curve(&rows[i], of);
    return loads;
}

static void load_point(const struct edge_row *row, double rate, double watts, FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    edge_text_html(row->facts.at[EDGE_FACT_SERVER], out);
    fputs(" on ", out);
    edge_text_html(row->facts.at[EDGE_FACT_BOARD], out);
    fputs(" (", out);
    edge_text_html(row->facts.at[EDGE_FACT_POWER_SCOPE], out);
    fputs(")</th>", out);
    figure_cell(edge_columns_find("req_per_s", NULL), rate, out);
    figure_cell(edge_columns_find("power", NULL), watts, out);
    fputs("</tr>\n", out);
}

static void load_points(const struct edge_row *rows, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].group != EDGE_ROW_RANKED)
            continue;
        for (size_t l = 0; l < rows[i].level_count; l++)
            if (!isnan(rows[i].levels[l].watts))
                load_point(&rows[i], rows[i].levels[l].rate, rows[i].levels[l].watts, out);
        if (!has_curve(&rows[i]) && has_power(&rows[i]) &&
            loads_of(rows, count, &rows[i]) >= LOADS_MIN)
            load_point(&rows[i], rows[i].rate, rows[i].watts, out);
    }
}

void edge_html_load_power(const struct edge_row *rows, size_t count, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++)
        any = rows[i].group == EDGE_ROW_RANKED &&
              (has_curve(&rows[i]) ||
               (has_power(&rows[i]) && loads_of(rows, count, &rows[i]) >= LOADS_MIN));
    if (!any)
        return;
    fputs("<h2>Power over load</h2>\n<div class=\"plots\">\n", out);
    edge_html_plot_begin("scatter", "", "Watts by calls per second",
                         "Steps of a graduated run, or the same server and board at several loads.",
                         out);
    fputs("<thead><tr><th>name</th><th>req/s</th><th>W</th></tr></thead><tbody>\n", out);
    load_points(rows, count, out);
    edge_html_plot_end(out);
    fputs("</div>\n", out);
}
