// Programs on their way to a board: copied when the board has none of the same content.
#ifndef EDGE_RUN_SSH_COPY_H
#define EDGE_RUN_SSH_COPY_H

#include "run/ssh_board.h"

struct edge_ssh_copy {
    struct edge_ssh *ssh;
    const struct edge_ssh_board *board;
    const char *dir; // on the board
    unsigned files;  // copied so far
    uint64_t bytes;
};

// Whether `text` may stand in a command line at the other end as it is.
bool edge_ssh_is_plain(const char *text);

// Copies the file `path` to `name` below the board's folder, with that mode, unless the board has
// the same. A file that arrives in part is not left in its place. They go through cat: the board
// needs neither scp nor an sftp server.
// 0; EDGE_ERR_USAGE (a name that is not plain), EDGE_ERR_FAILED (no space, no permission), or an
// error of edge_ssh_run(), with a message.
int edge_ssh_copy_file(struct edge_ssh_copy *copy, const char *path, const char *name,
                       unsigned mode, struct edge_message *message);

#endif
