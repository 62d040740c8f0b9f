#include "cmocka_headers.h"

#include <string.h>

#include "grpc/gzip.h"
#include "load/reply.h"
#include "load/service.h"

static const struct edge_type type = {
    .name = "t.Reply",
    .fields =
        (const struct edge_type_field[]){
            {.number = 1, .kind = EDGE_TYPE_STRING, .utf8 = true, .name = "text"}},
    .field_count = 1,
};

struct taken {
    char text[256];
    unsigned count;
};

static void take(void *context, const uint8_t *bytes, size_t len)
{
    struct taken *taken = context;
    size_t at = strlen(taken->text);
    taken->count++;
    memcpy(taken->text + at, bytes, len);
    strcpy(taken->text + at + len, "|");
}

// Feeds bytes in two pieces, cut at `cut`, and ends the stream with status 0.
static enum edge_outcome feed(const struct edge_verify_plan *plan, struct edge_verify *verify,
                              const void *bytes, size_t len, size_t cut)
{
    static const struct edge_payload any_number = {.kind = EDGE_CALL_BIDI};
    struct edge_fields fields = {.list = {{":status", "200", 7, 3},
                                          {"content-type", "application/grpc", 12, 16},
                                          {"grpc-status", "0", 11, 1},
                                          {"grpc-encoding", "gzip", 13, 4}},
                                 .count = 4};
    struct edge_verify_plan with = *plan;
    if (with.payload == NULL)
        with.payload = &any_number;
    *verify = (struct edge_verify){0};
    edge_verify_headers(verify, edge_verify_read_fields(&fields));
    edge_verify_data(verify, &with, 0, bytes, cut);
    edge_verify_data(verify, &with, 0, (const uint8_t *)bytes + cut, len - cut);
    return edge_verify_end(verify, &with, edge_verify_read_fields(&fields));
}

static void every_cut(void **state)
{
    (void)state;
    static const char bytes[] = "\0\0\0\0\x05\x0a\x03"
                                "one"
                                "\0\0\0\0\0"
                                "\0\0\0\0\x05\x0a\x03"
                                "two";
    size_t len = sizeof(bytes) - 1;
    for (size_t cut = 0; cut <= len; cut++) {
        struct taken taken = {0};
        struct edge_verify_plan plan = {
            .type = &type, .gzip = true, .take = take, .take_context = &taken};
        struct edge_verify verify;
        assert_int_equal(feed(&plan, &verify, bytes, len, cut), EDGE_OUTCOME_OK);
        assert_int_equal(verify.messages, 3);
        assert_int_equal(taken.count, 3);
        assert_string_equal(taken.text, "\x0a\x03one||\x0a\x03two|");
        edge_verify_free(&verify);
    }
    // Cut short.
    for (size_t short_len = 1; short_len < len; short_len++) {
        struct edge_verify_plan plan = {.type = &type, .gzip = true};
        struct edge_verify verify;
        bool whole = short_len == 10 || short_len == 15;
        assert_int_equal(feed(&plan, &verify, bytes, short_len, 0),
                         whole ? EDGE_OUTCOME_OK : EDGE_OUTCOME_BAD_MESSAGE);
        edge_verify_free(&verify);
    }
}

static void wrong_and_bad(void **state)
{
    (void)state;
    struct edge_verify_plan plan = {.type = &type, .gzip = true};
    struct edge_verify verify;
    assert_int_equal(feed(&plan, &verify, "\0\0\0\0\x03\x0a\x01\xff", 8, 0),
                     EDGE_OUTCOME_WRONG_REPLY);
    assert_string_equal(verify.odd->fault, "is not UTF-8");
    assert_string_equal(verify.odd->fault_field->name, "text");
    edge_verify_free(&verify);
    assert_int_equal(feed(&plan, &verify, "\2\0\0\0\0", 5, 0), EDGE_OUTCOME_BAD_MESSAGE);
    assert_int_equal(feed(&plan, &verify, "\0\xff\xff\xff\xff", 5, 0), EDGE_OUTCOME_BAD_MESSAGE);
    edge_verify_free(&verify);
    assert_int_equal(feed(&plan, &verify, "\1\0\0\0\1x", 6, 0), EDGE_OUTCOME_BAD_MESSAGE);
    edge_verify_free(&verify);
    // Not offered.
    plan.gzip = false;
    assert_int_equal(feed(&plan, &verify, "\0\0\0\0\0", 5, 0), EDGE_OUTCOME_BAD_MESSAGE);
}

