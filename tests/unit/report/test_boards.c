// `bench-edge boards`: each format, and docs/boards.md's copy of the table.
#include "cmocka_headers.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/boards.h"

static char *print(const char *id, enum edge_boards_format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct edge_catalogue_board *board = id ? edge_catalogue_find(id, NULL) : NULL;
    assert_true(!id || board);
    assert_int_equal(edge_boards_print(board, format, out), 0);
    fclose(out);
    return text;
}

static void json_is_whole(void **state)
{
    (void)state;
    size_t count;
    edge_catalogue(&count);
    char *text = print(NULL, EDGE_BOARDS_JSON);
    json_t *root = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(root), count);
    json_decref(root);
    free(text);

    text = print("rpi5", EDGE_BOARDS_JSON);
    root = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(root, "id")), "rpi5");
    assert_int_equal(json_integer_value(json_object_get(root, "core_count")), 4);
    assert_string_equal(json_string_value(json_object_get(root, "power_scope")), "soc_rails");
    assert_true(json_is_null(json_object_get(root, "qemu_note")));
    assert_int_equal(json_array_size(json_object_get(root, "qemu_cpu")), 1);
    assert_int_equal(json_array_size(json_object_get(root, "unverified")), 0);
    json_decref(root);
    free(text);
}

static void one_board_marks_what_is_unverified(void **state)
{
    (void)state;
    char *text = print("odroid-c4", EDGE_BOARDS_TABLE);
    assert_non_null(strstr(text, "hardkernel,odroid-c4 (unverified)\n"));
    assert_non_null(strstr(text, "ARMv8.2-A\n"));
    assert_non_null(strstr(text, "power_scope    -\n"));
    free(text);
}

static void the_table_has_every_board(void **state)
{
    (void)state;
    char *text = print(NULL, EDGE_BOARDS_TABLE);
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(text, boards[i].name));
    free(text);
}

static void docs_are_current(void **state)
{
    (void)state;
    FILE *file = fopen(EDGE_SOURCE_DIR "/docs/boards.md", "r");
    assert_non_null(file);
    static char docs[65536];
    docs[fread(docs, 1, sizeof docs - 1, file)] = '\0';
    fclose(file);
    char *text = print(NULL, EDGE_BOARDS_MARKDOWN);
    if (!strstr(docs, text))
        fail_msg("docs/boards.md is out of date: put the output of "
                 "`bench-edge boards --format markdown` there");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_whole),
        cmocka_unit_test(one_board_marks_what_is_unverified),
        cmocka_unit_test(the_table_has_every_board),
        cmocka_unit_test(docs_are_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
