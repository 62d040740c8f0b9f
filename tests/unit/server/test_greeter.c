// The Greeter services with each codec: both must answer with the same bytes.

#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "server/caller.h"

#define SAY_HELLO "/helloworld.Greeter/SayHello"

static const struct edge_greeter_codec *const codecs[] = {&edge_greeter_nanopb,
                                                          &edge_greeter_protobufc};
#define CODECS (sizeof(codecs) / sizeof(codecs[0]))

// payload/complex_proto.json
static const uint8_t complex_proto[] = {
    0x0a, 0x4c, 0x0a, 0x06, 0x61, 0x20, 0x6e, 0x61, 0x6d, 0x65, 0x11, 0x11, 0xe4, 0xa0, 0x84, 0x99,
    0x36, 0x12, 0x40, 0x1d, 0xcd, 0x4c, 0x68, 0x43, 0x20, 0x01, 0x28, 0x20, 0x30, 0x97, 0x94, 0xe4,
    0x9e, 0xf7, 0x0c, 0x3a, 0x07, 0x6f, 0x66, 0x63, 0x6f, 0x75, 0x73, 0x65, 0x4a, 0x0f, 0x0a, 0x0b,
    0x42, 0x6f, 0x66, 0x20, 0x74, 0x68, 0x65, 0x20, 0x64, 0x6f, 0x67, 0x10, 0x02, 0x4a, 0x0f, 0x0a,
    0x0b, 0x4b, 0x69, 0x6d, 0x20, 0x74, 0x68, 0x65, 0x20, 0x63, 0x61, 0x74, 0x10, 0x03};

static struct caller caller;

static void complex_proto_comes_back(void **state)
{
    (void)state;
    assert_int_equal(sizeof(complex_proto), 78);
    for (size_t i = 0; i < CODECS; i++) {
        uint8_t reply[256];
        caller_open(&caller, codecs[i]);
        int len = caller_unary(&caller, SAY_HELLO, complex_proto, sizeof(complex_proto), reply,
                               sizeof(reply));
        assert_int_equal(len, sizeof(complex_proto));
        assert_memory_equal(reply, complex_proto, sizeof(complex_proto));
        caller_close(&caller);
    }
}

// A request and its canonical reply, or a status.
struct row {
    const char *name;
    const char *request;
    int request_len;
    const char *reply;
    int reply_len; // negative: minus the status
};

