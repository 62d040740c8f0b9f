#include "report/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/error.h"
#include "report/files.h"
#include "report/row.h"
#include "report/table.h"
#include "result/reader.h"

static const struct edge_option options[] = {{.name = NULL}};

const struct edge_command edge_report_command_options = {
    .name = "bench-edge report",
    .operands = "RESULTS...",
    .summary = "Show results as tables.",
    .epilog = "RESULTS are result files, or folders of them as bench-edge run writes.\n"
              "Valid rows are ranked by req/s; the others are shown apart, with the reason.\n",
    .options = options,
};

static int list_files(const char *const *paths, size_t count, struct edge_files *files, FILE *err)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct edge_message message;
        if (edge_files_add(files, paths[i], &message) != 0) {
            fprintf(err, "%s\n", message.text);
            failed = 1;
        }
    }
    return failed;
}

// Reads all that can be read. `results` and `rows` have room for every file.
static int read_files(const struct edge_files *files, struct edge_result *results,
                      struct edge_row *rows, size_t *count, FILE *err)
{
    int failed = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct edge_message message;
        struct edge_result *result = &results[*count];
        int rv = edge_result_read(files->paths[i], result, &message);
        if (rv == 0 && edge_row_init(&rows[*count], result) != 0) {
            edge_fail(&message, -ENOMEM, "%s: out of memory", files->paths[i]);
            edge_row_free(&rows[*count]);
            edge_result_free(result);
            rv = -ENOMEM;
        }
        if (rv == 0)
            ++*count;
        else {
            fprintf(err, "%s\n", message.text);
            failed = 1;
        }
    }
    return failed;
}

static int print_tables(struct edge_row *rows, size_t count, FILE *out)
{
    int rv = edge_row_sort(rows, count);
    for (size_t first = 0; rv == 0 && first < count;) {
        size_t last = first + 1;
        while (last < count && strcmp(rows[first].key, rows[last].key) == 0)
            last++;
        if (first > 0)
            fputs("\n\n", out);
        rv = edge_table_print(&rows[first], last - first, out);
        first = last;
    }
    return rv;
}

static int show(const struct edge_files *files, FILE *out, FILE *err)
{
    struct edge_result *results = calloc(files->count + 1, sizeof(*results));
    struct edge_row *rows = calloc(files->count + 1, sizeof(*rows));
    size_t count = 0;
    int failed = 1;
    if (results != NULL && rows != NULL) {
        failed = read_files(files, results, rows, &count, err);
        if (print_tables(rows, count, out) != 0) {
            fputs("out of memory while printing the tables\n", err);
            failed = 1;
        }
    } else {
        fputs("out of memory\n", err);
    }
    for (size_t i = 0; i < count; i++) {
        edge_row_free(&rows[i]);
        edge_result_free(&results[i]);
    }
    free(rows);
    free(results);
    return failed || count == 0;
}

int edge_report_print(const char *const *paths, size_t count, FILE *out, FILE *err)
{
    struct edge_files files = {0};
    int failed = list_files(paths, count, &files, err);
    if (files.count > 0)
        failed |= show(&files, out, err);
    edge_files_free(&files);
    if (fflush(out) != 0) {
        fprintf(err, "cannot write the tables: %s\n", edge_error_text(-errno));
        failed = 1;
    }
    return failed ? EDGE_EXIT_FAILED : EDGE_EXIT_OK;
}

int edge_report_command(int argc, char **argv)
{
    const struct edge_command *command = &edge_report_command_options;
    struct edge_message message;
    int operands = 0;
    // No options of its own: there is nothing to fill in.
    switch (edge_options_argv(command, NULL, argc, argv, &operands, &message)) {
    case EDGE_ARGV_GO:
        break;
    case EDGE_ARGV_HELP:
        edge_options_help(command, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(command, NULL, stdout);
        return EDGE_EXIT_OK;
    default:
        fprintf(stderr, "%s: %s\n", command->name, message.text);
        return EDGE_EXIT_USAGE;
    }
    if (operands == 0) {
        fprintf(stderr,
                "%s: expected result files or folders, found none: name what bench-edge run "
                "wrote\n",
                command->name);
        return EDGE_EXIT_USAGE;
    }
    return edge_report_print((const char *const *)argv, (size_t)operands, stdout, stderr);
}
