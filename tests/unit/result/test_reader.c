#include "cmocka_headers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/reader.h"

#define RUN                                                                                        \
    "{\"type\":\"run\",\"format\":\"bench-edge-result\",\"major\":1,\"minor\":0,"                  \
    "\"server\":\"fixture_a\",\"scenario\":\"s\",\"call\":\"c\",\"target\":\"local\"}\n"
#define END "{\"type\":\"end\",\"valid\":true,\"reasons\":[]}\n"
#define WINDOW                                                                                     \
    "{\"type\":\"interval\",\"repeat\":1,\"name\":\"window\",\"start_ns\":5,\"stop_ns\":9}\n"
#define COUNT                                                                                      \
    "{\"type\":\"count\",\"repeat\":1,\"sent\":1,\"ok_in_window\":1,\"outcomes\":{\"ok\":1}}\n"
#define HIST(rest) "{\"type\":\"hist\",\"repeat\":1,\"name\":\"service\"," rest "}\n"

static int parse(const char *text, struct edge_result *result, struct edge_message *message)
{
    return edge_result_parse("file", text, strlen(text), result, message);
}

static void accept(const char *text, struct edge_result *result)
{
    struct edge_message message;
    if (parse(text, result, &message) != 0)
        fail_msg("%s", message.text);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
        const char *message; // begins with this
    } cases[] = {
        {"", EDGE_ERR_FORMAT, "file: the file is empty: expected a \"run\" record first"},
        {"name,req/s\n", EDGE_ERR_FORMAT, "file:1: expected one JSON object on the line: column"},
        {"[1]\n", EDGE_ERR_FORMAT, "file:1: expected one JSON object on the line, found an array"},
        {"{}\n", EDGE_ERR_FORMAT, "file:1: \"type\" is missing"},
        {"{\"type\":7}\n", EDGE_ERR_FORMAT, "file:1: \"type\": expected a string, found 7"},
        {END, EDGE_ERR_FORMAT, "file:1: expected a \"run\" record first, found \"end\""},
        {"{\"type\":\"run\",\"format\":\"other\",\"major\":1}\n", EDGE_ERR_FORMAT,
         "file:1: \"format\": expected \"bench-edge-result\", found \"other\""},
        {"{\"type\":\"run\",\"format\":\"bench-edge-result\",\"major\":2}\n", EDGE_ERR_UNSUPPORTED,
         "file:1: this is version 2 of the result format, and this program reads version 1"},
        {"{\"type\":\"run\",\"format\":\"bench-edge-result\",\"major\":1}\n", EDGE_ERR_FORMAT,
         "file:1: \"server\" is missing"},
        {"{\"type\":\"run\",\"form", EDGE_ERR_FORMAT, "file:1: expected one JSON object"},
        {RUN RUN, EDGE_ERR_FORMAT, "file:2: a second run record"},
        {RUN "\n" END, EDGE_ERR_FORMAT, "file:2: expected one JSON object on the line"},
        {RUN "{\"type\":\"end\"\n" END, EDGE_ERR_FORMAT, "file:2: expected one JSON object"},
        {RUN "{\"type\":\"end\",\"valid\":tru}\n", EDGE_ERR_FORMAT, "file:2: expected one JSON"},
        {RUN END WINDOW, EDGE_ERR_FORMAT, "file:3: a record after the end record"},
        {RUN "{\"type\":\"end\",\"valid\":1}\n", EDGE_ERR_FORMAT,
         "file:2: \"valid\": expected true, false or null, found 1"},
        {RUN "{\"type\":\"end\",\"valid\":true,\"valid\":false}\n", EDGE_ERR_FORMAT,
         "file:2: expected one JSON object on the line: column"},
        {RUN "{\"type\":\"end\",\"reasons\":\"why\"}\n", EDGE_ERR_FORMAT,
         "file:2: \"reasons\": expected an array of strings, found a string"},
        {RUN "{\"type\":\"end\",\"elapsed_ns\":-3}\n", EDGE_ERR_FORMAT,
         "file:2: \"elapsed_ns\": expected a whole number >= 0, found -3"},
        {RUN "{\"type\":\"end\",\"elapsed_ns\":1.5}\n", EDGE_ERR_FORMAT,
         "file:2: \"elapsed_ns\": expected a whole number >= 0, found 1.5"},
        {RUN "{\"type\":\"end\",\"elapsed_ns\":NaN}\n", EDGE_ERR_FORMAT, "file:2: expected one"},
        {RUN "{\"type\":\"end\",\"elapsed_ns\":1e999}\n", EDGE_ERR_FORMAT, "file:2: expected one"},
        {RUN "{\"type\":\"end\",\"elapsed_ns\":99999999999999999999}\n", EDGE_ERR_FORMAT,
         "file:2: expected one"},
        {RUN "{\"type\":\"opt\",\"name\":\"a\\u001b[31m\"}\n", EDGE_ERR_FORMAT,
         "file:2: \"name\": expected plain text, found a control character"},
        {RUN "{\"type\":\"opt\",\"name\":\"a\"}\n{\"type\":\"opt\",\"name\":\"a\"}\n",
         EDGE_ERR_FORMAT, "file:3: a second opt record of that name"},
        {RUN "{\"type\":\"build\",\"program\":\"x\"}\n", EDGE_ERR_FORMAT,
         "file:2: \"program\": expected \"bench-edge\" or \"server\", found \"x\""},
        {RUN "{\"type\":\"board\",\"id\":\"a\"}\n{\"type\":\"board\",\"id\":\"a\"}\n",
         EDGE_ERR_FORMAT, "file:3: a second board record"},
        {RUN WINDOW WINDOW, EDGE_ERR_FORMAT, "file:3: a second window of that repeat"},
        {RUN COUNT COUNT, EDGE_ERR_FORMAT, "file:3: a second count record of that repeat"},
        {RUN "{\"type\":\"sample\",\"repeat\":0,\"agent_time_ns\":1}\n", EDGE_ERR_FORMAT,
         "file:2: \"repeat\": expected 1 to 1, found 0"},
        {RUN WINDOW "{\"type\":\"sample\",\"repeat\":3,\"agent_time_ns\":1}\n", EDGE_ERR_FORMAT,
         "file:3: \"repeat\": expected 1 to 2, found 3"},
        {RUN "{\"type\":\"interval\",\"repeat\":1,\"name\":\"x\",\"start_ns\":5,\"stop_ns\":4}\n",
         EDGE_ERR_FORMAT, "file:2: \"stop_ns\": expected at least start_ns, 5, found 4"},
        {RUN "{\"type\":\"count\",\"repeat\":1,\"sent\":1,\"ok_in_window\":1,\"outcomes\":[1]}\n",
         EDGE_ERR_FORMAT, "file:2: \"outcomes\": expected an object of counts, found an array"},
        {RUN "{\"type\":\"count\",\"repeat\":1,\"sent\":1,\"ok_in_window\":1,"
             "\"outcomes\":{\"ok\":\"1\"}}\n",
         EDGE_ERR_FORMAT, "file:2: \"ok\": expected a whole number >= 0, found a string"},
        {RUN "{\"type\":\"count\",\"repeat\":1,\"due\":2,\"sent\":2,\"unsent\":0,"
             "\"ok_in_window\":1,\"balanced\":true,\"outcomes\":{\"ok\":1}}\n",
         EDGE_ERR_FORMAT, "file:2: \"balanced\" is true, but the counts do not add up"},
        {RUN "{\"type\":\"rule\",\"repeat\":0,\"id\":\"x\",\"verdict\":\"good\"}\n",
         EDGE_ERR_FORMAT,
         "file:2: \"verdict\": expected pass, warn, fail or not_judged, found \"good\""},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": expected an array"},
        {RUN HIST("\"count\":2,\"sum_ns\":5,\"clamped\":0,\"min_ns\":5,\"max_ns\":5,"
                  "\"bins\":[[5,1]]"),
         EDGE_ERR_FORMAT, "file:2: \"bins\": expected counts that add up to \"count\", 1 are"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[[5,2]]"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": bin 0: expected counts that add up to \"count\", found more"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[[2049,1]]"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": bin 0: expected the lowest value of a bin"},
        {RUN HIST("\"count\":2,\"sum_ns\":5,\"clamped\":0,\"bins\":[[5,1],[4,1]]"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": bin 1: expected ascending values"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[[5,0]]"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": bin 0: expected [lowest value >= 0, count > 0]"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[5]"), EDGE_ERR_FORMAT,
         "file:2: \"bins\": bin 0: expected [lowest value >= 0, count > 0]"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[[2000000000000,1]]"),
         EDGE_ERR_FORMAT, "file:2: \"bins\": bin 0: expected the lowest value of a bin"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"min_ns\":4,\"max_ns\":5,"
                  "\"bins\":[[5,1]]"),
         EDGE_ERR_FORMAT, "file:2: \"min_ns\", \"max_ns\", \"sum_ns\" and \"clamped\": expected"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"bins\":[[5,1]]"), EDGE_ERR_FORMAT,
         "file:2: \"min_ns\", \"max_ns\", \"sum_ns\" and \"clamped\": expected"},
        {RUN HIST("\"count\":1,\"sum_ns\":50,\"clamped\":0,\"min_ns\":5,\"max_ns\":5,"
                  "\"bins\":[[5,1]]"),
         EDGE_ERR_FORMAT, "file:2: \"min_ns\", \"max_ns\", \"sum_ns\" and \"clamped\": expected"},
        {RUN HIST("\"count\":1,\"sum_ns\":5,\"clamped\":0,\"censored\":2,\"min_ns\":5,\"max_ns\":5,"
                  "\"bins\":[[5,1]]"),
         EDGE_ERR_FORMAT, "file:2: \"censored\": expected at most \"count\", 1; found 2"},
        {RUN HIST("\"count\":0,\"sum_ns\":0,\"clamped\":0,\"bins\":[]")
             HIST("\"count\":0,\"sum_ns\":0,\"clamped\":0,\"bins\":[]"),
         EDGE_ERR_FORMAT, "file:3: a second hist record of that name and repeat"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_result result;
        struct edge_message message;
        int rv = parse(cases[i].text, &result, &message);
        if (rv != cases[i].error ||
            strncmp(message.text, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("case %zu: %d \"%s\", expected %d \"%s\"", i, rv, message.text, cases[i].error,
                     cases[i].message);
        assert_int_equal(result.repeat_count, 0);
        assert_null(result.repeats);
    }
}

// A minor version adds keys and records: both are skipped.
static void unknown_is_skipped(void **state)
{
    (void)state;
    struct edge_result result;
    accept("{\"type\":\"run\",\"format\":\"bench-edge-result\",\"major\":1,\"minor\":9,"
           "\"server\":\"fixture_a\",\"scenario\":\"s\",\"call\":\"c\",\"target\":\"local\","
           "\"colour\":{\"deep\":[1,2,{}]}}\n"
           "{\"type\":\"weather\",\"repeat\":-7}\n" END,
           &result);
    assert_true(result.ended);
    assert_int_equal(result.end.valid, EDGE_YES);
    edge_result_free(&result);
}

static void cut_short(void **state)
{
    (void)state;
    const char whole[] = RUN WINDOW COUNT END;
    size_t run = strlen(RUN);
    // Cut at every byte behind the first record: never an error, and valid only when complete.
    for (size_t len = run; len <= strlen(whole); len++) {
        struct edge_result result;
        struct edge_message message;
        if (edge_result_parse("file", whole, len, &result, &message) != 0)
            fail_msg("%zu bytes: %s", len, message.text);
        bool complete = len + 1 >= strlen(whole);
        assert_int_equal(result.ended, complete);
        assert_int_equal(result.end.valid, complete ? EDGE_YES : EDGE_NO);
        if (!complete)
            assert_string_equal(result.end.reasons.at[0],
                                "interrupted: the file has no end record");
        edge_result_free(&result);
    }
}

static void limits(void **state)
{
    (void)state;
    struct edge_result result;
    struct edge_message message;
    size_t size = EDGE_RESULT_LINE_MAX + 100;
    char *text = malloc(strlen(RUN) + size + 1);
    assert_non_null(text);
    memcpy(text, RUN, strlen(RUN));
    memset(text + strlen(RUN), ' ', size);
    assert_int_equal(edge_result_parse("file", text, strlen(RUN) + size, &result, &message),
                     EDGE_ERR_LIMIT);
    assert_string_equal(message.text, "file:2: a line of more than 2097152 bytes");

    // The same from a file, without its end in sight.
    char path[] = "/tmp/edge_reader_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(RUN) + size, file), strlen(RUN) + size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(edge_result_read(path, &result, &message), EDGE_ERR_LIMIT);
    assert_non_null(strstr(message.text, ":2: a line of more than 2097152 bytes"));
    remove(path);
    free(text);

    char *many = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&many, &len);
    fputs(RUN, out);
    for (unsigned i = 1; i <= EDGE_RESULT_REPEATS_MAX + 1; i++)
        fprintf(out, "{\"type\":\"sync\",\"repeat\":%u,\"time_ns\":1}\n", i);
    fclose(out);
    assert_int_equal(edge_result_parse("file", many, len, &result, &message), EDGE_ERR_LIMIT);
    assert_string_equal(message.text, "file:1002: more than 1000 repeats");
    free(many);
}

