// Fields of an encoded message that every message fills anew, in place: numbers and texts of fixed
// width, so that no length changes.
//
//   text     decimal digits with zeros before them, inside a string or bytes
//   number   fixed32, fixed64, float and double as they are; a varint in as many bytes as its
//            largest value takes, small values with continuation bits and zeros behind: longer than
//            they need be, and read alike by every decoder
#ifndef EDGE_LOAD_PATCH_H
#define EDGE_LOAD_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum edge_patch_source {
    EDGE_PATCH_COUNTER,   // the message's number
    EDGE_PATCH_RANDOM,    // from the seed and the message's number
    EDGE_PATCH_TIMESTAMP, // when the message was written, CLOCK_REALTIME
    EDGE_PATCH_UUID,      // a random UUID (RFC 9562, version 4), as text only
};

enum edge_patch_form {
    EDGE_PATCH_TEXT,
    EDGE_PATCH_VARINT,
    EDGE_PATCH_ZIGZAG, // a varint of twice the value: sint32, sint64
    EDGE_PATCH_FIXED,  // 4 or 8 bytes, little-endian
    EDGE_PATCH_FLOAT,  // 4 or 8 bytes, IEEE 754
};

struct edge_patch {
    enum edge_patch_source source;
    enum edge_patch_form form;
    size_t at, len;   // bytes of the message
    uint64_t count;   // the value is below it: taken modulo; timestamps: 2^63
    uint64_t unit_ns; // of a timestamp
    uint32_t salt;    // tells the random fields of one message apart
};

#define EDGE_PATCH_COUNT_MAX (UINT64_C(1) << 63)

// What a message is filled with.
struct edge_patch_values {
    uint64_t seed;
    uint64_t number;  // of the message
    uint64_t wall_ns; // CLOCK_REALTIME
};

// The value that a field gets.
uint64_t edge_patch_value(const struct edge_patch *patch, const struct edge_patch_values *values);

// Writes the whole field: patch->len bytes.
void edge_patch_write(const struct edge_patch *patch, const struct edge_patch_values *values,
                      uint8_t *out);

// `out` holds bytes [from, from + len) of a message: fills what of the fields lies in them.
void edge_patch_apply(const struct edge_patch *patches, size_t count,
                      const struct edge_patch_values *values, size_t from, uint8_t *out,
                      size_t len);

// How many bytes a varint below `count` may take, and how many digits.
size_t edge_patch_varint_len(uint64_t count);
size_t edge_patch_digits(uint64_t count);

// A random 64-bit number: the same for the same three. (SplitMix64 over a Weyl sequence.)
uint64_t edge_patch_random(uint64_t seed, uint64_t number, uint64_t salt);

#endif
