#include "cmocka_headers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/procfs.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_numbers_by_key),
        cmocka_unit_test(reads_files_whole_or_by_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
