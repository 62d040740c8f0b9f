// A build without zlib: boards'.
#include "load/gzip.h"

#include "base/error.h"

bool edge_gzip_available(void)
{
    return false;
}

int edge_gzip_pack(const uint8_t *bytes, size_t len, struct edge_buffer *out)
{
    (void)bytes, (void)len, (void)out;
    return EDGE_ERR_UNSUPPORTED;
}

int edge_gzip_unpack(const uint8_t *bytes, size_t len, size_t max, struct edge_buffer *out)
{
    (void)bytes, (void)len, (void)max, (void)out;
    return EDGE_ERR_UNSUPPORTED;
}
