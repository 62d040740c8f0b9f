#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

struct config {
    bool fast;
    uint64_t count, size, time;
    const char *text;
    unsigned choice;
    struct edge_option_list list;
};

static const char *const choices[] = {"red", "green", NULL};

static const struct edge_option rows[] = {
    {EDGE_OPT_BOOL(struct config, fast), .name = "fast", .help = "x"},
    {EDGE_OPT_COUNT(struct config, count), .name = "count", .fallback = "5", .max = 100000},
    {EDGE_OPT_BYTES(struct config, size), .name = "size", .fallback = "1k"},
    {EDGE_OPT_DURATION(struct config, time), .name = "time", .fallback = "1s"},
    {EDGE_OPT_STRING(struct config, text), .name = "text"},
    {EDGE_OPT_CHOICE(struct config, choice), .name = "choice", .choices = choices},
    {EDGE_OPT_LIST(struct config, list), .name = "list"},
    {.name = NULL},
};
static const struct edge_command command = {
    .name = "x", .operands = "", .summary = "x", .options = rows};

static int take(struct config *config, char *text, struct edge_message *message)
{
    edge_options_defaults(&command, config);
    return edge_options_text(&command, config, text, "x.conf", message);
}

static void all_kinds(void **state)
{
    (void)state;
    struct config config;
    char text[] = "# a comment\n\nfast = true\r\n  count=10k\nsize = 2m\ntime = 1.5s\n"
                  "text = {\"a\": \"= b\"} \nchoice = green\nlist = p99<5ms\nlist = errors<1%";
    struct edge_message message;
    if (take(&config, text, &message) != 0)
        fail_msg("%s", message.text);
    assert_true(config.fast);
    assert_int_equal(config.count, 10000);
    assert_int_equal(config.size, 2 << 20);
    assert_int_equal(config.time, UINT64_C(1500000000));
    assert_string_equal(config.text, "{\"a\": \"= b\"}");
    assert_int_equal(config.choice, 1);
    assert_int_equal(config.list.count, 2);
    assert_string_equal(config.list.at[1], "errors<1%");
}

static void errors_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"\ncount = many", "x.conf:2: count: expected a whole number"},
        {"count = 1M", "x.conf:1: count: must be at most 100000, found 1M"},
        {"coutn = 1", "x.conf:1: there is no option \"coutn\"; did you mean count?"},
        {"something-else-altogether = 1", "x.conf:1: there is no option"},
        {"count", "x.conf:1: expected name = value, found \"count\""},
        {"choice = blue", "x.conf:1: choice: expected one of red, green; found \"blue\""},
        {"count =", "x.conf:1: count: expected a whole number"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct config config;
        struct edge_message message;
        char text[80];
        snprintf(text, sizeof(text), "%s", cases[i].text);
        assert_int_equal(take(&config, text, &message), EDGE_ERR_USAGE);
        if (strstr(message.text, cases[i].said) == NULL)
            fail_msg("expected \"%s\", found \"%s\"", cases[i].said, message.text);
    }
}

static char *show(const struct config *config)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    edge_options_show(&command, config, out);
    fclose(out);
    return text;
}

// What --show-config prints is such a file.
static void shown_and_read_again(void **state)
{
    (void)state;
    struct config config, again;
    char long_text[2000];
    memset(long_text, 'x', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    edge_options_defaults(&command, &config);
    for (int round = 0; round < 2; round++) {
        char *shown = show(&config);
        char *read = strdup(shown);
        assert_int_equal(take(&again, read, NULL), 0);
        char *shown_again = show(&again);
        assert_string_equal(shown, shown_again);
        free(shown);
        free(shown_again);
        free(read);
        config.text = long_text;
        config.fast = true;
        config.list = (struct edge_option_list){.count = 2, .at = {"a b", "c"}};
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(shown_and_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