static const struct row rows[] = {
    {"nothing", "", 0, "", 0},
    {"empty hello", "\x0a\x00", 2, "\x0a\x00", 2},
    {"defaults are left out", "\x0a\x08\x0a\x00\x20\x00\x28\x00\x30\x00", 10, "\x0a\x00", 2},
    {"an empty c1 is a choice", "\x0a\x02\x3a\x00", 4, "\x0a\x02\x3a\x00", 4},
    {"a false c2 is a choice", "\x0a\x02\x40\x00", 4, "\x0a\x02\x40\x00", 4},
    {"c2 replaces c1", "\x0a\x06\x3a\x02xy\x40\x01", 8, "\x0a\x02\x40\x01", 4},
    {"c1 replaces c2", "\x0a\x06\x40\x01\x3a\x02xy", 8, "\x0a\x04\x3a\x02xy", 6},
    {"a repeated field replaces", "\x0a\x06\x0a\x01x\x0a\x01y", 8, "\x0a\x03\x0a\x01y", 5},
    {"fields in any order", "\x0a\x05\x28\x07\x0a\x01x", 7, "\x0a\x05\x0a\x01x\x28\x07", 7},
    {"an empty pet", "\x0a\x02\x4a\x00", 4, "\x0a\x02\x4a\x00", 4},
    {"a color that has no name", "\x0a\x04\x4a\x02\x10\x63", 6, "\x0a\x04\x4a\x02\x10\x63", 6},
    {"a negative color", "\x0a\x0d\x4a\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15,
     "\x0a\x0d\x4a\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15},
    {"a negative n", "\x0a\x0b\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13,
     "\x0a\x0b\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13},
    {"a negative n, cut to 32 bits", "\x0a\x06\x28\xff\xff\xff\xff\x0f", 8,
     "\x0a\x0b\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13},
    {"unknown fields are dropped", "\x0a\x03\xa0\x06\x01\x9a\x05\x01z", 9, "\x0a\x00", 2},
    {"text", "\x0a\x05\x0a\x03\xe2\x98\xba", 7, "\x0a\x05\x0a\x03\xe2\x98\xba", 7},
    {"bad UTF-8 in name", "\x0a\x03\x0a\x01\xff", 5, NULL, -EDGE_STATUS_INTERNAL},
    {"bad UTF-8 in c1", "\x0a\x04\x3a\x02\xc3(", 6, NULL, -EDGE_STATUS_INTERNAL},
    {"bad UTF-8 in a pet", "\x0a\x05\x4a\x03\x0a\x01\x80", 7, NULL, -EDGE_STATUS_INTERNAL},
    {"cut", "\x0a\x05\x0a", 3, NULL, -EDGE_STATUS_INTERNAL},
    {"cut inside", "\x0a\x02\x0a\x05", 4, NULL, -EDGE_STATUS_INTERNAL},
    {"a name that is a varint", "\x0a\x02\x08\x05", 4, NULL, -EDGE_STATUS_INTERNAL},
    {"a c1 that is fixed", "\x0a\x05\x3d\x01\x02\x03\x04", 7, NULL, -EDGE_STATUS_INTERNAL},
    {"a pet that is a varint", "\x0a\x02\x48\x05", 4, NULL, -EDGE_STATUS_INTERNAL},
    {"a bad tag", "\x07", 1, NULL, -EDGE_STATUS_INTERNAL},
    {"an endless varint", "\x0a\x0c\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14, NULL,
     -EDGE_STATUS_INTERNAL},
};

static void both_codecs_give_the_same_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        caller_open(&caller, codecs[i]);
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
            const struct row *row = &rows[k];
            uint8_t reply[256];
            int len = caller_unary(&caller, SAY_HELLO, row->request, (size_t)row->request_len,
                                   reply, sizeof(reply));
            if (len != row->reply_len || (len > 0 && memcmp(reply, row->reply, (size_t)len) != 0))
                fail_msg("%s, %s: result %d", codecs[i]->name, row->name, len);
        }
        caller_close(&caller);
    }
}

static void merged_messages_come_back_merged(void **state)
{
    (void)state;
    // HelloRequest.request comes twice: scalars replace, pets add up.
    static const uint8_t request[] = {0x0a, 0x05, 0x0a, 0x01, 'x',  0x4a, 0x00,
                                      0x0a, 0x04, 0x28, 0x07, 0x4a, 0x00};
    static const uint8_t merged[] = {0x0a, 0x09, 0x0a, 0x01, 'x', 0x28,
                                     0x07, 0x4a, 0x00, 0x4a, 0x00};
    for (size_t i = 0; i < CODECS; i++) {
        uint8_t reply[64];
        caller_open(&caller, codecs[i]);
        int len = caller_unary(&caller, SAY_HELLO, request, sizeof(request), reply, sizeof(reply));
        // protobuf-c 1.4 cannot merge where a oneof is not set. It must say so, no less.
        if (codecs[i] == &edge_greeter_protobufc && len < 0) {
            assert_int_equal(len, -EDGE_STATUS_INTERNAL);
            caller_close(&caller);
            continue;
        }
        assert_int_equal(len, sizeof(merged));
        assert_memory_equal(reply, merged, sizeof(merged));
        caller_close(&caller);
    }
}

static void a_nul_in_a_string_is_never_cut_silently(void **state)
{
    (void)state;
    static const uint8_t request[] = {0x0a, 0x05, 0x0a, 0x03, 'a', 0, 'b'};
    uint8_t reply[64];
    caller_open(&caller, &edge_greeter_nanopb);
    assert_int_equal(
        caller_unary(&caller, SAY_HELLO, request, sizeof(request), reply, sizeof(reply)),
        sizeof(request));
    assert_memory_equal(reply, request, sizeof(request));
    caller_close(&caller);
    caller_open(&caller, &edge_greeter_protobufc);
    assert_int_equal(
        caller_unary(&caller, SAY_HELLO, request, sizeof(request), reply, sizeof(reply)),
        -EDGE_STATUS_INVALID_ARGUMENT);
    caller_close(&caller);
}

