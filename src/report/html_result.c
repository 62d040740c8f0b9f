#include "report/html_result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/collect.h"
#include "report/html_plots.h"
#include "report/notes.h"
#include "result/reader.h"

// The bits of throttle_bits that tell of now; the others tell of the time since boot.
#define THROTTLED_NOW 0xfu

// ---- over time

static void seconds_cell(uint64_t time_ns, uint64_t origin_ns, FILE *out)
{
    char shown[32];
    double s = ((double)time_ns - (double)origin_ns) / 1e9;
    snprintf(shown, sizeof(shown), "%.2f", s);
    edge_html_cell(shown, s, out);
}

static void scaled_cell(uint64_t value, double scale, int decimals, FILE *out)
{
    char shown[32];
    double v = value == EDGE_UNMEASURED ? (double)NAN : (double)value / scale;
    snprintf(shown, sizeof(shown), "%.*f", decimals, v);
    edge_html_cell(shown, v, out);
}

static void begin_time(const struct edge_result_repeat *repeat, uint64_t origin_ns, size_t number,
                       const char *what, FILE *out)
{
    char attributes[128];
    char caption[96];
    snprintf(attributes, sizeof(attributes), " data-start=\"%.6f\" data-stop=\"%.6f\"",
             ((double)repeat->window.start_ns - (double)origin_ns) / 1e9,
             ((double)repeat->window.stop_ns - (double)origin_ns) / 1e9);
    snprintf(caption, sizeof(caption), "Repeat %zu: %s", number, what);
    edge_html_plot_begin("time", attributes, caption, "The shaded part is the measured window.",
                         out);
}

static void slices(const struct edge_result_repeat *repeat, uint64_t origin_ns, size_t number,
                   FILE *out)
{
    bool begun = false;
    for (size_t i = 0; i < repeat->interval_count; i++) {
        const struct edge_record_interval *slice = &repeat->intervals[i];
        if (strcmp(slice->name, "slice") != 0 || slice->ok == EDGE_UNMEASURED ||
            slice->stop_ns <= slice->start_ns)
            continue;
        if (!begun) {
            begin_time(repeat, origin_ns, number, "calls", out);
            fputs("<thead><tr><th>seconds</th><th>req/s</th></tr></thead><tbody>\n", out);
        }
        begun = true;
        double rate = (double)slice->ok * 1e9 / (double)(slice->stop_ns - slice->start_ns);
        char shown[32];
        snprintf(shown, sizeof(shown), "%.0f", rate);
        fputs("<tr>", out);
        seconds_cell(slice->start_ns + (slice->stop_ns - slice->start_ns) / 2, origin_ns, out);
        edge_html_cell(shown, rate, out);
        fputs("</tr>\n", out);
    }
    if (begun)
        edge_html_plot_end(out);
}

// CPU use since the sample before, of one core.
static void cpu_cell(const struct edge_record_sample *sample, const struct edge_record_sample *last,
                     FILE *out)
{
    char shown[32];
    double percent = NAN;
    if (last != NULL && sample->cpu_ns != EDGE_UNMEASURED && last->cpu_ns != EDGE_UNMEASURED &&
        sample->cpu_ns >= last->cpu_ns && sample->agent_time_ns > last->agent_time_ns)
        percent = 100 * (double)(sample->cpu_ns - last->cpu_ns) /
                  (double)(sample->agent_time_ns - last->agent_time_ns);
    snprintf(shown, sizeof(shown), "%.1f", percent);
    edge_html_cell(shown, percent, out);
}

