// A command line from anywhere: words end at a NUL or a newline, the first one goes into the
// environment. What is accepted must read back to the same value, whatever its type.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

#define WORDS_MAX 16

struct config {
    uint64_t count, bytes, duration;
    const char *text;
    unsigned choice;
    bool flag;
    struct edge_option_list list;
};

static const char *const choices[] = {"summary", "json", NULL};

static const struct edge_option rows[] = {
    {EDGE_OPT_COUNT(struct config, count), .name = "count", .letter = 'n', .argument = "N",
     .fallback = "50", .env = "EDGE_FUZZ_COUNT", .min = 1, .max = 1000000, .help = "A number."},
    {EDGE_OPT_BYTES(struct config, bytes), .name = "bytes", .argument = "BYTES", .help = "A size."},
    {EDGE_OPT_DURATION(struct config, duration), .name = "duration", .letter = 'z',
     .argument = "TIME", .fallback = "20s", .help = "A time."},
    {EDGE_OPT_STRING(struct config, text), .name = "text", .argument = "TEXT", .help = "Words."},
    {EDGE_OPT_CHOICE(struct config, choice), .name = "format", .letter = 'O', .argument = "FORMAT",
     .fallback = "summary", .choices = choices, .help = "One of some."},
    {EDGE_OPT_BOOL(struct config, flag), .name = "verbose", .letter = 'v', .help = "Yes or no."},
    {EDGE_OPT_LIST(struct config, list), .name = "list", .letter = 'l', .argument = "TEXT",
     .help = "Some."},
    {.name = NULL},
};

static const struct edge_command command = {
    .name = "fuzz", .operands = "[FILE...]", .summary = "Fuzzes.", .options = rows};

static void check(int condition)
{
    if (!condition)
        abort();
}

// The value of `row`, given again by its text, must be the same value.
static void check_reads_back(const struct edge_option *row, const struct config *config)
{
    char text[256], again_text[256], word[320];
    edge_option_text(row, config, text, sizeof(text));
    if (row->type == EDGE_OPTION_STRING || row->type == EDGE_OPTION_LIST ||
        row->type == EDGE_OPTION_BOOL || text[0] == '\0')
        return;
    snprintf(word, sizeof(word), "--%s=%s", row->name, text);
    char *argv[] = {"fuzz", word, NULL};
    struct config again;
    struct edge_message message;
    int operands = 0;
    edge_options_defaults(&command, &again);
    check(edge_options_argv(&command, &again, 2, argv, &operands, &message) == EDGE_ARGV_GO);
    edge_option_text(row, &again, again_text, sizeof(again_text));
    check(strcmp(text, again_text) == 0);
}

static void take(int argc, char **argv)
{
    struct config config;
    struct edge_message message = {""};
    int operands = 0;
    edge_options_defaults(&command, &config);
    if (argc > 1)
        setenv("EDGE_FUZZ_COUNT", argv[1], 1);
    int got = edge_options_env(&command, &config, &message);
    check(got == 0 || message.text[0] != '\0');
    got = edge_options_argv(&command, &config, argc, argv, &operands, &message);
    check(got >= 0 || message.text[0] != '\0');
    if (got != EDGE_ARGV_GO)
        return;
    check(operands >= 0 && operands < argc);
    check(config.count == 50 || (config.count >= 1 && config.count <= 1000000));
    check(config.choice < 2 && config.list.count <= EDGE_OPTION_LIST_MAX);
    for (const struct edge_option *row = rows; row->name != NULL; row++)
        check_reads_back(row, &config);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *line = malloc(len + 1);
    check(line != NULL);
    memcpy(line, bytes, len);
    line[len] = '\0';
    char *argv[WORDS_MAX + 1] = {"fuzz"};
    int argc = 1;
    for (char *at = line; at <= line + len && argc < WORDS_MAX; at += strlen(at) + 1) {
        char *newline = strchr(at, '\n');
        if (newline != NULL)
            *newline = '\0';
        argv[argc++] = at;
    }
    take(argc, argv);
    free(line);
    return 0;
}