// A HelloRequest whose name is `len` bytes long. Returns its length.
static size_t long_name(uint8_t *at, size_t len)
{
    // Lengths as three-byte varints: enough for 2 MiB, and legal for less.
    size_t outer = len + 4;
    const uint8_t head[] = {
        0x0a, (uint8_t)(outer | 0x80), (uint8_t)(outer >> 7 | 0x80), (uint8_t)(outer >> 14),
        0x0a, (uint8_t)(len | 0x80),   (uint8_t)(len >> 7 | 0x80),   (uint8_t)(len >> 14)};
    memcpy(at, head, sizeof(head));
    memset(at + sizeof(head), 'n', len);
    return sizeof(head) + len;
}

static void strings_may_be_of_any_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 126, 127, 128, 16383, 16384, 65535, 65536, 900000};
    uint8_t *request = malloc(1 << 20);
    uint8_t *reply = malloc(1 << 20);
    for (size_t i = 0; i < CODECS; i++) {
        caller_open(&caller, codecs[i]);
        for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
            size_t len = long_name(request, lengths[k]);
            int got = caller_unary(&caller, SAY_HELLO, request, len, reply, 1 << 20);
            assert_true(got > (int)lengths[k] && got <= (int)len);
            for (size_t at = 0; at < lengths[k]; at++)
                assert_int_equal(reply[(size_t)got - 1 - at], 'n');
        }
        caller_close(&caller);
    }
    free(request);
    free(reply);
}

static void pets_may_be_many_but_not_too_many(void **state)
{
    (void)state;
    enum { MANY = 2000, TOO_MANY = 400000 };
    uint8_t *request = calloc(1, 8 + 2 * TOO_MANY);
    uint8_t *reply = malloc(8 + 2 * TOO_MANY);
    for (size_t i = 0; i < CODECS; i++) {
        caller_open(&caller, codecs[i]);
        for (size_t count = MANY; count <= TOO_MANY; count += TOO_MANY - MANY) {
            size_t inner = 2 * count;
            request[0] = 0x0a;
            request[1] = (uint8_t)(inner | 0x80);
            request[2] = (uint8_t)(inner >> 7 | 0x80);
            request[3] = (uint8_t)(inner >> 14);
            for (size_t k = 0; k < count; k++)
                request[4 + 2 * k] = 0x4a;
            int got = caller_unary(&caller, SAY_HELLO, request, 4 + inner, reply, 4 + inner);
            assert_int_equal(got, count == MANY ? 2 * MANY + 3 : -EDGE_STATUS_RESOURCE_EXHAUSTED);
        }
        caller_close(&caller);
    }
    free(request);
    free(reply);
}

// Requests with `replies` set, and how many come.
static void say_hellos_gives_as_many_as_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *replies;
        size_t len;
        unsigned count;
    } wanted[] = {{"", 0, 10}, {"\x10\x00", 2, 10}, {"\x10\x01", 2, 1}, {"\x10\xe8\x07", 3, 1000}};
    for (size_t i = 0; i < CODECS; i++) {
        caller_open(&caller, codecs[i]);
        for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++) {
            uint8_t request[sizeof(complex_proto) + 3];
            memcpy(request, complex_proto, sizeof(complex_proto));
            memcpy(request + sizeof(complex_proto), wanted[k].replies, wanted[k].len);
            caller_start(&caller, "/helloworld.Greeter/SayHellos");
            caller_send(&caller, request, sizeof(complex_proto) + wanted[k].len);
            caller_end(&caller);
            unsigned count = 0;
            const uint8_t *reply;
            size_t len;
            while ((reply = caller_reply(&caller, &len)) != NULL) {
                assert_int_equal(len, sizeof(complex_proto));
                assert_memory_equal(reply, complex_proto, len);
                count++;
            }
            assert_int_equal(count, wanted[k].count);
            assert_true(caller.call.ended);
            assert_int_equal(caller.call.status, EDGE_STATUS_OK);
            caller_done(&caller);
        }
        caller_start(&caller, "/helloworld.Greeter/SayHellos");
        caller_send(&caller, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11); // -1
        assert_int_equal(caller.call.status, EDGE_STATUS_INVALID_ARGUMENT);
        caller_done(&caller);
        caller_close(&caller);
    }
}

