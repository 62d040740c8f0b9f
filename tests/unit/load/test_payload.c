#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helloworld.pb-c.h"
#include "load/payload.h"

static struct edge_payload from_json(const char *json, const char *call, uint64_t messages)
{
    struct edge_payload payload;
    struct edge_message message = {""};
    int error =
        edge_payload_from_json(&payload, "test.json", json, strlen(json), call, messages, &message);
    if (error != 0)
        fail_msg("%s", message.text);
    return payload;
}

static void expect_bytes(const struct edge_template *template, const void *bytes, size_t len)
{
    assert_int_equal(template->len, len);
    assert_memory_equal(template->bytes, bytes, len);
}

// ---- scenarios ----

static void complex_proto_is_grpc_bench_s(void **state)
{
    (void)state;
    struct edge_payload payload;
    assert_int_equal(edge_payload_load(&payload, "complex_proto", NULL, 0, NULL), 0);
    assert_string_equal(payload.scenario, "complex_proto");
    assert_string_equal(payload.call, "SayHello");
    assert_string_equal(payload.path, "/helloworld.Greeter/SayHello");
    assert_int_equal(payload.kind, EDGE_CALL_UNARY);
    assert_int_equal(payload.messages, 1);
    assert_int_equal(payload.request.len, 78);
    assert_int_equal(payload.reply.len, 78);
    Helloworld__HelloReply *reply =
        helloworld__hello_reply__unpack(NULL, payload.reply.len, payload.reply.bytes);
    assert_non_null(reply);
    const Helloworld__Hello *hello = reply->response;
    assert_string_equal(hello->name, "000000"); // varied: "a name" has 6 bytes
    assert_true(hello->d == 4.55332 && hello->f == 232.3F && hello->b);
    assert_int_equal(hello->n, 32);
    assert_int_equal(hello->l, 444325235223);
    assert_int_equal(hello->choice_case, HELLOWORLD__HELLO__CHOICE_C1);
    assert_string_equal(hello->c1, "ofcouse");
    assert_int_equal(hello->n_pets, 2);
    assert_string_equal(hello->pets[1]->name, "Kim the cat");
    assert_int_equal(hello->pets[1]->color, HELLOWORLD__PET__COLOR__RED);
    helloworld__hello_reply__free_unpacked(reply, NULL);
    assert_int_equal(payload.request.vary_len, 6);
    assert_int_equal(payload.reply.vary_len, 6);
    assert_memory_equal(payload.request.bytes + payload.request.vary_at, "000000", 6);
    edge_payload_free(&payload);
    edge_payload_free(&payload);
}

static void all_scenarios_load(void **state)
{
    (void)state;
    static const size_t lens[] = {78, 14, 105, 1006, 10006, 0};
    size_t i = 0;
    for (const char *const *name = edge_payload_scenarios(); *name != NULL; name++, i++) {
        struct edge_payload payload;
        assert_int_equal(edge_payload_load(&payload, *name, NULL, 0, NULL), 0);
        assert_string_equal(payload.scenario, *name);
        assert_true(payload.request.len + 10 >= lens[i] && payload.request.len <= lens[i] + 10);
        assert_int_equal(payload.request.vary_len > 0, lens[i] > 0);
        edge_payload_free(&payload);
    }
    assert_int_equal(i, 6);
}

static void a_file_is_called_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *source, *name;
    } cases[] = {
        {"/srv/payloads/mine.json", "mine.json"},
        {"../mine.json", "mine.json"},
        {"mine.json", "mine.json"},
        {"bad\xff\n.json", "bad??.json"},
        {"\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
         "\u00e4\u00e4"
         "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
         "\u00e4\u00e4",
         "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
         "\u00e4\u00e4"
         "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
         "\u00e4?"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_payload payload;
        edge_payload_name(&payload, cases[i].source);
        assert_string_equal(payload.scenario, cases[i].name);
    }
}

static void unknown_scenario_and_call(void **state)
{
    (void)state;
    struct edge_payload payload;
    struct edge_message message;
    assert_int_equal(edge_payload_load(&payload, "complex", NULL, 0, &message), EDGE_ERR_NOT_FOUND);
    assert_string_equal(message.text,
                        "unknown scenario \"complex\"; known: complex_proto, string_10B, "
                        "string_100B, string_1kB, string_10kB, empty, or the path of a JSON file");
    assert_int_equal(edge_payload_load(&payload, "empty", "SayNothing", 0, &message),
                     EDGE_ERR_NOT_FOUND);
    assert_non_null(strstr(message.text, "unknown call \"SayNothing\"; known: "));
    assert_non_null(strstr(message.text, "hellobench.Greeter/SaySomething"));
    assert_int_equal(edge_payload_load(&payload, "./nowhere.json", NULL, 0, &message), -ENOENT);
    assert_non_null(strstr(message.text, "./nowhere.json"));
}

