#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "load/verify.h"
#include "wire/frame.h"

// ---- a call whose headers came, and whose reply is {"request": {"name": "....", "n": 7}} ----

struct fixture {
    struct edge_payload payload;
    struct edge_verify_plan plan;
    struct edge_verify verify;
};

static uint32_t word_of(const char *status, const char *type, const char *code)
{
    struct edge_fields fields = {.count = 0};
    const char *const pairs[][2] = {
        {":status", status}, {"content-type", type}, {"grpc-status", code}};
    for (size_t i = 0; i < 3; i++) {
        if (pairs[i][1] != NULL)
            fields.list[fields.count++] =
                (struct edge_field){pairs[i][0], pairs[i][1], (uint32_t)strlen(pairs[i][0]),
                                    (uint32_t)strlen(pairs[i][1])};
    }
    return edge_verify_read_fields(&fields);
}

static uint32_t ok_headers(void)
{
    return word_of("200", "application/grpc", NULL);
}
static uint32_t ok_trailers(void)
{
    return word_of(NULL, NULL, "0");
}

static void begin(struct fixture *fixture, const char *call, uint64_t messages)
{
    static const char json[] = "{\"request\":{\"name\":\"name\",\"n\":7}}";
    memset(fixture, 0, sizeof(*fixture));
    assert_int_equal(
        edge_payload_from_json(&fixture->payload, "json", json, strlen(json), call, messages, NULL),
        0);
    assert_int_equal(edge_verify_plan_init(&fixture->plan, &fixture->payload), 0);
    assert_false(edge_verify_headers(&fixture->verify, ok_headers()));
}

static void end(struct fixture *fixture)
{
    edge_verify_free(&fixture->verify);
    edge_verify_free(&fixture->verify);
    edge_verify_plan_free(&fixture->plan);
    edge_payload_free(&fixture->payload);
}

static void data(struct fixture *fixture, uint64_t first, const void *bytes, size_t len)
{
    edge_verify_data(&fixture->verify, &fixture->plan, first, bytes, len);
}

static enum edge_outcome outcome(const struct fixture *fixture)
{
    return edge_verify_end(&fixture->verify, &fixture->plan, ok_trailers());
}

// The reply to number 0x41: "1100".
static const char right[] = "\0\0\0\0\x0a\x0a\x08\x0a\x04"
                            "1100\x28\x07";
#define RIGHT_LEN 15u
static const char turned[] = "\0\0\0\0\x0a\x0a\x08\x28\x07\x0a\x04"
                             "1100";

static void right_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= RIGHT_LEN; cut++) {
        struct fixture fixture;
        begin(&fixture, "SayHello", 0);
        data(&fixture, 0x41, right, cut);
        assert_int_equal(outcome(&fixture), cut == 0           ? EDGE_OUTCOME_WRONG_COUNT
                                            : cut == RIGHT_LEN ? EDGE_OUTCOME_OK
                                                               : EDGE_OUTCOME_BAD_MESSAGE);
        data(&fixture, 0x41, right + cut, RIGHT_LEN - cut);
        assert_int_equal(outcome(&fixture), EDGE_OUTCOME_OK);
        assert_null(fixture.verify.odd);
        end(&fixture);
    }
}

// Every single changed bit is seen.
static void any_wrong_bit(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < 8 * RIGHT_LEN; bit++) {
        struct fixture fixture;
        char bytes[RIGHT_LEN];
        memcpy(bytes, right, RIGHT_LEN);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        begin(&fixture, "SayHello", 0);
        data(&fixture, 0x41, bytes, RIGHT_LEN);
        if (outcome(&fixture) == EDGE_OUTCOME_OK)
            fail_msg("bit %zu was not seen", bit);
        end(&fixture);
    }
    // The reply to another request is wrong too: a canned answer.
    struct fixture fixture;
    begin(&fixture, "SayHello", 0);
    data(&fixture, 0x42, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_REPLY);
    end(&fixture);
}

static void right_in_meaning(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= RIGHT_LEN; cut++) {
        struct fixture fixture;
        begin(&fixture, "SayHello", 0);
        data(&fixture, 0x41, turned, cut);
        data(&fixture, 0x41, turned + cut, RIGHT_LEN - cut);
        assert_int_equal(outcome(&fixture), EDGE_OUTCOME_OK);
        assert_int_equal(fixture.verify.noncanonical, 1);
        end(&fixture);
    }
}

static void numbers_of_messages(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, "SayHello", 0);
    data(&fixture, 0x41, right, RIGHT_LEN);
    data(&fixture, 0x41, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_COUNT);
    end(&fixture);

    // A server stream repeats the request, a bidi stream answers each.
    begin(&fixture, "SayHellos", 2);
    data(&fixture, 0x41, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_COUNT);
    data(&fixture, 0x41, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_OK);
    end(&fixture);

    begin(&fixture, "SayHelloBidi", 2);
    data(&fixture, 0x40,
         "\0\0\0\0\x0a\x0a\x08\x0a\x04"
         "0100\x28\x07",
         RIGHT_LEN);
    data(&fixture, 0x40, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_OK);
    end(&fixture);

    begin(&fixture, "SayHelloBidi", 2); // replies that changed places
    data(&fixture, 0x40, right, RIGHT_LEN);
    data(&fixture, 0x40,
         "\0\0\0\0\x0a\x0a\x08\x0a\x04"
         "0100\x28\x07",
         RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_REPLY);
    end(&fixture);

    begin(&fixture, "SayHelloCS", 3); // the last request's text, counted
    data(&fixture, 0x3f,
         "\0\0\0\0\x0a\x0a\x08\x0a\x04"
         "1100\x28\x03",
         RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_OK);
    end(&fixture);
}

