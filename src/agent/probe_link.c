#include "agent/probe_link.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"
#include "result/record.h"

#define CLASS     "/sys/class/net"
#define FOUND_MAX 64

static bool has(const char *root, const char *name, const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s" CLASS "/%.63s/%s", root, name, file);
    return access(path, F_OK) == 0;
}

static bool is_up(const char *root, const char *name)
{
    static const char *const skipped[] = {"lo", "docker", "veth", "br-", "virbr", "tun", "tap"};
    char path[128], state[32];
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
        if (strncmp(name, skipped[i], strlen(skipped[i])) == 0)
            return false;
    snprintf(path, sizeof path, CLASS "/%.63s/operstate", name);
    return edge_procfs_line(root, path, state, sizeof state) > 0 && strcmp(state, "up") == 0;
}

static void read_kind(const char *root, const char *name, struct edge_probe_link *link)
{
    char path[128], text[1024];
    snprintf(path, sizeof path, CLASS "/%.63s/device/uevent", name);
    if (edge_procfs_read(root, path, text, sizeof text) <= 0)
        text[0] = '\0';
    const char *driver = strstr(text, "DRIVER=");
    if (driver)
        snprintf(link->driver, sizeof link->driver, "%.*s", (int)strcspn(driver + 7, "\n"),
                 driver + 7);
    bool wifi = has(root, name, "wireless") || has(root, name, "phy80211");
    bool usb = strstr(text, "MODALIAS=usb:") != NULL;
    bool device = wifi || has(root, name, "device");
    snprintf(link->kind, sizeof link->kind, "%s%s", usb ? "usb_" : "",
             wifi     ? "wifi"
             : device ? "ethernet"
                      : "virtual");
}

size_t edge_probe_link_read(const char *root, struct edge_probe_link links[EDGE_PROBE_LINKS_MAX])
{
    char names[FOUND_MAX][EDGE_PROCFS_NAME], path[128];
    int found = edge_procfs_names(root, CLASS, "", names, FOUND_MAX);
    size_t count = 0;
    for (int i = 0; i < found && count < EDGE_PROBE_LINKS_MAX; i++) {
        if (!is_up(root, names[i]))
            continue;
        struct edge_probe_link *link = &links[count++];
        int64_t speed;
        *link = (struct edge_probe_link){.mbit = EDGE_UNMEASURED};
        snprintf(link->name, sizeof link->name, "%.31s", names[i]);
        read_kind(root, names[i], link);
        snprintf(path, sizeof path, CLASS "/%.63s/speed", names[i]);
        if (edge_procfs_integer(root, path, &speed) == 0 && speed > 0)
            link->mbit = (uint64_t)speed;
    }
    return count;
}

const char *edge_probe_link_text(const char *root, char *text, size_t size)
{
    struct edge_probe_link links[EDGE_PROBE_LINKS_MAX];
    size_t count = edge_probe_link_read(root, links);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", links[i].name);
        if (used < size && links[i].mbit != EDGE_UNMEASURED)
            snprintf(text + used, size - used, " %" PRIu64 " Mb/s", links[i].mbit);
        if (used >= size)
            break;
    }
    return text;
}
