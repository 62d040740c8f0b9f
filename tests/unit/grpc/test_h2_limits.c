// Flow control, limits, and memory.

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grpc/h2_internal.h"
#include "grpc/h2_peer.h"
#include "grpc/limits.h"

static const struct edge_h2_config defaults;
static struct peer peer;

static void a_large_message_gets_its_window(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20, CHUNK = 16000 };
    const struct edge_h2_config config = {.window = 65536, .max_message = SIZE};
    uint8_t *body = calloc(1, 5 + SIZE);
    edge_framing_prefix(body, SIZE);
    peer_open(&peer, &config);
    peer_window(&peer, 0, 2 * SIZE);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 2 * SIZE);
    peer_request(&peer, 1, 0, UNARY, NULL, NULL);
    peer_pump(&peer);
    size_t window = 65536;
    size_t connection = 65535 + peer.credit;
    for (size_t at = 0; at < 5 + SIZE;) {
        size_t len = 5 + SIZE - at < CHUNK ? 5 + SIZE - at : CHUNK;
        // A client that keeps the rules is never left without window.
        assert_true(window + peer_seen(&peer, 1)->credit >= at + len);
        assert_true(connection + peer.credit >= at + len);
        peer_frame(&peer, DATA, at + len == 5 + SIZE ? END_STREAM : 0, 1, body + at, len);
        peer_pump(&peer);
        assert_int_equal(peer.error, 0);
        at += len;
    }
    peer_assert_status(&peer, 1, "0");
    assert_int_equal(peer_seen(&peer, 1)->data.len, 5 + SIZE);
    peer_close(&peer);
    free(body);
}

static void abandoned_streams_give_their_credit_back(void **state)
{
    (void)state;
    enum { CALLS = 200, SIZE = 10000 };
    const struct edge_h2_config config = {.window = 65536};
    static const uint8_t body[SIZE];
    peer_open(&peer, &config);
    peer_pump(&peer);
    size_t sent = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t id = 2 * i + 1;
        // Refused, reset by the client in mid-message, and padded.
        peer_request(&peer, id, 0, i % 3 == 0 ? "/test.T/Nope" : UNARY, NULL, NULL);
        if (i % 3 == 2) {
            static uint8_t padded[SIZE] = {255, 0, 0, 1, 0, 0};
            peer_frame(&peer, DATA, PADDED, id, padded, SIZE);
        } else {
            peer_frame(&peer, DATA, 0, id, body, SIZE);
        }
        peer_reset(&peer, id, NGHTTP2_CANCEL);
        peer_pump(&peer);
        assert_int_equal(peer.error, 0);
        sent += SIZE;
        assert_true(65535 + (size_t)peer.credit >= sent + SIZE);
    }
    peer_close(&peer);
}

static void a_client_that_does_not_read_is_held_back(void **state)
{
    (void)state;
    enum { WINDOW_SIZE = 65536, SIZE = 1000 };
    const struct edge_h2_config config = {.window = WINDOW_SIZE};
    static const uint8_t body[SIZE];
    peer_open(&peer, &config);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    size_t sent = 0;
    while (sent + SIZE + 5 <= WINDOW_SIZE + (size_t)peer_seen(&peer, 1)->credit) {
        peer_message(&peer, 1, 0, body, SIZE);
        peer_pump(&peer);
        sent += SIZE + 5;
        assert_true(sent < 3 * WINDOW_SIZE); // else it is never held back
    }
    // Once it reads, it may send again.
    uint32_t credit = peer_seen(&peer, 1)->credit;
    peer_window(&peer, 1, 10 * WINDOW_SIZE);
    peer_window(&peer, 0, 10 * WINDOW_SIZE);
    peer_pump(&peer);
    assert_int_equal(peer_seen(&peer, 1)->data.len, sent);
    assert_true(peer_seen(&peer, 1)->credit > credit);
    peer_close(&peer);
}

