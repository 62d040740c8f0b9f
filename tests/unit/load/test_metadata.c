#include "cmocka_headers.h"

#include <string.h>

#include "load/metadata.h"

static int read_json(struct edge_metadata *metadata, const char *json, struct edge_message *message)
{
    return edge_metadata_from_json(metadata, "--metadata", json, strlen(json), message);
}

static void names_and_values(void **state)
{
    (void)state;
    struct edge_metadata metadata;
    struct edge_message message;
    assert_int_equal(read_json(&metadata,
                               "{\"X-One\":\"a b\",\"two\":[\"c\",\"\"],\"k-bin\":\"/wA=\","
                               "\"u-bin\":\"/+8\",\"e-bin\":\"\"}",
                               &message),
                     0);
    static const struct edge_header expected[] = {{"x-one", "a b"}, {"two", "c"},
                                                  {"two", ""},      {"k-bin", "/wA"},
                                                  {"u-bin", "/+8"}, {"e-bin", ""}};
    assert_int_equal(metadata.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(metadata.list[i].name, expected[i].name);
        assert_string_equal(metadata.list[i].value, expected[i].value);
    }
    edge_metadata_free(&metadata);
    edge_metadata_free(&metadata);
}

static void expect(const char *json, const char *text)
{
    struct edge_metadata metadata;
    struct edge_message message = {""};
    assert_true(read_json(&metadata, json, &message) < 0);
    if (strstr(message.text, text) == NULL)
        fail_msg("expected \"%s\", found \"%s\"", text, message.text);
    assert_null(metadata.texts);
}

static void refused(void **state)
{
    (void)state;
    expect("", "--metadata:1: expected a JSON object of names and values");
    expect("[]", "--metadata:1: expected a JSON object of names and values; found something else");
    expect("{\n\"a\":\n1}", "--metadata:2: a: expected a string, or an array of strings");
    expect("{\"a\":[[]]}", "a: expected a string");
    expect("{\"a b\":\"\"}", "a b: expected a name of a-z, 0-9, '_', '-' and '.'");
    expect("{\"\":\"\"}", "expected a name of");
    expect("{\":path\":\"/x\"}", ":path: expected a name of");
    expect("{\"TE\":\"x\"}", "a name that the generator does not set itself");
    expect("{\"grpc-timeout\":\"1S\"}", "a name that the generator does not set itself");
    expect("{\"a\":\"\\u00e9\"}", "expected printable ASCII (for more, end the name in -bin)");
    expect("{\"a\":\"x\\ny\"}", "expected printable ASCII");
    expect("{\"a-bin\":\"A\"}", "expected base64, as the name ends in -bin");
    expect("{\"a-bin\":\"A?==\"}", "expected base64");
    expect("{\"a-bin\":\"AA=\"}", "expected base64");
    expect("{\"a-bin\":\"AA==AA\"}", "expected base64");
    expect("{\"a\":\"1\",\"a\":\"2\"}", "--metadata:1: expected a JSON object");
    char many[2000] = "{\"a\":[\"\"";
    for (unsigned i = 0; i < EDGE_METADATA_MAX; i++)
        strcat(many, ",\"\"");
    strcat(many, "]}");
    expect(many, "expected at most 64 values in all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
