// Replies taken message by message, whole: what verify.c does not compare as it streams in. For
// methods that only the user's files know, and for packed replies.
#ifndef EDGE_LOAD_REPLY_H
#define EDGE_LOAD_REPLY_H

#include "load/verify.h"

#define EDGE_REPLY_MAX (64u << 20) // bytes of one message, packed or not

// The same as edge_verify_data(), which calls it.
void edge_reply_data(struct edge_verify *verify, const struct edge_verify_plan *plan,
                     uint64_t first, const uint8_t *bytes, size_t len);

#endif
