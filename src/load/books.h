// The books of one generator thread: what was due, what was sent, how each call ended. Merged after
// the threads are joined.
#ifndef EDGE_LOAD_BOOKS_H
#define EDGE_LOAD_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"

// How one call ended.
struct edge_ending {
    enum edge_outcome outcome;
    uint64_t due_ns, sent_ns, end_ns;
    bool counted;          // due inside the window
    int grpc_status;       // for EDGE_OUTCOME_GRPC_STATUS
    uint32_t reset_code;   // for EDGE_OUTCOME_RESET
    uint32_t noncanonical; // replies right in meaning only
};

// The books are the counters and histograms of a result: `open_loop` says whether response time and
// send lag mean anything. 0 or -ENOMEM.
int edge_books_init(struct edge_load_result *books);

// Counts a call that has ended (or, with EDGE_OUTCOME_UNFINISHED, has not). `messages` is what a
// verified call adds to messages_in_window. A call that timed out or is unfinished took longer than
// it was waited for: that is a lower bound of its latency, and counted as such.
void edge_books_end(struct edge_load_result *books, const struct edge_ending *ending,
                    bool open_loop, bool in_window, uint64_t messages);

// Replies of a stream, all of one read.
struct edge_replies {
    uint32_t before;    // of the same call
    uint32_t count;     // >= 1
    uint64_t sent_ns;   // the call
    uint64_t latest_ns; // when the latest of those before came
    uint64_t now_ns;
    bool counted;   // the call is due inside the window
    bool in_window; // the replies came inside it
};

// Counts them and their latency.
void edge_books_replies(struct edge_load_result *books, const struct edge_replies *replies);

// Counts packed messages.
void edge_books_packed(struct edge_load_packed *packed, uint64_t messages, uint64_t plain_bytes,
                       uint64_t packed_bytes);
void edge_books_add_packed(struct edge_load_packed *packed, const struct edge_load_packed *more);

// Adds the books of another thread.
void edge_books_merge(struct edge_load_result *books, const struct edge_load_result *other);

// due == sent + unsent, and sent == the sum of outcomes.
bool edge_books_balanced(const struct edge_load_result *books);

// The sum of all outcomes but OK: failures, unfinished calls included.
uint64_t edge_books_failed(const struct edge_load_result *books);

#endif
