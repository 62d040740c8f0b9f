#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/results_folder.h"

#define WALL_NS (UINT64_C(1796048409) * EDGE_NS_PER_S) // 2026-11-30T14:20:09Z

static void names_are_time_and_board(void **state)
{
    (void)state;
    char root[] = "/tmp/edge_results_XXXXXX", deep[64], path[256], want[256];
    struct edge_message message;
    assert_non_null(mkdtemp(root));
    snprintf(deep, sizeof(deep), "%s/a/b", root);
    static const char *const suffixes[] = {"", "-2", "-3"};
    for (size_t i = 0; i < 3; i++) { // three runs within a second
        assert_int_equal(
            edge_results_folder_make(deep, WALL_NS, "host", path, sizeof(path), &message), 0);
        snprintf(want, sizeof(want), "%s/20261130T142009Z-host%s", deep, suffixes[i]);
        assert_string_equal(path, want);
    }
    assert_int_equal(
        edge_results_folder_file(path, "srv", "empty", "SayEmpty", want, sizeof(want), &message),
        0);
    assert_string_equal(want + strlen(path), "/srv.empty.SayEmpty.jsonl");
    for (size_t i = 0; i < 3; i++) {
        snprintf(want, sizeof(want), "%s/20261130T142009Z-host%s", deep, suffixes[i]);
        assert_int_equal(rmdir(want), 0);
    }
    assert_int_equal(rmdir(deep), 0);
    *strrchr(deep, '/') = '\0';
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(root), 0);
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    (void)state;
    char path[256], tiny[8];
    struct edge_message message;
    assert_int_equal(edge_results_folder_make("/dev/null/results", WALL_NS, "host", path,
                                              sizeof(path), &message),
                     -ENOTDIR);
    assert_non_null(strstr(message.text, "--results-dir"));
    assert_int_equal(
        edge_results_folder_file("/tmp", "srv", "empty", "SayEmpty", tiny, sizeof(tiny), &message),
        -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_time_and_board),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
