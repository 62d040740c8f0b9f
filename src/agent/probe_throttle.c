#include "agent/probe_throttle.h"

#include <stdio.h>
#include <string.h>

#include "base/procfs.h"
#include "result/record.h"

#define CLASS       "/sys/class/hwmon"
#define DEVICES_MAX 64

#define UNDERVOLTAGE 0x1u
#define THROTTLED    0x4u

static void find_alarm(struct edge_probe_throttle *probe)
{
    char devices[DEVICES_MAX][EDGE_PROCFS_NAME];
    int count = edge_procfs_names(probe->root, CLASS, "hwmon", devices, DEVICES_MAX);
    for (int i = 0; i < count; i++) {
        char path[96], name[32];
        snprintf(path, sizeof path, CLASS "/%.40s/name", devices[i]);
        if (edge_procfs_line(probe->root, path, name, sizeof name) > 0 &&
            strcmp(name, "rpi_volt") == 0)
            snprintf(probe->alarm, sizeof probe->alarm, CLASS "/%.40s/in0_lcrit_alarm", devices[i]);
    }
}

void edge_probe_throttle_init(struct edge_probe_throttle *probe, const char *root,
                              const struct edge_probe_heat *heat)
{
    uint32_t bits;
    *probe = (struct edge_probe_throttle){.root = root, .source = ""};
    probe->firmware = edge_mailbox_open(&probe->mailbox, root, NULL) == 0 &&
                      edge_mailbox_throttled(&probe->mailbox, &bits) == 0;
    find_alarm(probe);
    bool cooling = edge_probe_heat_cooling(heat) != EDGE_UNMEASURED;
    if (probe->firmware)
        probe->source = "firmware";
    else if (probe->alarm[0])
        probe->source = cooling ? "rpi_volt, cooling_device" : "rpi_volt";
    else if (cooling)
        probe->source = "cooling_device";
}

void edge_probe_throttle_free(struct edge_probe_throttle *probe)
{
    edge_mailbox_close(&probe->mailbox);
    probe->firmware = false;
}

uint64_t edge_probe_throttle_bits(struct edge_probe_throttle *probe,
                                  const struct edge_probe_heat *heat)
{
    uint64_t bits = EDGE_UNMEASURED, cooling = edge_probe_heat_cooling(heat);
    uint32_t firmware;
    int64_t alarm;
    if (probe->firmware && edge_mailbox_throttled(&probe->mailbox, &firmware) == 0)
        bits = firmware;
    else if (probe->alarm[0] && edge_procfs_integer(probe->root, probe->alarm, &alarm) == 0)
        bits = alarm > 0 ? UNDERVOLTAGE : 0;
    if (cooling == EDGE_UNMEASURED)
        return bits;
    return (bits == EDGE_UNMEASURED ? 0 : bits) | (cooling > 0 ? THROTTLED : 0);
}

uint64_t edge_probe_throttle_measured_hz(struct edge_probe_throttle *probe)
{
    uint32_t hz;
    if (!probe->firmware || edge_mailbox_measured_hz(&probe->mailbox, &hz) != 0 || hz == 0)
        return EDGE_UNMEASURED;
    return hz;
}
