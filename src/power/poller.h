// Reads a source of the host in a thread of its own: a plug may take seconds to answer, and the run
// must not wait for it.
#ifndef EDGE_POWER_POLLER_H
#define EDGE_POWER_POLLER_H

#include <stddef.h>
#include <stdint.h>

#include "power/power.h"

struct edge_power_poller;

// Starts reading `power`, which is open and stays the caller's, every power->interval_ns or as it
// comes. 0; -ENOMEM or a negated errno, with a message.
int edge_power_poller_start(struct edge_power_poller **poller, struct edge_power *power,
                            struct edge_message *message);

// Moves up to `max` readings out, oldest first. Returns how many.
size_t edge_power_poller_take(struct edge_power_poller *poller, struct edge_reading *readings,
                              size_t max);

// How many readings failed so far, and the latest failure in words ("" if none).
uint64_t edge_power_poller_failures(struct edge_power_poller *poller, struct edge_message *last);

// Ends the thread, after the reading that is under way. Safe with NULL.
void edge_power_poller_stop(struct edge_power_poller *poller);

#endif