static void scenario_from_file(void **state)
{
    (void)state;
    char path[] = "/tmp/test_payload_XXXXXX.json";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    const char json[] = "{\n \"request\": {\n  \"n\": true\n }\n}\n";
    assert_int_equal(write(fd, json, sizeof(json) - 1), sizeof(json) - 1);
    close(fd);
    struct edge_payload payload;
    struct edge_message message;
    assert_int_equal(edge_payload_load(&payload, path, NULL, 0, &message), EDGE_ERR_FORMAT);
    unlink(path);
    char expected[200];
    snprintf(expected, sizeof(expected),
             "%s:3: request.n: expected a whole number from -2147483648 to 2147483647; found true",
             path);
    assert_string_equal(message.text, expected);
}

// ---- calls ----

static void server_stream_asks_for_replies(void **state)
{
    (void)state;
    struct edge_payload payload = from_json("{\"request\":{\"n\":7}}", "SayHellos", 3);
    assert_int_equal(payload.kind, EDGE_CALL_SERVER_STREAM);
    assert_int_equal(payload.messages, 3);
    assert_int_equal(payload.messages_out, 1);
    assert_int_equal(payload.messages_in, 3);
    expect_bytes(&payload.request, "\x0a\x02\x28\x07\x10\x03", 6);
    expect_bytes(&payload.reply, "\x0a\x02\x28\x07", 4);
    edge_payload_free(&payload);
    // Without --messages the request's own number, else 10.
    payload = from_json("{\"request\":{},\"replies\":4}", "SayHellos", 0);
    assert_int_equal(payload.messages, 4);
    edge_payload_free(&payload);
    payload = from_json("{\"request\":{}}", "SayHellos", 0);
    assert_int_equal(payload.messages, 10);
    expect_bytes(&payload.request, "\x0a\x00\x10\x0a", 4);
    edge_payload_free(&payload);
}

static void client_stream_is_counted(void **state)
{
    (void)state;
    struct edge_payload payload =
        from_json("{\"request\":{\"name\":\"Alice\",\"n\":7}}", "SayHelloCS", 3);
    assert_int_equal(payload.messages_out, 3);
    assert_int_equal(payload.messages_in, 1);
    expect_bytes(&payload.request,
                 "\x0a\x09\x0a\x05"
                 "00000\x28\x07",
                 11);
    expect_bytes(&payload.reply,
                 "\x0a\x09\x0a\x05"
                 "00000\x28\x03",
                 11);
    assert_int_equal(payload.reply.vary_at, 4);
    assert_int_equal(payload.reply.vary_len, 5);
    edge_payload_free(&payload);
}

static void bidi_and_hellobench(void **state)
{
    (void)state;
    struct edge_payload payload = from_json("{}", "helloworld.Greeter/SayHelloBidi", 5);
    assert_int_equal(payload.messages_out, 5);
    assert_int_equal(payload.messages_in, 5);
    edge_payload_free(&payload);
    payload = from_json("{}", "hellobench.Greeter/SayEmpty", 5);
    assert_int_equal(payload.messages, 1);
    assert_int_equal(payload.reply.len, 0);
    edge_payload_free(&payload);
    payload = from_json("{\"text\":\"hi there, you\"}", "hellobench.Greeter.SaySomething", 0);
    assert_string_equal(payload.path, "/hellobench.Greeter/SaySomething");
    expect_bytes(&payload.reply,
                 "\x0a\x0d"
                 "00000000"
                 ", you",
                 15);
    edge_payload_free(&payload);
}

// ---- JSON to protobuf ----

static void numbers_names_and_nulls(void **state)
{
    (void)state;
    struct edge_payload payload = from_json(
        "{\"request\":{\"l\":\"-5\",\"d\":\"NaN\",\"f\":1,\"b\":false,\"c2\":false,\"name\":null,"
        "\"pets\":[{\"color\":3},{\"color\":\"GREEN\"},{}]}}",
        "SayHello", 0);
    Helloworld__HelloRequest *request =
        helloworld__hello_request__unpack(NULL, payload.request.len, payload.request.bytes);
    assert_non_null(request);
    const Helloworld__Hello *hello = request->request;
    assert_int_equal(hello->l, -5);
    assert_true(hello->d != hello->d && hello->f == 1);
    // A member of a oneof is there even with its default.
    assert_int_equal(hello->choice_case, HELLOWORLD__HELLO__CHOICE_C2);
    assert_int_equal(hello->n_pets, 3);
    assert_int_equal(hello->pets[0]->color, 3);
    assert_int_equal(hello->pets[1]->color, HELLOWORLD__PET__COLOR__GREEN);
    assert_int_equal(hello->pets[2]->color, 0);
    helloworld__hello_request__free_unpacked(request, NULL);
    edge_payload_free(&payload);
}

