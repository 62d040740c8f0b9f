// The client side of an HTTP/2 connection (RFC 9113) over byte arrays: no socket, no clock.
//
// The owner feeds received bytes in with edge_client_receive() and is told what they mean through
// callbacks; it starts streams and writes their frames with the functions below, into a buffer that
// it sends. The client acknowledges SETTINGS and PING, keeps the windows of both directions, and
// honours the peer's settings. Frames are read where they lie; only what a read cut in two is kept.
//
// Streams live in a ring of the owner's: stream id `n` uses record (n >> 1) & mask. There is no
// hash table and no allocation per stream; an id whose record is still in use is skipped, which
// HTTP/2 allows (section 5.1.1).
#ifndef EDGE_WIRE_CLIENT_H
#define EDGE_WIRE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "wire/frame.h"
#include "wire/hpack.h"

// The first member of each record of the ring. Zero at the start.
struct edge_client_stream {
    uint32_t id;         // of its latest stream; 0: never used
    int32_t send_window; // negative after the peer shrank its initial window (section 6.9.2)
    uint32_t unacked;    // bytes received since the last WINDOW_UPDATE
    bool held;           // from edge_client_open() to edge_client_close()
    bool sent_end;       // END_STREAM went out
    bool got_headers;
    bool got_end; // END_STREAM came in
};

// Called during edge_client_receive(). A callback may open, write to and close any stream.
struct edge_client_events {
    // A block of fields: the response's headers, or the trailers.
    void (*headers)(void *owner, struct edge_client_stream *stream, struct edge_fields *fields,
                    bool end);
    // Bytes of DATA, in pieces as they arrive; `len` may be 0 with `end`.
    void (*data)(void *owner, struct edge_client_stream *stream, const uint8_t *bytes, size_t len,
                 bool end);
    // RST_STREAM from the peer. The owner closes the stream.
    void (*reset)(void *owner, struct edge_client_stream *stream, uint32_t code);
    // GOAWAY. Held streams above `last` were not processed; the owner closes them. No stream can be
    // opened any more. May come more than once.
    void (*goaway)(void *owner, uint32_t last, uint32_t code, const char *debug, size_t debug_len);
    // SETTINGS took effect; the first one makes the client ready.
    void (*settings)(void *owner);
    // A send window grew.
    void (*window)(void *owner);
};

struct edge_client_config {
    const struct edge_client_events *events;
    void *owner;
    void *streams;          // the ring: stream_count records, zeroed
    size_t stream_size;     // bytes from record to record
    uint32_t stream_count;  // a power of two
    uint32_t stream_window; // what we announce, up to 2^31 - 1; 0: 4 MiB
    uint32_t window;        // of the connection, at least 65535; 0: 16 MiB
};

struct edge_client {
    struct edge_client_config config;
    uint32_t next_id;    // odd
    uint32_t in_flight;  // streams held
    bool ready;          // the peer's first SETTINGS came
    bool going_away;     // the peer sent GOAWAY
    const char *failure; // why edge_client_receive() failed, or NULL

    // The peer's settings (section 6.5.2).
    uint32_t max_streams;
    uint32_t initial_window;
    uint32_t max_frame;
    uint32_t header_table; // the smallest so far, at most EDGE_HPACK_TABLE_DEFAULT

    int64_t send_window; // of the connection
    uint32_t unacked;    // of the connection

    struct edge_hpack_decoder *decoder;
    struct edge_buffer control; // frames of ours to be sent
    size_t answers;             // bytes of those that the peer made us send
    bool out_of_memory;         // a reset could not be queued: edge_client_flush() says so
    struct edge_buffer partial; // a frame that a read cut in two
    struct edge_buffer block;   // HEADERS waiting for CONTINUATION
    uint32_t block_stream;      // 0: none is waiting
    uint8_t block_flags;

    // The DATA frame being received: how much of its content and padding is yet to come.
    struct edge_frame data;
    enum {
        EDGE_CLIENT_DATA_NONE,
        EDGE_CLIENT_DATA_PAD_LENGTH,
        EDGE_CLIENT_DATA_CONTENT,
        EDGE_CLIENT_DATA_PADDING,
    } data_state;
    uint32_t data_left;
    uint32_t data_pad;
};

// Starts a connection: the preface and SETTINGS are the first bytes to send. Memory that a client
// holds from before must have been freed. 0 or -ENOMEM.
int edge_client_init(struct edge_client *client, const struct edge_client_config *config);
// Safe twice, and on zeroed memory.
void edge_client_free(struct edge_client *client);

// Takes all `len` bytes. 0; EDGE_ERR_PROTOCOL: client->failure says why, a GOAWAY waits to be sent,
// and nothing else may be called but edge_client_flush() and _free(); -ENOMEM.
int edge_client_receive(struct edge_client *client, const uint8_t *bytes, size_t len);

// Appends the frames that the connection itself has to send: acknowledgements, window updates,
// resets. 0 or -ENOMEM.
int edge_client_flush(struct edge_client *client, struct edge_buffer *out);

// True if a stream may be opened now: SETTINGS came, no GOAWAY, and fewer than the peer's
// MAX_CONCURRENT_STREAMS are held.
static inline bool edge_client_can_open(const struct edge_client *client)
{
    return client->ready && !client->going_away && client->in_flight < client->max_streams &&
           client->next_id <= EDGE_STREAM_ID_MAX;
}
// True once every stream id has been used: the connection must be replaced.
static inline bool edge_client_exhausted(const struct edge_client *client)
{
    return client->next_id > EDGE_STREAM_ID_MAX;
}

// The record of stream `id`, if that stream is held, else NULL.
struct edge_client_stream *edge_client_stream(const struct edge_client *client, uint32_t id);

// Opens a stream. NULL if edge_client_can_open() is false or every record is in use.
struct edge_client_stream *edge_client_open(struct edge_client *client);

// Appends HEADERS with a whole block of at most EDGE_FRAME_MAX_DEFAULT bytes. 0 or -ENOMEM.
int edge_client_headers(struct edge_client *client, struct edge_client_stream *stream,
                        struct edge_buffer *out, const uint8_t *block, size_t len, bool end);

// How many bytes of DATA one frame may carry now: both windows and MAX_FRAME_SIZE.
static inline uint32_t edge_client_room(const struct edge_client *client,
                                        const struct edge_client_stream *stream)
{
    int64_t room =
        client->send_window < stream->send_window ? client->send_window : stream->send_window;
    if (room > client->max_frame)
        room = client->max_frame;
    return room > 0 ? (uint32_t)room : 0;
}

// Appends the header of a DATA frame and makes room for its `len` <= edge_client_room() bytes.
// Returns where the caller writes them, or NULL: out of memory.
uint8_t *edge_client_data(struct edge_client *client, struct edge_client_stream *stream,
                          struct edge_buffer *out, uint32_t len, bool end);

// Queues a PING for the next edge_client_flush(). Its answer is bytes received, nothing more. 0 or
// -ENOMEM.
int edge_client_ping(struct edge_client *client);

// Gives the stream back. If a side has not ended, it is reset with `code` first. Should there be no
// memory for that, the next edge_client_flush() fails.
void edge_client_close(struct edge_client *client, struct edge_client_stream *stream,
                       uint32_t code);

#endif