static void say_hello_cs_answers_once(void **state)
{
    (void)state;
    static const uint8_t last[] = {0x0a, 0x05, 0x0a, 0x01, 'z', 0x28, 0x63};
    static const uint8_t expected[] = {0x0a, 0x05, 0x0a, 0x01, 'z', 0x28, 0x03};
    for (size_t i = 0; i < CODECS; i++) {
        size_t len;
        caller_open(&caller, codecs[i]);
        caller_start(&caller, "/helloworld.Greeter/SayHelloCS");
        caller_send(&caller, complex_proto, sizeof(complex_proto));
        caller_send(&caller, "", 0);
        caller_send(&caller, last, sizeof(last));
        assert_null(caller_reply(&caller, &len));
        caller_end(&caller);
        const uint8_t *reply = caller_reply(&caller, &len);
        assert_non_null(reply);
        assert_int_equal(len, sizeof(expected));
        assert_memory_equal(reply, expected, len);
        caller_done(&caller);

        caller_start(&caller, "/helloworld.Greeter/SayHelloCS");
        caller_end(&caller); // no message at all
        assert_int_equal(caller.call.status, EDGE_STATUS_OK);
        assert_non_null(caller_reply(&caller, &len));
        assert_int_equal(len, 0);
        caller_done(&caller);
        caller_close(&caller);
    }
}

static void say_hello_bidi_answers_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        size_t len;
        caller_open(&caller, codecs[i]);
        caller_start(&caller, "/helloworld.Greeter/SayHelloBidi");
        for (int k = 0; k < 3; k++) {
            caller_send(&caller, complex_proto, sizeof(complex_proto));
            const uint8_t *reply = caller_reply(&caller, &len);
            assert_non_null(reply);
            assert_int_equal(len, sizeof(complex_proto));
            assert_memory_equal(reply, complex_proto, len);
        }
        caller_end(&caller);
        assert_int_equal(caller.call.status, EDGE_STATUS_OK);
        caller_done(&caller);
        caller_close(&caller);
    }
}

static void hellobench_echoes(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        uint8_t reply[64];
        caller_open(&caller, codecs[i]);
        assert_int_equal(
            caller_unary(&caller, "/hellobench.Greeter/SayEmpty", "", 0, reply, sizeof(reply)), 0);
        assert_int_equal(
            caller_unary(&caller, "/hellobench.Greeter/SayEmpty", "\x0a", 1, reply, sizeof(reply)),
            -EDGE_STATUS_INTERNAL);
        assert_int_equal(caller_unary(&caller, "/hellobench.Greeter/SaySomething", "\x0a\x02hi", 4,
                                      reply, sizeof(reply)),
                         4);
        assert_memory_equal(reply, "\x0a\x02hi", 4);
        assert_int_equal(caller_unary(&caller, "/hellobench.Greeter/SaySomething", "\x0a\x01\xfe",
                                      3, reply, sizeof(reply)),
                         -EDGE_STATUS_INTERNAL);
        caller_close(&caller);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_proto_comes_back),
        cmocka_unit_test(both_codecs_give_the_same_answers),
        cmocka_unit_test(merged_messages_come_back_merged),
        cmocka_unit_test(a_nul_in_a_string_is_never_cut_silently),
        cmocka_unit_test(strings_may_be_of_any_length),
        cmocka_unit_test(pets_may_be_many_but_not_too_many),
        cmocka_unit_test(say_hellos_gives_as_many_as_asked_for),
        cmocka_unit_test(say_hello_cs_answers_once),
        cmocka_unit_test(say_hello_bidi_answers_each),
        cmocka_unit_test(hellobench_echoes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