static void a_long_answer_takes_little_memory(void **state)
{
    (void)state;
    static const uint8_t million[4] = {0x40, 0x42, 0x0f, 0};
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, REPEAT, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, million, 4);
    peer_pump(&peer);
    size_t total = peer_seen(&peer, 1)->data.len;
    assert_int_equal(total, 65535); // the client's window
    uint64_t allocs = peer.pool.system_allocs;
    while (!peer_seen(&peer, 1)->ended) {
        peer_seen(&peer, 1)->data.len = 0;
        peer_window(&peer, 0, 1 << 20);
        peer_window(&peer, 1, 1 << 20);
        peer_pump(&peer);
        total += peer_seen(&peer, 1)->data.len;
        assert_true(total <= 105000000);
    }
    assert_int_equal(total, 105000000);
    assert_int_equal(peer.pool.system_allocs, allocs);
    peer_assert_status(&peer, 1, "0");
    peer_close(&peer);
}

static void steady_calls_do_not_call_malloc(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    uint64_t allocs = 0;
    for (unsigned round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t id = 2 * (20 * round + i) + 1;
            peer_request(&peer, id, 0, i % 2 == 0 ? UNARY : COLLECT, "grpc-timeout", "1S");
            peer_message(&peer, id, END_STREAM, "some text that is not short, for a change", 41);
        }
        peer_pump_pieces(&peer, 50); // messages in pieces too
        if (round == 1)
            allocs = peer.pool.system_allocs;
    }
    assert_int_equal(peer.pool.system_allocs, allocs);
    peer_assert_status(&peer, 199, "0");
    peer_close(&peer);
}

static void streams_above_the_limit_are_refused(void **state)
{
    (void)state;
    const struct edge_h2_config config = {.max_streams = 10};
    peer_open(&peer, &config);
    for (uint32_t i = 0; i < 15; i++)
        peer_request(&peer, 2 * i + 1, 0, UNARY, NULL, NULL);
    peer_pump(&peer);
    assert_int_equal(peer.error, 0);
    for (uint32_t i = 0; i < 10; i++)
        peer_message(&peer, 2 * i + 1, END_STREAM, "x", 1);
    peer_pump(&peer);
    for (uint32_t i = 0; i < 10; i++)
        peer_assert_status(&peer, 2 * i + 1, "0");
    for (uint32_t i = 10; i < 15; i++) {
        assert_true(peer_seen(&peer, 2 * i + 1)->reset);
        assert_int_equal(peer_seen(&peer, 2 * i + 1)->reset_code, NGHTTP2_REFUSED_STREAM);
    }
    assert_int_equal(peer.goaways, 0);
    peer_close(&peer);
}

// HEADERS with `count` fields of 100 bytes each, in CONTINUATION frames.
static void big_request(uint32_t id, unsigned count)
{
    const char *fields[] = {":method", "POST",       ":scheme", "http",         ":path",
                            UNARY,     ":authority", "test",    "content-type", "application/grpc",
                            NULL};
    uint8_t block[4096];
    size_t len = peer_block(&peer, block, sizeof(block), fields);
    peer_frame(&peer, HEADERS, 0, id, block, len);
    char value[69];
    memset(value, 'v', 67);
    value[68] = '\0';
    unsigned done = 0;
    while (done < count) {
        size_t at = 0;
        for (unsigned i = 0; i < 20 && done < count; i++, done++) {
            value[67] = (char)('a' + done % 26);
            const char *more[] = {"x", value, NULL};
            at += peer_block(&peer, block + at, sizeof(block) - at, more);
        }
        peer_frame(&peer, CONT, done == count ? END_HEADERS : 0, id, block, at);
    }
}

static void a_large_header_list_is_refused(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    big_request(1, 100);
    peer_message(&peer, 1, END_STREAM, "x", 1);
    big_request(3, 200);
    peer_message(&peer, 3, END_STREAM, "x", 1);
    peer_request(&peer, 5, 0, UNARY, NULL, NULL);
    peer_message(&peer, 5, END_STREAM, "x", 1);
    peer_pump(&peer);
    assert_int_equal(peer.error, 0);
    peer_assert_status(&peer, 1, "0");
    peer_assert_status(&peer, 3, "8");
    peer_assert_status(&peer, 5, "0"); // the compression state survives
    peer_close(&peer);
}

