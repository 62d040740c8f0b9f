#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "load/data.h"
#include "load/framed.h"
#include "load/schema.h"
#include "load/service.h"

static const char proto[] = "syntax = \"proto3\";\n"
                            "package t;\n"
                            "import \"google/protobuf/wrappers.proto\";\n"
                            "enum Grade { NONE = 0; NEW = 1; }\n"
                            "message Part { string name = 1; Grade grade = 2; }\n"
                            "message Order {\n"
                            "  string id = 1;\n"
                            "  int32 quantity = 2;\n"
                            "  repeated Part parts = 3;\n"
                            "  map<string, Part> by_name = 4;\n"
                            "  sint64 delta = 5;\n"
                            "  fixed32 mark = 6;\n"
                            "  double weight = 7;\n"
                            "  float ratio = 8;\n"
                            "  uint64 serial = 9;\n"
                            "  bool urgent = 10;\n"
                            "  bytes blob = 11;\n"
                            "  google.protobuf.StringValue note = 12;\n"
                            "  int64 long_name = 13;\n"
                            "}\n"
                            "service Shop { rpc Buy(Order) returns (Part); }\n";

struct fixture {
    char folder[32], file[64];
    struct edge_schema *schema;
    struct edge_schema_method method;
};

static int write_file(struct fixture *fixture, const char *text)
{
    strcpy(fixture->folder, "/tmp/test_data_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->file, sizeof(fixture->file), "%s/t.proto", fixture->folder);
    FILE *out = fopen(fixture->file, "we");
    assert_non_null(out);
    fputs(text, out);
    return fclose(out);
}

static void begin(struct fixture *fixture)
{
    struct edge_message message = {""};
    if (!edge_schema_available())
        skip();
    assert_int_equal(write_file(fixture, proto), 0);
    const char *files[] = {fixture->file};
    int error = edge_schema_from_protos(&fixture->schema, files, 1, NULL, 0, &message);
    if (error < 0)
        fail_msg("%s", message.text);
    assert_int_equal(edge_schema_find(fixture->schema, "t.Shop/Buy", &fixture->method, &message),
                     0);
}

static void end(struct fixture *fixture)
{
    edge_schema_del(fixture->schema);
    unlink(fixture->file);
    rmdir(fixture->folder);
}

static int from_json(struct fixture *fixture, struct edge_data *data, const char *json,
                     struct edge_message *message)
{
    return edge_data_from_json(data, fixture->schema, fixture->method.request, "--data", json,
                               strlen(json), 7, message);
}

// The bytes of message `index` with the fields that number 5 fills.
static struct edge_buffer fill(const struct edge_data *data, size_t index)
{
    struct edge_buffer bytes = {0};
    const struct edge_template *template = &data->messages[index];
    const struct edge_patch_values values = {.seed = 7, .number = 5};
    assert_int_equal(edge_buffer_append(&bytes, template->bytes, template->len), 0);
    edge_patch_apply(template->patches, template->patch_count, &values, 0, bytes.data, bytes.len);
    return bytes;
}

#define EXPECT_BYTES(json, bytes)                                                                  \
    do {                                                                                           \
        struct edge_data data;                                                                     \
        struct edge_message message = {""};                                                        \
        if (from_json(&fixture, &data, json, &message) < 0)                                        \
            fail_msg("%s", message.text);                                                          \
        struct edge_buffer found = fill(&data, 0);                                                 \
        assert_int_equal(found.len, sizeof(bytes) - 1);                                            \
        assert_memory_equal(found.data, bytes, sizeof(bytes) - 1);                                 \
        edge_buffer_free(&found);                                                                  \
        edge_data_free(&data);                                                                     \
    } while (0)

static void placeholders(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    EXPECT_BYTES("{\"id\":\"a{{counter 100}}b{{counter}}\"}", "\x0a\x0e"
                                                              "a05b0000000005");
    EXPECT_BYTES("{\"quantity\":\"{{counter}}\"}", "\x10\x85\x80\x80\x80\x00");
    EXPECT_BYTES("{\"quantity\":\"{{counter 100}}\"}", "\x10\x05");
    EXPECT_BYTES("{\"delta\":\"{{counter 4}}\"}", "\x28\x02"); // 5 modulo 4, twice
    EXPECT_BYTES("{\"mark\":\"{{counter}}\"}", "\x35\x05\x00\x00\x00");
    EXPECT_BYTES("{\"weight\":\"{{counter}}\"}", "\x39\0\0\0\0\0\0\x14\x40");
    EXPECT_BYTES("{\"ratio\":\"{{counter}}\"}", "\x45\x00\x00\xa0\x40");
    EXPECT_BYTES("{\"serial\":\"{{counter 300}}\"}", "\x48\x85\x00");
    EXPECT_BYTES("{\"longName\":\"{{counter 3}}\"}", "\x68\x02");
    EXPECT_BYTES("{\"note\":\"{{counter 10}}\"}", "\x62\x03\x0a\x01"
                                                  "5");
    EXPECT_BYTES("{\"parts\":[{},{\"name\":\"{{counter 10}}\"}]}", "\x1a\x00\x1a\x03\x0a\x01"
                                                                   "5");
    EXPECT_BYTES("{\"by_name\":{\"k\":{\"name\":\"{{ counter 10 }}\"}}}",
                 "\x22\x08\x0a\x01k\x12\x03\x0a\x01"
                 "5");
    end(&fixture);
}

// What a field is filled with is read back, over all fields of one message, for many numbers.
static void every_number_fits(void **state)
{
    (void)state;
    struct fixture fixture;
    struct edge_data data;
    struct edge_message message = {""};
    begin(&fixture);
    int error =
        from_json(&fixture, &data,
                  "{\"id\":\"{{random}}-{{uuid}}\",\"quantity\":\"{{random}}\","
                  "\"delta\":\"{{random}}\",\"mark\":\"{{random}}\",\"weight\":\"{{random}}\","
                  "\"ratio\":\"{{random}}\",\"serial\":\"{{random}}\","
                  "\"long_name\":\"{{timestamp}}\"}",
                  &message);
    if (error < 0)
        fail_msg("%s", message.text);
    const struct edge_template *template = &data.messages[0];
    assert_int_equal(template->patch_count, 9);
    for (uint64_t number = 0; number < 1000; number++) {
        const struct edge_patch_values values = {
            .seed = number, .number = number, .wall_ns = UINT64_C(1796060893711478140)};
        const struct edge_type_field *field;
        edge_patch_apply(template->patches, template->patch_count, &values, 0, template->bytes,
                         template->len);
        assert_null(
            edge_type_check(fixture.method.request, template->bytes, template->len, &field));
    }
    edge_data_free(&data);
    end(&fixture);
}

static void arrays_and_rounds(void **state)
{
    (void)state;
    struct fixture fixture;
    struct edge_data data;
    begin(&fixture);
    assert_int_equal(from_json(&fixture, &data, "[{\"quantity\":1},{},{\"quantity\":300}]", NULL),
                     0);
    assert_int_equal(data.given, 3);
    assert_int_equal(data.count, 3);
    assert_int_equal(data.messages[1].len, 0);
    assert_int_equal(data.messages[2].len, 3);
    edge_data_free(&data);

    assert_int_equal(
        from_json(&fixture, &data, "[{\"id\":\"{{randomString 1 20}}\"},{\"quantity\":1}]", NULL),
        0);
    assert_int_equal(data.given, 2);
    assert_int_equal(data.count, 256);
    size_t lengths = 0;
    for (size_t i = 0; i < data.count; i += 2)
        lengths |= (size_t)1 << (data.messages[i].len - 2);
    assert_int_equal(lengths, 0x1ffffe); // every length from 1 to 20
    edge_data_free(&data);
    edge_data_free(&data);

    assert_int_equal(edge_data_pick(3, 3, false, 7, 0), 1);
    assert_int_equal(edge_data_pick(3, 3, true, 7, 4), 1);
    assert_int_equal(edge_data_pick(2, 256, true, 129, 1), 3);
    end(&fixture);
}

static void expect(struct fixture *fixture, const char *json, const char *text)
{
    struct edge_data data;
    struct edge_message message = {""};
    assert_true(from_json(fixture, &data, json, &message) < 0);
    if (strstr(message.text, text) == NULL)
        fail_msg("expected \"%s\", found \"%s\"", text, message.text);
    assert_null(data.messages);
}

static void json_that_does_not_fit(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    expect(&fixture, "",
           "--data: expected a JSON object (t.Order), or an array of them; found nothing");
    expect(&fixture, " \n", "found nothing");
    expect(&fixture, "[]", "expected at least one message; found an empty array");
    expect(&fixture, "{\n\"id\": }", "--data:2:");
    expect(&fixture, "[5]", "--data:1: [0]: expected an object (t.Order); found 5");
    expect(&fixture, "{\n\"idd\":\"\"}",
           "--data:2: idd: expected a field of t.Order (id, quantity");
    expect(&fixture, "{\"idd\":\"\"}", "did you mean id?");
    expect(&fixture, "[{},{\"parts\":[{},{\"grade\":\"OLD\"}]}]",
           "--data:1: [1].parts[1].grade: expected one of NONE, NEW; found \"OLD\"");
    expect(&fixture, "{\"quantity\":2147483648}", "quantity: expected a whole number (int32)");
    expect(&fixture, "{\"quantity\":\"x\"}", "quantity: expected a whole number (int32)");
    expect(&fixture, "{\"quantity\":1.5}", "quantity: expected a whole number (int32)");
    expect(&fixture, "{\"serial\":-1}", "serial: expected a whole number (uint64)");
    expect(&fixture, "{\"weight\":\"heavy\"}", "weight: expected a number");
    expect(&fixture, "{\"urgent\":1}", "urgent: expected true or false");
    expect(&fixture, "{\"id\":1}", "id: expected a string");
    expect(&fixture, "{\"blob\":\"??\"}", "blob: expected a string of base64");
    expect(&fixture, "{\"parts\":{}}", "parts: expected an array");
    expect(&fixture, "{\"by_name\":[]}", "by_name: expected an object (a map)");
    expect(&fixture, "{\"by_name\":{\"k\":5}}", "by_name.k: expected an object (t.Part)");
    expect(&fixture, "{\"note\":5}", "note: expected a string");
    end(&fixture);
}

static void placeholders_that_do_not_fit(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    expect(&fixture, "{\"id\":\"{{count}}\"}", "id: expected one of {{counter}}, {{random}}");
    expect(&fixture, "{\"id\":\"{{counter\"}", "id: expected }} after {{");
    expect(&fixture, "{\"id\":\"{{counter 0}}\"}", "id: expected a count from 1 to 2^63");
    expect(&fixture, "{\"id\":\"{{counter 1 2}}\"}", "id: expected a count from 1 to 2^63");
    expect(&fixture, "{\"id\":\"{{counter 9223372036854775809}}\"}", "id: expected a count");
    expect(&fixture, "{\"id\":\"{{timestamp h}}\"}", "id: expected {{timestamp}}, or with s, ms");
    expect(&fixture, "{\"id\":\"{{randomString}}\"}", "id: expected {{randomString N}}");
    expect(&fixture, "{\"id\":\"{{randomString 5 4}}\"}", "id: expected {{randomString N}}");
    expect(&fixture, "{\"quantity\":\"{{counter}}0\"}", "quantity: expected nothing but one");
    expect(&fixture, "{\"quantity\":\"{{uuid}}\"}", "quantity: a UUID can stand in strings only");
    expect(&fixture, "{\"quantity\":\"{{randomString 4}}\"}", "quantity: expected a number's");
    expect(&fixture, "{\"quantity\":\"{{counter 3000000000}}\"}",
           "quantity: the count is above what the field can hold");
    expect(&fixture, "{\"quantity\":\"{{timestamp}}\"}", "a timestamp in this unit is above");
    expect(&fixture, "{\"urgent\":\"{{counter}}\"}", "urgent: a placeholder can stand in strings");
    expect(&fixture, "{\"blob\":\"{{counter}}\"}", "blob: a placeholder can stand in strings");
    end(&fixture);
}

static void binary(void **state)
{
    (void)state;
    struct fixture fixture;
    struct edge_data data;
    struct edge_message message = {""};
    begin(&fixture);
    assert_int_equal(edge_data_from_binary(&data, fixture.method.request, "b",
                                           (const uint8_t *)"\x10\x05", 2, &message),
                     0);
    assert_int_equal(data.messages[0].len, 2);
    edge_data_free(&data);
    assert_int_equal(edge_data_from_binary(&data, fixture.method.request, "b", NULL, 0, &message),
                     0);
    edge_data_free(&data);
    assert_int_equal(edge_data_from_binary(&data, fixture.method.request, "b",
                                           (const uint8_t *)"\x0a\x05", 2, &message),
                     EDGE_ERR_FORMAT);
    assert_string_equal(message.text, "b: expected one encoded t.Order; found 2 bytes that are "
                                      "none: field id is cut short");
    end(&fixture);
}

static void expect_files(const char *text, const char *call, const char *expected)
{
    struct fixture fixture;
    struct edge_message message = {""};
    assert_int_equal(write_file(&fixture, text), 0);
    const char *files[] = {fixture.file};
    fixture.schema = NULL;
    int error = edge_schema_from_protos(&fixture.schema, files, 1, NULL, 0, &message);
    if (error == 0)
        error = edge_schema_find(fixture.schema, call, &fixture.method, &message);
    assert_true(error < 0);
    if (strstr(message.text, expected) == NULL)
        fail_msg("expected \"%s\", found \"%s\"", expected, message.text);
    end(&fixture);
}

static void files_that_do_not_fit(void **state)
{
    (void)state;
    struct edge_schema *schema = NULL;
    struct edge_message message = {""};
    const char *nowhere[] = {"/nowhere.proto"};
    if (!edge_schema_available())
        skip();
    expect_files("syntax = \"proto3\";\nmessage A { int32 a 1; }\n", "a.B/C", "t.proto:2:");
    expect_files("syntax = \"proto3\";\nmessage A { Nope a = 1; }\n", "a.B/C",
                 "t.proto:2:13: \"Nope\" is not defined");
    expect_files("syntax = \"proto3\";\nimport \"gone.proto\";\n", "a.B/C", "gone.proto");
    expect_files(proto, "t.Shop/By",
                 "unknown method \"By\" of t.Shop; did you mean Buy? Known: Buy");
    expect_files(proto, "t.Shap/Buy", "unknown service \"t.Shap\"; did you mean t.Shop?");
    expect_files(proto, "Buy", "unknown service \"\"; known: t.Shop");
    assert_int_equal(edge_schema_from_protos(&schema, nowhere, 1, NULL, 0, &message),
                     EDGE_ERR_NOT_FOUND);
    assert_string_equal(message.text, "cannot open /nowhere.proto: No such file or directory");
    assert_int_equal(edge_schema_from_set(&schema, "x.pb", (const uint8_t *)"\xff", 1, &message),
                     EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "x.pb: expected a FileDescriptorSet"));
    assert_int_equal(edge_schema_from_set(&schema, "x.pb", NULL, 0, &message), EDGE_ERR_FORMAT);
    assert_int_equal(edge_schema_from_set(&schema, "x.pb",
                                          (const uint8_t *)"\x0a\x06\x0a\x01"
                                                           "a\x1a\x01"
                                                           "b",
                                          8, &message),
                     EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "it lacks the imported file b"));
}

static void built_without(void **state)
{
    (void)state;
    struct edge_schema *schema;
    struct edge_message message = {""};
    if (edge_schema_available())
        skip();
    assert_int_equal(edge_schema_new(&schema, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "this bench-edge was built without libprotobuf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders),
        cmocka_unit_test(every_number_fits),
        cmocka_unit_test(arrays_and_rounds),
        cmocka_unit_test(json_that_does_not_fit),
        cmocka_unit_test(placeholders_that_do_not_fit),
        cmocka_unit_test(binary),
        cmocka_unit_test(files_that_do_not_fit),
        cmocka_unit_test(built_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
