// One connection of the null server: answers calls without reading what they ask. No I/O.
//
// Each stream's HEADERS are answered with canned response HEADERS, each DATA payload is sent back
// as it came, END_STREAM is answered with canned trailers (grpc-status 0). So a unary call, or a
// bidi call, of an echo service is answered rightly, as fast as HTTP/2 framing allows: a generator
// that verifies replies is measured against its own ceiling.
//
// Nothing is kept per stream, and replies are never queued. Two rules make that legal (RFC 9113
// sections 5.2 and 6.9):
//   - A call may send as many bytes as the peer's own initial window lets come back (and at most
//     EDGE_NULL_WINDOW), and no more: so its replies always fit. A longer call stalls.
//   - A peer whose connection window does not hold the replies gets GOAWAY.
#ifndef EDGE_SERVER_NULL_NULL_H
#define EDGE_SERVER_NULL_NULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "wire/frame.h"

#define EDGE_NULL_WINDOW     1048576u // bytes that one call may send
#define EDGE_NULL_HEADER_MAX 65536u   // bytes of one header block

// All zero is a fresh connection.
struct edge_null {
    uint8_t partial[EDGE_FRAME_HEADER + EDGE_FRAME_MAX_DEFAULT]; // a frame cut by a read
    size_t partial_len;
    size_t preface_len; // bytes of the client's preface seen
    bool greeted;       // the peer's first SETTINGS have come, and ours are out
    bool ended;         // GOAWAY is out: nothing is read any more

    uint32_t last_stream;   // the highest stream opened
    uint32_t header_stream; // a header block that waits for END_HEADERS; 0: none
    bool header_opens;      // ... it is a request, not trailers
    bool header_ends;       // ... it had END_STREAM
    size_t header_len;      // ... bytes so far
    uint32_t stream_window; // the initial window that the peer was told
    int64_t send_window;    // what the peer takes on the connection
    int64_t receive_window; // what the peer may still send on the connection
};

// Takes all `len` bytes and appends the replies to `out`. 0; -ENOMEM; EDGE_ERR_PROTOCOL: the
// connection is to be closed once `out` is sent (it ends with a GOAWAY that says why).
int edge_null_receive(struct edge_null *null, const uint8_t *bytes, size_t len,
                      struct edge_buffer *out);

// Appends GOAWAY(NO_ERROR): the server is going down. 0 or -ENOMEM.
int edge_null_shutdown(struct edge_null *null, struct edge_buffer *out);

#endif
