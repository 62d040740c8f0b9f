// Limits that are times and rates. The clock is the test's.

#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "grpc/h2_peer.h"
#include "grpc/limits.h"

#define S EDGE_NS_PER_S

static const struct edge_h2_config defaults;
static struct peer peer;

static void sweep_at(uint64_t now_ns)
{
    peer.now_ns = now_ns;
    edge_h2_session_sweep(peer.session, now_ns);
    peer_pump(&peer);
}

// A sweep every second, as the server does it.
static void pass(uint64_t seconds)
{
    for (uint64_t i = 0; i < seconds; i++)
        sweep_at(peer.now_ns + S);
}

// A connection that has said and acknowledged SETTINGS.
static void open_peer(const struct edge_h2_config *config)
{
    peer_open(&peer, config);
    peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0);
    peer_pump(&peer);
}

static void assert_ended(uint32_t code)
{
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_code, code);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

static void assert_open(void)
{
    assert_int_equal(peer.goaways, 0);
    assert_false(edge_h2_session_finished(peer.session));
}

static void a_client_must_begin(void **state)
{
    (void)state;
    for (size_t len = 0; len <= 24; len += 24) { // nothing; the preface alone
        peer_open(&peer, &defaults);
        peer.in.len = len;
        peer_pump(&peer);
        pass(EDGE_LIMIT_OPENING_S - 1);
        assert_open();
        pass(1);
        assert_ended(NGHTTP2_SETTINGS_TIMEOUT);
    }
}

static void settings_must_be_acknowledged(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_pump(&peer);
    pass(EDGE_LIMIT_SETTINGS_S - 1);
    assert_open();
    pass(1);
    assert_ended(NGHTTP2_SETTINGS_TIMEOUT);
}

static void a_header_block_must_be_whole(void **state)
{
    (void)state;
    static const char *const fields[] = {":method", "POST", NULL};
    uint8_t block[4096];
    open_peer(&defaults);
    size_t len = peer_block(&peer, block, sizeof(block), fields);
    peer_frame(&peer, HEADERS, 0, 1, block, len);
    peer_pump(&peer);
    pass(EDGE_LIMIT_HEADERS_S);
    assert_open();
    peer_frame(&peer, CONT, 0, 1, NULL, 0); // that is no progress
    peer_pump(&peer);
    pass(1);
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
}

static void a_request_must_come(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_request(&peer, 1, 0, UNARY, NULL, NULL); // nothing
    peer_request(&peer, 3, 0, UNARY, NULL, NULL); // a message, but no end
    peer_message(&peer, 3, 0, "x", 1);
    peer_request(&peer, 5, 0, BIDI, NULL, NULL); // half a message
    peer_frame(&peer, DATA, 0, 5, "\0\0\0\0\5ab", 7);
    peer_request(&peer, 7, 0, BIDI, NULL, NULL); // may wait
    peer_message(&peer, 7, 0, "x", 1);
    peer_request(&peer, 9, 0, HANG, NULL, NULL); // the server's own fault
    peer_message(&peer, 9, END_STREAM, "x", 1);
    peer_pump(&peer);
    pass(EDGE_LIMIT_REQUEST_S);
    for (uint32_t id = 1; id <= 9; id += 2)
        assert_false(peer_seen(&peer, id)->ended);
    pass(1);
    for (uint32_t id = 1; id <= 5; id += 2) {
        peer_assert_status(&peer, id, "4");
        assert_int_equal(peer_seen(&peer, id)->reset_code, NGHTTP2_NO_ERROR);
        assert_true(peer_seen(&peer, id)->reset_after_end);
    }
    for (uint32_t id = 7; id <= 9; id += 2) {
        assert_false(peer_seen(&peer, id)->ended);
        assert_false(peer_seen(&peer, id)->reset);
    }
    assert_open();
    peer_close(&peer);
}

static void a_slow_message_may_go_on_a_dribble_may_not(void **state)
{
    (void)state;
    static const uint8_t prefix[5] = {0, 0, 16, 0, 0}; // 1 MiB
    static uint8_t bytes[16000];
    open_peer(&defaults);
    for (uint32_t id = 1; id <= 3; id += 2) {
        peer_request(&peer, id, 0, UNARY, NULL, NULL);
        peer_frame(&peer, DATA, 0, id, prefix, 5);
    }
    for (unsigned i = 0; i < 20; i++) {
        peer_frame(&peer, DATA, 0, 1, bytes, sizeof(bytes)); // 64 KiB in 50 s
        peer_frame(&peer, DATA, 0, 3, bytes, 1);
        peer_pump(&peer);
        pass(10);
    }
    assert_false(peer_seen(&peer, 1)->ended);
    peer_assert_status(&peer, 3, "4");
    peer_close(&peer);
}

