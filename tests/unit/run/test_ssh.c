// What needs no connection; the rest is tests/e2e/test_ssh.py.
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "run/ssh_board.h"
#include "run/ssh_copy.h"

static void names_of_targets(void **state)
{
    (void)state;
    static const struct {
        const char *target, *user, *host, *port;
    } names[] = {
        {"ssh://rpi4", "", "rpi4", ""},
        {"ssh://rpi4/", "", "rpi4", ""},
        {"ssh://pi@rpi4.local:2222", "pi", "rpi4.local", "2222"},
        {"ssh://pi@192.168.1.7", "pi", "192.168.1.7", ""},
        {"ssh://[fe80::1%eth0]:22", "", "fe80::1%eth0", "22"},
        {"ssh://root@[::1]", "root", "::1", ""},
        {"ssh://first@last@host", "first@last", "host", ""},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct edge_ssh_name name;
        struct edge_message message;
        assert_int_equal(edge_ssh_parse(names[i].target, &name, &message), 0);
        assert_string_equal(name.user, names[i].user);
        assert_string_equal(name.host, names[i].host);
        assert_string_equal(name.port, names[i].port);
    }
}

static void names_that_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ssh://",          "ssh:/rpi4",      "ssh://@rpi4",   "ssh://pi@",        "ssh://-oProxy=x",
        "ssh://-l@rpi4",   "ssh://rpi4:",    "ssh://rpi4:0",  "ssh://rpi4:65536", "ssh://rpi4:22x",
        "ssh://::1",       "ssh://[::1",     "ssh://[::1]x",  "ssh://a b",        "ssh://a;reboot",
        "ssh://$(reboot)", "ssh://rpi4/tmp", "ssh://rpi4:-1",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct edge_ssh_name name;
        struct edge_message message = {""};
        if (edge_ssh_parse(names[i], &name, &message) != EDGE_ERR_USAGE)
            fail_msg("%s is accepted", names[i]);
        assert_non_null(strstr(message.text, "ssh://[user@]host[:port]"));
    }
    char endless[2000] = "ssh://";
    memset(endless + 6, 'x', sizeof(endless) - 7);
    struct edge_ssh_name name;
    assert_int_equal(edge_ssh_parse(endless, &name, NULL), EDGE_ERR_USAGE);
}

static int parse(const char *text, const char *words, struct edge_ssh_board *board,
                 struct edge_message *message)
{
    char copy[4096];
    snprintf(copy, sizeof(copy), "%s", text);
    return edge_ssh_board_parse(copy, words, board, message);
}

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void what_a_board_tells(void **state)
{
    (void)state;
    struct edge_ssh_board board;
    struct edge_message message;
    char cpus[64];
    assert_int_equal(parse("== bench-edge ==\nmachine=aarch64\n"
                           "connection=10.0.0.1 50022 10.0.0.7 22\nboot=b-1\n"
                           "online=0-3\nallowed=1-5\nmodel=Raspberry Pi 4 Model B Rev 1.4\n"
                           "compatible=raspberrypi,4-model-b\ncompatible=brcm,bcm2711\n"
                           "cpuinfo=CPU implementer\t: 0x41\ncpuinfo=CPU part\t: 0xd08\n"
                           "cpuinfo=Revision\t: c03114\ncompares=yes\nsum=" SUM "  bench-edge\n"
                           "sum=" SUM " *servers/a\nsum=short  servers/b\nend=\n",
                           "", &board, &message),
                     0);
    assert_string_equal(board.facts.machine, "aarch64");
    assert_string_equal(board.facts.model, "Raspberry Pi 4 Model B Rev 1.4");
    assert_string_equal(board.facts.compatible, "raspberrypi,4-model-b\nbrcm,bcm2711");
    assert_int_equal(board.facts.revision, 0xc03114);
    assert_int_equal(board.facts.cores[0].part, 0xd08);
    assert_string_equal(board.address, "10.0.0.7");
    assert_string_equal(board.boot_id, "b-1");
    assert_string_equal(edge_cpuset_text(&board.cpus, cpus, sizeof(cpus)), "1-3");
    assert_true(board.compares);
    assert_int_equal(board.sum_count, 2);
    assert_string_equal(board.sums[1].name, "servers/a");
    assert_string_equal(board.sums[1].sum, SUM);
    assert_string_equal(board.folder, "");
}

static void what_a_board_does_not_tell(void **state)
{
    (void)state;
    struct edge_ssh_board board;
    struct edge_message message;
    assert_int_equal(parse("== bench-edge ==\r\nmachine=\nonline=2\nallowed=\n"
                           "folder=mkdir: Read-only file system\nend=\n",
                           "", &board, &message),
                     EDGE_ERR_UNSUPPORTED); // a terminal in between
    assert_int_equal(parse("== bench-edge ==\nmachine=\nonline=2\nallowed=\nconnection=\n"
                           "folder=mkdir: Read-only file system\nend=\n",
                           "", &board, &message),
                     0);
    assert_int_equal(board.cpus.count, 1);
    assert_int_equal(board.cpus.cpus[0], 2);
    assert_string_equal(board.address, "");
    assert_string_equal(board.folder, "mkdir: Read-only file system");
    assert_false(board.compares);
}

static void what_is_no_board(void **state)
{
    (void)state;
    struct edge_ssh_board board;
    struct edge_message message;
    assert_int_equal(parse("", "this account is for git only", &board, &message),
                     EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "git only"));
    assert_int_equal(parse("Welcome!\n== bench-edge ==\nend=\n", "", &board, &message),
                     EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "says \"Welcome!\""));
    assert_int_equal(parse("== bench-edge ==\nmachine=arm", "killed", &board, &message),
                     EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "killed"));
}

static void plain_names(void **state)
{
    (void)state;
    assert_true(edge_ssh_is_plain("/opt/bench-edge_0.1+x"));
    assert_true(edge_ssh_is_plain(".cache/bench-edge"));
    static const char *const others[] = {"",   "-rf", "a b",  "a;b", "~/x",
                                         "$x", "a'b", "a\"b", "a\n"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(edge_ssh_is_plain(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_targets),   cmocka_unit_test(names_that_are_refused),
        cmocka_unit_test(what_a_board_tells), cmocka_unit_test(what_a_board_does_not_tell),
        cmocka_unit_test(what_is_no_board),   cmocka_unit_test(plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
