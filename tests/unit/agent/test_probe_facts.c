// What a board is, beside its sensors: userland, clock policies, links, whether it is real.
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe_heat.h"
#include "agent/probe_link.h"
#include "agent/probe_policies.h"
#include "agent/probe_userland.h"
#include "agent/probe_virtual.h"
#include "agent/tree.h"
#include "result/record.h"

static void the_userland_is_that_of_its_shell(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(edge_probe_userland_bits(tree_root()), 0);
    tree_write("/bin/sh", "\177ELF\002\001\001.........");
    assert_int_equal(edge_probe_userland_bits(tree_root()), 64);
    tree_write("/bin/sh", "\177ELF\001\001\001.........");
    assert_int_equal(edge_probe_userland_bits(tree_root()), 32);
    tree_write("/bin/sh", "#!/bin/busybox sh, longer than a header\n");
    assert_int_equal(edge_probe_userland_bits(tree_root()), 0);
    assert_string_equal(edge_probe_userland_libc(tree_root(), text, sizeof text), "");
}

static void a_link_out_of_a_tree_is_not_followed(void **state)
{
    (void)state;
    char path[128];
    tree_write("/bin/other", "");
    snprintf(path, sizeof path, "%s/bin/sh", tree_root());
    assert_int_equal(symlink("/bin/sh", path), 0); // this machine's
    assert_int_equal(edge_probe_userland_bits(tree_root()), 0);
    assert_true(edge_probe_userland_bits("") == 32 || edge_probe_userland_bits("") == 64);
}

static void the_c_library_tells_its_version(void **state)
{
    (void)state;
    char text[32];
    tree_write("/lib/ld-musl-armhf.so.1", "");
    assert_string_equal(edge_probe_userland_libc(tree_root(), text, sizeof text), "musl");
    tree_write("/lib/arm-linux-gnueabihf/libc.so.6", "no version in it");
    assert_string_equal(edge_probe_userland_libc(tree_root(), text, sizeof text), "musl");
    tree_write("/lib/arm-linux-gnueabihf/libc.so.6",
               "....GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\nCopyright");
    assert_string_equal(edge_probe_userland_libc(tree_root(), text, sizeof text), "glibc 2.36");
    tree_write("/lib/arm-linux-gnueabihf/libc.so.6",
               "GNU C Library development release version 2.40.9000");
    assert_string_equal(edge_probe_userland_libc(tree_root(), text, sizeof text),
                        "glibc 2.40.9000");
}

#define POLICY(n) "/sys/devices/system/cpu/cpufreq/policy" n "/"

static void each_policy_has_its_bounds(void **state)
{
    (void)state;
    static struct edge_probe_policy policies[EDGE_PROBE_POLICIES_MAX];
    assert_int_equal(edge_probe_policies_read(tree_root(), policies), 0);
    tree_write(POLICY("10") "related_cpus", "10\n");
    tree_write(POLICY("4") "related_cpus", "4 5 7\n");
    tree_write(POLICY("4") "scaling_governor", "schedutil\n");
    tree_write(POLICY("4") "cpuinfo_min_freq", "408000\n");
    tree_write(POLICY("4") "cpuinfo_max_freq", "2256000\n");
    tree_write(POLICY("4") "scaling_max_freq", "1800000\n");
    tree_write(POLICY("4") "scaling_cur_freq", "<unknown>\n");
    assert_int_equal(edge_probe_policies_read(tree_root(), policies), 2);
    assert_string_equal(policies[0].cpus, "4-5,7");
    assert_string_equal(policies[0].governor, "schedutil");
    assert_string_equal(policies[0].driver, "");
    assert_int_equal(policies[0].min_hz, 408000000);
    assert_true(policies[0].max_hz == UINT64_C(2256000000));
    assert_int_equal(policies[0].cap_hz, 1800000000);
    assert_true(policies[0].requested_hz == EDGE_UNMEASURED);
    assert_string_equal(policies[1].cpus, "10");
}

#define NET "/sys/class/net/"

