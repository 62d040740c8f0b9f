#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/metadata.h"

static struct edge_pool pool;
static struct edge_metadata list;

static int take(const char *name, const char *value)
{
    return edge_metadata_take(&list, &pool, name, strlen(name), value, strlen(value));
}

static int put(const char *name, const char *value)
{
    return edge_metadata_put(&list, &pool, name, value, strlen(value));
}

static void done(void)
{
    edge_metadata_free(&list, &pool);
    edge_metadata_free(&list, &pool);
    edge_pool_free(&pool);
}

static void assert_next(const struct edge_metadata_entry **at, const char *name, const char *value)
{
    *at = edge_metadata_find(&list, *at, name);
    assert_non_null(*at);
    assert_int_equal((*at)->value_len, strlen(value));
    assert_memory_equal((*at)->value, value, strlen(value));
}

static void fields_are_kept_in_order(void **state)
{
    (void)state;
    assert_int_equal(take("a", "1"), 0);
    assert_int_equal(take("b-bin", "MQ,Mg==,"), 0);
    assert_int_equal(take("a", ""), 0);
    assert_int_equal(take("user-agent", "me"), 0);
    assert_int_equal(list.count, 6);
    const struct edge_metadata_entry *at = NULL;
    assert_next(&at, "a", "1");
    assert_next(&at, "a", "");
    assert_null(edge_metadata_find(&list, at, "a"));
    at = NULL;
    assert_next(&at, "b-bin", "1");
    assert_next(&at, "b-bin", "2");
    assert_next(&at, "b-bin", "");
    at = NULL;
    assert_next(&at, "user-agent", "me");
    done();
}

static void what_is_no_metadata_is_left_out(void **state)
{
    (void)state;
    static const char *const names[] = {":path", "grpc-timeout", "grpc-x-bin", "content-type",
                                        "te"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(take(names[i], "x"), 0);
    assert_int_equal(take("a", "tab\t"), 0);
    assert_int_equal(take("a", "\x7f"), 0);
    assert_int_equal(take("a", "\xc3\xa9"), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(take("a-bin", "MQ, Mg"), EDGE_ERR_FORMAT);
    done();
}

static void what_is_sent_is_in_its_wire_form(void **state)
{
    (void)state;
    assert_int_equal(put("x-a", "text ~"), 0);
    assert_int_equal(put("x-a-bin", "\xab\xab"), 0);
    const struct edge_metadata_entry *at = NULL;
    assert_next(&at, "x-a", "text ~");
    at = NULL;
    assert_next(&at, "x-a-bin", "q6s");
    assert_int_equal(put("X-A", "x"), EDGE_ERR_FORMAT);
    assert_int_equal(put("", "x"), EDGE_ERR_FORMAT);
    assert_int_equal(put("x a", "x"), EDGE_ERR_FORMAT);
    assert_int_equal(put("x-a", "line\n"), EDGE_ERR_FORMAT);
    while (list.count < EDGE_METADATA_SENT_MAX)
        assert_int_equal(put("x-a", ""), 0);
    assert_int_equal(put("x-a", ""), EDGE_ERR_LIMIT);
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_kept_in_order),
        cmocka_unit_test(what_is_no_metadata_is_left_out),
        cmocka_unit_test(what_is_sent_is_in_its_wire_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