static void samples(const struct edge_result_repeat *repeat, uint64_t origin_ns, size_t number,
                    FILE *out)
{
    if (repeat->sample_count == 0)
        return;
    begin_time(repeat, origin_ns, number, "the board", out);
    fputs("<thead><tr><th>seconds</th><th>server CPU, %</th><th>resident, MiB</th>"
          "<th>temperature, °C</th><th>clock, MHz</th><th>throttled</th></tr>"
          "</thead><tbody>\n",
          out);
    for (size_t i = 0; i < repeat->sample_count; i++) {
        const struct edge_record_sample *s = &repeat->samples[i];
        fputs("<tr>", out);
        seconds_cell(edge_result_host_time(repeat, s->agent_time_ns), origin_ns, out);
        cpu_cell(s, i > 0 ? s - 1 : NULL, out);
        scaled_cell(s->rss_bytes, 1 << 20, 2, out);
        scaled_cell(s->temperature_millicelsius, 1e3, 1, out);
        // What was asked for may not be what there is: only where nothing measures it.
        scaled_cell(s->measured_hz != EDGE_UNMEASURED ? s->measured_hz : s->requested_hz, 1e6, 0,
                    out);
        bool throttled = (s->throttle_bits & THROTTLED_NOW) != 0;
        edge_html_cell(throttled ? "yes" : "no",
                       s->throttle_bits == EDGE_UNMEASURED ? (double)NAN : throttled, out);
        fputs("</tr>\n", out);
    }
    edge_html_plot_end(out);
}

// Power at a reading, or since the one before if it is a counter.
static double watts_of(const struct edge_record_power *reading,
                       const struct edge_record_power *last)
{
    if (reading->power_uw != EDGE_UNMEASURED)
        return (double)reading->power_uw / 1e6;
    if (last == NULL || reading->energy_uj == EDGE_UNMEASURED ||
        last->energy_uj == EDGE_UNMEASURED || reading->energy_uj < last->energy_uj ||
        reading->time_ns <= last->time_ns)
        return NAN;
    return 1e3 * (double)(reading->energy_uj - last->energy_uj) /
           (double)(reading->time_ns - last->time_ns);
}

// Readings of source 1, which is the one that tables show.
static void power(const struct edge_result_repeat *repeat, uint64_t origin_ns, size_t number,
                  FILE *out)
{
    const struct edge_record_power *last = NULL;
    for (size_t i = 0; i < repeat->power_count; i++) {
        const struct edge_record_power *reading = &repeat->powers[i];
        char shown[32];
        if (reading->source != 1)
            continue;
        if (last == NULL) {
            begin_time(repeat, origin_ns, number, "power", out);
            fputs("<thead><tr><th>seconds</th><th>power, W</th></tr></thead><tbody>\n", out);
        }
        double watts = watts_of(reading, last);
        snprintf(shown, sizeof(shown), "%.3f", watts);
        fputs("<tr>", out);
        seconds_cell(reading->time_ns, origin_ns, out);
        edge_html_cell(shown, watts, out);
        fputs("</tr>\n", out);
        last = reading;
    }
    if (last != NULL)
        edge_html_plot_end(out);
}

// Time begins with the first span of the repeat.
static uint64_t origin_of(const struct edge_result_repeat *repeat)
{
    uint64_t origin = repeat->window.start_ns;
    for (size_t i = 0; i < repeat->interval_count; i++)
        if (repeat->intervals[i].start_ns < origin)
            origin = repeat->intervals[i].start_ns;
    return origin;
}

static void over_time(const struct edge_result *result, FILE *out)
{
    fputs("<div class=\"plots\">\n", out);
    for (size_t i = 0; i < result->repeat_count; i++) {
        const struct edge_result_repeat *repeat = &result->repeats[i];
        if (repeat->window.start_ns == EDGE_UNMEASURED)
            continue;
        slices(repeat, origin_of(repeat), i + 1, out);
        power(repeat, origin_of(repeat), i + 1, out);
        samples(repeat, origin_of(repeat), i + 1, out);
    }
    fputs("</div>\n", out);
}

// ---- the file itself