static void framing(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, "SayHello", 0);
    char bytes[RIGHT_LEN];
    memcpy(bytes, right, RIGHT_LEN);
    bytes[0] = 1; // compressed
    data(&fixture, 0x41, bytes, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_BAD_MESSAGE);
    end(&fixture);

    // A message far too long is not kept, but its end is found.
    static uint8_t big[100000];
    begin(&fixture, "SayHellos", 2);
    edge_put_u32(big + 1, sizeof(big) - 5);
    for (size_t at = 0; at < sizeof(big); at += 1000)
        data(&fixture, 0x41, big + at, 1000);
    assert_int_equal(fixture.verify.messages, 1);
    data(&fixture, 0x41, right, RIGHT_LEN);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_REPLY);
    end(&fixture);

    // An empty message where one was expected.
    begin(&fixture, "SayHello", 0);
    data(&fixture, 0x41, "\0\0\0\0\0", 5);
    assert_int_equal(outcome(&fixture), EDGE_OUTCOME_WRONG_REPLY);
    end(&fixture);
}

static void headers_and_trailers(void **state)
{
    (void)state;
    static const struct {
        const char *status, *type, *code;
        enum edge_outcome outcome;
    } cases[] = {
        {"200", "application/grpc", "0", EDGE_OUTCOME_OK},
        {"200", "application/grpc+proto", "0", EDGE_OUTCOME_OK},
        {"200", "application/grpc;x=y", "0", EDGE_OUTCOME_OK},
        {"200", "application/grpc-web", "0", EDGE_OUTCOME_BAD_MESSAGE},
        {"200", "text/html", "0", EDGE_OUTCOME_BAD_MESSAGE},
        {"200", NULL, "0", EDGE_OUTCOME_BAD_MESSAGE},
        {"200", "application/grpc", "13", EDGE_OUTCOME_GRPC_STATUS},
        {"200", "application/grpc", NULL, EDGE_OUTCOME_NO_STATUS},
        {"200", "application/grpc", "-1", EDGE_OUTCOME_NO_STATUS},
        {"200", "application/grpc", "", EDGE_OUTCOME_NO_STATUS},
        {"200", "application/grpc", "zero", EDGE_OUTCOME_NO_STATUS},
        {"404", "text/html", NULL, EDGE_OUTCOME_HTTP_STATUS},
        {"503", "application/grpc", "0", EDGE_OUTCOME_HTTP_STATUS},
        {NULL, "application/grpc", "0", EDGE_OUTCOME_HTTP_STATUS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture fixture;
        begin(&fixture, "SayHello", 0);
        fixture.verify = (struct edge_verify){0};
        assert_false(
            edge_verify_headers(&fixture.verify, word_of(cases[i].status, cases[i].type, NULL)));
        data(&fixture, 0x41, right, RIGHT_LEN);
        uint32_t word = word_of(NULL, NULL, cases[i].code);
        assert_int_not_equal(word, 0);
        enum edge_outcome found = edge_verify_end(&fixture.verify, &fixture.plan, word);
        if (found != cases[i].outcome)
            fail_msg("case %zu: expected %s, found %s", i, edge_outcome_name(cases[i].outcome),
                     edge_outcome_name(found));
        end(&fixture);
    }
    struct edge_verify verify = {0};
    assert_true(edge_verify_headers(&verify, word_of("103", NULL, NULL)));
    assert_false(verify.got_headers);
    assert_int_equal(edge_verify_grpc_status(word_of(NULL, NULL, "13")), 13);
    assert_int_equal(edge_verify_grpc_status(word_of(NULL, NULL, NULL)), -1);
}

static void ended_by_data(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, "SayHello", 0);
    data(&fixture, 0x41, right, RIGHT_LEN);
    assert_int_equal(edge_verify_end(&fixture.verify, &fixture.plan, 0), EDGE_OUTCOME_NO_STATUS);
    end(&fixture);
}

static void grpc_encoding(void **state)
{
    (void)state;
    struct edge_fields fields = {
        .list = {{":status", "200", 7, 3},
                 {"content-type", "application/grpc", 12, 16},
                 {"grpc-encoding", "identity", 13, 8}},
        .count = 3,
    };
    struct edge_verify verify = {0};
    edge_verify_headers(&verify, edge_verify_read_fields(&fields));
    assert_false(verify.bad);
    fields.list[2].value = "gzip";
    fields.list[2].value_len = 4;
    edge_verify_headers(&verify, edge_verify_read_fields(&fields));
    assert_false(verify.bad); // before a message it is only an announcement
    edge_verify_data(&verify, &(struct edge_verify_plan){0}, 0, (const uint8_t *)"\1", 1);
    assert_true(verify.bad);
}

static void data_before_the_final_headers(void **state)
{
    (void)state;
    struct edge_verify_plan plan = {0};
    struct edge_verify verify = {0};
    assert_true(edge_verify_headers(&verify, word_of("103", NULL, NULL)));
    edge_verify_data(&verify, &plan, 0, (const uint8_t *)"\0", 1);
    assert_false(edge_verify_headers(&verify, ok_headers()));
    assert_int_equal(edge_verify_end(&verify, &plan, word_of(NULL, NULL, "0")),
                     EDGE_OUTCOME_BAD_MESSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_however_it_is_cut),
        cmocka_unit_test(any_wrong_bit),
        cmocka_unit_test(right_in_meaning),
        cmocka_unit_test(numbers_of_messages),
        cmocka_unit_test(framing),
        cmocka_unit_test(headers_and_trailers),
        cmocka_unit_test(ended_by_data),
        cmocka_unit_test(grpc_encoding),
        cmocka_unit_test(data_before_the_final_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
