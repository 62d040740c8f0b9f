#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/servers.h"

static char folder[] = "/tmp/edge_servers_XXXXXX";

static void put(const char *name, const char *text, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static const char *const files[] = {"a_null", "b_server", "c_silent", "notes.txt", ".hidden"};

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    put("a_null", "#!/bin/sh\necho a_null 1.0 calibration x\n", 0755);
    put("b_server",
        "#!/bin/sh\necho 'b_server 2.1 codec=nanopb flags=\"-O2 -g\" odd=1'\necho more\n", 0755);
    put("c_silent", "#!/bin/sh\nexit 1\n", 0755);
    put("notes.txt", "no program\n", 0644);
    put(".hidden", "#!/bin/sh\n", 0755);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void finds_every_executable_calibration_last(void **state)
{
    (void)state;
    struct edge_servers servers;
    struct edge_message message;
    assert_int_equal(edge_servers_find(&servers, folder, NULL, 0, &message), 0);
    assert_int_equal(servers.count, 3);
    assert_string_equal(servers.at[0].name, "a_null"); // nobody has been asked
    assert_true(servers.at[0].size_bytes > 0);
    edge_servers_ask(&servers, NULL);
    assert_string_equal(servers.at[0].name, "b_server");
    assert_string_equal(servers.at[1].name, "c_silent");
    assert_string_equal(servers.at[1].version, "");
    assert_string_equal(servers.at[2].name, "a_null");
    assert_true(servers.at[2].calibration);
    assert_false(servers.at[0].calibration);
    edge_servers_free(&servers);
    edge_servers_free(&servers);
}

static void operands_keep_their_order_and_their_problems(void **state)
{
    (void)state;
    struct edge_servers servers;
    struct edge_message message;
    char path[128], absent[] = "/nonexistent/server", typo[] = "b_servr", name[] = "a_null";
    char plain[128];
    snprintf(path, sizeof(path), "%s/b_server", folder);
    snprintf(plain, sizeof(plain), "%s/notes.txt", folder);
    char *operands[] = {name, path, absent, typo, plain};
    assert_int_equal(edge_servers_find(&servers, folder, operands, 5, &message), 0);
    assert_int_equal(servers.count, 5);
    edge_servers_ask(&servers, NULL);
    assert_string_equal(servers.at[0].name, "a_null");
    assert_string_equal(servers.at[0].problem, "");
    assert_string_equal(servers.at[1].path, path);
    assert_string_equal(servers.at[1].problem, "");
    assert_non_null(strstr(servers.at[2].problem, "No such file"));
    assert_non_null(strstr(servers.at[3].problem, "did you mean b_server"));
    assert_non_null(strstr(servers.at[3].problem, "c_silent"));
    assert_non_null(strstr(servers.at[4].problem, "executable"));
    edge_servers_free(&servers);
}

static void names_that_are_no_text_are_problems(void **state)
{
    (void)state;
    static const char *const names[] = {"d_\xff", "d_\n"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct edge_servers servers;
        struct edge_message message;
        char path[128];
        put(names[i], "#!/bin/sh\n", 0755);
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        char *operands[] = {path};
        assert_int_equal(edge_servers_find(&servers, folder, operands, 1, &message), 0);
        assert_non_null(strstr(servers.at[0].problem, "UTF-8"));
        edge_servers_free(&servers);
        assert_int_equal(edge_servers_find(&servers, folder, NULL, 0, &message), 0);
        unsigned bad = 0;
        for (size_t s = 0; s < servers.count; s++)
            bad += servers.at[s].problem[0] != '\0';
        assert_int_equal(bad, 1);
        edge_servers_free(&servers);
        unlink(path);
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    struct edge_servers servers;
    struct edge_message message;
    char name[] = "b_server", path[128];
    snprintf(path, sizeof(path), "%s/b_server", folder);
    char *operands[] = {name, path};
    assert_int_equal(edge_servers_find(&servers, folder, operands, 2, &message), EDGE_ERR_USAGE);
    assert_non_null(strstr(message.text, "b_server"));
}

static void a_folder_without_servers_is_told(void **state)
{
    (void)state;
    struct edge_servers servers;
    struct edge_message message;
    char empty[] = "/tmp/edge_empty_XXXXXX";
    assert_non_null(mkdtemp(empty));
    assert_int_equal(edge_servers_find(&servers, empty, NULL, 0, &message), EDGE_ERR_NOT_FOUND);
    assert_int_equal(rmdir(empty), 0);
    assert_int_equal(edge_servers_find(&servers, empty, NULL, 0, &message), -ENOENT);
    assert_non_null(strstr(message.text, empty));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_executable_calibration_last),
        cmocka_unit_test(operands_keep_their_order_and_their_problems),
        cmocka_unit_test(names_that_are_no_text_are_problems),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(a_folder_without_servers_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
