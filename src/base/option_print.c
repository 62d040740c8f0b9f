// The printers of option tables.
#include "base/option.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"

#define HELP_COLUMN 34
#define HELP_WIDTH  100

static const char *list_text(const struct edge_option_list *list, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < list->count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 0 ? " " : "", list->at[i]);
    return text;
}

const char *edge_option_text(const struct edge_option *option, const void *config, char *text,
                             size_t size)
{
    const char *field = (const char *)config + option->offset;
    const char *string = NULL;
    switch (option->type) {
    case EDGE_OPTION_BOOL:
        string = *(const bool *)(const void *)field ? "true" : "false";
        break;
    case EDGE_OPTION_STRING:
        string = *(const char *const *)(const void *)field;
        break;
    case EDGE_OPTION_CHOICE:
        string = option->choices[*(const unsigned *)(const void *)field];
        break;
    case EDGE_OPTION_LIST:
        return list_text((const void *)field, text, size);
    case EDGE_OPTION_BYTES:
        return edge_format_bytes(*(const uint64_t *)(const void *)field, text, size);
    case EDGE_OPTION_DURATION:
        return edge_format_duration(*(const uint64_t *)(const void *)field, text, size);
    case EDGE_OPTION_COUNT:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)(const void *)field);
        return text;
    }
    snprintf(text, size, "%s", string != NULL ? string : "");
    return text;
}

// The sentence, its default, choices and environment variable, as --help and the docs show them.
static void describe(const struct edge_option *option, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", option->help);
    if (option->choices != NULL) {
        for (size_t i = 0; option->choices[i] != NULL && at < size; i++)
            at += (size_t)snprintf(text + at, size - at, "%s%s", i == 0 ? " One of: " : ", ",
                                   option->choices[i]);
        if (at < size)
            at += (size_t)snprintf(text + at, size - at, ".");
    }
    if (option->fallback != NULL && option->type != EDGE_OPTION_BOOL && at < size)
        at += (size_t)snprintf(text + at, size - at, " [%s]", option->fallback);
    if (option->env != NULL && at < size)
        snprintf(text + at, size - at, " ($%s)", option->env);
}

// A space goes before a word that follows on its line, so that none ends a line.
static void print_wrapped(FILE *out, const char *text)
{
    size_t column = HELP_COLUMN;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t word = strcspn(text, " ");
        bool begins = column == HELP_COLUMN;
        if (!begins && column + 1 + word > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
            begins = true;
        }
        fprintf(out, "%s%.*s", begins ? "" : " ", (int)word, text);
        column += word + !begins;
        text += word;
    }
    fputc('\n', out);
}

static void print_row(FILE *out, char letter, const char *name, const char *argument,
                      const char *text)
{
    char left[128];
    char short_name[8] = "    ";
    if (letter != '\0')
        snprintf(short_name, sizeof(short_name), "-%c, ", letter);
    snprintf(left, sizeof(left), "  %s--%s%s%s", short_name, name, argument != NULL ? " " : "",
             argument != NULL ? argument : "");
    fprintf(out, "%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    print_wrapped(out, text);
}

void edge_options_help(const struct edge_command *command, FILE *out)
{
    char text[1024];
    fprintf(out, "Usage: %s [OPTIONS]%s%s\n\n%s\n\nOptions:\n", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands, command->summary);
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        describe(option, text, sizeof(text));
        print_row(out, option->letter, option->name, option->argument, text);
    }
    print_row(out, 0, "show-config", NULL, "Print the effective options and exit.");
    print_row(out, 0, "version", NULL, "Print the version and exit.");
    print_row(out, 'h', "help", NULL, "Print this page and exit.");
    if (command->epilog != NULL)
        fprintf(out, "\n%s\n", command->epilog);
}

static void show_list(const struct edge_option *option, const void *config, FILE *out)
{
    const struct edge_option_list *list = (const void *)((const char *)config + option->offset);
    for (unsigned i = 0; i < list->count; i++)
        fprintf(out, "%s = %s\n", option->name, list->at[i]);
    if (list->count == 0)
        fprintf(out, "# %s is empty\n", option->name);
}

void edge_options_show(const struct edge_command *command, const void *config, FILE *out)
{
    char text[512];
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        const char *const *string = (const void *)((const char *)config + option->offset);
        if (option->type == EDGE_OPTION_LIST)
            show_list(option, config, out);
        else if (option->type == EDGE_OPTION_STRING) // of any length
            fprintf(out, "%s = %s\n", option->name, *string != NULL ? *string : "");
        else
            fprintf(out, "%s = %s\n", option->name,
                    edge_option_text(option, config, text, sizeof(text)));
    }
}

void edge_options_markdown(const struct edge_command *command, FILE *out)
{
    fprintf(out, "## `%s%s%s`\n\n%s\n\n", command->name, command->operands[0] != '\0' ? " " : "",
            command->operands, command->summary);
    fprintf(out, "| option | value | default | environment | meaning |\n|---|---|---|---|---|\n");
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        fprintf(out, "| `--%s`", option->name);
        if (option->letter != '\0')
            fprintf(out, ", `-%c`", option->letter);
        fprintf(out, " | %s | %s | %s | %s", option->argument != NULL ? option->argument : "",
                option->fallback != NULL ? option->fallback : "",
                option->env != NULL ? option->env : "", option->help);
        for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++)
            fprintf(out, "%s`%s`", i == 0 ? " One of: " : ", ", option->choices[i]);
        fprintf(out, " |\n");
    }
    fputc('\n', out);
}
