#include "cmocka_headers.h"

#include <string.h>

#include "agent/board.h"

static void a_board_is_named_by_its_device_tree(void **state)
{
    (void)state;
    struct edge_board board;
    edge_board_read(EDGE_DATA_DIR "/proc/pi4", &board);
    assert_string_equal(board.model, "Raspberry Pi 4 Model B Rev 1.4");
    assert_string_equal(board.model_source, "device_tree");
    assert_string_equal(board.cpu, "Cortex-A72");
    assert_string_equal(board.kernel, "6.1.21-v8+");
    assert_string_equal(board.os, "Debian GNU/Linux 12 (bookworm)");
    assert_string_equal(board.governor, "ondemand");
    assert_int_equal(board.cores, 4);
    assert_int_equal(board.ram_bytes, UINT64_C(3884376) * 1024);
    // Of a recorded tree nothing is this machine's.
    assert_int_equal(board.userland_bits, 0);
    assert_int_equal(board.page_bytes, 0);
    assert_string_equal(board.machine, "");
}

static void a_pc_is_named_by_its_firmware(void **state)
{
    (void)state;
    struct edge_board board;
    edge_board_read(EDGE_DATA_DIR "/proc/n100", &board);
    assert_string_equal(board.model, "Mini PC N100");
    assert_string_equal(board.model_source, "dmi");
    assert_string_equal(board.cpu, "Intel(R) N100");
    // Each governor once, in any order.
    assert_int_equal(strlen(board.governor), strlen("performance,powersave"));
    assert_non_null(strstr(board.governor, "performance"));
    assert_non_null(strstr(board.governor, "powersave"));
    assert_int_equal(board.ram_bytes, 0);
    assert_int_equal(board.cores, 0);
}

static void an_empty_tree_gives_no_facts(void **state)
{
    (void)state;
    struct edge_board board;
    edge_board_read(EDGE_DATA_DIR "/proc/none", &board);
    assert_string_equal(board.model, "");
    assert_string_equal(board.cpu, "");
    assert_string_equal(board.governor, "");
}

static void this_machine_has_all_of_them(void **state)
{
    (void)state;
    struct edge_board board;
    edge_board_read("", &board);
    assert_string_not_equal(board.machine, "");
    assert_true(board.page_bytes >= 4096);
    assert_true(board.userland_bits == 32 || board.userland_bits == 64);
    assert_true(board.cores > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_is_named_by_its_device_tree),
        cmocka_unit_test(a_pc_is_named_by_its_firmware),
        cmocka_unit_test(an_empty_tree_gives_no_facts),
        cmocka_unit_test(this_machine_has_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
