// The small parsers of grpc/. The first byte says how the rest is cut into pieces; however it is
// cut, the messages must be the same.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "grpc/framing.h"
#include "grpc/percent.h"
#include "grpc/status.h"
#include "grpc/timeout.h"
#include "grpc/utf8.h"

#define LIMIT 5000u

// Appends each message to `out`, behind its length and flag. Returns the last answer.
static int collect(const uint8_t *bytes, size_t len, size_t piece, struct edge_buffer *out)
{
    struct edge_framing framing = {0};
    struct edge_pool pool = {0};
    struct edge_framing_message message;
    int got = 0;
    while (got == 0 && len > 0) {
        size_t left = len < piece ? len : piece;
        const uint8_t *at = bytes;
        bytes += left;
        len -= left;
        while ((got = edge_framing_next(&framing, &pool, LIMIT, &at, &left, &message)) > 0) {
            if (message.len > LIMIT)
                abort();
            edge_buffer_append(out, &message.len, sizeof(message.len));
            edge_buffer_append(out, &message.compressed, 1);
            edge_buffer_append(out, message.bytes, message.len);
        }
    }
    edge_framing_free(&framing, &pool);
    edge_pool_free(&pool);
    return got;
}

static void check_framing(const uint8_t *bytes, size_t len, size_t piece)
{
    struct edge_buffer whole = {0};
    struct edge_buffer cut = {0};
    if (collect(bytes, len, SIZE_MAX, &whole) != collect(bytes, len, piece, &cut) ||
        whole.len != cut.len ||
        (whole.len > 0 && memcmp(edge_buffer_head(&whole), edge_buffer_head(&cut), whole.len) != 0))
        abort();
    edge_buffer_free(&whole);
    edge_buffer_free(&cut);
}

static void check_percent(const char *text, size_t len)
{
    char *encoded = malloc(3 * len + 1);
    char *back = malloc(len + 1);
    if (encoded == NULL || back == NULL)
        abort();
    size_t encoded_len = edge_percent_encode(text, len, encoded, 3 * len);
    for (size_t i = 0; i < encoded_len; i++)
        if (encoded[i] < 0x20 || encoded[i] > 0x7e)
            abort();
    if (edge_percent_decode(encoded, encoded_len, back, len) != len || memcmp(back, text, len) != 0)
        abort();
    // Cut short it must still be in bounds, and decode what nobody encoded.
    if (edge_percent_encode(text, len, encoded, len / 2) > len / 2 ||
        edge_percent_decode(text, len, back, len / 2) > len / 2)
        abort();
    free(encoded);
    free(back);
}

static void check_timeout(const char *text, size_t len)
{
    uint64_t timeout_ns;
    if (edge_timeout_parse(text, len, &timeout_ns) < 0)
        return;
    char again[EDGE_TIMEOUT_TEXT];
    uint64_t again_ns;
    size_t again_len = edge_timeout_format(timeout_ns, again);
    if (edge_timeout_parse(again, again_len, &again_ns) < 0 || again_ns > timeout_ns)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    const char *text = (const char *)bytes + 1;
    check_framing(bytes + 1, len - 1, 1u + bytes[0]);
    check_percent(text, len - 1);
    check_timeout(text, len - 1);
    edge_utf8_valid(text, len - 1);
    edge_status_parse(text, len - 1);
    return 0;
}