static void a_huge_header_list_ends_the_connection(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    big_request(1, 700);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

static void words_too_long_for_the_client_are_left_out(void **state)
{
    (void)state;
    char words[1000];
    memset(words, 'w', sizeof(words));
    for (uint32_t limit = 200; limit <= 4000; limit += 3800) {
        peer_open(&peer, &defaults);
        peer_setting(&peer, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limit);
        peer_request(&peer, 1, 0, FAIL, NULL, NULL);
        peer_message(&peer, 1, END_STREAM, words, sizeof(words));
        peer_pump(&peer);
        peer_assert_status(&peer, 1, "3");
        assert_int_equal(strlen(peer_seen(&peer, 1)->grpc_message),
                         limit == 200 ? 0 : sizeof(words));
        peer_close(&peer);
    }
}

// Messages that are not whole, on many streams: memory that a client takes by sending.
static void what_calls_hold_is_limited(void **state)
{
    (void)state;
    enum { SIZE = 100000, CALLS = 2 * EDGE_LIMIT_CALL_MESSAGES };
    const struct edge_h2_config config = {.max_message = SIZE};
    static uint8_t bytes[SIZE] = {0, 0, SIZE >> 16, (SIZE >> 8) & 255, SIZE & 255};
    peer_open(&peer, &config);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20);
    peer_window(&peer, 0, 1 << 20);
    peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0); // from now on the server's own window counts
    peer_pump(&peer);
    unsigned refused = 0;
    for (uint32_t id = 1; id < 2 * CALLS; id += 2) {
        peer_request(&peer, id, 0, UNARY, NULL, NULL);
        for (size_t at = 0; at < 90000; at += 15000)
            peer_frame(&peer, DATA, 0, id, bytes + at, 15000);
        peer_pump(&peer);
        if (peer_seen(&peer, id)->ended) {
            peer_assert_status(&peer, id, "8");
            refused++;
        }
    }
    assert_true(refused >= CALLS / 2 && refused < CALLS / 2 + 2);
    assert_true(peer.pool.system_bytes < ((size_t)EDGE_LIMIT_CALL_MESSAGES + 8) * SIZE);
    // What they held is free again once they have ended.
    for (uint32_t id = 1; id < 2 * CALLS; id += 2)
        peer_reset(&peer, id, NGHTTP2_CANCEL);
    const uint32_t id = 2 * CALLS + 1;
    peer_request(&peer, id, 0, UNARY, NULL, NULL);
    for (size_t at = 0; at < SIZE; at += 15000)
        peer_frame(&peer, DATA, 0, id, bytes + at, at + 15000 <= SIZE ? 15000 : SIZE - at);
    peer_frame(&peer, DATA, END_STREAM, id, bytes, 5);
    peer_pump(&peer);
    peer_assert_status(&peer, id, "0");
    peer_close(&peer);
}

// Replies larger than their requests, to a client that takes none.
static void replies_that_wait_are_limited(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    const struct edge_h2_config config = {.max_message = SIZE};
    static uint8_t bytes[SIZE];
    peer_open(&peer, &config);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0);
    peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0);
    peer_pump(&peer);
    const uint32_t end = 2 * 2 * EDGE_LIMIT_CALL_MESSAGES;
    for (uint32_t id = 1; id < end; id += 2) {
        peer_request(&peer, id, 0, BIDI, NULL, NULL);
        for (unsigned i = 0; i < 9; i++)
            peer_message(&peer, id, 0, bytes, 10000);
        peer_pump(&peer);
    }
    assert_true(peer.pool.system_bytes < ((size_t)EDGE_LIMIT_CALL_MESSAGES + 8) * SIZE);
    for (uint32_t id = 1; id < end; id += 2)
        peer_window(&peer, id, 1 << 20);
    peer_window(&peer, 0, 1 << 24);
    peer_pump(&peer);
    unsigned refused = 0;
    for (uint32_t id = 1; id < end; id += 2) {
        struct seen *seen = peer_seen(&peer, id);
        if (!seen->ended) { // its replies are whole
            assert_int_equal(seen->data.len, 9 * 10005);
            continue;
        }
        peer_assert_status(&peer, id, "8");
        assert_int_equal(seen->data.len % 10005, 0); // those before the end were good
        refused++;
    }
    assert_true(refused > 0 && refused < EDGE_LIMIT_CALL_MESSAGES * 2);
    peer_close(&peer);
}

