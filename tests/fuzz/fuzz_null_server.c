// The null server's protocol: the first byte says how the rest is cut into reads. However it is
// cut, the answer must be the same, and a run of whole frames.
#include <stdlib.h>
#include <string.h>

#include "server/null/null.h"

// Answers `bytes`, read `step` at a time. Returns what the last read returned.
static int answer(const uint8_t *bytes, size_t len, size_t step, struct edge_buffer *out)
{
    struct edge_null *null = calloc(1, sizeof(*null));
    if (null == NULL)
        abort();
    int error = 0;
    while (error == 0 && len > 0) {
        size_t count = len < step ? len : step;
        error = edge_null_receive(null, bytes, count, out);
        bytes += count;
        len -= count;
    }
    free(null);
    return error;
}

static void check_frames(const struct edge_buffer *out)
{
    size_t at = 0;
    while (at < out->len) {
        if (out->len - at < EDGE_FRAME_HEADER)
            abort();
        struct edge_frame frame = edge_frame_read(out->data + out->start + at);
        if (frame.len > EDGE_FRAME_MAX_DEFAULT || frame.len > out->len - at - EDGE_FRAME_HEADER)
            abort();
        at += EDGE_FRAME_HEADER + frame.len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    struct edge_buffer whole = {0};
    struct edge_buffer cut = {0};
    int error = answer(bytes + 1, len - 1, SIZE_MAX, &whole);
    if (answer(bytes + 1, len - 1, 1u + bytes[0], &cut) != error || cut.len != whole.len)
        abort();
    if (whole.len > 0 && memcmp(edge_buffer_head(&whole), edge_buffer_head(&cut), whole.len) != 0)
        abort();
    check_frames(&whole);
    edge_buffer_free(&whole);
    edge_buffer_free(&cut);
    return 0;
}
