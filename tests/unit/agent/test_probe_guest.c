#include "cmocka_headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/probe_guest.h"

// A file in memory, and the view of it that the emulator's plugin has.
struct fixture {
    int fd;
    char path[64];
    struct edge_guest_counters *written;
    struct edge_probe_guest probe;
    struct edge_agent_sample sample;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct edge_message message;
    f->fd = memfd_create("counters", MFD_CLOEXEC);
    snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
    if (edge_probe_guest_init(&f->probe, f->path, &message) != 0)
        return -1;
    f->written = mmap(NULL, sizeof(*f->written), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (f->written == MAP_FAILED)
        return -1;
    *f->written = (struct edge_guest_counters){
        .magic = EDGE_GUEST_MAGIC,
        .version = EDGE_GUEST_VERSION,
        .size = sizeof(*f->written),
        .api = 1,
        .threads = 1,
        .syscalls = 7,
        .insns = {1000},
    };
    edge_agent_sample_init(&f->sample);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    munmap(f->written, sizeof(*f->written));
    edge_probe_guest_free(&f->probe);
    edge_probe_guest_free(&f->probe);
    close(f->fd);
    free(f);
    return 0;
}

static void counters_are_read_as_they_grow(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), 0);
    assert_int_equal(f->sample.guest_insns, 1000);
    assert_int_equal(f->sample.guest_syscalls, 7);
    f->written->insns[0] = 2500;
    f->written->syscalls = 8;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), 0);
    assert_int_equal(f->sample.guest_insns, 2500);
    assert_int_equal(f->sample.guest_syscalls, 8);
}

static void without_a_plugin_nothing_is_measured(void **state)
{
    struct fixture *f = *state;
    f->written->magic = 0;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), EDGE_ERR_NOT_FOUND);
    assert_true(f->sample.guest_insns == EDGE_UNMEASURED);
    assert_true(f->sample.guest_syscalls == EDGE_UNMEASURED);
    struct edge_probe_guest none = {.counters = NULL};
    assert_int_equal(edge_probe_guest_sample(&none, &f->sample), EDGE_ERR_NOT_FOUND);
}

static void another_layout_is_not_read(void **state)
{
    struct fixture *f = *state;
    f->written->version = EDGE_GUEST_VERSION + 1;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), EDGE_ERR_FORMAT);
    f->written->version = EDGE_GUEST_VERSION;
    f->written->size++;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), EDGE_ERR_FORMAT);
    assert_true(f->sample.guest_insns == EDGE_UNMEASURED);
}

static void threads_are_added_up_where_they_are_counted_apart(void **state)
{
    struct fixture *f = *state;
    f->written->threads = 2;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), EDGE_ERR_UNSUPPORTED);
    assert_true(f->sample.guest_insns == EDGE_UNMEASURED);
    assert_int_equal(f->sample.guest_syscalls, 7);
    f->written->api = 2;
    f->written->insns[1] = 30;
    assert_int_equal(edge_probe_guest_sample(&f->probe, &f->sample), 0);
    assert_int_equal(f->sample.guest_insns, 1030);
}

static void an_earlier_count_is_gone(void **state)
{
    struct fixture *f = *state;
    struct edge_probe_guest again;
    assert_int_equal(edge_probe_guest_init(&again, f->path, NULL), 0);
    assert_int_equal(edge_probe_guest_sample(&again, &f->sample), EDGE_ERR_NOT_FOUND);
    edge_probe_guest_free(&again);
}

static void a_file_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    struct edge_probe_guest probe;
    struct edge_message message;
    assert_true(edge_probe_guest_init(&probe, "/nowhere/counters", &message) < 0);
    assert_non_null(strstr(message.text, "/nowhere/counters"));
    edge_probe_guest_free(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counters_are_read_as_they_grow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_plugin_nothing_is_measured, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_layout_is_not_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_are_added_up_where_they_are_counted_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_earlier_count_is_gone, set_up, tear_down),
        cmocka_unit_test(a_file_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