static void errors_name_line_and_expectation(void **state)
{
    (void)state;
    static const struct {
        const char *json, *expected;
    } cases[] = {
        {"{\n\"request\": {\n\"pets\": [\n{\"name\": \"x\",\n\"color\": \"PINK\"}]}}",
         "test.json:5: request.pets[0].color: expected one of BLACK, WHITE, BLUE, RED, YELLOW, "
         "GREEN; found \"PINK\""},
        {"{\n\"request\": {\n\"nme\": 1}}",
         "test.json:3: request.nme: expected a field of helloworld.Hello (name, d, f, b, n, l, c1, "
         "c2, pets); found \"nme\""},
        {"{\"request\": {\"c1\": \"a\",\n\"c2\": true}}",
         "test.json:2: request.c2: expected only one of \"c1\" and \"c2\"; found both"},
        {"{\"request\": 5}",
         "test.json:1: request: expected an object (helloworld.Hello); found 5"},
        {"{\"request\": {\"name\": 5}}", "test.json:1: request.name: expected a string; found 5"},
        {"{\"request\": {\"b\": \"true\"}}",
         "test.json:1: request.b: expected true or false; found \"true\""},
        {"{\"request\": {\"n\": 2147483648}}",
         "test.json:1: request.n: expected a whole number from -2147483648 to 2147483647; found "
         "2147483648"},
        {"{\"request\": {\"l\": \"12x\"}}",
         "test.json:1: request.l: expected a whole number of 64 bits; found \"12x\""},
        {"{\"request\": {\"l\": 1.5}}",
         "test.json:1: request.l: expected a whole number of 64 bits; found 1.5"},
        {"{\"request\": {\"f\": 1e39}}",
         "test.json:1: request.f: expected a number that fits a float; found 1e39"},
        {"{\"request\": {\"d\": \"much\"}}",
         "test.json:1: request.d: expected a number; found \"much\""},
        {"{\"request\": {\"pets\": {}}}", "test.json:1: request.pets: expected an array; found {}"},
        {"{\"request\": {\"pets\": [{\"name\":\"a\"},\n\n 7]}}",
         "test.json:3: request.pets[1]: expected an object (helloworld.Pet); found 7"},
        {"[]", "test.json:1: the request: expected an object (helloworld.HelloRequest); found []"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_payload payload;
        struct edge_message message = {""};
        assert_int_equal(edge_payload_from_json(&payload, "test.json", cases[i].json,
                                                strlen(cases[i].json), "SayHello", 0, &message),
                         EDGE_ERR_FORMAT);
        assert_string_equal(message.text, cases[i].expected);
    }
}

static void malformed_json(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{\n\"request\":\n}",
        "{\"request\": {}} trailing",
        "{\"request\":{},\n\"request\":{}}",
        "{\"request\": {\"name\": \"\xff\"}}",
    };
    static const unsigned lines[] = {1, 3, 1, 2, 1};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct edge_payload payload;
        struct edge_message message = {""};
        char expected[80];
        snprintf(expected, sizeof(expected),
                 "test.json:%u: expected a JSON object (helloworld.HelloRequest); found ",
                 lines[i]);
        assert_int_equal(edge_payload_from_json(&payload, "test.json", texts[i], strlen(texts[i]),
                                                "SayHello", 0, &message),
                         EDGE_ERR_FORMAT);
        if (strncmp(message.text, expected, strlen(expected)) != 0)
            fail_msg("expected \"%s...\", found \"%s\"", expected, message.text);
    }
}

// ---- binary ----

