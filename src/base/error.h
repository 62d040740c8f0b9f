// Error codes and messages for people.
//
// Functions that can fail return int: >= 0 is success or a count, negative is an error.
//   -1 ... -999   a negated errno
//   <= -1000      enum edge_error below
// Codes of foreign libraries are translated where they enter; they never travel.
#ifndef EDGE_BASE_ERROR_H
#define EDGE_BASE_ERROR_H

enum edge_error {
    EDGE_OK = 0,
    EDGE_ERR_PROTOCOL = -1000,    // the peer broke the protocol
    EDGE_ERR_CLOSED = -1001,      // the peer closed the connection or the pipe
    EDGE_ERR_FORMAT = -1002,      // input is malformed
    EDGE_ERR_USAGE = -1003,       // the command line or the environment is wrong
    EDGE_ERR_LIMIT = -1004,       // a size or count limit would be exceeded
    EDGE_ERR_UNSUPPORTED = -1005, // valid, but not available here
    EDGE_ERR_NOT_FOUND = -1006,   // the named thing does not exist
    EDGE_ERR_FAILED = -1007,      // the work was done and its outcome is a failure
    EDGE_ERR_TLS = -1008,         // no TLS with this peer: the handshake or a record failed
};

// The exit codes of every program here.
enum edge_exit {
    EDGE_EXIT_OK = 0,
    EDGE_EXIT_FAILED = 1,
    EDGE_EXIT_USAGE = 2,
    EDGE_EXIT_INVALID = 3, // the run is invalid
    EDGE_EXIT_MISSED = 4,  // regression, or an SLO was missed
};

// A message for a person: what was expected, what was found, what to do. Always terminated.
struct edge_message {
    char text[512];
};

// Formats into `message` (a longer text is cut). `message` may be NULL: then nothing is written.
// Returns `error`, so that a function can end with `return edge_fail(message, code, ...)`.
int edge_fail(struct edge_message *message, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The text of an error code of either range. Static storage, never NULL.
const char *edge_error_text(int error);

#endif
