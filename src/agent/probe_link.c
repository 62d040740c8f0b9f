#include "agent/probe_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/procfs.h"

#define CLASS     "/sys/class/net"
#define LINKS_MAX 32

const char *edge_probe_link_text(const char *root, char *text, size_t size)
{
    static const char *const virtual[] = {"lo", "docker", "veth", "br-", "virbr", "tun", "tap"};
    char names[LINKS_MAX][EDGE_PROCFS_NAME], path[128], state[32];
    int count = edge_procfs_names(root, CLASS, "", names, LINKS_MAX);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t skip = 0, used = strlen(text);
        while (skip < sizeof virtual / sizeof virtual[0] &&
               strncmp(names[i], virtual[skip], strlen(virtual[skip])) != 0)
            skip++;
        snprintf(path, sizeof path, CLASS "/%.63s/operstate", names[i]);
        if (skip < sizeof virtual / sizeof virtual[0] ||
            edge_procfs_line(root, path, state, sizeof state) <= 0 || strcmp(state, "up") != 0)
            continue;
        int64_t speed;
        snprintf(path, sizeof path, CLASS "/%.63s/speed", names[i]);
        if (edge_procfs_integer(root, path, &speed) == 0 && speed > 0) // Wi-Fi and tunnels: none
            snprintf(text + used, size - used, "%s%s %" PRId64 " Mb/s", used ? ", " : "", names[i],
                     speed);
        else
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
    return text;
}
