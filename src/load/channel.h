// One connection of the generator and the calls on it. It keeps its share of calls in flight, and
// is replaced when it is lost, told to go away, or out of stream ids.
#ifndef EDGE_LOAD_CHANNEL_H
#define EDGE_LOAD_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "load/books.h"
#include "load/keepalive.h"
#include "load/pacer.h"
#include "load/plan.h"
#include "load/verify.h"
#include "net/connection.h"
#include "net/loop.h"
#include "wire/client.h"

struct edge_call;

// Calls that wait, the oldest first.
struct edge_call_list {
    struct edge_call *first, *last;
};

// A call in flight: one record of the stream ring.
struct edge_call {
    struct edge_client_stream stream; // must be first
    uint64_t due_ns;
    uint64_t sent_ns;
    uint64_t number;      // of its first message; or of its latest, where each has its own
    uint32_t out_message; // requests written, and bytes of the next one
    uint32_t out_at;
    bool counted;
    struct edge_call_list *list; // that it waits in, or NULL
    struct edge_call *prev, *next;
    struct edge_verify verify;
    // For some loads only.
    uint64_t wall_ns;  // when the message being written was begun, if it says so
    uint64_t next_ns;  // its next message is not due before that, if it is paced
    uint64_t reply_ns; // when its latest reply came, of a stream
};

// What the channels of one thread share.
struct edge_channel_group {
    const struct edge_plan *plan;
    struct edge_loop *loop;
    struct edge_io *io;
    struct edge_tls *tls; // NULL: in the clear
    struct edge_pacer pacer;
    struct edge_load_result books;
    uint64_t next_number; // of the next call's first message
    uint64_t number_step; // from call to call of this thread
    struct edge_outgoing_scratch scratch;
    uint64_t in_flight;
    uint64_t ended, ok;   // since the start, whether counted or not
    uint64_t last_end_ns; // of a counted call
    unsigned ready;       // channels with a live connection
    bool waiting;         // open loop: a due call found no room
    bool started;         // calls may start, and lost connections are replaced
    bool ending;          // no connection is opened any more
    int start_error;      // why a connection could not be opened before `started`
    struct edge_message start_message;
};

struct edge_channel {
    struct edge_connection connection; // must be first
    struct edge_channel_group *group;
    struct edge_client client;
    struct edge_call *calls; // the ring
    uint32_t call_count;
    uint32_t share; // calls in flight at most
    uint32_t limit; // calls to keep in flight now; at most `share`
    uint32_t quota; // open loop: due calls that the worker has just given to this channel
    enum edge_request_state request_state;
    enum { EDGE_CHANNEL_CLOSED, EDGE_CHANNEL_CONNECTING, EDGE_CHANNEL_READY } state;
    bool found_tls;            // the first bytes of a server in the clear are TLS
    unsigned failures;         // connections in a row that brought no verified reply
    uint64_t now_ns;           // of the bytes being received
    struct edge_timer retry;   // connects again; or gives up connecting
    struct edge_timer timeout; // of the oldest call
    struct edge_timer pace;    // of the first call in `paced`
    struct edge_keepalive keepalive;
    struct edge_call_list blocked; // have bytes to write, and wait for a window
    struct edge_call_list paced;   // wait for the time of their next message
};

// Prepares a channel of `share` calls, not yet connected. 0 or -ENOMEM.
int edge_channel_init(struct edge_channel *channel, struct edge_channel_group *group,
                      uint32_t share);
// Closes without a word. Safe twice.
void edge_channel_free(struct edge_channel *channel);

// Starts connecting.
void edge_channel_connect(struct edge_channel *channel);

// True if one more call would find room.
bool edge_channel_has_room(const struct edge_channel *channel);

// Starts what may start, and writes.
void edge_channel_flush(struct edge_channel *channel);

// Ends the calls that are still in flight as unfinished.
void edge_channel_abandon(struct edge_channel *channel, uint64_t now_ns);

#endif
