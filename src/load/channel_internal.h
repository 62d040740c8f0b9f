// What channel.c and channel_send.c share.
#ifndef EDGE_LOAD_CHANNEL_INTERNAL_H
#define EDGE_LOAD_CHANNEL_INTERNAL_H

#include "load/channel.h"

// Opens a call on the stream that is now its own, and writes what can be written. 0 or an error.
int edge_channel_start_call(struct edge_channel *channel, struct edge_client_stream *stream,
                            struct edge_buffer *out, size_t high, uint64_t now_ns);

// Goes on with calls that waited for a window, or for the time of their next message. 0 or an
// error.
int edge_channel_write_waiting(struct edge_channel *channel, struct edge_buffer *out, size_t high,
                               uint64_t now_ns);

// Messages of the side that streams; 1 for a unary call.
uint64_t edge_channel_messages(const struct edge_channel *channel, const struct edge_call *call);

// Takes the call out of the list that it waits in, if any.
void edge_call_list_drop(struct edge_call *call);

#endif
