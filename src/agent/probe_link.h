// The network that the load comes through.
#ifndef EDGE_AGENT_PROBE_LINK_H
#define EDGE_AGENT_PROBE_LINK_H

#include <stddef.h>

// The interfaces that are up, loopback and virtual ones apart, with the speed that their driver
// tells: "eth0 1000 Mb/s, wlan0". "" if there is none. Returns text.
const char *edge_probe_link_text(const char *root, char *text, size_t size);

#endif
