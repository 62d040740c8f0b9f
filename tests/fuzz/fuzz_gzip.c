// Messages that come compressed. The first byte bounds what may come out.
#include <stdlib.h>
#include <string.h>

#include "grpc/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct edge_gzip gzip; // what one message does to it must not touch the next
    if (len == 0)
        return 0;
    const size_t limit = (size_t)bytes[0] * 16;
    if (edge_gzip_inflate(&gzip, bytes + 1, len - 1, limit) == 0) {
        if (gzip.plain.len > limit)
            abort();
        edge_gzip_deflate(&gzip, edge_buffer_head(&gzip.plain), gzip.plain.len);
    } else {
        edge_gzip_deflate(&gzip, bytes + 1, len - 1);
    }
    // What was packed comes back.
    uint8_t *packed = malloc(gzip.packed.len);
    if (packed == NULL)
        abort();
    memcpy(packed, edge_buffer_head(&gzip.packed), gzip.packed.len);
    if (edge_gzip_inflate(&gzip, packed, gzip.packed.len, 1 << 20) < 0)
        abort();
    free(packed);
    return 0;
}
