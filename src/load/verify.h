// Is a reply what it must be? Of the contract's methods every byte of every reply is compared as it
// streams in. Of others each reply must be an encoded message of the method's type.
#ifndef EDGE_LOAD_VERIFY_H
#define EDGE_LOAD_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "load/framed.h"
#include "load/load.h"
#include "load/payload.h"
#include "load/type.h"
#include "wire/hpack.h"

// What every call must get.
struct edge_verify_plan {
    const struct edge_payload *payload;
    struct edge_framed reply;
    size_t reply_max;             // a message above this is wrong without being looked at
    bool gzip;                    // replies may be packed
    const struct edge_type *type; // of the replies, if that is all that is known; else NULL
    // Is given each good reply, if not NULL; called by the load's threads.
    void (*take)(void *context, const uint8_t *bytes, size_t len);
    void *take_context;
};

// 0 or -ENOMEM.
int edge_verify_plan_init(struct edge_verify_plan *plan, const struct edge_payload *payload);
// Safe twice.
void edge_verify_plan_free(struct edge_verify_plan *plan);

// What few calls need. A message that is kept whole: its bytes differ, to be compared by meaning;
// or a read has brought a part of it.
struct edge_verify_odd {
    struct edge_buffer bytes;       // prefix and contents so far
    size_t skip;                    // bytes still to be thrown away, for a message above the limit
    struct edge_load_packed packed; // of all replies of the call
    const char *fault;              // why a reply is not of its type, or NULL
    const struct edge_type_field *fault_field; // where, or NULL
};

// What one call has got so far. Zero at the start.
struct edge_verify {
    struct edge_verify_odd *odd;
    uint32_t messages; // whole messages so far
    uint32_t at;       // bytes of the next one that were right
    uint32_t noncanonical;
    uint16_t http_status;
    bool got_headers; // final ones, not 1xx
    bool wrong;       // a message is not what it must be
    bool bad;         // the framing or the headers are not gRPC's
    bool packed;      // grpc-encoding: gzip
};

// The text in reply number `index` of a call whose first request has number `first`.
uint64_t edge_verify_number(const struct edge_payload *payload, uint64_t first, uint32_t index);

// What a block of fields says, packed into one word so that it can be kept beside the block
// (edge_fields.memo). Never 0.
uint32_t edge_verify_read_fields(const struct edge_fields *fields);
// The grpc-status in such a word: -1 if there is none, or none that is a number.
int edge_verify_grpc_status(uint32_t word);

// Headers, with the word of their fields. True if they are 1xx: more headers follow.
bool edge_verify_headers(struct edge_verify *verify, uint32_t word);

// Bytes of DATA.
void edge_verify_data(struct edge_verify *verify, const struct edge_verify_plan *plan,
                      uint64_t first, const uint8_t *bytes, size_t len);

// The stream ended; `word` is the last block's with END_STREAM, or 0 if DATA ended it.
enum edge_outcome edge_verify_end(const struct edge_verify *verify,
                                  const struct edge_verify_plan *plan, uint32_t word);

// Frees what was kept. Safe twice.
void edge_verify_free(struct edge_verify *verify);

#endif
