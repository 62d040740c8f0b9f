// Lies and truths told through HPACK's dynamic table (RFC 7541 section 2.3.2): the same bytes do
// not always mean the same, so a client that remembers blocks must know when not to.
#ifndef EDGE_TESTS_LIES_HPACK_H
#define EDGE_TESTS_LIES_HPACK_H

#include "lying_session.h"

// Honest replies. Entries are inserted twice, pushed down by others, evicted, and the whole table
// is emptied now and then.
void lies_answer_reindexing(struct liar *liar, const struct liar_stream *stream, uint64_t number);

// Of each four calls of a connection the first and third end with grpc-status 13, the others with
// 0. The third and fourth have trailers of the very same bytes.
void lies_answer_stale_status(struct liar *liar, const struct liar_stream *stream, uint64_t number);

#endif
