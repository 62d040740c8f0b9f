#include "wire/hpack.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/hpack_table.h"

// RFC 7541 section 5.1: the largest integer that anything here needs is far below 2^32.
#define INTEGER_SHIFT_MAX 28u

static int encode_integer(struct edge_buffer *out, uint8_t first, unsigned prefix_bits,
                          uint32_t value)
{
    uint8_t bytes[6];
    size_t len = 0;
    uint32_t limit = (1u << prefix_bits) - 1;
    if (value < limit) {
        bytes[len++] = (uint8_t)(first | value);
        return edge_buffer_append(out, bytes, len);
    }
    bytes[len++] = (uint8_t)(first | limit);
    for (value -= limit; value >= 0x80; value >>= 7)
        bytes[len++] = (uint8_t)(value | 0x80);
    bytes[len++] = (uint8_t)value;
    return edge_buffer_append(out, bytes, len);
}

static int encode_string(struct edge_buffer *out, const char *text)
{
    size_t len = strlen(text);
    int error = encode_integer(out, 0, 7, (uint32_t)len);
    return error < 0 ? error : edge_buffer_append(out, text, len);
}

int edge_hpack_encode_index(struct edge_buffer *out, uint32_t index)
{
    return encode_integer(out, 0x80, 7, index);
}

int edge_hpack_encode_table_size(struct edge_buffer *out, uint32_t size)
{
    return encode_integer(out, 0x20, 5, size);
}

int edge_hpack_encode(struct edge_buffer *out, enum edge_hpack_mode mode, const char *name,
                      const char *value, bool *inserted)
{
    if (inserted != NULL)
        *inserted = false;
    uint32_t name_index = 0;
    for (uint32_t i = 1; i <= EDGE_HPACK_STATIC; i++) {
        if (strcmp(edge_hpack_table[i].name, name) != 0)
            continue;
        if (strcmp(edge_hpack_table[i].value, value) == 0)
            return edge_hpack_encode_index(out, i);
        if (name_index == 0)
            name_index = i;
    }
    int error = mode == EDGE_HPACK_INSERT ? encode_integer(out, 0x40, 6, name_index)
                                          : encode_integer(out, 0x00, 4, name_index);
    if (error == 0 && name_index == 0)
        error = encode_string(out, name);
    if (error == 0)
        error = encode_string(out, value);
    if (error == 0 && inserted != NULL)
        *inserted = mode == EDGE_HPACK_INSERT;
    return error;
}

