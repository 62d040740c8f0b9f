// A server in a process of its own, so that faults hit the test's side only, or the server's only.
#ifndef EDGE_TESTS_SERVER_CHILD_H
#define EDGE_TESTS_SERVER_CHILD_H

#include "base/subprocess.h"
#include "net/socket.h"

struct server_child {
    struct edge_subprocess process;
    struct edge_address address;
};

// argv[0] is the program; it says on stderr where it listens, else the test fails.
void server_child_start(struct server_child *child, const char *const *argv);
// SIGTERM, and asserts that it ends with 0: under AddressSanitizer without a leak.
void server_child_stop(struct server_child *child);

#endif