static void links_are_told_apart_by_their_bus(void **state)
{
    (void)state;
    struct edge_probe_link links[EDGE_PROBE_LINKS_MAX];
    char text[128];
    tree_write(NET "eth0/operstate", "up\n");
    tree_write(NET "eth0/speed", "100\n");
    tree_write(NET "eth0/device/uevent",
               "DEVTYPE=usb_interface\nDRIVER=smsc95xx\nMODALIAS=usb:v0424pEC00d0200dcFF\n");
    tree_write(NET "eth1/operstate", "down\n");
    tree_write(NET "lo/operstate", "up\n");
    tree_write(NET "docker0/operstate", "up\n");
    tree_write(NET "veth1/operstate", "up\n");
    tree_write(NET "mv0/operstate", "up\n");
    tree_write(NET "wlan0/operstate", "up\n");
    tree_write(NET "wlan0/speed", "-1\n");
    tree_write(NET "wlan0/phy80211/name", "phy0\n");
    tree_write(NET "wlan0/device/uevent", "DRIVER=brcmfmac\nMODALIAS=sdio:c00v02D0\n");
    tree_write(NET "wlx0/operstate", "up\n");
    tree_write(NET "wlx0/wireless/status", "0\n");
    tree_write(NET "wlx0/device/uevent", "MODALIAS=usb:v0BDAp8176\n");
    assert_int_equal(edge_probe_link_read(tree_root(), links), 4);
    static const struct {
        const char *name, *kind, *driver;
    } expected[] = {{"eth0", "usb_ethernet", "smsc95xx"},
                    {"mv0", "virtual", ""},
                    {"wlan0", "wifi", "brcmfmac"},
                    {"wlx0", "usb_wifi", ""}};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(links[i].name, expected[i].name);
        assert_string_equal(links[i].kind, expected[i].kind);
        assert_string_equal(links[i].driver, expected[i].driver);
    }
    assert_int_equal(links[0].mbit, 100);
    assert_true(links[2].mbit == EDGE_UNMEASURED);
    assert_string_equal(edge_probe_link_text(tree_root(), text, sizeof text),
                        "eth0 100 Mb/s, mv0, wlan0, wlx0");
    assert_int_equal(strlen(edge_probe_link_text(tree_root(), text, 10)), 9); // cut, not overrun
}

static void zones_and_coolers_have_types(void **state)
{
    (void)state;
    struct edge_probe_heat heat;
    struct edge_probe_heat_zone zones[EDGE_PROBE_HEAT_ZONES];
    struct edge_probe_heat_cooler coolers[EDGE_PROBE_HEAT_COOLERS];
    tree_write("/sys/class/thermal/thermal_zone0/type", "gpu-thermal\n");
    tree_write("/sys/class/thermal/thermal_zone0/temp", "41000\n");
    tree_write("/sys/class/thermal/thermal_zone1/type", "cpu-thermal\n");
    tree_write("/sys/class/thermal/thermal_zone2/temp", "1\n"); // it has no type
    tree_write("/sys/class/thermal/cooling_device0/type", "pwm-fan\n");
    tree_write("/sys/class/thermal/cooling_device0/cur_state", "3\n");
    tree_write("/sys/class/thermal/cooling_device1/type", "thermal-cpufreq-0\n");
    tree_write("/sys/class/thermal/cooling_device1/cur_state", "2\n");
    edge_probe_heat_init(&heat, tree_root());
    assert_int_equal(edge_probe_heat_zones(&heat, zones), 2);
    assert_string_equal(zones[0].type, "gpu-thermal");
    assert_int_equal(zones[0].millicelsius, 41000);
    assert_false(zones[0].cpu);
    assert_true(zones[1].cpu);
    assert_true(zones[1].millicelsius == EDGE_UNMEASURED);
    assert_int_equal(edge_probe_heat_cooler_list(&heat, coolers), 1); // a fan slows nothing down
    assert_string_equal(coolers[0].type, "thermal-cpufreq-0");
    assert_int_equal(coolers[0].state, 2);
    assert_true(coolers[0].max == EDGE_UNMEASURED);
}

static void virtual_machines_show_themselves(void **state)
{
    (void)state;
    char text[128];
    const char *root = tree_root();
    assert_string_equal(edge_probe_virtual_machine(root, text, sizeof text), "");
    tree_write("/sys/class/dmi/id/sys_vendor", "ASUSTeK\n");
    tree_write("/proc/cpuinfo", "flags\t\t: fpu sse2\n");
    assert_string_equal(edge_probe_virtual_machine(root, text, sizeof text), "");
    tree_write("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    assert_string_equal(edge_probe_virtual_machine(root, text, sizeof text), "its maker: QEMU");
    tree_write("/proc/device-tree/compatible", "linux,dummy-virt");
    assert_non_null(strstr(edge_probe_virtual_machine(root, text, sizeof text), "dummy-virt"));
    tree_write("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
    assert_non_null(strstr(edge_probe_virtual_machine(root, text, sizeof text), "hypervisor"));
    tree_write("/sys/hypervisor/type", "xen\n");
    assert_non_null(strstr(edge_probe_virtual_machine(root, text, sizeof text), "xen"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_set_up, tree_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_userland_is_that_of_its_shell), TEST(a_link_out_of_a_tree_is_not_followed),
        TEST(the_c_library_tells_its_version),   TEST(each_policy_has_its_bounds),
        TEST(links_are_told_apart_by_their_bus), TEST(zones_and_coolers_have_types),
        TEST(virtual_machines_show_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
