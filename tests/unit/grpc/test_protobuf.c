#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/protobuf.h"

static void fields_go_there_and_back(void **state)
{
    (void)state;
    struct edge_buffer out = {0};
    assert_int_equal(edge_protobuf_put_varint(&out, 1, 0), 0);
    assert_int_equal(edge_protobuf_put_varint(&out, 16, UINT64_MAX), 0);
    assert_int_equal(edge_protobuf_put_bytes(&out, 3, "text", 4), 0);
    assert_int_equal(edge_protobuf_put_bytes(&out, 4, NULL, 0), 0);
    const uint8_t *bytes = edge_buffer_head(&out);
    size_t len = out.len;
    struct edge_protobuf_field field;
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_int_equal(field.number, 1);
    assert_int_equal(field.value, 0);
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_int_equal(field.number, 16);
    assert_int_equal(field.value, UINT64_MAX);
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_true(edge_protobuf_is(&field, "text"));
    assert_false(edge_protobuf_is(&field, "texts"));
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_int_equal(field.number, 4);
    assert_int_equal(field.len, 0);
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 0);
    edge_buffer_free(&out);
}

static void fixed_fields_are_little_endian(void **state)
{
    (void)state;
    static const uint8_t message[] = {0x0d, 1, 2, 3, 4, 0x11, 1, 0, 0, 0, 0, 0, 0, 0x80};
    const uint8_t *bytes = message;
    size_t len = sizeof(message);
    struct edge_protobuf_field field;
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_int_equal(field.value, 0x04030201);
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 1);
    assert_int_equal(field.value, UINT64_C(0x8000000000000001));
    assert_int_equal(edge_protobuf_next(&bytes, &len, &field), 0);
}

static void malformed_messages_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {
        {"\x80", 1},                                          // tag cut
        {"\x00\x01", 2},                                      // field number 0
        {"\x08", 1},                                          // value missing
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11}, // more than 64 bits
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12},
        {"\x0a\x02x", 3},                                  // bytes cut
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7fx", 11}, // a length that would wrap
        {"\x0d\x01\x02\x03", 4},                           // fixed32 cut
        {"\x09\x01\x02\x03\x04\x05\x06\x07", 8},           // fixed64 cut
        {"\x0b\x0c", 2},                                   // group
        {"\x0e", 1},                                       // wire type 6
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint8_t *bytes = (const uint8_t *)rows[i].bytes;
        size_t len = rows[i].len;
        struct edge_protobuf_field field;
        assert_int_equal(edge_protobuf_next(&bytes, &len, &field), EDGE_ERR_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_go_there_and_back),
        cmocka_unit_test(fixed_fields_are_little_endian),
        cmocka_unit_test(malformed_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
