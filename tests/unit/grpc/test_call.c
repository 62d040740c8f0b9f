#include "cmocka_headers.h"

#include <string.h>

#include "grpc/call.h"

static struct edge_pool pool;
static unsigned closed;

static void echo(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    uint8_t *out = edge_call_reply(call, len + 10); // a guess that is too large is fine
    memcpy(out, bytes, len);
    edge_call_reply_end(call, len);
}

static void refuse(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    echo(call, bytes, len);
    edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT, "no: 100%% %s", "\xe2\x98\xba");
    edge_call_end(call, EDGE_STATUS_OK, NULL); // too late
}

static void count(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    (*(unsigned *)call->state)++;
}

static void answer_count(struct edge_call *call)
{
    uint8_t *out = edge_call_reply(call, 1);
    out[0] = (uint8_t) * (unsigned *)call->state;
    edge_call_reply_end(call, 1);
    edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void stay_open(struct edge_call *call)
{
    (void)call;
}

// A thousand replies of 1000 bytes.
static void produce(struct edge_call *call)
{
    while (!edge_call_full(call) && call->replies < 1000) {
        memset(edge_call_reply(call, 1000), 'r', 1000);
        edge_call_reply_end(call, 1000);
    }
    if (call->replies == 1000)
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void on_closed(struct edge_call *call)
{
    (void)call;
    closed++;
}

static const struct edge_method unary = {.path = "u", .message = echo, .closed = on_closed};
static const struct edge_method refusing = {.path = "r", .message = refuse};
static const struct edge_method bidi = {
    .path = "b", .client_streams = true, .server_streams = true, .message = echo};
static const struct edge_method counting = {.path = "c",
                                            .client_streams = true,
                                            .state_size = sizeof(unsigned),
                                            .message = count,
                                            .half_close = answer_count};
static const struct edge_method producing = {.path = "p",
                                             .server_streams = true,
                                             .state_size = sizeof(unsigned),
                                             .message = count,
                                             .half_close = stay_open,
                                             .produce = produce};

static const struct edge_call_shared shared = {.pool = &pool, .max_message = 1000};

static void start(struct edge_call *call, const struct edge_method *method)
{
    *call = (struct edge_call)EDGE_CALL_INIT(&shared, NULL);
    edge_call_start(call, method);
}

static const uint8_t message[] = {0, 0, 0, 0, 2, 'h', 'i'};

static void receive(struct edge_call *call, const void *bytes, size_t len)
{
    edge_call_receive(call, bytes, len);
}

static void a_single_reply_waits_for_the_end(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &unary);
    receive(&call, message, sizeof(message));
    assert_false(call.ended);
    assert_int_equal(edge_call_pending(&call), 0);
    edge_call_half_close(&call);
    assert_true(call.ended);
    assert_int_equal(call.status, EDGE_STATUS_OK);
    assert_int_equal(edge_call_pending(&call), sizeof(message));
    assert_memory_equal(edge_call_head(&call), message, sizeof(message));
    edge_call_sent(&call, 3);
    assert_int_equal(call.head_left, 4);
    edge_call_sent(&call, 4);
    assert_int_equal(edge_call_pending(&call), 0);
    closed = 0;
    edge_call_free(&call);
    assert_int_equal(closed, 1);
}

static void the_number_of_requests_is_checked(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &unary);
    edge_call_half_close(&call);
    assert_int_equal(call.status, EDGE_STATUS_UNIMPLEMENTED);
    edge_call_free(&call);

    start(&call, &unary);
    receive(&call, message, sizeof(message));
    receive(&call, message, sizeof(message));
    assert_true(call.ended);
    assert_int_equal(call.status, EDGE_STATUS_UNIMPLEMENTED);
    assert_int_equal(edge_call_pending(&call), 0); // the reply to the first is dropped
    edge_call_half_close(&call);
    assert_int_equal(call.status, EDGE_STATUS_UNIMPLEMENTED);
    edge_call_free(&call);

    start(&call, &counting);
    edge_call_half_close(&call);
    assert_int_equal(call.status, EDGE_STATUS_OK);
    assert_int_equal(edge_call_head(&call)[5], 0);
    edge_call_free(&call);

    start(&call, &counting);
    for (int i = 0; i < 3; i++)
        receive(&call, message, sizeof(message));
    assert_int_equal(edge_call_pending(&call), 0);
    edge_call_half_close(&call);
    assert_int_equal(edge_call_pending(&call), 6);
    assert_int_equal(edge_call_head(&call)[5], 3);
    edge_call_free(&call);
}

