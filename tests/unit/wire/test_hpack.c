#include "cmocka_headers.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "wire/hpack.h"
#include "wire/hpack_table.h"

// ---- the encoder, read back by nghttp2's inflater ----

static void expect_inflated(nghttp2_hd_inflater *inflater, const struct edge_buffer *block,
                            const char *expected)
{
    char text[512] = "";
    const uint8_t *at = block->data + block->start;
    size_t left = block->len;
    for (;;) {
        nghttp2_nv nv;
        int flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, at, left, 1);
        assert_true(used >= 0);
        at += used;
        left -= (size_t)used;
        if (flags & NGHTTP2_HD_INFLATE_EMIT)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s\n",
                     (const char *)nv.name, (const char *)nv.value);
        if (flags & NGHTTP2_HD_INFLATE_FINAL)
            break;
    }
    nghttp2_hd_inflate_end_headers(inflater);
    assert_string_equal(text, expected);
}

static void encode(struct edge_buffer *block, enum edge_hpack_mode mode, const char *name,
                   const char *value, bool expect_inserted)
{
    bool inserted;
    assert_int_equal(edge_hpack_encode(block, mode, name, value, &inserted), 0);
    assert_int_equal(inserted, expect_inserted);
}

static void stateless_leaves_the_table_alone(void **state)
{
    (void)state;
    nghttp2_hd_inflater *inflater;
    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    struct edge_buffer block = {0};
    encode(&block, EDGE_HPACK_STATELESS, ":method", "POST", false);
    encode(&block, EDGE_HPACK_STATELESS, ":path", "/a.B/C", false);
    encode(&block, EDGE_HPACK_STATELESS, "content-type", "application/grpc", false);
    encode(&block, EDGE_HPACK_STATELESS, "te", "trailers", false);
    assert_int_equal(edge_hpack_effect(edge_buffer_head(&block), block.len), EDGE_HPACK_PURE);
    for (int i = 0; i < 2; i++)
        expect_inflated(inflater, &block,
                        ":method=POST\n:path=/a.B/C\ncontent-type=application/grpc\n"
                        "te=trailers\n");
    assert_int_equal(nghttp2_hd_inflate_get_dynamic_table_size(inflater), 0);
    edge_buffer_free(&block);
    nghttp2_hd_inflate_del(inflater);
}

static void inserted_fields_are_found_by_index(void **state)
{
    (void)state;
    nghttp2_hd_inflater *inflater;
    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    struct edge_buffer block = {0};
    encode(&block, EDGE_HPACK_INSERT, ":scheme", "http", false);
    encode(&block, EDGE_HPACK_INSERT, ":path", "/a.B/C", true);
    encode(&block, EDGE_HPACK_INSERT, "te", "trailers", true);
    assert_int_equal(edge_hpack_effect(edge_buffer_head(&block), block.len), EDGE_HPACK_CHANGES);
    expect_inflated(inflater, &block, ":scheme=http\n:path=/a.B/C\nte=trailers\n");
    edge_buffer_consume(&block, block.len);
    assert_int_equal(edge_hpack_encode_index(&block, EDGE_HPACK_STATIC + 2), 0);
    assert_int_equal(edge_hpack_encode_index(&block, EDGE_HPACK_STATIC + 1), 0);
    assert_int_equal(block.len, 2);
    assert_int_equal(edge_hpack_effect(edge_buffer_head(&block), block.len), EDGE_HPACK_PURE);
    expect_inflated(inflater, &block, ":path=/a.B/C\nte=trailers\n");
    edge_buffer_free(&block);
    nghttp2_hd_inflate_del(inflater);
}

static void long_strings_and_size_updates(void **state)
{
    (void)state;
    nghttp2_hd_inflater *inflater;
    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    char value[401], expected[512];
    memset(value, 'v', 400);
    value[400] = '\0';
    snprintf(expected, sizeof(expected), "x=%s\n", value);
    struct edge_buffer block = {0};
    assert_int_equal(edge_hpack_encode_table_size(&block, 0), 0);
    assert_int_equal(edge_hpack_encode_table_size(&block, 4000), 0);
    encode(&block, EDGE_HPACK_STATELESS, "x", value, false);
    assert_int_equal(edge_hpack_effect(edge_buffer_head(&block), block.len), EDGE_HPACK_CHANGES);
    expect_inflated(inflater, &block, expected);
    assert_int_equal(nghttp2_hd_inflate_get_max_dynamic_table_size(inflater), 4000);
    edge_buffer_free(&block);
    nghttp2_hd_inflate_del(inflater);
}

// Every entry of our static table is what the inflater has at that index.
static void static_table(void **state)
{
    (void)state;
    nghttp2_hd_inflater *inflater;
    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    for (uint32_t i = 1; i <= EDGE_HPACK_STATIC; i++) {
        char expected[128];
        struct edge_buffer block = {0};
        assert_int_equal(edge_hpack_encode_index(&block, i), 0);
        snprintf(expected, sizeof(expected), "%s=%s\n", edge_hpack_table[i].name,
                 edge_hpack_table[i].value);
        expect_inflated(inflater, &block, expected);
        edge_buffer_free(&block);
    }
    nghttp2_hd_inflate_del(inflater);
}

// ---- effects ----

