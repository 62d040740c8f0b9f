#include "cmocka_headers.h"

#include <string.h>

#include "grpc/protobuf.h"
#include "server/caller.h"
#include "server/descriptors.h"

static const char *const paths[] = {
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
};

static struct caller caller;

// Asks one question; gives the answer field of the response (4 ... 7).
static struct edge_protobuf_field ask(const void *question, size_t len)
{
    struct edge_protobuf_field field;
    struct edge_protobuf_field answer = {.number = 0};
    caller_send(&caller, question, len);
    size_t left;
    const uint8_t *at = caller_reply(&caller, &left);
    assert_non_null(at);
    bool echoed = false;
    while (edge_protobuf_next(&at, &left, &field) > 0) {
        if (field.number == 2) {
            assert_int_equal(field.len, len);
            assert_memory_equal(field.bytes, question, len);
            echoed = true;
        } else if (field.number >= 4) {
            answer = field;
        }
    }
    assert_true(echoed);
    return answer;
}

static struct edge_protobuf_field inner(struct edge_protobuf_field outer, uint32_t number)
{
    struct edge_protobuf_field field = {.number = 0};
    struct edge_protobuf_field found = {.number = 0};
    while (edge_protobuf_next(&outer.bytes, &outer.len, &field) > 0)
        if (field.number == number)
            found = field;
    return found;
}

static void assert_error(struct edge_protobuf_field answer, uint64_t code)
{
    assert_int_equal(answer.number, 7);
    assert_int_equal(inner(answer, 1).value, code);
    assert_true(inner(answer, 2).len > 0);
}

static void questions_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        caller_open(&caller, NULL);
        caller_start(&caller, paths[i]);

        struct edge_protobuf_field answer = ask("\x3a\x00", 2); // list_services: ""
        assert_int_equal(answer.number, 6);
        unsigned services = 0;
        bool greeter = false;
        struct edge_protobuf_field service;
        while (edge_protobuf_next(&answer.bytes, &answer.len, &service) > 0) {
            struct edge_protobuf_field name = inner(service, 1);
            greeter = greeter || edge_protobuf_is(&name, "helloworld.Greeter");
            services++;
        }
        assert_int_equal(services, 5);
        assert_true(greeter);

        struct edge_descriptor_file file = edge_descriptors_by_name("helloworld.proto", 16);
        answer = ask("\x1a\x10helloworld.proto", 18);
        assert_int_equal(answer.number, 4);
        assert_int_equal(inner(answer, 1).len, file.len);
        assert_memory_equal(inner(answer, 1).bytes, file.bytes, file.len);
        answer = ask("\x22\x12helloworld.Greeter", 20);
        assert_int_equal(answer.number, 4);
        assert_int_equal(inner(answer, 1).len, file.len);

        answer = ask("\x32\x10helloworld.Hello", 18); // all_extension_numbers_of_type
        assert_int_equal(answer.number, 5);
        struct edge_protobuf_field type = inner(answer, 1);
        assert_true(edge_protobuf_is(&type, "helloworld.Hello"));
        assert_int_equal(inner(answer, 2).number, 0);

        caller_end(&caller);
        assert_int_equal(caller.call.status, EDGE_STATUS_OK);
        caller_done(&caller);
        caller_close(&caller);
    }
}

static void errors_stay_inside_the_stream(void **state)
{
    (void)state;
    caller_open(&caller, NULL);
    caller_start(&caller, paths[0]);
    assert_error(ask("\x1a\x04nope", 6), EDGE_STATUS_NOT_FOUND);
    assert_error(ask("\x22\x04nope", 6), EDGE_STATUS_NOT_FOUND);
    assert_error(ask("\x2a\x00", 2), EDGE_STATUS_NOT_FOUND);
    assert_error(ask("\x32\x04nope", 6), EDGE_STATUS_NOT_FOUND);
    assert_error(ask("", 0), EDGE_STATUS_INVALID_ARGUMENT);
    assert_false(caller.call.ended);
    caller_send(&caller, "\x3a\x05", 2); // cut
    assert_int_equal(caller.call.status, EDGE_STATUS_INTERNAL);
    caller_done(&caller);
    caller_close(&caller);
}

static void the_host_is_repeated(void **state)
{
    (void)state;
    caller_open(&caller, NULL);
    caller_start(&caller, paths[0]);
    caller_send(&caller, "\x0a\x04host\x3a\x00", 8);
    size_t len;
    const uint8_t *at = caller_reply(&caller, &len);
    assert_non_null(at);
    struct edge_protobuf_field field;
    assert_int_equal(edge_protobuf_next(&at, &len, &field), 1);
    assert_int_equal(field.number, 1);
    assert_true(edge_protobuf_is(&field, "host"));
    caller_done(&caller);
    caller_close(&caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(errors_stay_inside_the_stream),
        cmocka_unit_test(the_host_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
