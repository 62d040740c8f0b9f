// A client that says whatever it is told to, frame by frame, and notes what the server answers.
//
// Bytes are queued by raw_put() and what builds on it, sent by raw_turn(), and the server's frames
// are taken apart as they come. Nothing is corrected on the way out: frames may be wrong in any
// way; below them TLS, where it is asked for, is as it should be. A test fixture: out of memory, it
// aborts.
#ifndef EDGE_TESTS_RAW_H
#define EDGE_TESTS_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "net/socket.h"
#include "net/tls.h"
#include "wire/frame.h"
#include "wire/hpack.h"

#define RAW_ANSWERS 4096u // streams whose answers are kept: the latest ones

// What came on one stream.
struct raw_answer {
    uint32_t id; // 0: nothing came
    char http_status[8];
    char grpc_status[8];
    char grpc_message[160];
    char encodings[64]; // grpc-accept-encoding
    unsigned blocks;    // of header fields
    uint64_t bytes;     // of DATA, without padding
    unsigned messages;  // whole ones in it
    uint8_t prefix[5];  // of the message that is coming
    uint32_t prefix_have, message_left;
    uint64_t credit; // by WINDOW_UPDATE
    bool ended;      // END_STREAM
    bool reset;
    bool reset_after_end;
    uint32_t reset_code;
};

struct raw {
    const struct edge_address *address;
    struct edge_tls *tls; // of a client, borrowed; NULL: in the clear
    uint64_t until_ns;    // when waiting ends
    FILE *record;         // where all bytes sent go too, before TLS, or NULL
    int fd;               // -1: none
    bool closed;          // by the server
    bool deaf;            // does not read
    struct edge_buffer out, in, block;
    struct edge_transport *session; // with TLS
    struct edge_buffer wire;        // what it has sealed
    bool shaking;                   // its handshake is not done
    struct edge_hpack_decoder *decoder;
    uint32_t block_stream; // 0: no header block is open
    uint8_t block_flags;
    struct raw_answer answers[RAW_ANSWERS];
    // Of the connection, since raw_connect().
    uint32_t next_stream;                 // for those who open many
    uint32_t max_streams, initial_window; // the server's settings
    uint64_t credit;                      // by WINDOW_UPDATE
    uint64_t sent_data;                   // bytes that count against the server's window
    unsigned settings, acks, ping_acks, goaways;
    uint32_t goaway_code, goaway_last;
    char goaway_text[64];            // its debug data
    uint64_t ended, resets, refused; // streams
    uint64_t bytes_in;
    uint8_t first_of_block; // first byte of the latest header block
    char failure[300];      // the first check that failed; "": none
};

// Prepares for `address`, which outlives it. raw_free() it.
void raw_init(struct raw *raw, const struct edge_address *address);
void raw_free(struct raw *raw);

// Connects anew, shakes hands if there is TLS, and forgets what the connection before was told.
// False: nothing listens, or no TLS with it.
bool raw_connect(struct raw *raw);
// ... and queues the preface, SETTINGS with the largest INITIAL_WINDOW_SIZE, and as large a window
// for the connection. The server's SETTINGS are acknowledged when they come, unless `ack` is false.
bool raw_open(struct raw *raw, bool ack);
void raw_close(struct raw *raw);

// --- Bytes to send ---

void raw_put(struct raw *raw, const void *bytes, size_t len);
void raw_frame(struct raw *raw, unsigned type, unsigned flags, uint32_t stream, const void *payload,
               size_t len);
void raw_setting(struct raw *raw, uint16_t id, uint32_t value);
void raw_window(struct raw *raw, uint32_t stream, uint32_t increment);
void raw_reset(struct raw *raw, uint32_t stream, uint32_t code);
void raw_ping(struct raw *raw);

// A header block of the usual POST to SayHello, changed by `fields`: lines of "name: value" that
// replace a field of that name or come on top, "+name: value" that come on top in any case, and
// "-name" that leave one out. Appended to `block`.
void raw_block(struct edge_buffer *block, const char *fields);
// HEADERS with that block and END_HEADERS.
void raw_request(struct raw *raw, uint32_t stream, unsigned flags, const char *fields);
// DATA with one message behind its prefix.
void raw_message(struct raw *raw, uint32_t stream, unsigned flags, const void *bytes, size_t len);
// A whole call: HEADERS, and raw_hello as its message with END_STREAM.
void raw_call(struct raw *raw, uint32_t stream, const char *fields);

// How many bytes of DATA the windows let `stream` send, of which `sent` are out.
size_t raw_room(struct raw *raw, uint32_t stream, size_t sent);

// A HelloRequest, and one that asks for 1000 replies.
extern const uint8_t raw_hello[7];
extern const uint8_t raw_hello_1000[10];
#define RAW_MANY ":path: /helloworld.Greeter/SayHellos"

// --- Waiting ---

// Sends and receives what can be, waiting until something moves. False: the connection is closed,
// or until_ns has come.
bool raw_turn(struct raw *raw);
#define RAW_WAIT(raw, condition)                                                                   \
    while (!(condition) && raw_turn(raw)) {                                                        \
    }
// Until all that was sent so far is answered, as a PING behind it tells. False as above.
bool raw_sync(struct raw *raw);
// Until the stream has ended or was reset. Returns its answer, of a stream that did neither too.
struct raw_answer *raw_wait(struct raw *raw, uint32_t stream);
// Until the server has closed the connection. False if it does not.
bool raw_wait_closed(struct raw *raw);

// --- Judging ---

struct raw_answer *raw_answer(struct raw *raw, uint32_t stream);
// "200, grpc-status 0, 1 message, reset CANCEL", or "no answer". Returns text.
const char *raw_answer_text(const struct raw_answer *answer, char *text, size_t size);
// "GOAWAY PROTOCOL_ERROR, closed", "closed", "open". Returns text.
const char *raw_connection_text(const struct raw *raw, char *text, size_t size);
// Notes the first thing that is not as it should be.
void raw_check(struct raw *raw, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The answer of `stream`, waited for, is one of those in `wanted`, which " | " separates.
void raw_check_answer(struct raw *raw, uint32_t stream, const char *wanted);
// What the server does to the connection in the end is one of those in `wanted`.
void raw_check_connection(struct raw *raw, const char *wanted);
// True if `found` is one of those in `wanted`.
bool raw_one_of(const char *found, const char *wanted);

#endif
