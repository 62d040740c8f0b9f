// One HTTP/2 connection of the lying server: reads frames strictly, hands ended requests to a lie.
//
// The peer is held to the rules: HPACK by nghttp2's inflater, both windows to the byte,
// MAX_CONCURRENT_STREAMS. One that breaks them gets GOAWAY with words, and its calls fail.
#ifndef EDGE_TESTS_LYING_SESSION_H
#define EDGE_TESTS_LYING_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nghttp2/nghttp2.h>

#include "base/buffer.h"
#include "wire/frame.h"

struct liar;

struct liar_stream {
    uint32_t id;
    bool ended;               // END_STREAM has come: the request is whole
    int64_t window;           // bytes the client may still send
    struct edge_buffer bytes; // the request's DATA: messages with their prefixes
    struct liar_stream *next;
};

// How the server lies: a row of the table in lies.c.
struct lie {
    const char *name;
    struct edge_setting settings[2]; // sent first; id 0: none
    bool dribble;                    // give windows back in crumbs
    // Called once per read, before requests are answered. May be NULL.
    void (*turn)(struct liar *liar);
    // Answers request number `number` (of the whole server, from 1).
    void (*answer)(struct liar *liar, const struct liar_stream *stream, uint64_t number);
};

// What all connections share.
struct liar_shared {
    const struct lie *lie;
    uint64_t requests;         // answered so far
    struct edge_buffer canned; // the first request's messages
};

struct liar {
    struct liar_shared *shared;
    struct edge_buffer in;  // not yet a whole frame
    struct edge_buffer out; // to be sent
    nghttp2_hd_inflater *inflater;
    bool preface_seen;
    bool greeted; // SETTINGS are out
    bool hangup;  // close without a word

    struct liar_stream *streams; // not yet answered, oldest first
    uint32_t last_stream;        // the highest opened
    uint32_t last_accepted;      // higher ones are ignored: they were refused by GOAWAY
    struct edge_buffer block;    // a header block until END_HEADERS
    uint32_t block_stream;       // 0: none is open
    bool block_ends;

    uint64_t requests;        // answered on this connection
    uint32_t max_streams;     // 0: no limit
    bool settings_unacked;    // ours
    uint32_t window_setting;  // INITIAL_WINDOW_SIZE as last sent
    uint32_t window_in_force; // ... as the client must heed it by now
    int64_t receive_window;   // of the connection
    int64_t send_window;      // of the connection

    uint64_t window_changed_at; // tiny_windows: after that many requests
    uint32_t content_type_age;  // reindexing: HPACK entries inserted since this one
    uint32_t status_age;
};

// 0 or -ENOMEM. Nothing is sent before the client's preface has come.
int liar_init(struct liar *liar, struct liar_shared *shared);
void liar_free(struct liar *liar);

// Takes bytes, appends to liar->out. 0; EDGE_ERR_PROTOCOL: `out` ends with a GOAWAY, close after
// it; -ENOMEM.
int liar_receive(struct liar *liar, const uint8_t *bytes, size_t len);
// Answers the requests that are whole, in order, and tops up windows. 0; EDGE_ERR_CLOSED: the lie
// hangs up.
int liar_turn(struct liar *liar);

// For lies: frames to be sent.
void liar_frame(struct liar *liar, unsigned type, unsigned flags, uint32_t stream,
                const void *payload, size_t len);
void liar_reset(struct liar *liar, uint32_t stream, uint32_t code);
void liar_goaway(struct liar *liar, uint32_t last_stream, uint32_t code, const char *why);
// Sends a new INITIAL_WINDOW_SIZE.
void liar_set_window(struct liar *liar, uint32_t window);
// Forgets requests above `last_accepted`.
void liar_drop_above(struct liar *liar, uint32_t last_accepted);

#endif
