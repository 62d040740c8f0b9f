// An emulator that runs a board's programs on this machine: QEMU's user mode with the board's CPU
// model, and the plugin that counts instructions where it can be loaded.
#ifndef EDGE_RUN_EMULATOR_H
#define EDGE_RUN_EMULATOR_H

#include <limits.h>

#include "base/error.h"

struct edge_emulator {
    char program[64];      // "qemu-aarch64", looked up in PATH
    char version[56];      // "qemu-aarch64 version 7.2.22"
    const char *arch;      // "aarch64"
    char cpu[64];          // the model, as the emulator calls it
    int counters_fd;       // the file of agent/guest_counters.h, in memory; -1: none
    char counters[64];     // its path, for the plugin and the agent
    char not_counted[256]; // why instructions are not counted; "": they are
    char plugin[2 * PATH_MAX];
    const char *prefix[6]; // what comes before a program and its arguments; ends with NULL
};

// Prepares the emulator `name` ("qemu-aarch64", looked up in PATH) with the first of `models` that
// it knows, and tries whether it takes the plugin in the file `plugin`. Without one all else works:
// `not_counted` says why. `board` is for messages. The pointers in `prefix` go into `emulator`: it
// must not be moved.
//
// 0, or EDGE_ERR_UNSUPPORTED with a message: not installed (which package), none of the models.
int edge_emulator_init(struct edge_emulator *emulator, const char *board, const char *name,
                       const char *const *models, const char *plugin, struct edge_message *message);

// Whether the program in the file `path` is one that the emulator runs, by its ELF header.
// 0; EDGE_ERR_UNSUPPORTED (another machine, or no ELF program) or a negated errno, with a message.
int edge_emulator_check(const struct edge_emulator *emulator, const char *path,
                        struct edge_message *message);

// Gives back the file of counters. Safe twice, and on a zeroed struct.
void edge_emulator_free(struct edge_emulator *emulator);

#endif