static void replies_must_be_taken(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 10);
    for (uint32_t id = 1; id <= 5; id += 2) {
        peer_request(&peer, id, 0, REPEAT, NULL, NULL);
        peer_message(&peer, id, END_STREAM, "\xff\xff\0\0", 4);
    }
    peer_request(&peer, 7, 0, BIDI, NULL, NULL); // has no reply that waits
    peer_pump(&peer);
    for (unsigned i = 0; i <= EDGE_LIMIT_WINDOW_S; i++) {
        peer_window(&peer, 3, 1); // a dribble
        if (i % 20 == 0) {
            peer_window(&peer, 5, 5000); // slow
            peer_window(&peer, 0, 5000);
        }
        peer_pump(&peer);
        assert_false(peer_seen(&peer, 1)->reset);
        pass(1);
    }
    assert_true(peer_seen(&peer, 1)->reset);
    assert_int_equal(peer_seen(&peer, 1)->reset_code, NGHTTP2_CANCEL);
    assert_false(peer_seen(&peer, 5)->reset);
    assert_false(peer_seen(&peer, 7)->reset);
    pass(EDGE_LIMIT_WINDOW_S);
    assert_true(peer_seen(&peer, 3)->reset);
    assert_true(peer_seen(&peer, 5)->reset);
    assert_open();
    peer_close(&peer);
}

static void an_idle_connection_ends_gracefully(void **state)
{
    (void)state;
    const struct edge_h2_config config = {.max_idle_ns = 30 * S};
    open_peer(&config);
    pass(20);
    peer_request(&peer, 1, 0, UNARY, NULL, NULL); // begins and ends between two sweeps
    peer_message(&peer, 1, END_STREAM, "x", 1);
    peer_pump(&peer);
    pass(20);
    peer_request(&peer, 3, 0, BIDI, NULL, NULL); // stays
    peer_pump(&peer);
    pass(100);
    assert_open();
    peer_frame(&peer, DATA, END_STREAM, 3, NULL, 0);
    peer_pump(&peer);
    pass(29);
    assert_open();
    pass(1);
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_last, INT32_MAX);
    assert_int_equal(peer.pings, 1);
    peer_frame(&peer, PING, ACK, 0, "\0\0\0\0\0\0\0", 8);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 2);
    assert_int_equal(peer.goaway_last, 3);
    assert_int_equal(peer.goaway_code, NGHTTP2_NO_ERROR);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

static void an_old_connection_ends_gracefully(void **state)
{
    (void)state;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (uint64_t start = 0; start < 50; start++) {
        const struct edge_h2_config config = {.max_age_ns = 1000 * S, .max_age_grace_ns = 50 * S};
        open_peer(&config);
        // The age is spread by the time of the start.
        edge_h2_session_del(peer.session);
        const uint64_t begin = 1000 + start * 12345678;
        assert_int_equal(edge_h2_session_new(peer.h2, begin, &peer.session), 0);
        peer.now_ns = begin;
        edge_buffer_append(&peer.in, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
        peer_frame(&peer, SETTINGS, 0, 0, NULL, 0);
        peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0);
        peer_request(&peer, 1, 0, BIDI, NULL, NULL);
        peer_pump(&peer);
        while (peer.goaways == 0)
            pass(1);
        uint64_t age = peer.now_ns - begin;
        assert_true(age >= 900 * S && age <= 1101 * S);
        least = age < least ? age : least;
        most = age > most ? age : most;
        pass(EDGE_LIMIT_NOTICE_S); // its PING is not answered
        assert_int_equal(peer.goaways, 2);
        assert_int_equal(peer.goaway_last, 1);
        pass(47);
        assert_int_equal(peer.goaways, 2); // the call goes on
        assert_false(edge_h2_session_finished(peer.session));
        pass(3);
        assert_int_equal(peer.goaways, 3);
        assert_true(edge_h2_session_finished(peer.session));
        peer_close(&peer);
    }
    assert_true(most - least > 100 * S);
}

static void a_silent_client_is_asked_for_a_sign(void **state)
{
    (void)state;
    const struct edge_h2_config config = {
        .max_idle_ns = EDGE_H2_NEVER, .keepalive_ns = 30 * S, .keepalive_timeout_ns = 5 * S};
    open_peer(&config);
    pass(31); // its last bytes were seen by the first sweep
    assert_int_equal(peer.pings, 1);
    peer_frame(&peer, PING, ACK, 0, "\0\0\0\0\0\0\0", 8);
    peer_pump(&peer);
    pass(30);
    assert_int_equal(peer.pings, 1);
    assert_open();
    pass(1);
    assert_int_equal(peer.pings, 2);
    pass(4);
    assert_open();
    pass(1);
    assert_ended(NGHTTP2_NO_ERROR);
}

static void ping(void)
{
    peer_frame(&peer, PING, 0, 0, "12345678", 8);
    peer_pump(&peer);
}

static void early_pings_are_strikes(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    for (unsigned i = 0; i < 10; i++) { // with a call: five minutes
        peer.now_ns += 300 * S;
        ping();
    }
    peer.now_ns += S;
    ping();
    ping();
    assert_open();
    ping();
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);

    open_peer(&defaults);
    for (unsigned i = 0; i < 3; i++) { // without: two hours
        ping();
        peer.now_ns += 7199 * S;
    }
    assert_open();
    ping();
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);

    const struct edge_h2_config centuries = {.ping_interval_ns =
                                                 UINT64_MAX / EDGE_LIMIT_PING_IDLE + 1};
    open_peer(&centuries);
    for (unsigned i = 0; i < 4; i++) {
        assert_open();
        peer.now_ns += S;
        ping();
    }
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
}

