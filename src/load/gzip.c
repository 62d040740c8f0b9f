#include "load/gzip.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/error.h"

#define GZIP_BITS (15 + 16) // the largest window, and gzip's own header
#define STEP      4096u

bool edge_gzip_available(void)
{
    return true;
}

int edge_gzip_pack(const uint8_t *bytes, size_t len, struct edge_buffer *out)
{
    z_stream stream = {0};
    if (len > UINT_MAX)
        return EDGE_ERR_LIMIT;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return -ENOMEM;
    size_t bound = deflateBound(&stream, len);
    int error = edge_buffer_reserve(out, bound);
    if (error == 0) {
        stream.next_in = (uint8_t *)(uintptr_t)bytes;
        stream.avail_in = (unsigned)len;
        stream.next_out = edge_buffer_tail(out);
        stream.avail_out = (unsigned)bound;
        if (deflate(&stream, Z_FINISH) == Z_STREAM_END)
            out->len += bound - stream.avail_out;
        else
            error = EDGE_ERR_LIMIT;
    }
    deflateEnd(&stream);
    return error;
}

// Unpacks up to the end of the stream. 0 or an error.
static int unpack_all(z_stream *stream, size_t max, struct edge_buffer *out)
{
    size_t left = max;
    for (;;) {
        // One byte above the limit shows that there is more.
        size_t room = left < STEP ? left + 1 : STEP;
        int error = edge_buffer_reserve(out, room);
        if (error < 0)
            return error;
        stream->next_out = edge_buffer_tail(out);
        stream->avail_out = (unsigned)room;
        int status = inflate(stream, Z_NO_FLUSH);
        size_t got = room - stream->avail_out;
        if (got > left)
            return EDGE_ERR_LIMIT;
        out->len += got;
        left -= got;
        if (status == Z_STREAM_END)
            return stream->avail_in == 0 ? 0 : EDGE_ERR_FORMAT;
        if (status == Z_MEM_ERROR)
            return -ENOMEM;
        if (status != Z_OK)
            return EDGE_ERR_FORMAT;
    }
}

int edge_gzip_unpack(const uint8_t *bytes, size_t len, size_t max, struct edge_buffer *out)
{
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)bytes, .avail_in = (unsigned)len};
    if (len > UINT_MAX)
        return EDGE_ERR_LIMIT;
    if (inflateInit2(&stream, GZIP_BITS) != Z_OK)
        return -ENOMEM;
    int error = unpack_all(&stream, max, out);
    inflateEnd(&stream);
    return error;
}
