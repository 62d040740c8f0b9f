// vcgencmd(1), for machines that have the program but not the device it would talk to: it then
// finds another way to the firmware.
#ifndef EDGE_POWER_VCGENCMD_H
#define EDGE_POWER_VCGENCMD_H

#include <stddef.h>

#include "base/error.h"

// Runs `vcgencmd COMMAND` and puts what it prints, terminated, into text[size].
// 0; -ENOENT: there is no such program; EDGE_ERR_FAILED: it did not succeed; EDGE_ERR_LIMIT: it
// printed more; -ETIMEDOUT after 2 s; another negated errno; with a message.
int edge_vcgencmd_run(const char *command, char *text, size_t size, struct edge_message *message);

#endif
