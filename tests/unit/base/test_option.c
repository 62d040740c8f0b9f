#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option.h"

struct config {
    uint64_t connections;
    uint64_t ram;
    uint64_t duration;
    const char *name;
    unsigned format;
    bool verbose;
    struct edge_option_list goals;
};

static const char *const formats[] = {"summary", "json", NULL};

static const struct edge_option rows[] = {
    {.name = "connections",
     EDGE_OPT_COUNT(struct config, connections),
     .argument = "N",
     .fallback = "50",
     .env = "TEST_CONNECTIONS",
     .min = 1,
     .max = 1000,
     .help = "How many."},
    {.name = "ram",
     EDGE_OPT_BYTES(struct config, ram),
     .argument = "BYTES",
     .help =
         "Memory, of which there is never enough, taken one after the other, until it is gone."},
    {.name = "duration",
     .letter = 'z',
     EDGE_OPT_DURATION(struct config, duration),
     .argument = "TIME",
     .fallback = "20s",
     .help = "How long."},
    {.name = "name", EDGE_OPT_STRING(struct config, name), .argument = "TEXT", .help = "Name."},
    {.name = "format",
     .letter = 'O',
     EDGE_OPT_CHOICE(struct config, format),
     .argument = "FORMAT",
     .fallback = "summary",
     .choices = formats,
     .help = "Shape."},
    {.name = "verbose", .letter = 'v', EDGE_OPT_BOOL(struct config, verbose), .help = "Talk."},
    {.name = "goal",
     .letter = 'g',
     EDGE_OPT_LIST(struct config, goals),
     .argument = "TEXT",
     .help = "Aim."},
    {0},
};

static const struct edge_command command = {
    .name = "test", .operands = "[FILE...]", .summary = "Tests.", .options = rows};
static const struct edge_command no_operands = {
    .name = "test", .operands = "", .summary = "Tests.", .options = rows};

// Splits `line` at spaces into argv, parses it, and returns the result.
static int parse(const char *line, struct config *config, int *operands, char **first,
                 struct edge_message *message)
{
    static char copy[256];
    static char *argv[32];
    int argc = 0;
    char *save = NULL;
    snprintf(copy, sizeof(copy), "test %s", line);
    for (char *word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    edge_options_defaults(&command, config);
    int result = edge_options_argv(&command, config, argc, argv, operands, message);
    *first = argv[0];
    return result;
}

static void takes_a_list(void **state)
{
    (void)state;
    struct config config;
    struct edge_message message;
    char text[64];
    int operands;
    char *first;
    assert_int_equal(parse("--goal a -g b file --goal=c", &config, &operands, &first, &message), 0);
    assert_int_equal(operands, 1);
    assert_int_equal(config.goals.count, 3);
    assert_string_equal(config.goals.at[2], "c");
    const struct edge_option *row = rows;
    while (strcmp(row->name, "goal") != 0)
        row++;
    assert_string_equal(edge_option_text(row, &config, text, sizeof(text)), "a b c");
    assert_string_equal(edge_option_text(row, &config, text, 4), "a b");
    edge_options_defaults(&command, &config);
    assert_int_equal(config.goals.count, 0);

    char *argv[EDGE_OPTION_LIST_MAX + 2];
    char name[] = "test";
    char goal[] = "-gx";
    for (size_t i = 0; i < EDGE_OPTION_LIST_MAX + 2; i++)
        argv[i] = i == 0 ? name : goal;
    assert_int_equal(edge_options_argv(&command, &config, (int)EDGE_OPTION_LIST_MAX + 2, argv,
                                       &operands, &message),
                     EDGE_ERR_USAGE);
    assert_string_equal(message.text, "-g: given more than 32 times");
}

static void takes_every_spelling(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--connections 7 -z 5s -O json -v a b",
        "a --connections=7 b -z5s --format=json --verbose",
        "--duration 5s --connections 7 -Ojson -v -- a b",
    };
    for (size_t i = 0; i < 3; i++) {
        struct config config;
        int operands;
        char *first;
        assert_int_equal(parse(lines[i], &config, &operands, &first, NULL), EDGE_ARGV_GO);
        assert_int_equal(config.connections, 7);
        assert_true(config.duration == 5 * EDGE_NS_PER_S);
        assert_int_equal(config.format, 1);
        assert_true(config.verbose);
        assert_int_equal(operands, 2);
        assert_string_equal(first, "a");
    }
}

