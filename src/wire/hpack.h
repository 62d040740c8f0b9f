// Header compression (RFC 7541): an encoder for blocks that never change, and a decoder.
//
// The encoder writes plain strings, no Huffman code: a request's block is built once and copied.
// The decoder is nghttp2's inflater, with a memory of blocks it has seen.
#ifndef EDGE_WIRE_HPACK_H
#define EDGE_WIRE_HPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define EDGE_HPACK_STATIC        61u   // entries of the static table (appendix A)
#define EDGE_HPACK_ENTRY         32u   // what an entry costs beyond its strings (section 4.1)
#define EDGE_HPACK_TABLE_DEFAULT 4096u // RFC 9113 section 6.5.2, SETTINGS_HEADER_TABLE_SIZE

// How a field is written.
enum edge_hpack_mode {
    EDGE_HPACK_STATELESS, // from the static table, else literal: the dynamic table is not touched
    EDGE_HPACK_INSERT, // from the static table, else literal that the peer inserts (section 6.2.1)
};

// Appends one field. Header names are lower case. 0 or -ENOMEM.
// Sets *inserted (may be NULL) to whether the peer's dynamic table grew by this field.
int edge_hpack_encode(struct edge_buffer *out, enum edge_hpack_mode mode, const char *name,
                      const char *value, bool *inserted);
// Appends an indexed field (section 6.1): 1 to 61 static, from 62 the dynamic table, newest first.
// 0 or -ENOMEM.
int edge_hpack_encode_index(struct edge_buffer *out, uint32_t index);
// Appends a dynamic table size update (section 6.3): only at the start of a block. 0 or -ENOMEM.
int edge_hpack_encode_table_size(struct edge_buffer *out, uint32_t size);

// What a block does to the dynamic table, from its representations alone.
enum edge_hpack_effect {
    EDGE_HPACK_PURE,    // leaves it alone: decoding again gives the same fields
    EDGE_HPACK_CHANGES, // inserts, or changes its size
    EDGE_HPACK_BROKEN,  // cut short, or a number out of range
};
enum edge_hpack_effect edge_hpack_effect(const uint8_t *block, size_t len);

#define EDGE_FIELDS_MAX 64u

struct edge_field {
    const char *name; // not terminated
    const char *value;
    uint32_t name_len;
    uint32_t value_len;
};

// The fields of one block, valid until the next block is decoded into the same slot.
struct edge_fields {
    struct edge_field list[EDGE_FIELDS_MAX];
    uint32_t count;
    // The reader's own note on these fields, 0 when they are new. It comes back unchanged as long
    // as the same block means the same fields.
    uint32_t memo;
};

// The value of field `name`, or NULL; *len is its length.
const char *edge_fields_find(const struct edge_fields *fields, const char *name, size_t *len);

// Decoders remember the last block of each kind, since a server answers with the same few bytes
// again and again. A block equal to the remembered one is not decoded again if that is provably
// the same: decoding is a function of the block and the dynamic table; the block does not change
// the table (EDGE_HPACK_PURE), and no block since did.
enum edge_hpack_slot {
    EDGE_HPACK_HEADERS,  // a stream's first block
    EDGE_HPACK_TRAILERS, // a later one
    EDGE_HPACK_SLOTS
};

struct edge_hpack_decoder;

// Limits: fields beyond EDGE_FIELDS_MAX or `max_text` bytes of names and values fail the block.
// NULL: out of memory.
struct edge_hpack_decoder *edge_hpack_decoder_new(size_t max_text);
void edge_hpack_decoder_del(struct edge_hpack_decoder *decoder);

// Decodes one whole block (HEADERS and its CONTINUATIONs). 0 and *fields (the decoder's, see
// above); EDGE_ERR_PROTOCOL: it does not decode, the connection is lost (COMPRESSION_ERROR);
// EDGE_ERR_LIMIT: more fields or text than allowed, also final; -ENOMEM.
int edge_hpack_decode(struct edge_hpack_decoder *decoder, enum edge_hpack_slot slot,
                      const uint8_t *block, size_t len, struct edge_fields **fields);

// How many blocks were really decoded, not remembered.
uint64_t edge_hpack_decoder_work(const struct edge_hpack_decoder *decoder);

#endif
