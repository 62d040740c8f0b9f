#include "cmocka_headers.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "result/record.h"
#include "result/record_json.h"

static void names(void **state)
{
    (void)state;
    for (unsigned type = 0; type < EDGE_RECORD_TYPES; type++)
        assert_int_equal(edge_record_find(edge_record_describe((enum edge_record_type)type)->name),
                         type);
    assert_int_equal(edge_record_find("rum"), EDGE_RECORD_TYPES);
    assert_int_equal(edge_record_find(""), EDGE_RECORD_TYPES);
}

static size_t size_of(enum edge_field_type type, size_t given)
{
    switch (type) {
    case EDGE_FIELD_UINT:
        return sizeof(uint64_t);
    case EDGE_FIELD_TRUTH:
        return sizeof(int);
    case EDGE_FIELD_TALLY:
        return sizeof(struct edge_tally);
    case EDGE_FIELD_TEXTS:
        return sizeof(struct edge_texts);
    case EDGE_FIELD_BINS:
        return sizeof(void *);
    case EDGE_FIELD_TEXT:
        break;
    }
    return given;
}

// A row whose type does not fit its member would read or write past it.
static void tables_fit_structs(void **state)
{
    (void)state;
    for (unsigned type = 0; type < EDGE_RECORD_TYPES; type++) {
        const struct edge_record_description *d = edge_record_describe((enum edge_record_type)type);
        for (const struct edge_field *f = d->fields; f->key != NULL; f++) {
            assert_true(f->offset + f->size <= d->size);
            assert_int_equal(f->size, size_of(f->type, f->size));
            assert_non_null(f->help);
            for (const struct edge_field *other = d->fields; other != f; other++)
                assert_string_not_equal(f->key, other->key);
        }
    }
}

static void nothing_is_zero(void **state)
{
    (void)state;
    struct edge_record_interval interval;
    edge_record_init(EDGE_RECORD_INTERVAL, &interval);
    json_t *object = json_object();
    assert_int_equal(edge_record_encode(EDGE_RECORD_INTERVAL, &interval, object), 0);
    assert_true(json_is_null(json_object_get(object, "server_cpu_ns")));
    assert_true(json_is_null(json_object_get(object, "energy_uj")));
    assert_true(json_is_null(json_object_get(object, "power_scope")));
    json_decref(object);
}

static void text_is_clean(void **state)
{
    (void)state;
    struct edge_record_count count;
    edge_record_init(EDGE_RECORD_COUNT, &count);
    static const struct {
        const char *text;
        const char *clean;
    } cases[] = {{"plain", "plain"},
                 {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
                 {"\x1b[31mred\n", "?[31mred?"},
                 {"\xc2\x9b"
                  "31m",
                  "??31m"},
                 {"cut \xc3", "cut ?"},
                 {"\xff\xfe", "??"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *object = json_object();
        snprintf(count.first_error, sizeof(count.first_error), "%s", cases[i].text);
        assert_int_equal(edge_record_encode(EDGE_RECORD_COUNT, &count, object), 0);
        assert_string_equal(json_string_value(json_object_get(object, "first_error")),
                            cases[i].clean);
        json_decref(object);
    }
}

static void tally(void **state)
{
    (void)state;
    struct edge_tally t = {0};
    edge_tally_add(&t, "ok", 5);
    edge_tally_add(&t, "reset", 1);
    edge_tally_add(&t, "ok", 2);
    assert_int_equal(t.count, 2);
    assert_int_equal(edge_tally_get(&t, "ok"), 7);
    assert_int_equal(edge_tally_get(&t, "reset"), 1);
    assert_int_equal(edge_tally_get(&t, "timeout"), 0);

    // Too many names: nothing is lost from the sum.
    for (unsigned i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof(name), "kind%u", i);
        edge_tally_add(&t, name, 1);
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < t.count; i++)
        sum += t.at[i].value;
    assert_int_equal(t.count, EDGE_TALLY_MAX);
    assert_int_equal(sum, 108);
    assert_string_equal(t.at[EDGE_TALLY_MAX - 1].name, "other");
}

static void texts(void **state)
{
    (void)state;
    struct edge_texts t = {0};
    for (unsigned i = 0; i < 2 * EDGE_TEXTS_MAX; i++)
        edge_texts_add(&t, "reason %u", i);
    assert_int_equal(t.count, EDGE_TEXTS_MAX);
    assert_string_equal(t.at[3], "reason 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),           cmocka_unit_test(tables_fit_structs),
        cmocka_unit_test(nothing_is_zero), cmocka_unit_test(text_is_clean),
        cmocka_unit_test(tally),           cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