// Takes all that the pool has left, and gives back `spare` blocks of each size but that of a
// stream, and `streams` of that one.
static void leave_memory(unsigned spare, unsigned streams)
{
    enum { BLOCKS = 1000 };
    static void *blocks[EDGE_POOL_CLASSES][BLOCKS];
    const size_t header = 2 * sizeof(size_t); // of the pool
    peer.pool.limit = peer.pool.system_bytes;
    for (size_t class = 0; class < EDGE_POOL_CLASSES; class ++) {
        const size_t size = ((size_t)32 << class) - header;
        unsigned taken = 0;
        while (taken < BLOCKS && (blocks[class][taken] = edge_pool_alloc(&peer.pool, size)) != NULL)
            taken++;
        assert_true(taken < BLOCKS);
        const size_t stream = sizeof(struct edge_h2_stream);
        unsigned back = stream <= size && stream > size / 2 ? streams : spare;
        while (taken > 0 && back-- > 0)
            edge_pool_release(&peer.pool, blocks[class][--taken]);
    }
}

// Without memory for a stream the client may try again elsewhere; it has made no mistake.
static void a_stream_without_memory_is_refused(void **state)
{
    (void)state;
    unsigned refused = 0;
    unsigned answered = 0;
    for (unsigned streams = 0; streams < 12; streams++) {
        peer_open(&peer, &defaults);
        for (uint32_t id = 1; id < 60; id += 2) { // so that there are blocks of each size
            peer_request(&peer, id, 0, UNARY, NULL, NULL);
            peer_message(&peer, id, END_STREAM, "x", 1);
        }
        peer_pump(&peer);
        leave_memory(100, streams);
        peer_request(&peer, 61, 0, UNARY, NULL, NULL);
        peer_message(&peer, 61, END_STREAM, "x", 1);
        peer_pump(&peer);
        const struct seen *seen = peer_seen(&peer, 61);
        if (seen->reset && refused++ == 0) // with more, it is the reply that has none
            assert_int_equal(seen->reset_code, NGHTTP2_REFUSED_STREAM);
        answered += seen->ended && strcmp(seen->grpc_status, "0") == 0;
        peer_close(&peer);
    }
    assert_true(refused > 0 && answered > 0);
}

static void a_ping_is_answered_ahead_of_data(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_window(&peer, 0, 1 << 20);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20);
    peer_request(&peer, 1, 0, REPEAT, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "\0\4\0\0", 4);
    peer_frame(&peer, PING, 0, 0, "12345678", 8);
    peer_pump(&peer);
    assert_int_equal(peer.ping_acks, 1);
    assert_true(strchr(peer.order, 'P') < strchr(peer.order, 'D'));
    peer_close(&peer);
}

static void fills_stop_at_the_high_mark(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer.high = 1000;
    peer_request(&peer, 1, 0, REPEAT, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "\xf4\1\0\0", 4); // 500
    const uint8_t *bytes = edge_buffer_head(&peer.in);
    assert_int_equal(edge_h2_session_receive(peer.session, bytes, peer.in.len, 1000), 0);
    peer.in.len = 0;
    assert_int_equal(edge_h2_session_fill(peer.session, &peer.out, 1000), 0);
    assert_true(peer.out.len >= 1000 && peer.out.len < 1000 + 16384 + 9);
    size_t len = peer.out.len;
    assert_int_equal(edge_h2_session_fill(peer.session, &peer.out, 1000), 0);
    assert_int_equal(peer.out.len, len);
    peer_pump(&peer);
    peer_window(&peer, 0, 1 << 20);
    peer_pump(&peer);
    assert_int_equal(peer_seen(&peer, 1)->data.len, 52500);
    peer_assert_status(&peer, 1, "0");
    peer_close(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_message_gets_its_window),
        cmocka_unit_test(abandoned_streams_give_their_credit_back),
        cmocka_unit_test(a_client_that_does_not_read_is_held_back),
        cmocka_unit_test(a_long_answer_takes_little_memory),
        cmocka_unit_test(steady_calls_do_not_call_malloc),
        cmocka_unit_test(streams_above_the_limit_are_refused),
        cmocka_unit_test(a_large_header_list_is_refused),
        cmocka_unit_test(a_huge_header_list_ends_the_connection),
        cmocka_unit_test(words_too_long_for_the_client_are_left_out),
        cmocka_unit_test(what_calls_hold_is_limited),
        cmocka_unit_test(replies_that_wait_are_limited),
        cmocka_unit_test(a_stream_without_memory_is_refused),
        cmocka_unit_test(a_ping_is_answered_ahead_of_data),
        cmocka_unit_test(fills_stop_at_the_high_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
