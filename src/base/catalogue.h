// The boards of boards/*.ini, as this program was built with them. docs/boards.md tells what each
// key means; cmake/EdgeBoard.cmake holds their rules.
#ifndef EDGE_BASE_CATALOGUE_H
#define EDGE_BASE_CATALOGUE_H

#include <stddef.h>

#include "base/error.h"

// Each field is the ini's key of the same name. A text, or a list (it ends with NULL), is NULL
// where the ini does not have the key.
struct edge_catalogue_board {
    const char *id; // the file's name: "rpizero"
    const char *name;
    const char *soc;
    const char *cores;
    const char *ram;
    unsigned core_count;
    unsigned bits;
    const char *isa;
    const char *toolchain; // compiler triple: "aarch64-linux-gnu"
    const char *cpu_flags;
    const char *qemu;                 // "qemu-aarch64"
    const char *const *qemu_cpu;      // the best model first
    const char *qemu_note;            // why the first model is not the board's own core
    const char *const *compatible;    // of the device tree
    const char *const *revision_type; // Raspberry Pi revision code, bits 4 to 11, in hex
    const char *revision_soc;         // bits 12 to 15, in hex
    const char *power;                // the source on board: "none", "raspberrypi_pmic", "ina3221"
    const char *power_scope;          // what that source sees
    const char *watts;                // as published: context, no ground truth
    const char *const *trap;
    const char *const *unverified; // keys whose value nobody has checked on the board
};

// All boards, sorted by id. Static storage.
const struct edge_catalogue_board *edge_catalogue(size_t *count);

// The board called `id`; NULL with a message that names the nearest ids if there is none.
const struct edge_catalogue_board *edge_catalogue_find(const char *id,
                                                       struct edge_message *message);

#endif
