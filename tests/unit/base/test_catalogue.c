// The catalogue that the build made of boards/*.ini.
#include "cmocka_headers.h"

#include <string.h>

#include "base/catalogue.h"

static void boards_are_sorted_and_whole(void **state)
{
    (void)state;
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    assert_true(count >= 20);
    for (size_t i = 0; i < count; i++) {
        const struct edge_catalogue_board *board = &boards[i];
        assert_true(board->name && board->soc && board->cores && board->ram && board->isa);
        assert_true(board->toolchain && board->cpu_flags && board->qemu && board->power);
        assert_non_null(board->qemu_cpu[0]);
        assert_in_range(board->core_count, 1, 64);
        assert_true(board->bits == 32 || board->bits == 64);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(boards[other].id, board->id);
    }
}

static void finds_a_board(void **state)
{
    (void)state;
    struct edge_message message;
    const struct edge_catalogue_board *board = edge_catalogue_find("rpizero", &message);
    assert_non_null(board);
    assert_string_equal(board->isa, "ARMv6KZ");
    assert_string_equal(board->qemu_cpu[0], "arm1176");
    assert_null(board->qemu_cpu[1]);
    assert_null(board->power_scope);
    assert_int_equal(board->core_count, 1);
}

static void names_the_near_ones(void **state)
{
    (void)state;
    struct edge_message message;
    assert_null(edge_catalogue_find("rpi6", &message));
    assert_non_null(strstr(message.text, "\"rpi6\""));
    assert_non_null(strstr(message.text, "near: "));
    assert_non_null(strstr(message.text, "rpi5"));
    assert_null(strstr(message.text, "beaglebone"));
    assert_null(edge_catalogue_find("mainframe-of-old", &message));
    assert_null(strstr(message.text, "near"));
    assert_null(edge_catalogue_find("", &message));
}

static void an_endless_name_is_cut(void **state)
{
    (void)state;
    char id[4096];
    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    struct edge_message message;
    assert_null(edge_catalogue_find(id, &message));
    assert_non_null(strstr(message.text, "bench-edge boards"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boards_are_sorted_and_whole),
        cmocka_unit_test(finds_a_board),
        cmocka_unit_test(names_the_near_ones),
        cmocka_unit_test(an_endless_name_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
