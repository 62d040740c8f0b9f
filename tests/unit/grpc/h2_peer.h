// A client of edge_h2 for tests: builds its bytes, feeds them, and takes the server's apart.
#ifndef EDGE_TESTS_GRPC_H2_PEER_H
#define EDGE_TESTS_GRPC_H2_PEER_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "grpc/call.h"
#include "grpc/h2.h"

#define PEER_STREAMS 256

enum { DATA = 0, HEADERS = 1, RST = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW = 8, CONT = 9 };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8 };

// What the server sent on one stream.
struct seen {
    char http_status[8];
    char content_type[32];
    char grpc_status[8];
    char grpc_message[2048];
    char grpc_encoding[32];
    char grpc_encodings[32];
    char metadata[4096]; // "name: value\n" of each field that begins with "x-"
    unsigned headers;    // HEADERS frames
    unsigned data_frames;
    struct edge_buffer data;
    bool ended; // END_STREAM
    bool reset;
    bool reset_after_end;
    uint32_t reset_code;
    uint32_t credit; // by WINDOW_UPDATE
};

struct peer {
    struct edge_pool pool;
    struct edge_h2 *h2;
    struct edge_h2_session *session;
    nghttp2_hd_deflater *deflater;
    nghttp2_hd_inflater *inflater;
    struct edge_buffer in;  // for the server
    struct edge_buffer out; // a fill
    size_t high;            // of fills
    uint64_t now_ns;
    int error;                         // of the last pump
    struct seen streams[PEER_STREAMS]; // by id / 2, again from the start after the last
    uint32_t credit;                   // of the connection
    unsigned settings, settings_acks, pings, ping_acks, goaways;
    int32_t goaway_last;
    uint32_t goaway_code;
    char order[4096]; // one letter per frame: H D R S P G W
};

// A session of `config` (pool is set here), with the client's preface and SETTINGS queued.
void peer_open(struct peer *peer, const struct edge_h2_config *config);
void peer_close(struct peer *peer);

// Queue bytes for the server.
void peer_frame(struct peer *peer, uint8_t type, uint8_t flags, uint32_t id, const void *payload,
                size_t len);
void peer_setting(struct peer *peer, uint16_t id, uint32_t value);
void peer_window(struct peer *peer, uint32_t id, uint32_t more);
void peer_reset(struct peer *peer, uint32_t id, uint32_t code);
// A header block of name, value, ..., NULL into block[4096 or more]. Returns its length.
size_t peer_block(struct peer *peer, uint8_t *block, size_t cap, const char *const *fields);
// HEADERS of a POST to `path` with one more field (NULL: none; it replaces a field of that name).
void peer_request(struct peer *peer, uint32_t id, uint8_t flags, const char *path, const char *name,
                  const char *value);
// A message with its prefix, in one DATA frame.
void peer_message(struct peer *peer, uint32_t id, uint8_t flags, const void *bytes, size_t len);

// Feeds what is queued (in pieces of `piece` bytes; 0: at once), fills, and takes it apart.
void peer_pump_pieces(struct peer *peer, size_t piece);
void peer_pump(struct peer *peer);
struct seen *peer_seen(struct peer *peer, uint32_t id);

// Asserts on a finished stream.
void peer_assert_status(struct peer *peer, uint32_t id, const char *grpc_status);

// The methods of the service under test.
#define UNARY   "/test.T/Unary"   // echoes
#define BIDI    "/test.T/Bidi"    // echoes
#define COLLECT "/test.T/Collect" // client stream: answers with one byte, the number of requests
#define REPEAT                                                                                     \
    "/test.T/Repeat"        // server stream: the request's 4 bytes (LE) many replies of 100 bytes
#define HANG "/test.T/Hang" // never answers
#define FAIL "/test.T/Fail" // INVALID_ARGUMENT with the request as its words
#define PAGE "/test.T/Page" // as COLLECT, and takes any request
extern const struct edge_method peer_methods[];
extern const struct edge_method *const peer_tables[];
extern unsigned peer_calls_closed;

#endif