// In a script element only "<" could end it; in JSON it stands in strings alone, where it can be
// written in another way. What is no text becomes the replacement character.
static void embed(const char *bytes, size_t len, FILE *out)
{
    for (size_t i = 0; i < len;) {
        size_t character = edge_text_character(bytes + i); // ends at the 0 behind the line
        if (bytes[i] == '<')
            fputs("\\u003c", out);
        else if (character > 0)
            fwrite(bytes + i, 1, character, out);
        else if (bytes[i] == '\n' || bytes[i] == '\t')
            fputc(bytes[i], out);
        else
            fputs("\xef\xbf\xbd", out);
        i += character > 0 ? character : 1;
    }
}

static void raw_file(const struct edge_row *row, size_t number, FILE *out)
{
    FILE *file = fopen(row->path, "re");
    if (file == NULL)
        return; // it was read a moment ago: then edge_html_result() has told
    const char *name = strrchr(row->facts.at[EDGE_FACT_FILE], '/');
    fprintf(out,
            "<button type=\"button\" class=\"save\" data-raw=\"raw%zu\">Save the result file"
            "</button>\n<script type=\"application/x-ndjson\" id=\"raw%zu\" data-name=\"",
            number, number);
    edge_text_html(name != NULL ? name + 1 : row->facts.at[EDGE_FACT_FILE], out);
    fputs("\">", out);
    char *line = NULL;
    size_t size = 0;
    for (ssize_t len; (len = getline(&line, &size, file)) > 0;)
        embed(line, (size_t)len, out);
    free(line);
    fclose(file);
    fputs("</script>\n", out);
}

// ---- all of it

static void print_item(const char *line, void *context)
{
    FILE *out = context;
    fputs("<li>", out);
    edge_text_html(line, out);
    fputs("</li>\n", out);
}

static void list(const char *title, const char *lines, FILE *out)
{
    if (lines[0] == '\0')
        return;
    fprintf(out, "<h3>%s</h3>\n<ul>\n", title);
    edge_notes_each(lines, print_item, out);
    fputs("</ul>\n", out);
}

static void print_words(const struct edge_row *row, size_t number, FILE *out)
{
    fprintf(out, "<details class=\"result\" id=\"r%zu\"><summary>", number);
    edge_html_name(row, out);
    fputs(": ", out);
    edge_text_html(row->facts.at[EDGE_FACT_SCENARIO], out);
    fputc(' ', out);
    edge_text_html(row->facts.at[EDGE_FACT_CALL], out);
    fputs(", ", out);
    edge_text_html(row->verdict, out);
    fputs("</summary>\n<p class=\"quiet\">", out);
    edge_text_html(row->facts.at[EDGE_FACT_FILE], out);
    fputs("</p>\n<pre>", out);
    edge_text_html(row->quote, out);
    fputs("</pre>\n", out);
    list("Not ranked, because", row->reasons, out);
    list("Worth knowing", row->doubts, out);
    list("Lower bounds", row->bounds, out);
    list("Failed calls, by kind", row->failures, out);
    fputs("<pre>", out);
    edge_text_html(row->key, out);
    fputs("</pre>\n", out);
}

int edge_html_result(const struct edge_row *row, size_t number, bool raw, FILE *out, FILE *err)
{
    struct edge_result result;
    struct edge_message message;
    print_words(row, number, out);
    int rv = edge_result_read(row->path, &result, &message);
    if (rv == 0 && result.digest != row->digest)
        rv =
            edge_fail(&message, EDGE_ERR_FAILED, "%s: it changed while it was reported", row->path);
    if (rv == 0) {
        over_time(&result, out);
        if (raw)
            raw_file(row, number, out);
    } else {
        edge_collect_tell(message.text, err);
        fputs("<p class=\"bad\">", out);
        edge_text_html(edge_text_clean(message.text), out);
        fputs("</p>\n", out);
    }
    edge_result_free(&result);
    fputs("</details>\n", out);
    return rv == -ENOMEM ? rv : 0;
}