// A packed message: prefix and contents.
static struct edge_buffer pack(const void *bytes, size_t len)
{
    struct edge_gzip gzip = {0};
    struct edge_buffer packed = {0};
    assert_int_equal(edge_gzip_deflate(&gzip, bytes, len), 0);
    assert_int_equal(edge_buffer_append(&packed, "\1\0\0\0\0", 5), 0);
    assert_int_equal(edge_buffer_append(&packed, edge_buffer_head(&gzip.packed), gzip.packed.len),
                     0);
    packed.data[4] = (uint8_t)gzip.packed.len;
    edge_gzip_free(&gzip);
    return packed;
}

static void packed(void **state)
{
    (void)state;
    struct edge_buffer good = pack("\x0a\x03one", 5), wrong = pack("\x0a\x01\xff", 3);
    for (size_t cut = 0; cut <= good.len; cut++) {
        struct taken taken = {0};
        struct edge_verify_plan plan = {
            .type = &type, .gzip = true, .take = take, .take_context = &taken};
        struct edge_verify verify;
        assert_int_equal(feed(&plan, &verify, good.data, good.len, cut), EDGE_OUTCOME_OK);
        assert_string_equal(taken.text, "\x0a\x03one|");
        assert_int_equal(verify.odd->packed.messages, 1);
        assert_int_equal(verify.odd->packed.packed_bytes, good.len - 5);
        assert_int_equal(verify.odd->packed.plain_bytes, 5);
        edge_verify_free(&verify);
        if (cut <= wrong.len)
            assert_int_equal(feed(&plan, &verify, wrong.data, wrong.len, cut),
                             EDGE_OUTCOME_WRONG_REPLY);
        assert_int_equal(taken.count, 1);
        edge_verify_free(&verify);
    }
    edge_buffer_free(&good);
    edge_buffer_free(&wrong);
}

// A packed reply of the contract is still compared byte by byte.
static void packed_contract(void **state)
{
    (void)state;
    struct edge_payload payload;
    struct edge_verify_plan plan;
    struct edge_verify verify;
    assert_int_equal(edge_payload_from_json(&payload, "x", "{\"text\":\"abcdef\"}", 17,
                                            "hellobench.Greeter/SaySomething", 0, NULL),
                     0);
    assert_int_equal(edge_verify_plan_init(&plan, &payload), 0);
    plan.gzip = true;
    struct edge_buffer right = pack("\x0a\x06"
                                    "000000",
                                    8),
                       wrong = pack("\x0a\x06"
                                    "00000x",
                                    8),
                       other = pack("\x0a\x01"
                                    "x\x0a\x06"
                                    "000000",
                                    11);
    assert_int_equal(feed(&plan, &verify, right.data, right.len, 3), EDGE_OUTCOME_OK);
    assert_int_equal(verify.noncanonical, 0);
    edge_verify_free(&verify);
    assert_int_equal(feed(&plan, &verify, wrong.data, wrong.len, 3), EDGE_OUTCOME_WRONG_REPLY);
    edge_verify_free(&verify);
    assert_int_equal(feed(&plan, &verify, other.data, other.len, 3), EDGE_OUTCOME_OK);
    assert_int_equal(verify.noncanonical, 1);
    edge_verify_free(&verify);
    edge_buffer_free(&right);
    edge_buffer_free(&wrong);
    edge_buffer_free(&other);
    edge_verify_plan_free(&plan);
    edge_payload_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut),
        cmocka_unit_test(wrong_and_bad),
        cmocka_unit_test(packed),
        cmocka_unit_test(packed_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
