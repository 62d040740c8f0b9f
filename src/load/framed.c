#include "load/framed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

int edge_framed_init(struct edge_framed *framed, const struct edge_template *template)
{
    *framed = (struct edge_framed){0};
    if (template->len > UINT32_MAX - EDGE_FRAMED_PREFIX)
        return EDGE_ERR_LIMIT;
    *framed = (struct edge_framed){
        .bytes = malloc(EDGE_FRAMED_PREFIX + template->len),
        .len = EDGE_FRAMED_PREFIX + template->len,
        .vary_at = EDGE_FRAMED_PREFIX + template->vary_at,
        .vary_len = template->vary_len,
        .plain_len = template->len,
    };
    if (framed->bytes == NULL)
        return -ENOMEM;
    if (template->patch_count > 0) {
        framed->patches = calloc(template->patch_count, sizeof(*framed->patches));
        if (framed->patches == NULL) {
            edge_framed_free(framed);
            return -ENOMEM;
        }
        framed->patch_count = template->patch_count;
        memcpy(framed->patches, template->patches,
               template->patch_count * sizeof(*framed->patches));
        for (size_t i = 0; i < framed->patch_count; i++)
            framed->patches[i].at += EDGE_FRAMED_PREFIX;
    }
    framed->bytes[0] = 0;
    edge_put_u32(framed->bytes + 1, (uint32_t) template->len);
    memcpy(framed->bytes + EDGE_FRAMED_PREFIX, template->bytes, template->len);
    return 0;
}

void edge_framed_free(struct edge_framed *framed)
{
    free(framed->bytes);
    free(framed->patches);
    *framed = (struct edge_framed){0};
}

// What of the varied text lies in [from, from + len): offset in it and count.
static size_t overlap(const struct edge_framed *framed, size_t from, size_t len, size_t *skip)
{
    size_t start = framed->vary_at > from ? framed->vary_at : from;
    size_t vary_end = framed->vary_at + framed->vary_len;
    size_t end = vary_end < from + len ? vary_end : from + len;
    *skip = start - framed->vary_at;
    return end > start ? end - start : 0;
}

void edge_framed_copy(const struct edge_framed *framed, uint64_t number, size_t from, uint8_t *out,
                      size_t len)
{
    memcpy(out, framed->bytes + from, len);
    if (framed->vary_len == 0)
        return;
    size_t skip;
    size_t count = overlap(framed, from, len, &skip);
    if (count == 0)
        return;
    uint8_t text[8];
    edge_payload_vary(text, framed->vary_len, number);
    memcpy(out + (framed->vary_at + skip - from), text + skip, count);
}

bool edge_framed_equal(const struct edge_framed *framed, uint64_t number, size_t from,
                       const uint8_t *bytes, size_t len)
{
    size_t skip;
    size_t count = framed->vary_len > 0 ? overlap(framed, from, len, &skip) : 0;
    if (count == 0)
        return memcmp(bytes, framed->bytes + from, len) == 0;
    uint8_t text[8];
    edge_payload_vary(text, framed->vary_len, number);
    size_t before = framed->vary_at + skip - from;
    size_t after = before + count;
    return memcmp(bytes, framed->bytes + from, before) == 0 &&
           memcmp(bytes + before, text + skip, count) == 0 &&
           memcmp(bytes + after, framed->bytes + from + after, len - after) == 0;
}
