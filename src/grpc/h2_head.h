// The header list of a request as it comes, field by field, with a memory of the one before.
//
// HPACK gives the same name and value objects as long as they stay in its table, and a client that
// repeats a call repeats its fields. Fields that are the same objects, in the same places as last
// time, mean what they meant then: they cost two comparisons. The objects are kept referenced, so
// an address cannot come to mean something else.
#ifndef EDGE_GRPC_H2_HEAD_H
#define EDGE_GRPC_H2_HEAD_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grpc/h2_rules.h"
#include "grpc/method.h"
#include "grpc/request.h"

#define EDGE_H2_HEAD_STEPS 16    // fields that are remembered
#define EDGE_H2_HEAD_BYTES 4096u // and their list size: what HPACK's table holds

// What the fields so far say. All zero is the start.
struct edge_h2_head {
    struct edge_request request;
    struct edge_h2_rules rules;
    const struct edge_method *method; // what :path leads to, or NULL
    bool service_found;
};

// One connection's, which has one header list at a time. All zero is the start.
struct edge_h2_head_reader {
    const struct edge_h2_head *head; // after the fields so far; NULL: there were none
    size_t count;                    // fields so far
    size_t known;                    // of the steps
    struct edge_h2_head latest;      // where `head` is if it is not in a step
    struct edge_h2_head_step {
        nghttp2_rcbuf *name, *value; // referenced
        struct edge_h2_head after;
    } steps[EDGE_H2_HEAD_STEPS];
};

// A header list begins.
static inline void edge_h2_head_begin(struct edge_h2_head_reader *reader)
{
    reader->head = NULL;
    reader->count = 0;
}

// Takes the next field if it is the one of last time: true. False: take it with
// edge_h2_head_field().
static inline bool edge_h2_head_repeated(struct edge_h2_head_reader *reader,
                                         const nghttp2_rcbuf *name, const nghttp2_rcbuf *value)
{
    if (reader->count >= reader->known)
        return false;
    const struct edge_h2_head_step *step = &reader->steps[reader->count];
    if (step->name != name || step->value != value)
        return false;
    reader->head = &step->after;
    reader->count++;
    return true;
}

// True if the method that the fields so far lead to reads them all: then none from :path on is
// remembered, so that each is seen by edge_h2_head_field()'s caller.
static inline bool edge_h2_head_metadata(const struct edge_h2_head_reader *reader)
{
    return reader->head->method != NULL && reader->head->method->metadata;
}

// Takes the next field. 0; EDGE_ERR_PROTOCOL: the request is malformed; EDGE_ERR_LIMIT: beyond the
// hard limit of grpc/limits.h. After an error the list is lost.
int edge_h2_head_field(struct edge_h2_head_reader *reader, const struct edge_method *const *tables,
                       nghttp2_rcbuf *name, nghttp2_rcbuf *value);

// Lets go of what it remembers. Safe twice.
void edge_h2_head_free(struct edge_h2_head_reader *reader);

#endif