static void broken_blocks(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[8];
        size_t len;
    } blocks[] = {
        {{0xff}, 1},                               // index cut short
        {{0xff, 0x80, 0x80, 0x80, 0x80, 0x80}, 6}, // integer without end
        {{0x40}, 1},                               // name missing
        {{0x40, 0x05, 'a'}, 3},                    // name cut short
        {{0x41}, 1},                               // value missing
        {{0x41, 0x7f}, 2},                         // length of the value cut short
        {{0x00, 0x01, 'a', 0x02, 'b'}, 5},         // value cut short
        {{0x3f}, 1},                               // size update cut short
    };
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        assert_int_equal(edge_hpack_effect(blocks[i].bytes, blocks[i].len), EDGE_HPACK_BROKEN);
    assert_int_equal(edge_hpack_effect(NULL, 0), EDGE_HPACK_PURE);
}

// ---- the decoder and what it remembers ----

static struct edge_fields *decode(struct edge_hpack_decoder *decoder, const uint8_t *block,
                                  size_t len)
{
    struct edge_fields *fields;
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, block, len, &fields), 0);
    return fields;
}

static void expect_field(const struct edge_fields *fields, const char *name, const char *value)
{
    size_t len;
    const char *found = edge_fields_find(fields, name, &len);
    assert_non_null(found);
    assert_int_equal(len, strlen(value));
    assert_memory_equal(found, value, len);
}

// A server that answers with the same index, but puts another field under it in between.
static void reindexing_is_seen(void **state)
{
    (void)state;
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
    assert_non_null(decoder);
    const uint8_t insert_0[] = {0x40, 11,  'g', 'r', 'p', 'c', '-', 's',
                                't',  'a', 't', 'u', 's', 1,   '0'};
    const uint8_t insert_13[] = {0x40, 11,  'g', 'r', 'p', 'c', '-', 's',
                                 't',  'a', 't', 'u', 's', 2,   '1', '3'};
    const uint8_t newest[] = {0x80 | 62};
    expect_field(decode(decoder, insert_0, sizeof(insert_0)), "grpc-status", "0");

    struct edge_fields *fields = decode(decoder, newest, sizeof(newest));
    expect_field(fields, "grpc-status", "0");
    assert_int_equal(fields->memo, 0);
    fields->memo = 7;
    uint64_t work = edge_hpack_decoder_work(decoder);
    fields = decode(decoder, newest, sizeof(newest));
    expect_field(fields, "grpc-status", "0");
    assert_int_equal(fields->memo, 7);
    assert_int_equal(edge_hpack_decoder_work(decoder), work); // remembered

    // The insertion may come in the other slot's block: it is one table.
    assert_int_equal(
        edge_hpack_decode(decoder, EDGE_HPACK_TRAILERS, insert_13, sizeof(insert_13), &fields), 0);
    fields = decode(decoder, newest, sizeof(newest));
    expect_field(fields, "grpc-status", "13");
    assert_int_equal(fields->memo, 0);
    edge_hpack_decoder_del(decoder);
}

// A block that inserts is never remembered: each time it inserts again.
static void inserting_block_is_decoded_each_time(void **state)
{
    (void)state;
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
    const uint8_t insert[] = {0x40, 1, 'a', 1, 'b'};
    for (uint64_t i = 1; i <= 3; i++) {
        expect_field(decode(decoder, insert, sizeof(insert)), "a", "b");
        assert_int_equal(edge_hpack_decoder_work(decoder), i);
    }
    const uint8_t third[] = {0x80 | 64};
    expect_field(decode(decoder, third, sizeof(third)), "a", "b");
    edge_hpack_decoder_del(decoder);
}

// Literals that are not indexed change nothing, so they may be remembered; a size update may not.
static void pure_blocks_are_remembered(void **state)
{
    (void)state;
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
    const uint8_t literal[] = {0x88, 0x00, 1, 'a', 1, 'b', 0x10, 1, 'c', 1, 'd'};
    decode(decoder, literal, sizeof(literal));
    struct edge_fields *fields = decode(decoder, literal, sizeof(literal));
    assert_int_equal(edge_hpack_decoder_work(decoder), 1);
    expect_field(fields, ":status", "200");
    expect_field(fields, "c", "d");
    const uint8_t resize[] = {0x20, 0x88};
    decode(decoder, resize, sizeof(resize));
    decode(decoder, resize, sizeof(resize));
    assert_int_equal(edge_hpack_decoder_work(decoder), 3);
    edge_hpack_decoder_del(decoder);
}

static void limits(void **state)
{
    (void)state;
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(64);
    struct edge_fields *fields;
    uint8_t many[EDGE_FIELDS_MAX + 1];
    memset(many, 0x80 | 4, sizeof(many)); // ":path" "/": 6 bytes each
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, many, 11, &fields),
                     EDGE_ERR_LIMIT);
    edge_hpack_decoder_del(decoder);
    decoder = edge_hpack_decoder_new(4096);
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, many, EDGE_FIELDS_MAX, &fields),
                     0);
    assert_int_equal(fields->count, EDGE_FIELDS_MAX);
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, many, sizeof(many), &fields),
                     EDGE_ERR_LIMIT);
    edge_hpack_decoder_del(decoder);
    decoder = edge_hpack_decoder_new(4096);
    const uint8_t unknown[] = {0x80 | 62};
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, unknown, 1, &fields),
                     EDGE_ERR_PROTOCOL);
    edge_hpack_decoder_del(decoder);
    edge_hpack_decoder_del(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stateless_leaves_the_table_alone),
        cmocka_unit_test(inserted_fields_are_found_by_index),
        cmocka_unit_test(long_strings_and_size_updates),
        cmocka_unit_test(static_table),
        cmocka_unit_test(broken_blocks),
        cmocka_unit_test(reindexing_is_seen),
        cmocka_unit_test(inserting_block_is_decoded_each_time),
        cmocka_unit_test(pure_blocks_are_remembered),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
