// The tables of what raw_client plays. Each row is one case: what is sent, what must come back, and
// the bug or the attack that it is about.
#ifndef EDGE_TESTS_RAW_CASES_H
#define EDGE_TESTS_RAW_CASES_H

#include "raw.h"

// A single request: rows of requests.c.
struct raw_request_case {
    const char *name;
    const char *reference; // a bug report, an RFC's section, or gRPC's own words
    const char *fields;    // as raw_block() takes them
    const char *body;      // DATA with END_STREAM; NULL: HEADERS end the stream
    size_t body_len;
    const char *answer; // as raw_answer_text() says it; alternatives between " | "
    const char *allows; // grpc-accept-encoding that must come along, or NULL
};
extern const struct raw_request_case raw_requests[];
extern const size_t raw_requests_count;

// A conversation: rows of bugs.c, frames.c and slow.c. `play` begins with a connection that is open
// and calls raw_check() and its like.
struct raw_case {
    const char *name;
    const char *reference;
    const char *answer; // in words
    void (*play)(struct raw *raw);
};
extern const struct raw_case raw_bugs[], raw_frames[], raw_slow[];
extern const size_t raw_bugs_count, raw_frames_count, raw_slow_count;

// An attack: rows of attacks.c. `round` queues one portion on an open connection; it is called
// again until the time is up or the server has closed the connection.
struct raw_attack {
    const char *name;
    const char *reference;
    const char *answer; // how a connection ends, as raw_connection_text() says it
    void (*round)(struct raw *raw);
    bool bare; // without a preface: `round` sends the first bytes, once
};
extern const struct raw_attack raw_attacks[];
extern const size_t raw_attacks_count;

#endif
