// The network that the load comes through: /sys/class/net.
#ifndef EDGE_AGENT_PROBE_LINK_H
#define EDGE_AGENT_PROBE_LINK_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_PROBE_LINKS_MAX 16

struct edge_probe_link {
    char name[32];
    // "ethernet", "usb_ethernet", "wifi", "usb_wifi", "virtual" (no device behind it). USB: every
    // packet goes through the bus and the CPU.
    char kind[16];
    char driver[32]; // "" if it has none
    uint64_t mbit;   // per second, as the driver tells; EDGE_UNMEASURED of Wi-Fi and others
};

// The interfaces that are up, loopback and those of containers and tunnels apart. Returns how many.
size_t edge_probe_link_read(const char *root, struct edge_probe_link links[EDGE_PROBE_LINKS_MAX]);

// The same in words: "eth0 1000 Mb/s, wlan0". "" if there is none. Returns text.
const char *edge_probe_link_text(const char *root, char *text, size_t size);

#endif
