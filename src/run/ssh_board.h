// What a board tells over ssh before anything of ours runs there.
#ifndef EDGE_RUN_SSH_BOARD_H
#define EDGE_RUN_SSH_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "base/recognise.h"
#include "run/ssh.h"

#define EDGE_SSH_SUMS 64

struct edge_ssh_sum {
    char name[128]; // below the folder of programs: "servers/c_nghttp2_nanopb"
    char sum[65];   // SHA-256 in hex
};

// A text is "" and a number 0 where it could not be found out.
struct edge_ssh_board {
    struct edge_recognise_facts facts;
    struct edge_cpuset cpus; // online, and not forbidden to us
    char address[64];        // its own, by which the connection came in: "192.168.1.7"
    char boot_id[40];
    struct edge_ssh_sum sums[EDGE_SSH_SUMS]; // of the programs that are there already
    unsigned sum_count;
    bool compares;    // it can sum up files
    char folder[256]; // why programs cannot be put there; ""
};

// Asks, and makes `dir`, the folder for programs, a plain name. 0; EDGE_ERR_UNSUPPORTED
// (no shell at the other end, or one that says more than it is asked) or an error of
// edge_ssh_run(), with a message.
int edge_ssh_board_ask(struct edge_ssh *ssh, const char *dir, struct edge_ssh_board *board,
                       struct edge_message *message);

// Takes apart what the script says: edge_ssh_board_ask() without a board.
// 0 or EDGE_ERR_UNSUPPORTED with a message.
int edge_ssh_board_parse(char *text, const char *words, struct edge_ssh_board *board,
                         struct edge_message *message);

#endif