// Clients measure the path with PINGs while data flows.
static void pings_beside_data_are_no_strikes(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    for (unsigned i = 0; i < 100; i++) {
        peer_message(&peer, 1, 0, "x", 1);
        ping();
        ping();
        peer.now_ns += 10 * EDGE_NS_PER_MS;
    }
    assert_open();
    assert_int_equal(peer.ping_acks, 200);
    peer_close(&peer);
    const struct edge_h2_config config = {.ping_interval_ns = EDGE_H2_NEVER};
    open_peer(&config);
    for (unsigned i = 0; i < 100; i++)
        ping();
    assert_open();
    peer_close(&peer);
}

static void settings_are_limited(void **state)
{
    (void)state;
    open_peer(&defaults);
    for (unsigned i = 0; i < 1000; i++) { // as many as are let through
        peer.now_ns += S / EDGE_LIMIT_SETTINGS_PER_S;
        peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, i);
        peer_pump(&peer);
    }
    assert_open();
    for (unsigned i = 0; i < EDGE_LIMIT_SETTINGS_BURST + 1; i++)
        peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, i);
    peer_pump(&peer);
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
}

static void empty_data_is_limited(void **state)
{
    (void)state;
    for (unsigned padded = 0; padded < 2; padded++) {
        open_peer(&defaults);
        peer_request(&peer, 1, 0, BIDI, NULL, NULL);
        for (unsigned i = 0; i < EDGE_LIMIT_EMPTY_DATA_BURST; i++)
            peer_frame(&peer, DATA, padded ? PADDED : 0, 1, "\3\0\0\0", padded ? 4 : 0);
        peer_pump(&peer);
        assert_open();
        peer_frame(&peer, DATA, 0, 1, NULL, 0);
        peer_pump(&peer);
        assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
    }
}

// Requests whose fault makes us reset them (MadeYouReset): here a window that overflows.
static void faulty_streams_are_limited(void **state)
{
    (void)state;
    open_peer(&defaults);
    unsigned count = 0;
    for (uint32_t id = 1; peer.goaways == 0; id += 2) {
        assert_true(++count <= EDGE_LIMIT_FAULTS_BURST + 1);
        peer.streams[id / 2 % PEER_STREAMS] = (struct seen){.ended = false};
        peer_request(&peer, id, 0, HANG, NULL, NULL);
        peer_window(&peer, id, 0x7fffffff);
        peer_pump(&peer);
    }
    assert_true(count > EDGE_LIMIT_FAULTS_BURST - 2);
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
}

static void the_end_waits_for_no_reply(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0x7fffffff);
    peer_window(&peer, 0, 0x7fff0000 - 65535);
    peer_request(&peer, 1, 0, REPEAT, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "\xff\xff\xff\x7f", 4);
    for (unsigned i = 0; i < EDGE_LIMIT_SETTINGS_BURST + 1; i++)
        peer_frame(&peer, SETTINGS, 0, 0, NULL, 0);
    peer_pump(&peer);
    assert_true(peer_seen(&peer, 1)->data.len < 1 << 20);
    assert_ended(NGHTTP2_ENHANCE_YOUR_CALM);
}

static void late_stream_ids_end_the_connection_gracefully(void **state)
{
    (void)state;
    open_peer(&defaults);
    peer_request(&peer, EDGE_LIMIT_STREAM_ID + 1, 0, UNARY, NULL, NULL);
    const uint8_t *bytes = edge_buffer_head(&peer.in);
    assert_int_equal(edge_h2_session_receive(peer.session, bytes, peer.in.len, peer.now_ns), 0);
    peer.in.len = 0;
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_last, INT32_MAX);
    peer_close(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_must_begin),
        cmocka_unit_test(settings_must_be_acknowledged),
        cmocka_unit_test(a_header_block_must_be_whole),
        cmocka_unit_test(a_request_must_come),
        cmocka_unit_test(a_slow_message_may_go_on_a_dribble_may_not),
        cmocka_unit_test(replies_must_be_taken),
        cmocka_unit_test(an_idle_connection_ends_gracefully),
        cmocka_unit_test(an_old_connection_ends_gracefully),
        cmocka_unit_test(a_silent_client_is_asked_for_a_sign),
        cmocka_unit_test(early_pings_are_strikes),
        cmocka_unit_test(pings_beside_data_are_no_strikes),
        cmocka_unit_test(settings_are_limited),
        cmocka_unit_test(empty_data_is_limited),
        cmocka_unit_test(faulty_streams_are_limited),
        cmocka_unit_test(the_end_waits_for_no_reply),
        cmocka_unit_test(late_stream_ids_end_the_connection_gracefully),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