static void binary(void **state)
{
    (void)state;
    // Fields in an order of its own, which stays as it is.
    static const uint8_t bytes[] = {0x0a, 0x08, 0x28, 0x07, 0x0a, 0x04, 'a', 'b', 'c', 'd'};
    struct edge_payload payload;
    struct edge_message message;
    assert_int_equal(
        edge_payload_from_binary(&payload, "x.bin", bytes, sizeof(bytes), NULL, 0, &message), 0);
    expect_bytes(&payload.request,
                 "\x0a\x08\x28\x07\x0a\x04"
                 "0000",
                 10);
    expect_bytes(&payload.reply,
                 "\x0a\x08\x0a\x04"
                 "0000\x28\x07",
                 10);
    assert_int_equal(payload.reply.vary_at, 4);
    edge_payload_free(&payload);

    assert_int_equal(edge_payload_from_binary(&payload, "x.bin", (const uint8_t *)"\x0a\x7f", 2,
                                              NULL, 0, &message),
                     EDGE_ERR_FORMAT);
    assert_string_equal(message.text, "x.bin: expected an encoded helloworld.HelloRequest; found 2 "
                                      "bytes that are none");
    assert_int_equal(edge_payload_from_binary(&payload, "x.bin", NULL, 0, "SayHelloBidi",
                                              UINT64_C(1) << 31, &message),
                     EDGE_ERR_FORMAT);
}

// ---- the varied field ----

static void vary_is_printable_and_distinct(void **state)
{
    (void)state;
    uint8_t a[8], b[8];
    for (uint64_t i = 0; i < 64 * 64; i++) {
        edge_payload_vary(a, 2, i);
        assert_true(a[0] > ' ' && a[0] < 0x7f && a[1] > ' ' && a[1] < 0x7f);
        for (uint64_t k = 0; k < i; k += 97) {
            edge_payload_vary(b, 2, k);
            assert_memory_not_equal(a, b, 2);
        }
    }
    edge_payload_vary(a, 8, (UINT64_C(1) << 48) - 1);
    assert_memory_equal(a, "oooooooo", 8);
}

// Replacing bytes must leave valid UTF-8.
static void vary_leaves_utf8_alone(void **state)
{
    (void)state;
    struct edge_payload payload =
        from_json("{\"request\":{\"name\":\"h\xc3\xa9llo\",\"c1\":\"plain text\"}}", NULL, 0);
    assert_int_equal(payload.request.vary_len, 8);
    assert_memory_equal(payload.request.bytes + payload.request.vary_at + 8, "xt", 2);
    edge_payload_free(&payload);
    payload = from_json("{\"request\":{\"name\":\"h\xc3\xa9llo\"}}", NULL, 0);
    assert_int_equal(payload.request.vary_len, 0);
    edge_payload_free(&payload);
    // A short string is better than none.
    payload = from_json("{\"request\":{\"name\":\"ab\"}}", NULL, 0);
    assert_int_equal(payload.request.vary_len, 2);
    edge_payload_free(&payload);
}

static void same_meaning(void **state)
{
    (void)state;
    struct edge_payload payload = from_json("{\"request\":{\"n\":7,\"name\":\"a\"}}", NULL, 0);
    const struct edge_template *reply = &payload.reply; // 0a 05 0a 01 30 28 07
    const uint8_t turned[] = {0x0a, 0x05, 0x28, 0x07, 0x0a, 0x01, '0'};
    const uint8_t other[] = {0x0a, 0x05, 0x28, 0x08, 0x0a, 0x01, '0'};
    const uint8_t more[] = {0x0a, 0x07, 0x28, 0x07, 0x0a, 0x01, '0', 0x78, 0x01};
    assert_true(edge_payload_same_meaning(&payload, reply->bytes, reply->len, turned, 7));
    assert_false(edge_payload_same_meaning(&payload, reply->bytes, reply->len, other, 7));
    assert_false(edge_payload_same_meaning(&payload, reply->bytes, reply->len, more, 9));
    assert_false(edge_payload_same_meaning(&payload, reply->bytes, reply->len, turned, 6));
    edge_payload_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_proto_is_grpc_bench_s),
        cmocka_unit_test(all_scenarios_load),
        cmocka_unit_test(a_file_is_called_by_its_name),
        cmocka_unit_test(unknown_scenario_and_call),
        cmocka_unit_test(scenario_from_file),
        cmocka_unit_test(server_stream_asks_for_replies),
        cmocka_unit_test(client_stream_is_counted),
        cmocka_unit_test(bidi_and_hellobench),
        cmocka_unit_test(numbers_names_and_nulls),
        cmocka_unit_test(errors_name_line_and_expectation),
        cmocka_unit_test(malformed_json),
        cmocka_unit_test(binary),
        cmocka_unit_test(vary_is_printable_and_distinct),
        cmocka_unit_test(vary_leaves_utf8_alone),
        cmocka_unit_test(same_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
