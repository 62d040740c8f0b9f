#include "cmocka_headers.h"

#include <string.h>

#include "load/type.h"

static const struct edge_type inner = {
    .name = "t.Inner",
    .fields = (const struct edge_type_field[]){{.number = 1, .kind = EDGE_TYPE_BOOL, .name = "on"}},
    .field_count = 1,
};
static const struct edge_type outer = {
    .name = "t.Outer",
    .fields =
        (const struct edge_type_field[]){
            {.number = 1, .kind = EDGE_TYPE_STRING, .utf8 = true, .name = "text"},
            {.number = 2, .kind = EDGE_TYPE_INT32, .repeated = true, .name = "numbers"},
            {.number = 3, .kind = EDGE_TYPE_MESSAGE, .type = &inner, .name = "inner"},
            {.number = 4, .kind = EDGE_TYPE_FIXED64, .repeated = true, .name = "marks"},
            {.number = 5, .kind = EDGE_TYPE_GROUP, .type = &inner, .name = "group"},
            {.number = 9, .kind = EDGE_TYPE_BYTES, .name = "blob"},
            {.number = 20, .kind = EDGE_TYPE_FLOAT, .name = "ratio"},
        },
    .field_count = 7,
};

static void expect(const char *bytes, size_t len, const char *fault, const char *name)
{
    const struct edge_type_field *field = NULL;
    const char *found = edge_type_check(&outer, (const uint8_t *)bytes, len, &field);
    if (fault == NULL) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(found, fault);
    if (name == NULL)
        assert_null(field);
    else
        assert_string_equal(field->name, name);
}
#define OK(bytes)               expect(bytes, sizeof(bytes) - 1, NULL, NULL)
#define BAD(bytes, fault, name) expect(bytes, sizeof(bytes) - 1, fault, name)

static void finds_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < outer.field_count; i++)
        assert_ptr_equal(edge_type_find(&outer, outer.fields[i].number), &outer.fields[i]);
    for (uint32_t number = 0; number < 30; number++) {
        const struct edge_type_field *field = edge_type_find(&outer, number);
        assert_true(field == NULL || field->number == number);
    }
    assert_null(edge_type_find(&outer, 8));
    assert_null(edge_type_find(&outer, 0));
    assert_null(edge_type_find(&outer, UINT32_MAX));
}

static void accepts(void **state)
{
    (void)state;
    OK("");
    OK("\x0a\x03"
       "abc"
       "\x10\x05\x12\x02\x05\x06\x1a\x02\x08\x01");
    OK("\x0a\x00");
    OK("\x22\x08"
       "12345678"
       "\x21"
       "12345678");
    OK("\x4a\x02\xff\xfe"); // bytes are no text
    OK("\xa5\x01"
       "1234"); // field 20
    OK("\x38\x01\x39"
       "12345678"
       "\x3a\x01x\x3d"
       "1234");             // field 7 is unknown
    OK("\x3b\x08\x01\x3c"); // as a group, too
    OK("\x2b\x08\x01\x2c"); // a known group
    OK("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void refuses(void **state)
{
    (void)state;
    BAD("\x0a\x05"
        "abc",
        "is cut short", "text");
    BAD("\x0a", "is cut short", "text");
    BAD("\x80", "is cut short", NULL);
    BAD("\x10\x80", "is cut short", "numbers");
    BAD("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "is cut short", "numbers");
    BAD("\x0a\x01\xff", "is not UTF-8", "text");
    BAD("\x08\x01", "has another wire type than its field", "text");
    BAD("\x1a\x02\x0a\x00", "has another wire type than its field", "on");
    BAD("\x12\x01\x80", "is a packed field with a part left", "numbers");
    BAD("\x22\x07"
        "1234567",
        "is a packed field with a part left", "marks");
    BAD("\x00", "has a field number that does not exist", NULL);
    BAD("\x0f", "has another wire type than its field", "text");
    BAD("\x3f", "has a wire type that does not exist", NULL);
    BAD("\x2b\x08\x01", "is cut short", "group");
    BAD("\x2b\x08\x01\x34", "ends a group that did not begin", "group");
    BAD("\x2c", "ends a group that did not begin", NULL);
    BAD("\x0a\xff\xff\xff\xff\x0f", "is cut short", "text");
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char groups[400];
    memset(groups, 0x3b, sizeof(groups));
    expect(groups, sizeof(groups), "is nested too deeply", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_fields),
        cmocka_unit_test(accepts),
        cmocka_unit_test(refuses),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
