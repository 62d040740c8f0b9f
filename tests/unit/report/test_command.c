// The printed report, byte for byte, for the hand-made files of tests/data/results.
#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "report/command.h"
#include "report/grid.h"

struct printed {
    int rv;
    char *out;
    char *err;
};

static struct printed print(const char *const *paths, size_t count)
{
    struct printed printed = {0};
    size_t out_size;
    size_t err_size;
    FILE *out = open_memstream(&printed.out, &out_size);
    FILE *err = open_memstream(&printed.err, &err_size);
    printed.rv = edge_report_print(paths, count, out, err);
    fclose(out);
    fclose(err);
    return printed;
}

static void printed_free(struct printed *printed)
{
    free(printed->out);
    free(printed->err);
}

static char *load(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    char *text = NULL;
    size_t size = 0;
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

static void expect(const char *folder, const char *expected)
{
    struct printed printed = print(&folder, 1);
    assert_string_equal(printed.err, "");
    assert_int_equal(printed.rv, EDGE_EXIT_OK);
    char *text = load(expected);
    assert_string_equal(printed.out, text);
    free(text);
    printed_free(&printed);
}

static void board(void **state)
{
    (void)state;
    expect("fixture_board", "fixture_board.txt");
}

static void emulated(void **state)
{
    (void)state;
    expect("fixture_emulated", "fixture_emulated.txt");
}

static void interrupted(void **state)
{
    (void)state;
    expect("fixture_cut", "fixture_cut.txt");
}

static void open_loop_and_same_names(void **state)
{
    (void)state;
    expect("fixture_open", "fixture_open.txt");
}

static void power_and_its_curve(void **state)
{
    (void)state;
    expect("fixture_power", "fixture_power.txt");
}

// What differs in board or parameters is not put in one table.
static void one_table_for_each_board(void **state)
{
    (void)state;
    static const char *const paths[] = {"fixture_board", "fixture_emulated", "fixture_open"};
    struct printed printed = print(paths, 3);
    assert_int_equal(printed.rv, EDGE_EXIT_OK);
    size_t tables = 0;
    for (const char *at = strstr(printed.out, "| name "); at != NULL;
         at = strstr(at + 1, "| name "))
        tables++;
    assert_int_equal(tables, 2 + 1 + 2); // an emulated board has one
    printed_free(&printed);
}

static void fits_a_terminal(void **state)
{
    (void)state;
    static const char *const paths[] = {"fixture_board", "fixture_emulated", "fixture_open"};
    struct printed printed = print(paths, 3);
    for (char *line = strtok(printed.out, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (line[0] == '|' || line[0] == '-')
            assert_true(edge_grid_width(line) <= 160);
    printed_free(&printed);
}

static void bad_files(void **state)
{
    (void)state;
    const char *path = "fixture_bad";
    struct printed printed = print(&path, 1);
    assert_int_equal(printed.rv, EDGE_EXIT_FAILED);
    assert_string_equal(printed.err,
                        "fixture_bad/bad.jsonl:4: \"name\": expected a string, found -5\n"
                        "fixture_bad/major.jsonl:1: this is version 7 of the result format, and "
                        "this program reads version 1: use the bench-edge that wrote it\n");
    assert_non_null(strstr(printed.out, "| fixture_b ")); // the good one is shown
    printed_free(&printed);
}

static void nothing_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/edge_report_XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *paths[] = {folder, "absent.jsonl"};
    struct printed printed = print(paths, 2);
    rmdir(folder);
    assert_int_equal(printed.rv, EDGE_EXIT_FAILED);
    assert_string_equal(printed.out, "");
    assert_non_null(strstr(printed.err, ": expected result files (*.jsonl) in this folder or one "
                                        "below it, found none: bench-edge run writes them\n"));
    assert_non_null(strstr(printed.err, "cannot read absent.jsonl: No such file or directory\n"));
    printed_free(&printed);
}

static void usage(void **state)
{
    (void)state;
    char name[] = "report";
    char option[] = "--colour";
    char *none[] = {name, NULL};
    char *unknown[] = {name, option, NULL};
    assert_int_equal(edge_report_command(1, none), EDGE_EXIT_USAGE);
    assert_int_equal(edge_report_command(2, unknown), EDGE_EXIT_USAGE);
}

// Many small files: each is read and shown, and the sanitizers see what is left behind.
static void two_thousand_files(void **state)
{
    (void)state;
    enum { FILES = 2000 };
    char folder[] = "/tmp/edge_report_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *text = load("fixture_cut/fixture_cut.fixture_payload.FixtureCall.jsonl");
    strrchr(text, '\n')[1] = '\0'; // without the line that is cut
    char path[64];
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%u.jsonl", folder, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fprintf(file, "{\"type\":\"fixture\",\"number\":%u}\n", i); // no two are the same
        assert_int_equal(fclose(file), 0);
    }
    free(text);
    const char *folders[] = {folder};
    struct printed printed = print(folders, 1);
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%u.jsonl", folder, i);
        unlink(path);
    }
    rmdir(folder);
    assert_string_equal(printed.err, "");
    assert_int_equal(printed.rv, EDGE_EXIT_OK);
    assert_non_null(strstr(printed.out, "| fixture_cut #1 "));
    assert_non_null(strstr(printed.out, "| fixture_cut #2000 "));
    printed_free(&printed);
}

static ssize_t full_once(void *cookie, const char *bytes, size_t size)
{
    bool *full = cookie;
    (void)bytes;
    if (!*full)
        return (ssize_t)size;
    *full = false;
    errno = ENOSPC;
    return 0;
}

// A disk that was full in the middle, and has room again at the end.
static void a_hole_in_what_was_written_is_told(void **state)
{
    (void)state;
    bool full = true;
    FILE *out = fopencookie(&full, "w", (cookie_io_functions_t){.write = full_once});
    char *said;
    size_t size;
    FILE *err = open_memstream(&said, &size);
    assert_true(out != NULL && err != NULL);
    fputs("first", out);
    fflush(out);
    fputs("second", out);
    assert_false(edge_report_written(out, "the report", err));
    fclose(out);
    fclose(err);
    assert_string_equal(said,
                        "cannot write the report: parts of it are missing; is the disk full?\n");
    free(said);
}

static int enter_data(void **state)
{
    (void)state;
    return chdir(EDGE_SOURCE_DIR "/tests/data/results");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(board),
        cmocka_unit_test(emulated),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(open_loop_and_same_names),
        cmocka_unit_test(power_and_its_curve),
        cmocka_unit_test(one_table_for_each_board),
        cmocka_unit_test(fits_a_terminal),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(usage),
        cmocka_unit_test(two_thousand_files),
        cmocka_unit_test(a_hole_in_what_was_written_is_told),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
