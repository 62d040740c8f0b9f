// Kinds of core, from /proc/cpuinfo as kernels of several ages write it.
#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "agent/probe_cpus.h"
#include "agent/tree.h"

static void expect(const char *cpuinfo, const char *words, unsigned first_count)
{
    struct edge_probe_cpus cpus;
    char text[256];
    tree_write("/proc/cpuinfo", cpuinfo);
    assert_int_equal(edge_probe_cpus_read(tree_root(), &cpus), 0);
    assert_string_equal(edge_probe_cpus_text(&cpus, text, sizeof text), words);
    assert_int_equal(cpus.kinds[0].count, first_count);
}

#define CORE(n, part) "processor\t: " n "\nCPU implementer\t: 0x41\nCPU part\t: " part "\n\n"

static void cores_are_named_by_their_part(void **state)
{
    (void)state;
    expect(CORE("0", "0xd08") CORE("1", "0xd08"), "Cortex-A72", 2);
    expect(CORE("0", "0xd05") CORE("1", "0xd05") CORE("2", "0xd0b") CORE("3", "0xd05"),
           "3 x Cortex-A55, 1 x Cortex-A76", 3);
    // 32-bit kernels call every ARMv7 core the same, and an ARM1176 an ARMv6.
    expect("processor\t: 0\nmodel name\t: ARMv7 Processor rev 4 (v7l)\nCPU implementer\t: 0x41\n"
           "CPU part\t: 0xd03\n\nHardware\t: BCM2835\nRevision\t: a02082\n",
           "Cortex-A53", 1);
}

static void old_kernels_name_all_cores_once(void **state)
{
    (void)state;
    expect("Processor\t: ARMv7 Processor rev 5 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 38.40\n\n"
           "processor\t: 1\nBogoMIPS\t: 38.40\n\nFeatures\t: swp half thumb\nCPU implementer\t: "
           "0x41\nCPU architecture: 7\nCPU part\t: 0xc07\n\nHardware\t: sun8i\n",
           "Cortex-A7", 2);
    expect("Processor\t: ARMv6-compatible processor rev 7 (v6l)\nCPU part\t: 0xb76\n",
           "ARM1176JZF-S", 1);
}

static void others_are_named_as_the_kernel_does(void **state)
{
    (void)state;
    expect("processor\t: 0\nmodel name\t: Intel(R) N100\n\nprocessor\t: 1\nmodel name\t: Intel(R) "
           "N100\n",
           "Intel(R) N100", 2);
    expect("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n",
           "sifive,u74-mc", 1);
    expect("processor\t: 0\nisa\t: rv64imafdc\n", "rv64imafdc", 1);
    expect("processor\t: 0\nCPU implementer\t: 0x51\nCPU part\t: 0x805\n",
           "core of implementer 0x51, part 0x805", 1);
}

static void what_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct edge_probe_cpus cpus;
    assert_int_equal(edge_probe_cpus_read("/nowhere", &cpus), -ENOENT);
    assert_int_equal(cpus.kind_count, 0);
    tree_write("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 1.0\n");
    assert_true(edge_probe_cpus_read(tree_root(), &cpus) < 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_set_up, tree_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cores_are_named_by_their_part),
        TEST(old_kernels_name_all_cores_once),
        TEST(others_are_named_as_the_kernel_does),
        TEST(what_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
