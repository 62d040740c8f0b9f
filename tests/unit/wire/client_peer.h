// An owner of edge_client that writes down what it is told, and the bytes of a server for it.
#ifndef EDGE_TESTS_WIRE_CLIENT_PEER_H
#define EDGE_TESTS_WIRE_CLIENT_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/client.h"

#define RING 8u

struct record {
    struct edge_client_stream stream;
};

struct owner {
    struct edge_client client;
    struct record ring[RING];
    char log[4096];
    uint32_t data_stream; // whose data the log ends with; 0: nobody's
    bool close_at_end;
};

void owner_init(struct owner *owner);
void owner_init_windows(struct owner *owner, uint32_t stream_window, uint32_t window);

struct bytes {
    uint8_t at[40000];
    size_t len;
};

// An HPACK block: ":status: 200".
extern const uint8_t status_200[1];

void put_frame(struct bytes *bytes, enum edge_frame_type type, unsigned flags, uint32_t stream,
               const void *payload, size_t len);
void put_settings(struct bytes *bytes, const struct edge_setting *settings, size_t count);
void put_u32(struct bytes *bytes, enum edge_frame_type type, uint32_t stream, uint32_t value);
void put_headers(struct bytes *bytes, uint32_t stream);
void put_trailers(struct bytes *bytes, uint32_t stream);

// Feeds the client. What edge_client_receive() says.
int receive(struct owner *owner, const struct bytes *bytes);

// A connection on which SETTINGS came and `streams` streams are open, their requests ended.
void open_streams(struct owner *owner, unsigned streams);

// Asserts what the client sends next: types of its frames.
void expect_sent(struct owner *owner, const char *expected);

#endif
