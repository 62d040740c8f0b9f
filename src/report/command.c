#include "report/command.h"

#include <errno.h>
#include <string.h>

#include "base/build_info.h"
#include "base/error.h"
#include "report/collect.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/influx.h"
#include "report/json.h"
#include "report/openmetrics.h"
#include "report/select.h"
#include "report/table.h"

struct config {
    unsigned format;
    const char *sort;
    const char *columns;
    struct edge_select select;
    bool raw;
};

enum format {
    FORMAT_TABLE,
    FORMAT_CSV,
    FORMAT_MARKDOWN,
    FORMAT_JSON,
    FORMAT_HTML,
    FORMAT_INFLUX,
    FORMAT_OPENMETRICS,
};

static const char *const formats[] = {"table", "csv",    "markdown",    "json",
                                      "html",  "influx", "openmetrics", NULL};

static const struct edge_option options[] = {
    {.name = "format",
     .letter = 'f',
     EDGE_OPT_CHOICE(struct config, format),
     .argument = "FORMAT",
     .fallback = "table",
     .choices = formats,
     .help = "What to print; influx and openmetrics are for time-series databases."},
    {.name = "sort",
     EDGE_OPT_STRING(struct config, sort),
     .argument = "COLUMN",
     .help = "Sort by this column, best first; --sort=-COLUMN is the other way round."},
    {.name = "columns",
     EDGE_OPT_STRING(struct config, columns),
     .argument = "COLUMN,...",
     .help = "Show these columns instead of the usual ones."},
    {.name = "board",
     EDGE_OPT_STRING(struct config, select.board),
     .argument = "PATTERN",
     .help = "Show only boards of this name (a shell pattern)."},
    {.name = "server",
     EDGE_OPT_STRING(struct config, select.server),
     .argument = "PATTERN",
     .help = "Show only servers of this name."},
    {.name = "scenario",
     EDGE_OPT_STRING(struct config, select.scenario),
     .argument = "PATTERN",
     .help = "Show only scenarios of this name."},
    {.name = "call",
     EDGE_OPT_STRING(struct config, select.call),
     .argument = "PATTERN",
     .help = "Show only calls of this name."},
    {.name = "raw",
     EDGE_OPT_BOOL(struct config, raw),
     .fallback = "true",
     .help = "Embed the result files in the HTML report (--no-raw leaves them out)."},
    {.name = NULL},
};

const struct edge_command edge_report_command_options = {
    .name = "bench-edge report",
    .operands = "RESULTS...",
    .summary = "Show results as tables, as files for other programs, or as a page with plots.",
    .epilog = "RESULTS are result files, or folders of them as bench-edge run writes.\n"
              "Valid rows are ranked by req/s; the others are shown apart, with the reason.\n"
              "Examples:\n"
              "  bench-edge report results/ --sort p99\n"
              "  bench-edge report results/ --format html > report.html",
    .options = options,
};

static int print_tables(const struct edge_row *rows, size_t count,
                        const struct edge_column_list *columns, enum edge_grid_style style,
                        FILE *out)
{
    int rv = 0;
    for (size_t first = 0; rv == 0 && first < count;) {
        size_t last = first + 1;
        while (last < count && strcmp(rows[first].key, rows[last].key) == 0)
            last++;
        if (first > 0)
            fputs("\n\n", out);
        rv = edge_table_print(&rows[first], last - first, columns, style, out);
        first = last;
    }
    return rv;
}

static int print_format(const struct config *config, const struct edge_collection *collection,
                        const struct edge_column_list *columns, FILE *out, FILE *err)
{
    const struct edge_row *rows = collection->rows;
    size_t count = collection->count;
    switch ((enum format)config->format) {
    case FORMAT_TABLE:
        return print_tables(rows, count, columns, EDGE_GRID_TEXT, out);
    case FORMAT_MARKDOWN:
        return print_tables(rows, count, columns, EDGE_GRID_MARKDOWN, out);
    case FORMAT_CSV:
        edge_csv_print(rows, count, columns, out);
        return 0;
    case FORMAT_JSON:
        return edge_json_print(rows, count, columns, out);
    case FORMAT_HTML:
        return edge_html_print(rows, count, columns, config->raw, out, err);
    case FORMAT_INFLUX:
        edge_influx_print(rows, count, out, err);
        return 0;
    case FORMAT_OPENMETRICS:
        return edge_openmetrics_print(rows, count, out, err);
    }
    return 0;
}

