// Which servers are measured: every executable in a folder, or those named.
#ifndef EDGE_RUN_SERVERS_H
#define EDGE_RUN_SERVERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "run/emulator.h"

struct edge_server_entry {
    char name[128];      // the row's name: the file's
    char path[PATH_MAX]; // where the agent finds it
    char version[1024];  // first line of --version; "" if it gave none in time
    uint64_t size_bytes; // of its file
    bool calibration;    // the word "calibration" is in it: measured, never ranked
    char problem[512];   // why it cannot be measured; ""
};

struct edge_servers {
    struct edge_server_entry *at;
    size_t count;
    bool named; // by operands, whose order is kept
};

// Finds the servers. With no operands: every executable in `folder`, by name. Operands: a name in
// `folder`, or a path (with a '/'), in the order given; one that is not there or not executable is
// kept with its problem.
//
// 0; EDGE_ERR_NOT_FOUND (there is none in `folder`), EDGE_ERR_USAGE (two have the same name), a
// negated errno (the folder, memory), with a message.
int edge_servers_find(struct edge_servers *servers, const char *folder, char *const *operands,
                      size_t operand_count, struct edge_message *message);

// Asks each for its --version, by way of `emulator` (NULL: none), for which each must be a program
// of its machine; then sorts.
void edge_servers_ask(struct edge_servers *servers, const struct edge_emulator *emulator);

// What a server said of its version: one line, "" for none.
void edge_servers_set_version(struct edge_server_entry *entry, const char *line);

// Brings them into the order in which they are measured: those of a folder by name, calibration
// servers last; operands keep theirs.
void edge_servers_sort(struct edge_servers *servers);

// Frees the list. Safe twice.
void edge_servers_free(struct edge_servers *servers);

#endif
