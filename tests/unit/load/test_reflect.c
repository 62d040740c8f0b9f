#include "cmocka_headers.h"

#include <string.h>

#include "grpc/protobuf.h"
#include "load/reflect.h"

static struct edge_schema *begin(void)
{
    struct edge_schema *schema = NULL;
    struct edge_message message;
    if (!edge_schema_available())
        skip();
    assert_int_equal(edge_schema_new(&schema, &message), 0);
    return schema;
}

static int read_answer(struct edge_schema *schema, const struct edge_buffer *bytes,
                       struct edge_reflect_answer *answer, struct edge_message *message)
{
    return edge_reflect_read(schema, bytes->data, bytes->len, "pkg.Shop", answer, message);
}

static void put(struct edge_buffer *out, uint32_t number, const struct edge_buffer *bytes)
{
    assert_int_equal(edge_protobuf_put_bytes(out, number, bytes->data, bytes->len), 0);
}

static void put_text(struct edge_buffer *out, uint32_t number, const char *text)
{
    assert_int_equal(edge_protobuf_put_bytes(out, number, text, strlen(text)), 0);
}

static void files(void **state)
{
    (void)state;
    struct edge_schema *schema = begin();
    struct edge_buffer file = {0}, list = {0}, bytes = {0};
    struct edge_reflect_answer answer;
    struct edge_message message;
    put_text(&file, 1, "a.proto");
    put_text(&file, 3, "b.proto");
    put_text(&file, 3, "google/protobuf/timestamp.proto");
    put(&list, 1, &file);
    put_text(&bytes, 1, "the host");
    put(&bytes, 4, &list);
    assert_int_equal(read_answer(schema, &bytes, &answer, &message), 0);
    assert_int_equal(answer.files, 1);
    assert_string_equal(edge_schema_missing(schema), "b.proto");
    // Again is no fault: servers give files that they have given before.
    assert_int_equal(read_answer(schema, &bytes, &answer, &message), 0);
    edge_buffer_free(&file);
    edge_buffer_free(&list);
    edge_buffer_free(&bytes);
    edge_schema_del(schema);
}

static void error_and_list(void **state)
{
    (void)state;
    struct edge_schema *schema = begin();
    struct edge_buffer error = {0}, service = {0}, list = {0}, bytes = {0};
    struct edge_reflect_answer answer;
    struct edge_message message;
    assert_int_equal(edge_protobuf_put_varint(&error, 1, 5), 0);
    put_text(&error, 2, "no\nsuch");
    put(&bytes, 7, &error);
    for (unsigned i = 0; i < 40; i++) {
        service.len = 0;
        put_text(&service, 1, i == 17 ? "pkg.Shap" : "another.Service");
        put(&list, 1, &service);
    }
    put(&bytes, 6, &list);
    assert_int_equal(read_answer(schema, &bytes, &answer, &message), 0);
    assert_int_equal(answer.error_code, 5);
    assert_string_equal(answer.error_text, "no?such");
    assert_string_equal(answer.nearest, "pkg.Shap");
    assert_int_equal(strlen(answer.services), sizeof(answer.services) - 1);
    edge_buffer_free(&error);
    edge_buffer_free(&service);
    edge_buffer_free(&list);
    edge_buffer_free(&bytes);
    edge_schema_del(schema);
}

static void broken(void **state)
{
    (void)state;
    struct edge_schema *schema = begin();
    struct edge_reflect_answer answer;
    struct edge_message message;
    assert_int_equal(
        edge_reflect_read(schema, (const uint8_t *)"\x22\x05", 2, "x", &answer, &message),
        EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "expected a ServerReflectionResponse"));
    assert_int_equal(edge_reflect_read(schema, (const uint8_t *)"\x22\x03\x0a\x01\xff", 5, "x",
                                       &answer, &message),
                     EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "expected a FileDescriptorProto"));
    edge_schema_del(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(error_and_list),
        cmocka_unit_test(broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