// Reads an integer at block[*at]. False: cut short or too large.
static bool read_integer(const uint8_t *block, size_t len, size_t *at, unsigned prefix_bits,
                         uint64_t *value)
{
    uint32_t limit = (1u << prefix_bits) - 1;
    *value = block[(*at)++] & limit;
    if (*value < limit)
        return true;
    for (unsigned shift = 0; shift <= INTEGER_SHIFT_MAX; shift += 7) {
        if (*at == len)
            return false;
        uint8_t byte = block[(*at)++];
        *value += (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool skip_string(const uint8_t *block, size_t len, size_t *at)
{
    uint64_t size;
    if (*at == len || !read_integer(block, len, at, 7, &size) || size > len - *at)
        return false;
    *at += (size_t)size;
    return true;
}

enum edge_hpack_effect edge_hpack_effect(const uint8_t *block, size_t len)
{
    enum edge_hpack_effect effect = EDGE_HPACK_PURE;
    size_t at = 0;
    while (at < len) {
        uint8_t first = block[at];
        uint64_t number;
        if (first & 0x80) { // section 6.1: indexed
            if (!read_integer(block, len, &at, 7, &number))
                return EDGE_HPACK_BROKEN;
            continue;
        }
        bool inserts = (first & 0xc0) == 0x40; // section 6.2.1
        bool resizes = (first & 0xe0) == 0x20; // section 6.3
        unsigned prefix_bits = inserts ? 6 : resizes ? 5 : 4;
        if (inserts || resizes)
            effect = EDGE_HPACK_CHANGES;
        if (!read_integer(block, len, &at, prefix_bits, &number))
            return EDGE_HPACK_BROKEN;
        if (resizes)
            continue;
        if (number == 0 && !skip_string(block, len, &at))
            return EDGE_HPACK_BROKEN;
        if (!skip_string(block, len, &at))
            return EDGE_HPACK_BROKEN;
    }
    return effect;
}

const char *edge_fields_find(const struct edge_fields *fields, const char *name, size_t *len)
{
    size_t name_len = strlen(name);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct edge_field *field = &fields->list[i];
        if (field->name_len == name_len && memcmp(field->name, name, name_len) == 0) {
            *len = field->value_len;
            return field->value;
        }
    }
    return NULL;
}

// Longer blocks are always decoded.
#define REMEMBER_MAX 256u

struct remembered {
    uint8_t block[REMEMBER_MAX];
    size_t len;
    uint64_t generation; // of the table when it was decoded; 0: nothing remembered
    struct edge_fields fields;
    struct edge_buffer text; // the bytes that fields point to
};

struct edge_hpack_decoder {
    nghttp2_hd_inflater *inflater;
    uint64_t generation; // counts the blocks that changed the dynamic table, from 1
    uint64_t work;
    size_t max_text;
    struct remembered slots[EDGE_HPACK_SLOTS];
};

struct edge_hpack_decoder *edge_hpack_decoder_new(size_t max_text)
{
    struct edge_hpack_decoder *decoder = calloc(1, sizeof(*decoder));
    if (decoder == NULL)
        return NULL;
    decoder->generation = 1;
    decoder->max_text = max_text;
    if (nghttp2_hd_inflate_new(&decoder->inflater) != 0) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void edge_hpack_decoder_del(struct edge_hpack_decoder *decoder)
{
    if (decoder == NULL)
        return;
    for (size_t i = 0; i < EDGE_HPACK_SLOTS; i++)
        edge_buffer_free(&decoder->slots[i].text);
    nghttp2_hd_inflate_del(decoder->inflater);
    free(decoder);
}

uint64_t edge_hpack_decoder_work(const struct edge_hpack_decoder *decoder)
{
    return decoder->work;
}

static int keep_field(struct edge_hpack_decoder *decoder, struct remembered *slot,
                      const nghttp2_nv *nv)
{
    struct edge_fields *fields = &slot->fields;
    size_t more = nv->namelen + nv->valuelen;
    if (fields->count == EDGE_FIELDS_MAX || more > decoder->max_text - slot->text.len)
        return EDGE_ERR_LIMIT;
    int error = edge_buffer_append(&slot->text, nv->name, nv->namelen);
    if (error == 0)
        error = edge_buffer_append(&slot->text, nv->value, nv->valuelen);
    if (error < 0)
        return error;
    fields->list[fields->count++] = (struct edge_field){
        .name_len = (uint32_t)nv->namelen,
        .value_len = (uint32_t)nv->valuelen,
    };
    return 0;
}

// The text may move while fields are added, so pointers are set at the end.
static void point_fields(struct remembered *slot)
{
    const char *at = (const char *)edge_buffer_head(&slot->text);
    for (uint32_t i = 0; i < slot->fields.count; i++) {
        struct edge_field *field = &slot->fields.list[i];
        field->name = at;
        field->value = at + field->name_len;
        at += field->name_len + field->value_len;
    }
}

static int inflate_block(struct edge_hpack_decoder *decoder, struct remembered *slot,
                         const uint8_t *block, size_t len)
{
    slot->fields.count = 0;
    slot->fields.memo = 0;
    edge_buffer_consume(&slot->text, slot->text.len);
    // Room also for empty strings, so that they have an address.
    if (edge_buffer_reserve(&slot->text, 1) < 0)
        return -ENOMEM;
    for (;;) {
        nghttp2_nv nv;
        int flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(decoder->inflater, &nv, &flags, block, len, 1);
        if (used < 0)
            return used == NGHTTP2_ERR_NOMEM ? -ENOMEM : EDGE_ERR_PROTOCOL;
        block += used;
        len -= (size_t)used;
        if (flags & NGHTTP2_HD_INFLATE_EMIT) {
            int error = keep_field(decoder, slot, &nv);
            if (error < 0)
                return error;
        }
        if (flags & NGHTTP2_HD_INFLATE_FINAL)
            break;
        if (used == 0 && (flags & NGHTTP2_HD_INFLATE_EMIT) == 0)
            return EDGE_ERR_PROTOCOL;
    }
    nghttp2_hd_inflate_end_headers(decoder->inflater);
    point_fields(slot);
    return 0;
}

int edge_hpack_decode(struct edge_hpack_decoder *decoder, enum edge_hpack_slot which,
                      const uint8_t *block, size_t len, struct edge_fields **fields)
{
    struct remembered *slot = &decoder->slots[which];
    *fields = &slot->fields;
    if (slot->generation == decoder->generation && slot->len == len &&
        memcmp(slot->block, block, len) == 0)
        return 0;

    slot->generation = 0;
    decoder->work++;
    enum edge_hpack_effect effect = edge_hpack_effect(block, len);
    if (effect == EDGE_HPACK_BROKEN)
        return EDGE_ERR_PROTOCOL;
    int error = inflate_block(decoder, slot, block, len);
    if (error < 0)
        return error;
    if (effect == EDGE_HPACK_CHANGES) {
        decoder->generation++;
    } else if (len <= REMEMBER_MAX) {
        memcpy(slot->block, block, len);
        slot->len = len;
        slot->generation = decoder->generation;
    }
    return 0;
}