static void text_that_does_not_fit(void **state)
{
    (void)state;
    char text[1024];
    char name[101];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text), RUN "{\"type\":\"opt\",\"name\":\"%s\"}\n", name);
    struct edge_result result;
    struct edge_message message;
    assert_int_equal(parse(text, &result, &message), EDGE_ERR_FORMAT);
    assert_string_equal(message.text,
                        "file:2: \"name\": expected at most 63 bytes of text, found 100");
}

static void not_there(void **state)
{
    (void)state;
    struct edge_result result;
    struct edge_message message;
    assert_int_equal(edge_result_read("/nonexistent/r.jsonl", &result, &message), -ENOENT);
    assert_string_equal(message.text,
                        "cannot read /nonexistent/r.jsonl: No such file or directory");
    assert_int_equal(edge_result_read("/", &result, &message), -EISDIR);
    edge_result_free(&result);
}

// Lines longer than a chunk, and many of them, come through a file as through memory.
static void large_file(void **state)
{
    (void)state;
    char path[] = "/tmp/edge_reader_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs(RUN, file);
    fprintf(file, "{\"type\":\"weather\",\"text\":\"%0*d\"}\n", 200000, 7);
    for (unsigned i = 0; i < 20000; i++)
        fprintf(file, "{\"type\":\"sample\",\"repeat\":1,\"agent_time_ns\":%u}\n", i);
    fputs(END, file);
    assert_int_equal(fclose(file), 0);
    struct edge_result result;
    struct edge_message message;
    if (edge_result_read(path, &result, &message) != 0)
        fail_msg("%s", message.text);
    assert_int_equal(result.repeats[0].sample_count, 20000);
    assert_true(result.ended);
    edge_result_free(&result);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),    cmocka_unit_test(unknown_is_skipped),
        cmocka_unit_test(cut_short),  cmocka_unit_test(limits),
        cmocka_unit_test(not_there),  cmocka_unit_test(text_that_does_not_fit),
        cmocka_unit_test(large_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
