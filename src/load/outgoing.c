#include "load/outgoing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "load/data.h"
#include "load/service.h"
#include "wire/frame.h"

static bool varies(const struct edge_framed *framed)
{
    return framed->vary_len > 0 || framed->patch_count > 0;
}

// Replaces a whole message in `bytes` by prefix and packed contents. 0 or -ENOMEM.
static int pack(struct edge_gzip *gzip, struct edge_buffer *bytes)
{
    int error = edge_gzip_deflate(gzip, edge_buffer_head(bytes) + EDGE_FRAMED_PREFIX,
                                  bytes->len - EDGE_FRAMED_PREFIX);
    if (error < 0)
        return error;
    bytes->len = EDGE_FRAMED_PREFIX;
    error = edge_buffer_append(bytes, edge_buffer_head(&gzip->packed), gzip->packed.len);
    edge_buffer_head(bytes)[0] = 1;
    edge_put_u32(edge_buffer_head(bytes) + 1, (uint32_t)gzip->packed.len);
    return error;
}

static int add(struct edge_outgoing *outgoing, const struct edge_template *template,
               struct edge_gzip *gzip)
{
    struct edge_framed *framed = &outgoing->messages[outgoing->count];
    int error = edge_framed_init(framed, template);
    if (error < 0)
        return error;
    outgoing->count++;
    for (size_t i = 0; i < framed->patch_count; i++)
        outgoing->stamped |= framed->patches[i].source == EDGE_PATCH_TIMESTAMP;
    if (!outgoing->gzip || varies(framed))
        return 0;
    struct edge_buffer bytes = {.data = framed->bytes, .len = framed->len, .cap = framed->len};
    error = pack(gzip, &bytes);
    framed->bytes = bytes.data;
    framed->len = bytes.len;
    return error;
}

int edge_outgoing_init(struct edge_outgoing *outgoing, const struct edge_payload *payload,
                       bool gzip, uint64_t seed)
{
    const struct edge_template *templates = &payload->request;
    size_t count = 1, given = 1;
    if (payload->service != NULL) {
        templates = payload->service->data.messages;
        count = payload->service->data.count;
        given = payload->service->data.given;
    }
    *outgoing = (struct edge_outgoing){
        .messages = calloc(count, sizeof(*outgoing->messages)),
        .given = given,
        .streams = payload->kind == EDGE_CALL_CLIENT_STREAM || payload->kind == EDGE_CALL_BIDI,
        .gzip = gzip,
        .seed = seed,
    };
    struct edge_gzip packer = {0};
    int error = outgoing->messages != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && error == 0; i++)
        error = add(outgoing, &templates[i], &packer);
    edge_gzip_free(&packer);
    if (error < 0)
        edge_outgoing_free(outgoing);
    return error;
}

void edge_outgoing_free(struct edge_outgoing *outgoing)
{
    for (size_t i = 0; i < outgoing->count && outgoing->messages != NULL; i++)
        edge_framed_free(&outgoing->messages[i]);
    free(outgoing->messages);
    *outgoing = (struct edge_outgoing){0};
}

void edge_outgoing_scratch_free(struct edge_outgoing_scratch *scratch)
{
    edge_gzip_free(&scratch->gzip);
    edge_buffer_free(&scratch->bytes);
}

// Fills the message, then packs it.
static int take_packed(struct edge_outgoing_scratch *scratch, struct edge_outgoing_message *message)
{
    struct edge_buffer *bytes = &scratch->bytes;
    bytes->start = bytes->len = 0;
    int error = edge_buffer_reserve(bytes, message->len);
    if (error < 0)
        return error;
    edge_outgoing_copy(message, 0, edge_buffer_tail(bytes), message->len);
    bytes->len = message->len;
    error = pack(&scratch->gzip, bytes);
    message->packed = edge_buffer_head(bytes);
    message->len = bytes->len;
    return error;
}

int edge_outgoing_take(const struct edge_outgoing *outgoing, uint64_t number, uint64_t index,
                       uint64_t wall_ns, struct edge_outgoing_scratch *scratch,
                       struct edge_outgoing_message *message)
{
    size_t pick = outgoing->count == 1 ? 0
                                       : edge_data_pick(outgoing->given, outgoing->count,
                                                        outgoing->streams, number, index);
    const struct edge_framed *framed = &outgoing->messages[pick];
    *message = (struct edge_outgoing_message){
        .framed = framed,
        .values = {.seed = outgoing->seed, .number = number, .wall_ns = wall_ns},
        .len = framed->len,
    };
    return outgoing->gzip && varies(framed) ? take_packed(scratch, message) : 0;
}

void edge_outgoing_copy(const struct edge_outgoing_message *message, size_t from, uint8_t *out,
                        size_t len)
{
    const struct edge_framed *framed = message->framed;
    if (message->packed != NULL) {
        memcpy(out, message->packed + from, len);
        return;
    }
    edge_framed_copy(framed, message->values.number, from, out, len);
    if (framed->patch_count > 0)
        edge_patch_apply(framed->patches, framed->patch_count, &message->values, from, out, len);
}
