#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ram_limit.h"

static void no_limit_is_said_so(void **state)
{
    (void)state;
    struct edge_ram_limit limit;
    edge_ram_limit_init(&limit, "/nonexistent", 0);
    assert_int_equal(limit.data_bytes, 0);
    assert_string_equal(limit.group, "");
    assert_non_null(strstr(limit.how, "none"));
    edge_ram_limit_free(&limit);
}

static void without_a_cgroup_it_is_a_resource_limit(void **state)
{
    (void)state;
    struct edge_ram_limit limit;
    struct edge_message message;
    edge_ram_limit_init(&limit, "/nonexistent", 1 << 20);
    assert_int_equal(limit.data_bytes, 1 << 20);
    assert_non_null(strstr(limit.how, "RLIMIT_DATA"));
    assert_int_equal(edge_ram_limit_enter(&limit, &message), 0);
    assert_int_equal(edge_ram_limit_leave(&limit, &message), 0);
    assert_int_equal(edge_ram_limit_kills(&limit), 0);
    edge_ram_limit_free(&limit);
}

static void put(const char *root, const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// A plain folder is no cgroup: memory.max cannot be written, since mkdir does not make it. What was
// tried on the way up must not stay.
static void what_was_tried_is_removed(void **state)
{
    (void)state;
    char root[] = "/tmp/edge_cgroup_XXXXXX", path[256];
    assert_non_null(mkdtemp(root));
    put(root, "/proc/self/cgroup", "1:name=systemd:/\n0::/user/session\n");
    put(root, "/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    put(root, "/sys/fs/cgroup/user/session/cgroup.procs", "1\n");
    struct edge_ram_limit limit;
    edge_ram_limit_init(&limit, root, 4096);
    assert_int_equal(limit.data_bytes, 4096);
    assert_string_equal(limit.group, "");
    snprintf(path, sizeof(path), "%s/sys/fs/cgroup/user/session", root);
    assert_string_equal(limit.home, path);
    // rmdir of each folder works only if nothing was left in it.
    static const char *const files[] = {"/proc/self/cgroup", "/sys/fs/cgroup/cgroup.controllers",
                                        "/sys/fs/cgroup/user/session/cgroup.procs"};
    static const char *const folders[] = {"/proc/self",
                                          "/proc",
                                          "/sys/fs/cgroup/user/session",
                                          "/sys/fs/cgroup/user",
                                          "/sys/fs/cgroup",
                                          "/sys/fs",
                                          "/sys",
                                          ""};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", root, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", root, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_limit_is_said_so),
        cmocka_unit_test(without_a_cgroup_it_is_a_resource_limit),
        cmocka_unit_test(what_was_tried_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
