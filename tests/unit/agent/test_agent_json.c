#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent_json.h"

static json_t *parse(const char *line)
{
    json_t *object;
    struct edge_message message;
    assert_int_equal(edge_agent_json_line(line, strlen(line), &object, &message), 0);
    return object;
}

static void malformed_lines_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"", "JSON object"},
        {"nonsense", "column"},
        {"[1]", "another value"},
        {"{\"op\":}", "column"},
        {"{} {}", "column"},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"{\"a\":\"\xff\"}", "column"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *object;
        struct edge_message message = {""};
        assert_int_equal(
            edge_agent_json_line(cases[i].line, strlen(cases[i].line), &object, &message),
            EDGE_ERR_FORMAT);
        assert_null(object);
        if (!strstr(message.text, cases[i].words))
            fail_msg("case %zu: %s", i, message.text);
    }
}

static void members_are_checked(void **state)
{
    (void)state;
    json_t *object = parse("{\"n\":5,\"minus\":-1,\"t\":\"x\",\"list\":[\"a\",\"b\"],\"bad\":[1]}");
    struct edge_message message;
    uint64_t number;
    const char *text;
    const char **list;
    assert_int_equal(edge_agent_json_number(object, "n", 1, &number, &message), 0);
    assert_int_equal(number, 5);
    assert_int_equal(edge_agent_json_number(object, "absent", 1, &number, &message), 0);
    assert_int_equal(number, 1);
    assert_int_equal(edge_agent_json_number(object, "minus", 1, &number, &message),
                     EDGE_ERR_FORMAT);
    assert_int_equal(edge_agent_json_number(object, "t", 1, &number, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "\"t\""));
    assert_int_equal(edge_agent_json_text(object, "t", NULL, &text, &message), 0);
    assert_string_equal(text, "x");
    assert_int_equal(edge_agent_json_text(object, "n", NULL, &text, &message), EDGE_ERR_FORMAT);
    assert_int_equal(edge_agent_json_texts(object, "list", &list, &message), 0);
    assert_string_equal(list[0], "a");
    assert_string_equal(list[1], "b");
    assert_null(list[2]);
    free((void *)list);
    assert_int_equal(edge_agent_json_texts(object, "absent", &list, &message), 0);
    assert_null(list[0]);
    free((void *)list);
    assert_int_equal(edge_agent_json_texts(object, "bad", &list, &message), EDGE_ERR_FORMAT);
    assert_int_equal(edge_agent_json_texts(object, "n", &list, &message), EDGE_ERR_FORMAT);
    json_decref(object);
}

static void a_sample_comes_back_as_it_was(void **state)
{
    (void)state;
    struct edge_agent_sample sample, back;
    edge_agent_sample_init(&sample);
    strcpy(sample.label, "window_stop");
    strcpy(sample.cpu_source, "cpu_clock");
    sample.t_ns = UINT64_C(123456789012345);
    sample.cpu_ns = 0;
    sample.pss_bytes = 4096;
    json_t *object = edge_agent_json_from_sample(&sample);
    assert_true(json_is_null(json_object_get(object, "rss_bytes"))); // unmeasured, not 0
    edge_agent_json_to_sample(object, &back);
    assert_memory_equal(&back, &sample, sizeof(sample));
    json_decref(object);
}

static void a_reader_survives_wrong_types(void **state)
{
    (void)state;
    json_t *object = parse("{\"label\":7,\"t_ns\":\"x\",\"cpu_ns\":-4,\"rss_bytes\":1.5}");
    struct edge_agent_sample sample;
    edge_agent_json_to_sample(object, &sample);
    assert_string_equal(sample.label, "");
    assert_true(sample.t_ns == EDGE_UNMEASURED);
    assert_true(sample.cpu_ns == EDGE_UNMEASURED);
    assert_true(sample.rss_bytes == EDGE_UNMEASURED);
    json_decref(object);
    edge_agent_json_to_sample(NULL, &sample);
    assert_true(sample.t_ns == EDGE_UNMEASURED);
}

static void a_board_comes_back_as_it_was(void **state)
{
    (void)state;
    struct edge_board board = {.cores = 4, .ram_bytes = 1}, back;
    strcpy(board.model, "Pi");
    strcpy(board.allowed_cpus, "0-3");
    json_t *object = edge_agent_json_from_board(&board);
    edge_agent_json_to_board(object, &back);
    assert_memory_equal(&back, &board, sizeof(board));
    json_decref(object);
}

static void any_bytes_become_text(void **state)
{
    (void)state;
    json_t *text = edge_agent_json_from_bytes("a\nb\xc3\x28\0z", 7);
    assert_string_equal(json_string_value(text), "a\nb?(?z");
    json_decref(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_lines_are_told_apart),
        cmocka_unit_test(members_are_checked),
        cmocka_unit_test(a_sample_comes_back_as_it_was),
        cmocka_unit_test(a_reader_survives_wrong_types),
        cmocka_unit_test(a_board_comes_back_as_it_was),
        cmocka_unit_test(any_bytes_become_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
