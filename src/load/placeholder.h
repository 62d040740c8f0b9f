// Placeholders in the strings of JSON data:
//
//   {{counter}} {{counter N}}     the message's number, below N (string: 10^10; number: its type's)
//   {{random}} {{random N}}       a random number below N, from the seed
//   {{timestamp}} {{timestamp U}} CLOCK_REALTIME in U: s, ms, us or ns (the default)
//   {{uuid}}                      a random UUID, in strings only
//   {{randomString N}}            N random letters and digits
//   {{randomString MIN MAX}}      MIN to MAX of them, another length each time
#ifndef EDGE_LOAD_PLACEHOLDER_H
#define EDGE_LOAD_PLACEHOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "load/patch.h"
#include "load/type.h"

struct edge_placeholder {
    bool is_text;                  // {{randomString}}: not patched, but varied by re-encoding
    enum edge_patch_source source; // of the others
    uint64_t count;                // N; 0: not given
    uint64_t unit_ns;              // of a timestamp
    uint64_t min, max;             // of a text's length
};

#define EDGE_PLACEHOLDER_TEXT_MAX 65536u // of {{randomString}}

// Finds the first placeholder in text[len]: *at is its offset and *size its length. 1: found;
// 0: there is none; EDGE_ERR_FORMAT: "{{" begins something else, *why says what is expected.
int edge_placeholder_find(const char *text, size_t len, size_t *at, size_t *size,
                          struct edge_placeholder *placeholder, const char **why);

// How the placeholder is written into a field of this kind: form, width and count of *patch; its
// place is not known yet. Returns NULL, or why it cannot stand there.
const char *edge_placeholder_patch(const struct edge_placeholder *placeholder,
                                   enum edge_type_kind kind, struct edge_patch *patch);

#endif
