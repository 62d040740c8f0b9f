#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/framing.h"

#define LIMIT 1000

// Three messages: "abc", an empty one, and a compressed "z".
static const uint8_t stream[] = {0, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 'z'};

struct collector {
    struct edge_framing framing;
    struct edge_pool pool;
    char text[64]; // messages, each followed by '.' or, compressed, '!'
};

static int feed(struct collector *to, const uint8_t *bytes, size_t len)
{
    struct edge_framing_message message;
    int got;
    while ((got = edge_framing_next(&to->framing, &to->pool, LIMIT, &bytes, &len, &message)) > 0) {
        assert_non_null(message.bytes);
        strncat(to->text, (const char *)message.bytes, message.len);
        strcat(to->text, message.compressed ? "!" : ".");
    }
    if (got == 0)
        assert_int_equal(len, 0);
    return got;
}

static void messages_may_be_cut_anywhere(void **state)
{
    (void)state;
    for (size_t first = 0; first <= sizeof(stream); first++) {
        for (size_t second = first; second <= sizeof(stream); second++) {
            struct collector to = {.text = ""};
            assert_int_equal(feed(&to, stream, first), 0);
            assert_int_equal(feed(&to, stream + first, second - first), 0);
            bool boundary = second == 0 || second == 8 || second == 13 || second == sizeof(stream);
            assert_int_equal(edge_framing_at_boundary(&to.framing), boundary);
            assert_int_equal(feed(&to, stream + second, sizeof(stream) - second), 0);
            assert_string_equal(to.text, "abc..z!");
            assert_true(edge_framing_at_boundary(&to.framing));
            edge_framing_free(&to.framing, &to.pool);
            edge_framing_free(&to.framing, &to.pool);
            edge_pool_free(&to.pool);
        }
    }
}

static void messages_may_come_byte_by_byte(void **state)
{
    (void)state;
    struct collector to = {.text = ""};
    for (size_t i = 0; i < sizeof(stream); i++)
        assert_int_equal(feed(&to, stream + i, 1), 0);
    assert_string_equal(to.text, "abc..z!");
    edge_framing_free(&to.framing, &to.pool);
    edge_pool_free(&to.pool);
}

static void the_limit_is_checked_before_memory_is_taken(void **state)
{
    (void)state;
    static const uint8_t huge[] = {0, 0xff, 0xff, 0xff, 0xff, 'x'};
    static const uint8_t above[] = {0, 0, 0, LIMIT >> 8, (LIMIT & 255) + 1};
    struct collector to = {.text = ""};
    assert_int_equal(feed(&to, huge, sizeof(huge)), EDGE_ERR_LIMIT);
    to.framing = (struct edge_framing){0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(feed(&to, huge + i, 1), 0);
    assert_int_equal(feed(&to, huge + 4, 1), EDGE_ERR_LIMIT);
    to.framing = (struct edge_framing){0};
    assert_int_equal(feed(&to, above, sizeof(above)), EDGE_ERR_LIMIT);
    assert_int_equal(to.pool.system_allocs, 0);
}

static void memory_grows_with_what_came(void **state)
{
    (void)state;
    static const uint8_t prefix[] = {0, 0, 0, LIMIT >> 8, LIMIT & 255}; // the limit itself
    struct collector to = {.text = ""};
    assert_int_equal(feed(&to, prefix, sizeof(prefix)), 0);
    assert_null(to.framing.body);
    assert_int_equal(feed(&to, (const uint8_t *)"x", 1), 0);
    assert_true(to.framing.cap <= 64);
    uint8_t body[LIMIT - 1];
    memset(body, 'y', sizeof(body));
    struct edge_framing_message message;
    const uint8_t *bytes = body;
    size_t len = sizeof(body);
    assert_int_equal(edge_framing_next(&to.framing, &to.pool, LIMIT, &bytes, &len, &message), 1);
    assert_int_equal(message.len, LIMIT);
    assert_int_equal(message.bytes[0], 'x');
    assert_int_equal(message.bytes[LIMIT - 1], 'y');
    assert_int_equal(to.framing.cap, LIMIT);
    edge_framing_free(&to.framing, &to.pool);
    edge_pool_free(&to.pool);
}

static void other_flags_are_refused(void **state)
{
    (void)state;
    for (unsigned flag = 2; flag < 256; flag++) {
        const uint8_t prefix[] = {(uint8_t)flag, 0, 0, 0, 0};
        struct collector to = {.text = ""};
        assert_int_equal(feed(&to, prefix, sizeof(prefix)), EDGE_ERR_FORMAT);
    }
}

static void a_prefix_reads_back(void **state)
{
    (void)state;
    uint8_t prefix[EDGE_FRAMING_PREFIX];
    edge_framing_prefix(prefix, 0x01020304);
    assert_memory_equal(prefix, "\0\1\2\3\4", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_may_be_cut_anywhere),
        cmocka_unit_test(messages_may_come_byte_by_byte),
        cmocka_unit_test(the_limit_is_checked_before_memory_is_taken),
        cmocka_unit_test(memory_grows_with_what_came),
        cmocka_unit_test(other_flags_are_refused),
        cmocka_unit_test(a_prefix_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
