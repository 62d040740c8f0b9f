#include "report/boards.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/command.h"

struct boards_options {
    unsigned format;
};

static const char *const formats[] = {"table", "json", "markdown", NULL};

static const struct edge_option options[] = {
    {EDGE_OPT_CHOICE(struct boards_options, format), .name = "format", .letter = 'f',
     .argument = "FORMAT", .fallback = "table", .choices = formats, .help = "How to print."},
    {.name = NULL},
};

const struct edge_command edge_boards_command_options = {
    .name = "bench-edge boards",
    .operands = "[ID]",
    .summary = "Show the board catalogue, or all about one board.",
    .epilog = "Facts that nobody has checked on the board itself are marked unverified.\n",
    .options = options,
};

enum fact_type { FACT_TEXT, FACT_NUMBER, FACT_LIST };

static const struct fact {
    const char *key;
    enum fact_type type;
    size_t offset;
} facts[] = {
#define FACT(type, key)                                                                            \
    {                                                                                              \
#key, type, offsetof(struct edge_catalogue_board, key)                                     \
    }
    FACT(FACT_TEXT, id),           FACT(FACT_TEXT, name),         FACT(FACT_TEXT, soc),
    FACT(FACT_TEXT, cores),        FACT(FACT_NUMBER, core_count), FACT(FACT_TEXT, ram),
    FACT(FACT_NUMBER, bits),       FACT(FACT_TEXT, isa),          FACT(FACT_TEXT, toolchain),
    FACT(FACT_TEXT, cpu_flags),    FACT(FACT_TEXT, qemu),         FACT(FACT_LIST, qemu_cpu),
    FACT(FACT_TEXT, qemu_note),    FACT(FACT_LIST, compatible),   FACT(FACT_LIST, revision_type),
    FACT(FACT_TEXT, revision_soc), FACT(FACT_TEXT, power),        FACT(FACT_TEXT, power_scope),
    FACT(FACT_TEXT, watts),        FACT(FACT_LIST, trap),         FACT(FACT_LIST, unverified),
#undef FACT
};

#define FACTS (sizeof facts / sizeof facts[0])

static const void *field(const struct edge_catalogue_board *board, const struct fact *fact)
{
    return (const char *)board + fact->offset;
}

static json_t *fact_json(const struct edge_catalogue_board *board, const struct fact *fact)
{
    if (fact->type == FACT_NUMBER)
        return json_integer(*(const unsigned *)field(board, fact));
    if (fact->type == FACT_TEXT) {
        const char *text = *(const char *const *)field(board, fact);
        return text ? json_string(text) : json_null();
    }
    const char *const *list = *(const char *const *const *)field(board, fact);
    json_t *array = json_array();
    for (; list && *list; list++)
        json_array_append_new(array, json_string(*list));
    return array;
}

static json_t *board_json(const struct edge_catalogue_board *board)
{
    json_t *object = json_object();
    for (size_t i = 0; i < FACTS; i++)
        json_object_set_new(object, facts[i].key, fact_json(board, &facts[i]));
    return object;
}

static int print_json(const struct edge_catalogue_board *board, FILE *out)
{
    size_t count;
    const struct edge_catalogue_board *all = edge_catalogue(&count);
    json_t *root = board ? board_json(board) : json_array();
    for (size_t i = 0; !board && i < count; i++)
        json_array_append_new(root, board_json(&all[i]));
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    if (!text)
        return -ENOMEM;
    fprintf(out, "%s\n", text);
    free(text);
    return 0;
}

static bool listed(const char *const *list, const char *text)
{
    for (; list && *list; list++)
        if (strcmp(*list, text) == 0)
            return true;
    return false;
}

static void print_one(const struct edge_catalogue_board *board, FILE *out)
{
    for (size_t i = 0; i < FACTS; i++) {
        const struct fact *fact = &facts[i];
        if (strcmp(fact->key, "unverified") == 0)
            continue; // stands beside each value instead
        const char *mark = listed(board->unverified, fact->key) ? " (unverified)" : "";
        if (fact->type == FACT_NUMBER) {
            fprintf(out, "%-14s %u%s\n", fact->key, *(const unsigned *)field(board, fact), mark);
        } else if (fact->type == FACT_TEXT) {
            const char *text = *(const char *const *)field(board, fact);
            fprintf(out, "%-14s %s%s\n", fact->key, text ? text : "-", mark);
        } else {
            const char *const *list = *(const char *const *const *)field(board, fact);
            if (!list)
                fprintf(out, "%-14s -\n", fact->key);
            for (const char *const *at = list; at && *at; at++)
                fprintf(out, "%-14s %s%s\n", at == list ? fact->key : "", *at, mark);
        }
    }
}

