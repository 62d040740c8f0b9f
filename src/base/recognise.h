// Which board of the catalogue a machine is, and whose programs it can run, by what it tells.
//
// Pure: the facts may come from files here or from the other end of an ssh connection.
#ifndef EDGE_BASE_RECOGNISE_H
#define EDGE_BASE_RECOGNISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/catalogue.h"

#define EDGE_RECOGNISE_CORES 8

// One kind of core, as /proc/cpuinfo names it: 0x41 and 0xd08 is Arm's Cortex-A72.
struct edge_recognise_core {
    unsigned implementer, part;
};

// A text is "" and a number 0 where it is not known.
struct edge_recognise_facts {
    char compatible[512]; // of the device tree, one a line, the most specific first
    char model[128];      // of the device tree: "Raspberry Pi 4 Model B Rev 1.4"
    char machine[32];     // uname -m: the kernel's. The userland's bits do not matter to programs
                          // that are static: a 64-bit kernel runs those of 64 bits
    uint32_t revision;    // Raspberry Pi's code
    struct edge_recognise_core cores[EDGE_RECOGNISE_CORES]; // each kind once
    unsigned core_kinds;
};

// Takes the revision code and the cores out of the text of /proc/cpuinfo. What it says of
// "Hardware" and "CPU architecture" is wrong on Raspberry Pis, and ignored.
void edge_recognise_cpuinfo(struct edge_recognise_facts *facts, const char *text);

// Reads the facts below `root`: "" on a live system. A recorded tree does not tell the machine.
void edge_recognise_read(const char *root, struct edge_recognise_facts *facts);

struct edge_recognised {
    const struct edge_catalogue_board *board; // NULL: none of the catalogue
    const struct edge_catalogue_board *build; // whose programs it can run; NULL: none is sure to
    char why[256];                            // how it was recognised, or why it was not
    char build_why[256]; // why this build, or why none; "" if it is the board's own
};

// Recognises: by device tree, else by revision code, else by model. A board whose revision code,
// cores or kernel do not fit what it calls itself is none of the catalogue: a Raspberry Pi 2 of
// revision 1.2 has another SoC under the same name.
void edge_recognise(const struct edge_recognise_facts *facts, struct edge_recognised *result);

// Whether the programs that are built for `board` run on a machine with these facts, as far as
// kernel and cores tell.
bool edge_recognise_runs(const struct edge_recognise_facts *facts,
                         const struct edge_catalogue_board *board);

#endif