static void bad_framing_ends_the_call(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[8];
        size_t len;
        bool half_close;
        enum edge_status status;
    } rows[] = {
        {{1, 0, 0, 0, 0}, 5, false, EDGE_STATUS_INTERNAL},
        {{2, 0, 0, 0, 0}, 5, false, EDGE_STATUS_INTERNAL},
        {{0, 0, 0, 1001 >> 8, 1001 & 255}, 5, false, EDGE_STATUS_RESOURCE_EXHAUSTED},
        {{0, 0}, 2, true, EDGE_STATUS_INTERNAL},
        {{0, 0, 0, 0, 9, 'x'}, 6, true, EDGE_STATUS_INTERNAL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct edge_call call;
        start(&call, &bidi);
        receive(&call, rows[i].bytes, rows[i].len);
        assert_int_equal(call.ended, !rows[i].half_close);
        edge_call_half_close(&call);
        assert_true(call.ended);
        assert_int_equal(call.status, rows[i].status);
        assert_true(call.message_len > 0);
        edge_call_free(&call);
    }
}

static void replies_of_a_stream_survive_its_error(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &bidi);
    receive(&call, message, sizeof(message));
    receive(&call, "\1\0\0\0\0", 5);
    assert_int_equal(call.status, EDGE_STATUS_INTERNAL);
    assert_int_equal(edge_call_pending(&call), sizeof(message));
    receive(&call, message, sizeof(message)); // ignored
    assert_int_equal(edge_call_pending(&call), sizeof(message));
    edge_call_free(&call);
}

static void the_first_end_counts_and_its_words_are_encoded(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &refusing);
    receive(&call, message, sizeof(message));
    assert_int_equal(call.status, EDGE_STATUS_INVALID_ARGUMENT);
    const char words[] = "no: 100%25 %E2%98%BA";
    assert_int_equal(call.message_len, sizeof(words) - 1);
    assert_memory_equal(call.message, words, sizeof(words) - 1);
    assert_int_equal(edge_call_pending(&call), 0);
    edge_call_free(&call);
}

static void a_long_stream_of_replies_takes_little_memory(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &producing);
    receive(&call, message, sizeof(message));
    assert_int_equal(edge_call_pending(&call), 0); // not before the client's end
    edge_call_half_close(&call);
    size_t total = 0;
    size_t pending;
    while ((pending = edge_call_pending(&call)) > 0) {
        assert_true(pending <= EDGE_CALL_QUEUE_HIGH + 1005);
        size_t step = pending < 777 ? pending : 777;
        edge_call_sent(&call, step);
        total += step;
    }
    assert_true(call.ended);
    assert_int_equal(total, 1000 * 1005);
    assert_true(call.queue_cap <= 3 * EDGE_CALL_QUEUE_HIGH);
    edge_call_free(&call);
}

static void a_deadline_replaces_what_is_not_sent(void **state)
{
    (void)state;
    struct edge_call call;
    start(&call, &bidi);
    receive(&call, message, sizeof(message));
    receive(&call, message, sizeof(message));
    assert_int_equal(edge_call_pending(&call), 2 * sizeof(message));
    edge_call_sent(&call, sizeof(message));
    edge_call_expire(&call);
    assert_int_equal(call.status, EDGE_STATUS_DEADLINE_EXCEEDED);
    assert_false(call.broken);
    assert_int_equal(edge_call_pending(&call), 0);
    edge_call_free(&call);

    start(&call, &bidi);
    receive(&call, message, sizeof(message));
    edge_call_sent(&call, 6);
    edge_call_expire(&call);
    assert_true(call.broken);
    edge_call_free(&call);
}

static int free_pool(void **state)
{
    (void)state;
    edge_pool_free(&pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_reply_waits_for_the_end),
        cmocka_unit_test(the_number_of_requests_is_checked),
        cmocka_unit_test(bad_framing_ends_the_call),
        cmocka_unit_test(replies_of_a_stream_survive_its_error),
        cmocka_unit_test(the_first_end_counts_and_its_words_are_encoded),
        cmocka_unit_test(a_long_stream_of_replies_takes_little_memory),
        cmocka_unit_test(a_deadline_replaces_what_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, free_pool);
}
