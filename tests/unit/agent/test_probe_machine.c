#include "cmocka_headers.h"

#include <errno.h>
#include <unistd.h>

#include "agent/probe_machine.h"
#include "base/clock.h"
#include "base/error.h"

static void adds_up_the_cpu_line(void **state)
{
    (void)state;
    struct edge_agent_sample sample;
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_machine_sample(EDGE_DATA_DIR "/proc/pi4", &sample), 0);
    uint64_t tick_ns = EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    assert_int_equal(sample.machine_busy_ns, (1000 + 20 + 300 + 6 + 40) * tick_ns);
    assert_int_equal(sample.machine_idle_ns, (90000 + 500) * tick_ns);
    assert_int_equal(sample.machine_steal_ns, 5 * tick_ns);
}

static void leaves_unmeasured_what_it_cannot_read(void **state)
{
    (void)state;
    struct edge_agent_sample sample;
    edge_agent_sample_init(&sample);
    assert_int_equal(edge_probe_machine_sample(EDGE_DATA_DIR "/proc/n100", &sample),
                     EDGE_ERR_FORMAT);
    assert_int_equal(edge_probe_machine_sample(EDGE_DATA_DIR "/proc/none", &sample), -ENOENT);
    assert_true(sample.machine_busy_ns == EDGE_UNMEASURED);
    assert_true(sample.machine_idle_ns == EDGE_UNMEASURED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_the_cpu_line),
        cmocka_unit_test(leaves_unmeasured_what_it_cannot_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
