#include "lies_hpack.h"

#include <stdio.h>
#include <stdlib.h>

#include "wire/hpack.h"

// The newest entry's index. A field whose age is 0 stands there.
#define NEWEST (EDGE_HPACK_STATIC + 1)

static void must(int error)
{
    if (error < 0)
        abort(); // out of memory
}

// Each insertion pushes the older entries one place down.
static void insert(struct liar *liar, struct edge_buffer *block, const char *name,
                   const char *value)
{
    must(edge_hpack_encode(block, EDGE_HPACK_INSERT, name, value, NULL));
    liar->content_type_age++;
    liar->status_age++;
}

static void insert_filler(struct liar *liar, struct edge_buffer *block)
{
    char value[24];
    snprintf(value, sizeof(value), "%llu", (unsigned long long)liar->requests);
    insert(liar, block, "x-filler", value);
}

static void insert_content_type(struct liar *liar, struct edge_buffer *block)
{
    insert(liar, block, "content-type", "application/grpc");
    liar->content_type_age = 0;
}

static void insert_status(struct liar *liar, struct edge_buffer *block, const char *status)
{
    insert(liar, block, "grpc-status", status);
    liar->status_age = 0;
}

static void send_block(struct liar *liar, const struct liar_stream *stream, unsigned flags,
                       struct edge_buffer *block)
{
    liar_frame(liar, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | flags, stream->id,
               edge_buffer_head(block), block->len);
    edge_buffer_free(block);
}

static void send_messages(struct liar *liar, const struct liar_stream *stream)
{
    liar_frame(liar, EDGE_FRAME_DATA, 0, stream->id, stream->bytes.data + stream->bytes.start,
               stream->bytes.len);
}

void lies_answer_reindexing(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    struct edge_buffer block = {0};
    uint64_t turn = liar->requests - 1;
    (void)number;
    if (turn % 32 == 0) {
        must(edge_hpack_encode_table_size(&block, 0));
        must(edge_hpack_encode_table_size(&block, EDGE_HPACK_TABLE_DEFAULT));
    }
    must(edge_hpack_encode(&block, EDGE_HPACK_STATELESS, ":status", "200", NULL));
    if (turn % 8 == 4)
        insert_filler(liar, &block);
    if (turn % 8 < 2)
        insert_content_type(liar, &block); // twice the same bytes, and each inserts
    else
        must(edge_hpack_encode_index(&block, NEWEST + liar->content_type_age));
    send_block(liar, stream, 0, &block);

    send_messages(liar, stream);

    if (turn % 8 == 5)
        insert_filler(liar, &block);
    if (turn % 8 < 2)
        insert_status(liar, &block, "0");
    else
        must(edge_hpack_encode_index(&block, NEWEST + liar->status_age));
    send_block(liar, stream, EDGE_FLAG_END_STREAM, &block);
}

void lies_answer_stale_status(struct liar *liar, const struct liar_stream *stream, uint64_t number)
{
    struct edge_buffer block = {0};
    uint64_t turn = (liar->requests - 1) % 4;
    (void)number;
    must(edge_hpack_encode(&block, EDGE_HPACK_STATELESS, ":status", "200", NULL));
    must(edge_hpack_encode(&block, EDGE_HPACK_STATELESS, "content-type", "application/grpc", NULL));
    if (turn == 3)
        insert_filler(liar, &block); // pushes status 0 to where status 13 was
    send_block(liar, stream, 0, &block);

    send_messages(liar, stream);

    if (turn < 2)
        insert_status(liar, &block, turn == 0 ? "13" : "0");
    else
        must(edge_hpack_encode_index(&block, NEWEST + 1));
    send_block(liar, stream, EDGE_FLAG_END_STREAM, &block);
}