static void refuses_with_a_message_that_helps(void **state)
{
    (void)state;
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"--conections 7", "unknown option --conections; did you mean --connections?"},
        {"--zzzzzzzz 7", "unknown option --zzzzzzzz (test --help lists all)"},
        {"-q", "unknown option -q"},
        {"--connections", "--connections needs a whole number such as 50 or 10k (N)"},
        {"--connections x",
         "--connections: expected a whole number such as 50 or 10k, found \"x\""},
        {"--connections 0", "--connections: must be at least 1, found 0"},
        {"--connections 2k", "--connections: must be at most 1000, found 2k"},
        {"-z 5", "-z: expected a duration such as 20s or 100ms, found \"5\""},
        {"--ram 5q", "--ram: expected a size such as 64k or 512m, found \"5q\""},
        {"-O xml", "-O: expected one of summary, json; found \"xml\""},
        {"--verbose=maybe", "--verbose: expected true or false, found \"maybe\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct config config;
        struct edge_message message;
        int operands;
        char *first;
        assert_int_equal(parse(cases[i].line, &config, &operands, &first, &message),
                         EDGE_ERR_USAGE);
        assert_non_null(strstr(message.text, cases[i].expected));
    }
}

static void environment_lies_between_defaults_and_argv(void **state)
{
    (void)state;
    struct config config;
    struct edge_message message;
    char program[] = "test";
    char option[] = "--connections=9";
    char *argv[] = {program, option};
    int operands;
    setenv("TEST_CONNECTIONS", "8", 1);
    edge_options_defaults(&command, &config);
    assert_int_equal(edge_options_env(&command, &config, &message), 0);
    assert_int_equal(config.connections, 8);
    assert_int_equal(edge_options_argv(&command, &config, 2, argv, &operands, &message), 0);
    assert_int_equal(config.connections, 9);
    setenv("TEST_CONNECTIONS", "many", 1);
    assert_int_equal(edge_options_env(&command, &config, &message), EDGE_ERR_USAGE);
    assert_non_null(strstr(message.text, "TEST_CONNECTIONS: expected"));
    setenv("TEST_CONNECTIONS", "", 1);
    assert_int_equal(edge_options_env(&command, &config, &message), 0);
    unsetenv("TEST_CONNECTIONS");
}

static void knows_the_common_options(void **state)
{
    (void)state;
    struct config config;
    int operands;
    char *first;
    assert_int_equal(parse("--help", &config, &operands, &first, NULL), EDGE_ARGV_HELP);
    assert_int_equal(parse("-h", &config, &operands, &first, NULL), EDGE_ARGV_HELP);
    assert_int_equal(parse("--version", &config, &operands, &first, NULL), EDGE_ARGV_VERSION);
    assert_int_equal(parse("-z 1s --show-config", &config, &operands, &first, NULL),
                     EDGE_ARGV_SHOW);
    assert_int_equal(parse("-v --no-verbose", &config, &operands, &first, NULL), EDGE_ARGV_GO);
    assert_false(config.verbose);
}

static void refuses_operands_where_there_are_none(void **state)
{
    (void)state;
    struct config config;
    struct edge_message message;
    char program[] = "test";
    char operand[] = "stray";
    char *argv[] = {program, operand};
    int operands;
    edge_options_defaults(&no_operands, &config);
    assert_int_equal(edge_options_argv(&no_operands, &config, 2, argv, &operands, &message),
                     EDGE_ERR_USAGE);
    assert_string_equal(message.text, "expected options only, found \"stray\"");
    // Who asks for help gets it, whatever else there is.
    char help[] = "--help";
    char *asking[] = {program, operand, help};
    assert_int_equal(edge_options_argv(&no_operands, &config, 3, asking, &operands, &message),
                     EDGE_ARGV_HELP);
}

static void prints_help_config_and_docs(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    struct config config;
    edge_options_defaults(&command, &config);
    FILE *out = open_memstream(&text, &size);
    edge_options_help(&command, out);
    fflush(out);
    assert_null(strstr(text, " \n"));
    edge_options_show(&command, &config, out);
    edge_options_markdown(&command, out);
    fclose(out);
    assert_non_null(strstr(text, "Usage: test [OPTIONS] [FILE...]"));
    assert_non_null(strstr(text, "      --connections N             How many. [50] ($TEST_CONN"));
    assert_non_null(strstr(text, "-z, --duration TIME"));
    assert_non_null(strstr(text, "one after the other,\n                                  until"));
    assert_non_null(strstr(text, "\nduration = 20s\n"));
    assert_non_null(strstr(text, "\nname = \n"));
    assert_non_null(strstr(text, "| `--format`, `-O` | FORMAT | summary |  | Shape. One of: "
                                 "`summary`, `json` |"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_list),
        cmocka_unit_test(takes_every_spelling),
        cmocka_unit_test(refuses_with_a_message_that_helps),
        cmocka_unit_test(environment_lies_between_defaults_and_argv),
        cmocka_unit_test(knows_the_common_options),
        cmocka_unit_test(refuses_operands_where_there_are_none),
        cmocka_unit_test(prints_help_config_and_docs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