static int show(const struct config *config, const struct edge_column_list *columns,
                const struct edge_select_order *order, struct edge_collection *collection,
                FILE *out, FILE *err)
{
    bool read_some = collection->count > 0;
    edge_select_rows(collection, &config->select);
    if (read_some && collection->count == 0)
        fputs("no result matches the filters\n", err);
    if (collection->count == 0)
        return EDGE_EXIT_FAILED;
    // Tables show together what can be compared; a page does so itself.
    bool tables = config->format == FORMAT_TABLE || config->format == FORMAT_MARKDOWN;
    bool grouped = tables || (order->column == NULL && config->format != FORMAT_HTML);
    int rv = edge_select_sort(collection, order, !grouped);
    if (rv == 0)
        rv = print_format(config, collection, columns, out, err);
    if (rv != 0)
        fprintf(err, "cannot print the report: %s\n", edge_error_text(rv));
    return rv != 0 || collection->failures > 0 ? EDGE_EXIT_FAILED : EDGE_EXIT_OK;
}

static int report(const struct config *config, const char *const *paths, size_t count, FILE *out,
                  FILE *err)
{
    struct edge_column_list columns = {.count = 0};
    struct edge_select_order order;
    struct edge_message message;
    int rv = edge_select_order_parse(config->sort, &order, &message);
    if (rv == 0 && config->columns != NULL && config->format >= FORMAT_INFLUX)
        rv = edge_fail(&message, EDGE_ERR_USAGE, "--columns: %s has columns of its own",
                       formats[config->format]);
    else if (rv == 0 && config->columns != NULL)
        rv = edge_columns_parse(config->columns, &columns, &message);
    if (rv != 0) {
        fprintf(err, "%s: %s\n", edge_report_command_options.name, message.text);
        return EDGE_EXIT_USAGE;
    }
    struct edge_collection collection;
    int exit_code = EDGE_EXIT_FAILED;
    if (edge_collect(&collection, paths, count, err) == 0)
        exit_code = show(config, &columns, &order, &collection, out, err);
    edge_collection_free(&collection);
    return edge_report_written(out, "the report", err) ? exit_code : EDGE_EXIT_FAILED;
}

int edge_report_print(const char *const *paths, size_t count, FILE *out, FILE *err)
{
    struct config config;
    edge_options_defaults(&edge_report_command_options, &config);
    return report(&config, paths, count, out, err);
}

int edge_report_arguments(const struct edge_command *command, void *config, int argc, char **argv,
                          int *operands)
{
    struct edge_message message;
    edge_options_defaults(command, config);
    switch (edge_options_argv(command, config, argc, argv, operands, &message)) {
    case EDGE_ARGV_GO:
        return -1;
    case EDGE_ARGV_HELP:
        edge_options_help(command, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(command, config, stdout);
        return EDGE_EXIT_OK;
    default:
        fprintf(stderr, "%s: %s\n", command->name, message.text);
        return EDGE_EXIT_USAGE;
    }
}

bool edge_report_written(FILE *out, const char *what, FILE *err)
{
    errno = 0;
    if (fflush(out) == 0 && ferror(out) == 0)
        return true;
    fprintf(err, "cannot write %s: %s\n", what,
            errno != 0 ? edge_error_text(-errno) : "parts of it are missing; is the disk full?");
    return false;
}

int edge_report_command(int argc, char **argv)
{
    struct config config;
    int operands = 0;
    int exit_code =
        edge_report_arguments(&edge_report_command_options, &config, argc, argv, &operands);
    if (exit_code >= 0)
        return exit_code;
    if (operands == 0) {
        fprintf(stderr,
                "%s: expected result files or folders, found none: name what bench-edge run "
                "wrote\n",
                edge_report_command_options.name);
        return EDGE_EXIT_USAGE;
    }
    return report(&config, (const char *const *)argv, (size_t)operands, stdout, stderr);
}
