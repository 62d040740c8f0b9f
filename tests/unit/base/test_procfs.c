#include "cmocka_headers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/procfs.h"

static void finds_numbers_by_key(void **state)
{
    (void)state;
    static const char text[] = "VmRSSx:\t1 kB\nVmRSS:\t    1708 kB\nThreads:\t\nPss:none\nHuge: "
                               "99999999999999999999999\n";
    uint64_t value = 7;
    assert_true(edge_procfs_number(text, "VmRSS:", &value));
    assert_int_equal(value, 1708);
    assert_false(edge_procfs_number(text, "VmHWM:", &value));
    assert_false(edge_procfs_number(text, "Pss:", &value));
    assert_false(edge_procfs_number(text, "Huge:", &value));
    assert_false(edge_procfs_number("", "VmRSS:", &value));
    assert_int_equal(value, 1708);
}

static void reads_files_whole_or_by_line(void **state)
{
    (void)state;
    char path[] = "/tmp/edge_procfs_XXXXXX", text[16];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "  one \ntwo\n", 11), 11);
    close(fd);
    assert_int_equal(edge_procfs_read("", path, text, sizeof(text)), 11);
    assert_string_equal(text, "  one \ntwo\n");
    assert_int_equal(edge_procfs_read("", path, text, 4), 3);
    assert_string_equal(text, "  o");
    assert_int_equal(edge_procfs_line("/tmp", path + 4, text, sizeof(text)), 3);
    assert_string_equal(text, "one");
    unlink(path);
    assert_int_equal(edge_procfs_line("", path, text, sizeof(text)), -ENOENT);
    assert_string_equal(text, "");
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void lists_names_by_number_and_reads_integers(void **state)
{
    (void)state;
    char folder[] = "/tmp/edge_procfs_XXXXXX", names[4][EDGE_PROCFS_NAME];
    static const char *const files[] = {"zone10", "zone2", "other", "zone1"};
    static const char *const texts[] = {"-25\n", "12 000\n", "", "0x10\n"};
    int64_t value = 7;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 4; i++)
        put(folder, files[i], texts[i]);
    assert_int_equal(edge_procfs_names(folder, "", "zone", names, 4), 3);
    assert_string_equal(names[0], "zone1");
    assert_string_equal(names[1], "zone2");
    assert_string_equal(names[2], "zone10");
    assert_int_equal(edge_procfs_names(folder, "", "zone", names, 2), 2);
    assert_int_equal(edge_procfs_names(folder, "/none", "zone", names, 2), -ENOENT);
    assert_int_equal(edge_procfs_integer(folder, "/zone10", &value), 0);
    assert_int_equal(value, -25);
    assert_int_equal(edge_procfs_integer(folder, "/zone2", &value), EDGE_ERR_FORMAT);
    assert_int_equal(edge_procfs_integer(folder, "/other", &value), EDGE_ERR_FORMAT);
    assert_int_equal(edge_procfs_integer(folder, "/zone1", &value), EDGE_ERR_FORMAT);
    assert_int_equal(edge_procfs_integer(folder, "/zone3", &value), -ENOENT);
    assert_int_equal(value, -25);
    for (int i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_numbers_by_key),
        cmocka_unit_test(reads_files_whole_or_by_line),
        cmocka_unit_test(lists_names_by_number_and_reads_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
