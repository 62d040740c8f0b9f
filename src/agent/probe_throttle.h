// Whether the board holds back: bits as Raspberry Pi firmware counts them (power/mailbox.h). Where
// there is no such firmware, bit 0 is rpi_volt's alarm. A cooling device at work sets bit 2 with
// the firmware, too.
#ifndef EDGE_AGENT_PROBE_THROTTLE_H
#define EDGE_AGENT_PROBE_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe_heat.h"
#include "power/mailbox.h"

struct edge_probe_throttle {
    const char *root; // borrowed
    bool firmware;    // the mailbox answers
    struct edge_mailbox mailbox;
    char alarm[96]; // in0_lcrit_alarm of rpi_volt, or ""
    // "firmware"; "rpi_volt" (knows of low voltage only), "cooling_device" (of throttling only), or
    // both with a comma; "" if nothing tells.
    const char *source;
};

// `heat` must be ready.
void edge_probe_throttle_init(struct edge_probe_throttle *probe, const char *root,
                              const struct edge_probe_heat *heat);
// Safe twice.
void edge_probe_throttle_free(struct edge_probe_throttle *probe);

// EDGE_UNMEASURED if nothing tells.
uint64_t edge_probe_throttle_bits(struct edge_probe_throttle *probe,
                                  const struct edge_probe_heat *heat);
// The clock that the firmware measures, in Hz, or EDGE_UNMEASURED.
uint64_t edge_probe_throttle_measured_hz(struct edge_probe_throttle *probe);

#endif
