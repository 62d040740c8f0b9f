#include "grpc/gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

#define WINDOW_BITS  (15 + 16) // the largest window; gzip's header, not zlib's
#define MEMORY_LEVEL 8
#define STEP         ((size_t)4096)

static z_stream *new_stream(void)
{
    return calloc(1, sizeof(z_stream));
}

// zlib never writes to its input.
static Bytef *input(const uint8_t *bytes)
{
    return (Bytef *)(uintptr_t)bytes;
}

static int start_inflater(struct edge_gzip *gzip)
{
    if (gzip->inflater != NULL)
        return inflateReset(gzip->inflater) == Z_OK ? 0 : EDGE_ERR_FORMAT;
    z_stream *stream = new_stream();
    if (stream == NULL || inflateInit2(stream, WINDOW_BITS) != Z_OK) {
        free(stream);
        return -ENOMEM;
    }
    gzip->inflater = stream;
    return 0;
}

// Inflates what one reserve has room for. Z_STREAM_END, Z_OK, or negative: ours.
static int inflate_step(struct edge_gzip *gzip, size_t limit)
{
    z_stream *stream = gzip->inflater;
    struct edge_buffer *plain = &gzip->plain;
    if (edge_buffer_room(plain) == 0 &&
        edge_buffer_reserve(plain, plain->len < STEP ? STEP : plain->len) < 0)
        return -ENOMEM;
    // One byte more than allowed is enough to know.
    size_t room = edge_buffer_room(plain);
    if (room > limit - plain->len + 1)
        room = limit - plain->len + 1;
    stream->next_out = edge_buffer_tail(plain);
    stream->avail_out = (uInt)room;
    int got = inflate(stream, Z_NO_FLUSH);
    plain->len += room - stream->avail_out;
    if (plain->len > limit)
        return EDGE_ERR_LIMIT;
    if (got == Z_MEM_ERROR)
        return -ENOMEM;
    // Input that has run out inside of a stream, with room left, makes no progress.
    bool stuck =
        got == Z_BUF_ERROR || (got == Z_OK && stream->avail_in == 0 && stream->avail_out > 0);
    return stuck || (got != Z_OK && got != Z_STREAM_END) ? EDGE_ERR_FORMAT : got;
}

int edge_gzip_inflate(struct edge_gzip *gzip, const uint8_t *bytes, size_t len, size_t limit)
{
    gzip->plain.start = gzip->plain.len = 0;
    if (len > UINT32_MAX || limit > UINT32_MAX)
        return EDGE_ERR_LIMIT;
    int got = start_inflater(gzip);
    if (got < 0)
        return got;
    gzip->inflater->next_in = input(bytes);
    gzip->inflater->avail_in = (uInt)len;
    for (;;) {
        got = inflate_step(gzip, limit);
        if (got < 0)
            return got;
        if (got != Z_STREAM_END)
            continue;
        if (gzip->inflater->avail_in == 0)
            return 0;
        if (inflateReset(gzip->inflater) != Z_OK)
            return EDGE_ERR_FORMAT;
    }
}

static int start_deflater(struct edge_gzip *gzip)
{
    if (gzip->deflater != NULL)
        return deflateReset(gzip->deflater) == Z_OK ? 0 : -ENOMEM;
    z_stream *stream = new_stream();
    // The fastest level: a board has less CPU time to spare than its network has bytes.
    if (stream == NULL || deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                                       Z_DEFAULT_STRATEGY) != Z_OK) {
        free(stream);
        return -ENOMEM;
    }
    gzip->deflater = stream;
    return 0;
}

int edge_gzip_deflate(struct edge_gzip *gzip, const uint8_t *bytes, size_t len)
{
    struct edge_buffer *packed = &gzip->packed;
    packed->start = packed->len = 0;
    int error = len > UINT32_MAX / 2 ? -ENOMEM : start_deflater(gzip);
    if (error < 0)
        return error;
    z_stream *stream = gzip->deflater;
    size_t bound = deflateBound(stream, (uLong)len);
    if (edge_buffer_room(packed) < bound && edge_buffer_reserve(packed, bound) < 0)
        return -ENOMEM;
    stream->next_in = input(bytes);
    stream->avail_in = (uInt)len;
    stream->next_out = edge_buffer_tail(packed);
    stream->avail_out = (uInt)bound;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return -ENOMEM;
    packed->len = bound - stream->avail_out;
    return 0;
}

void edge_gzip_free(struct edge_gzip *gzip)
{
    if (gzip->inflater != NULL)
        inflateEnd(gzip->inflater);
    if (gzip->deflater != NULL)
        deflateEnd(gzip->deflater);
    free(gzip->inflater);
    free(gzip->deflater);
    edge_buffer_free(&gzip->plain);
    edge_buffer_free(&gzip->packed);
    *gzip = (struct edge_gzip){.inflater = NULL};
}