#define COLUMNS 6

static void print_table(FILE *out)
{
    static const char *const header[COLUMNS] = {"BOARD", "NAME",        "SOC",
                                                "ISA",   "EMULATED AS", "POWER ON BOARD"};
    size_t count;
    const struct edge_catalogue_board *all = edge_catalogue(&count);
    int width[COLUMNS] = {0};
    for (int pass = 0; pass < 2; pass++) // measures, then prints
        for (size_t row = 0; row <= count; row++) {
            const struct edge_catalogue_board *board = &all[row > 0 ? row - 1 : 0];
            const char *const texts[COLUMNS] = {board->id,  board->name,        board->soc,
                                                board->isa, board->qemu_cpu[0], board->power};
            const char *const *cells = row > 0 ? texts : header;
            for (size_t column = 0; column < COLUMNS; column++) {
                int len = (int)strlen(cells[column]);
                if (pass == 0)
                    width[column] = len > width[column] ? len : width[column];
                else if (column + 1 < COLUMNS)
                    fprintf(out, "%-*s  ", width[column], cells[column]);
                else
                    fprintf(out, "%s\n", cells[column]);
            }
        }
}

// The table of docs/boards.md. A star marks what is unverified.
static void print_markdown(FILE *out)
{
    size_t count;
    const struct edge_catalogue_board *all = edge_catalogue(&count);
    fputs("| id | board | SoC, cores | RAM | ISA, flags | QEMU model | power on board | W |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const struct edge_catalogue_board *board = &all[i];
#define MARK(key) (listed(board->unverified, #key) ? "\\*" : "")
        fprintf(out, "| `%s` | %s | %s, %s%s | %s | %s `%s` |", board->id, board->name, board->soc,
                board->cores, MARK(cores), board->ram, board->isa, board->cpu_flags);
        for (const char *const *model = board->qemu_cpu; *model; model++)
            fprintf(out, "%s %s", model == board->qemu_cpu ? "" : ", else", *model);
        if (board->power_scope)
            fprintf(out, " | %s (`%s`)", board->power, board->power_scope);
        else
            fputs(" | none", out);
        fprintf(out, " | %s%s |\n", board->watts ? board->watts : "-", MARK(watts));
#undef MARK
    }
}

int edge_boards_print(const struct edge_catalogue_board *board, enum edge_boards_format format,
                      FILE *out)
{
    if (format == EDGE_BOARDS_JSON)
        return print_json(board, out);
    if (format == EDGE_BOARDS_MARKDOWN)
        print_markdown(out);
    else if (board)
        print_one(board, out);
    else
        print_table(out);
    return 0;
}

int edge_boards_command(int argc, char **argv)
{
    const struct edge_command *command = &edge_boards_command_options;
    struct boards_options config;
    struct edge_message message;
    int operands = 0;
    int exit_code = edge_report_arguments(command, &config, argc, argv, &operands);
    if (exit_code >= 0)
        return exit_code;
    const struct edge_catalogue_board *board = NULL;
    if (operands > 1) {
        fprintf(stderr, "%s: expected one board at most, found \"%s\" too\n", command->name,
                argv[1]);
        return EDGE_EXIT_USAGE;
    }
    if (operands == 1 && !(board = edge_catalogue_find(argv[0], &message))) {
        fprintf(stderr, "%s: %s\n", command->name, message.text);
        return EDGE_EXIT_USAGE;
    }
    int rv = edge_boards_print(board, (enum edge_boards_format)config.format, stdout);
    if (rv < 0)
        fprintf(stderr, "%s: cannot print: %s\n", command->name, edge_error_text(rv));
    return edge_report_written(stdout, "the catalogue", stderr) && rv == 0 ? EDGE_EXIT_OK
                                                                           : EDGE_EXIT_FAILED;
}
