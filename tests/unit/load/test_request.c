#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "load/metadata.h"
#include "load/request.h"
#include "wire/hpack.h"

static const char expected[] = ":method=POST\n:scheme=http\n:path=/a.B/C\n:authority=host:1\n"
                               "te=trailers\ncontent-type=application/grpc\n"
                               "user-agent=bench-edge\ngrpc-timeout=20000000u\n";

static void expect_block(struct edge_hpack_decoder *decoder, const struct edge_buffer *block)
{
    struct edge_fields *fields;
    char text[512] = "";
    assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS, block->data + block->start,
                                       block->len, &fields),
                     0);
    for (uint32_t i = 0; i < fields->count; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%.*s=%.*s\n", (int)fields->list[i].name_len,
                 fields->list[i].name, (int)fields->list[i].value_len, fields->list[i].value);
    }
    assert_string_equal(text, expected);
}

static const struct edge_request_config usual = {
    .scheme = "http", .path = "/a.B/C", .authority = "host:1", .timeout_ns = 20 * EDGE_NS_PER_S};

static void indexed_after_the_first(void **state)
{
    (void)state;
    struct edge_request request;
    assert_int_equal(edge_request_init(&request, &usual, NULL), 0);
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
    enum edge_request_state sent = EDGE_REQUEST_FRESH;
    for (int i = 0; i < 3; i++) {
        const struct edge_buffer *block = edge_request_next(&request, &sent, 4096);
        expect_block(decoder, block);
        if (i > 0)
            assert_int_equal(block->len, 8);
    }
    // The server shrinks its table in mid-connection.
    const struct edge_buffer *block = edge_request_next(&request, &sent, 100);
    assert_int_equal(edge_buffer_head((struct edge_buffer *)(uintptr_t)block)[0], 0x20);
    expect_block(decoder, block);
    for (int i = 0; i < 2; i++) {
        block = edge_request_next(&request, &sent, i == 0 ? 100 : 8192);
        assert_ptr_equal(block, &request.stateless);
        expect_block(decoder, block);
    }
    edge_hpack_decoder_del(decoder);
    edge_request_free(&request);
    edge_request_free(&request);
}

static void stateless_without_a_table(void **state)
{
    (void)state;
    struct edge_request request;
    assert_int_equal(edge_request_init(&request, &usual, NULL), 0);
    struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
    enum edge_request_state sent = EDGE_REQUEST_FRESH;
    for (int i = 0; i < 3; i++) {
        const struct edge_buffer *block = edge_request_next(&request, &sent, 0);
        assert_ptr_equal(block, i == 0 ? &request.clear : &request.stateless);
        expect_block(decoder, block);
    }
    edge_hpack_decoder_del(decoder);
    edge_request_free(&request);
}

static void too_long(void **state)
{
    (void)state;
    char authority[5000];
    struct edge_request request;
    struct edge_message message;
    memset(authority, 'a', sizeof(authority) - 1);
    authority[sizeof(authority) - 1] = '\0';
    const struct edge_request_config config = {
        .scheme = "http", .path = "/a.B/C", .authority = authority};
    assert_int_equal(edge_request_init(&request, &config, &message), EDGE_ERR_LIMIT);
}

// Names of the static table take a byte in the block, and their length in the dynamic one. Whatever
// is accepted must fit that: an entry that is thrown out would make the others wrong.
static void what_is_accepted_fits_the_table(void **state)
{
    (void)state;
    static struct edge_metadata metadata = {.count = 20};
    struct edge_request_config config = usual;
    config.metadata = &metadata;
    unsigned accepted = 0, refused = 0;
    for (int len = 100; len < 160; len++) {
        char value[200];
        snprintf(value, sizeof(value), "%0*d", len, 7);
        for (size_t i = 0; i < metadata.count; i++)
            metadata.list[i] = (struct edge_header){"strict-transport-security", value};
        struct edge_request request;
        if (edge_request_init(&request, &config, NULL) != 0) {
            refused++;
            continue;
        }
        accepted++;
        struct edge_hpack_decoder *decoder = edge_hpack_decoder_new(4096);
        enum edge_request_state sent = EDGE_REQUEST_FRESH;
        for (int i = 0; i < 2; i++) {
            const struct edge_buffer *block = edge_request_next(&request, &sent, 4096);
            struct edge_fields *fields;
            assert_int_equal(edge_hpack_decode(decoder, EDGE_HPACK_HEADERS,
                                               block->data + block->start, block->len, &fields),
                             0);
            assert_int_equal(fields->count, 8 + metadata.count);
            assert_int_equal(fields->list[2].value_len, strlen(usual.path));
            assert_memory_equal(fields->list[2].value, usual.path, strlen(usual.path));
        }
        edge_hpack_decoder_del(decoder);
        edge_request_free(&request);
    }
    assert_true(accepted > 0 && refused > 0);
}

static void timeouts(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {1, "1n"},
        {99999998, "99999998n"},
        {100000001, "100001u"}, // rounded up: never shorter than asked
        {20 * EDGE_NS_PER_S, "20000000u"},
        {3600 * EDGE_NS_PER_S, "3600000m"},
        {200000000 * EDGE_NS_PER_S, "3333334M"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[24];
        assert_string_equal(edge_request_timeout_text(cases[i].ns, text), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexed_after_the_first),
        cmocka_unit_test(stateless_without_a_table),
        cmocka_unit_test(too_long),
        cmocka_unit_test(what_is_accepted_fits_the_table),
        cmocka_unit_test(timeouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
