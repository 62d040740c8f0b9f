#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/units.h"
#include "load/marks.h"
#include "load/summary.h"
#include "load/write.h"

// The plot, in SVG's units. Across: percentiles, each decade towards 100 % as wide as the last.
// Upwards: latency, log scale.
#define WIDTH   900
#define HEIGHT  360
#define LEFT    80
#define TOP     20
#define DECADES 5  // to 99.999 %
#define POINTS  20 // of a curve in a decade

static const char style[] =
    "body{font:16px/1.4 sans-serif;margin:2em auto;max-width:64em;padding:0 1em;color:#222;"
    "background:#fff}pre{overflow-x:auto;background:#f4f4f4;padding:1em}"
    "svg{max-width:100%;height:auto}text{font:12px sans-serif;fill:#444}"
    ".grid{stroke:#ddd}.response{stroke:#c0392b}.service{stroke:#2471a3}"
    "polyline{fill:none;stroke-width:2}";

struct plot {
    double low, high; // of the vertical axis, log10 of ns
    FILE *out;
};

static double across(double percent)
{
    return LEFT + -log10(1 - percent / 100) / DECADES * (WIDTH - LEFT);
}

static double upwards(const struct plot *plot, double ns)
{
    return TOP + (plot->high - log10(ns)) / (plot->high - plot->low) * (HEIGHT - TOP);
}

static void print_grid(const struct plot *plot)
{
    static const double percents[] = {0, 50, 90, 99, 99.9, 99.99, 99.999};
    char text[24];
    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        double x = across(percents[i]);
        fprintf(plot->out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g %%</text>\n",
                x, x, TOP, HEIGHT, x, HEIGHT + 18, percents[i]);
    }
    for (uint64_t mark = edge_marks_from((uint64_t)pow(10, plot->low));
         log10((double)mark) <= plot->high; mark = edge_marks_after(mark)) {
        double y = upwards(plot, (double)mark);
        fprintf(plot->out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT, WIDTH, y, y, LEFT - 6, y + 4,
                edge_format_latency((double)mark, text, sizeof(text)));
    }
}

static void print_curve(const struct plot *plot, const char *name,
                        const struct edge_histogram *histogram, int legend)
{
    if (histogram->count == 0)
        return;
    fprintf(plot->out, "<polyline class=\"%s\" points=\"", name);
    for (int i = 0; i <= DECADES * POINTS; i++) {
        double percent = 100 * (1 - pow(10, -(double)i / POINTS));
        double ns = (double)edge_histogram_percentile(histogram, percent);
        fprintf(plot->out, "%.1f,%.1f ", across(percent), upwards(plot, ns > 1 ? ns : 1));
    }
    fprintf(plot->out,
            "\"/><line class=\"%s\" stroke-width=\"2\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
            "<text x=\"%d\" y=\"%d\">%s time</text>\n",
            name, LEFT + 10, LEFT + 40, TOP + legend, TOP + legend, LEFT + 46, TOP + legend + 4,
            name);
}

static void print_plot(const struct edge_sheet *sheet, FILE *out)
{
    const struct edge_histogram *service = &sheet->result->service;
    const struct edge_histogram *response = &sheet->result->response;
    uint64_t low = service->min, high = service->max;
    if (service->count + response->count == 0)
        return;
    if (service->count == 0 || (response->count > 0 && response->min < low))
        low = response->min;
    if (response->max > high)
        high = response->max;
    struct plot plot = {.low = floor(log10(low > 1 ? (double)low : 1)),
                        .high = ceil(log10((double)high + 1)),
                        .out = out};
    fprintf(out,
            "<h2>Latency by percentile</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"latency by percentile\">\n",
            WIDTH + 30, HEIGHT + 30);
    print_grid(&plot);
    print_curve(&plot, "response", response, 12);
    print_curve(&plot, "service", service, 30);
    fputs("</svg>\n", out);
}

// Runs another writer into memory. NULL: out of memory.
static char *capture(int (*writer)(const struct edge_sheet *sheet, FILE *out),
                     const struct edge_sheet *sheet)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (out == NULL)
        return NULL;
    int error = writer(sheet, out);
    if (fclose(out) != 0 || error < 0) {
        free(text);
        return NULL;
    }
    return text;
}

// JSON inside a script element must not end it.
static void print_json(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
}

int edge_write_html(const struct edge_sheet *sheet, FILE *out)
{
    char *summary = capture(edge_write_summary, sheet);
    char *json = capture(edge_summary_json, sheet);
    int error = summary != NULL && json != NULL ? 0 : -ENOMEM;
    if (error == 0) {
        const char *name =
            sheet->config->name != NULL ? sheet->config->name : sheet->config->payload->path + 1;
        fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta name=\"viewport\" content=\"width=device-width\"><title>",
              out);
        edge_text_html(name, out);
        fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
        edge_text_html(name, out);
        fputs("</h1>\n", out);
        print_plot(sheet, out);
        fputs("<h2>Summary</h2>\n<pre>", out);
        edge_text_html(summary, out);
        fputs("</pre>\n<script type=\"application/json\" id=\"result\">", out);
        print_json(json, out);
        fputs("</script>\n</body></html>\n", out);
    }
    free(summary);
    free(json);
    return error;
}
