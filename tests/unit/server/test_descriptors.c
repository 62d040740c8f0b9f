#include "cmocka_headers.h"

#include <string.h>

#include "server/descriptors.h"

static struct edge_descriptor_file by_name(const char *name)
{
    return edge_descriptors_by_name(name, strlen(name));
}

static struct edge_descriptor_file by_symbol(const char *symbol)
{
    return edge_descriptors_by_symbol(symbol, strlen(symbol));
}

static void files_are_found_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "helloworld.proto", "hellobench.proto", "grpc/health/v1/health.proto",
        "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct edge_descriptor_file file = by_name(names[i]);
        assert_non_null(file.bytes);
        // The first field of a FileDescriptorProto is its name.
        assert_int_equal(file.bytes[0], 0x0a);
        assert_int_equal(file.bytes[1], strlen(names[i]));
        assert_memory_equal(file.bytes + 2, names[i], strlen(names[i]));
    }
    assert_null(by_name("").bytes);
    assert_null(by_name("helloworld").bytes);
    assert_null(by_name("helloworld.proto2").bytes);
}

static void files_are_found_by_symbol(void **state)
{
    (void)state;
    const uint8_t *hello = by_name("helloworld.proto").bytes;
    static const char *const symbols[] = {"helloworld.Greeter",      "helloworld.Greeter.SayHello",
                                          "helloworld.HelloRequest", "helloworld.Pet.Color",
                                          "helloworld.Hello.pets",   "helloworld.Pet"};
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        assert_ptr_equal(by_symbol(symbols[i]).bytes, hello);
    assert_ptr_equal(by_symbol("hellobench.Greeter").bytes, by_name("hellobench.proto").bytes);
    assert_ptr_equal(by_symbol("grpc.reflection.v1.ServerReflection").bytes,
                     by_name("grpc/reflection/v1/reflection.proto").bytes);
    static const char *const unknown[] = {"",
                                          ".",
                                          "helloworld",
                                          "helloworld.",
                                          "helloworld.Greete",
                                          "helloworld.Greeterx",
                                          "helloworld.Greeter.",
                                          "helloworld.Greeter.Nope",
                                          "helloworld.Pet.Color.BLUE.x",
                                          ".helloworld.Greeter"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_null(by_symbol(unknown[i]).bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_by_name),
        cmocka_unit_test(files_are_found_by_symbol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
