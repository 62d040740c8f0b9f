// Deadlines, and the end of a connection.

#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "grpc/h2_peer.h"
#include "grpc/limits.h"

static const struct edge_h2_config defaults;
static struct peer peer;

static void tick(uint64_t now_ns)
{
    peer.now_ns = now_ns;
    edge_h2_session_tick(peer.session, now_ns);
    peer_pump(&peer);
}

static void a_deadline_ends_a_call_that_waits(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    assert_int_equal(edge_h2_session_due(peer.session), EDGE_H2_NEVER);
    peer_request(&peer, 1, 0, UNARY, "grpc-timeout", "5u"); // its message does not come
    peer_request(&peer, 3, 0, HANG, "grpc-timeout", "9u");
    peer_message(&peer, 3, END_STREAM, "x", 1);
    peer_pump(&peer);
    assert_int_equal(edge_h2_session_due(peer.session), 1000 + 5000);
    tick(5999);
    assert_false(peer_seen(&peer, 1)->ended);
    tick(6000);
    peer_assert_status(&peer, 1, "4");
    assert_true(peer_seen(&peer, 1)->reset_after_end);
    assert_int_equal(peer_seen(&peer, 1)->reset_code, NGHTTP2_NO_ERROR);
    assert_false(peer_seen(&peer, 3)->ended);
    assert_int_equal(edge_h2_session_due(peer.session), 1000 + 9000);
    tick(20000);
    peer_assert_status(&peer, 3, "4");
    assert_false(peer_seen(&peer, 3)->reset);
    assert_int_equal(edge_h2_session_due(peer.session), EDGE_H2_NEVER);
    peer_close(&peer);
}

static void a_deadline_met_is_forgotten(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, UNARY, "grpc-timeout", "5u");
    peer_message(&peer, 1, END_STREAM, "x", 1);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    tick(1000000);
    assert_false(peer_seen(&peer, 1)->reset);
    assert_int_equal(edge_h2_session_due(peer.session), EDGE_H2_NEVER);
    peer_close(&peer);
}

// The client takes nothing: what is not yet sent makes room for the trailers.
static void a_deadline_passes_a_closed_window(void **state)
{
    (void)state;
    for (uint32_t window = 0; window <= 105; window += 105) {
        peer_open(&peer, &defaults);
        peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window);
        peer_request(&peer, 1, 0, REPEAT, "grpc-timeout", "5u");
        peer_message(&peer, 1, END_STREAM, "\3\0\0\0", 4);
        peer_pump(&peer);
        assert_int_equal(peer_seen(&peer, 1)->data.len, window);
        tick(10000);
        peer_assert_status(&peer, 1, "4");
        assert_int_equal(peer_seen(&peer, 1)->data.len, window);
        peer_close(&peer);
    }
}

static void a_deadline_inside_a_reply_resets(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 50);
    peer_request(&peer, 1, 0, REPEAT, "grpc-timeout", "5u");
    peer_message(&peer, 1, END_STREAM, "\3\0\0\0", 4);
    peer_pump(&peer);
    tick(10000);
    assert_false(peer_seen(&peer, 1)->ended);
    assert_true(peer_seen(&peer, 1)->reset);
    assert_int_equal(peer_seen(&peer, 1)->reset_code, NGHTTP2_CANCEL);
    peer_close(&peer);
}

// A deadline that passes while a DATA frame is promised, but held back by a full buffer.
static void a_deadline_lets_a_held_frame_go(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, REPEAT, "grpc-timeout", "5u");
    peer_message(&peer, 1, END_STREAM, "\x90\1\0\0", 4); // 400: three DATA frames
    const uint8_t *bytes = edge_buffer_head(&peer.in);
    assert_int_equal(edge_h2_session_receive(peer.session, bytes, peer.in.len, 1000), 0);
    peer.in.len = 0;
    assert_int_equal(edge_h2_session_fill(peer.session, &peer.out, 1000), 0);
    assert_true(peer.out.len > 16384 && peer.out.len < 2 * 16384);
    tick(10000);
    struct seen *seen = peer_seen(&peer, 1);
    assert_int_equal(seen->data.len, 2 * 16384);
    assert_true(seen->reset);
    assert_int_equal(seen->reset_code, NGHTTP2_CANCEL);
    peer_close(&peer);
}

static void shutdown_takes_two_steps(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    peer_pump(&peer);
    edge_h2_session_shutdown(peer.session, peer.now_ns);
    edge_h2_session_shutdown(peer.session, peer.now_ns);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_last, INT32_MAX);
    assert_int_equal(peer.goaway_code, NGHTTP2_NO_ERROR);
    assert_int_equal(peer.pings, 1);
    assert_false(edge_h2_session_finished(peer.session));
    // A call that was on its way is still served.
    peer_request(&peer, 3, 0, UNARY, NULL, NULL);
    peer_message(&peer, 3, END_STREAM, "x", 1);
    peer_pump(&peer);
    peer_assert_status(&peer, 3, "0");
    peer_frame(&peer, PING, ACK, 0, "\0\0\0\0\0\0\0\0", 8);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 2);
    assert_int_equal(peer.goaway_last, 3);
    assert_false(edge_h2_session_finished(peer.session));
    // One that comes later is not, and the one in flight still is.
    peer_request(&peer, 5, 0, UNARY, NULL, NULL);
    peer_message(&peer, 5, END_STREAM, "x", 1);
    peer_message(&peer, 1, END_STREAM, "last", 4);
    peer_pump(&peer);
    assert_false(peer_seen(&peer, 5)->ended);
    peer_assert_status(&peer, 1, "0");
    assert_int_equal(peer_seen(&peer, 1)->data.len, 9);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

static void shutdown_does_not_wait_for_a_ping(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_pump(&peer);
    edge_h2_session_shutdown(peer.session, peer.now_ns);
    peer_pump(&peer);
    assert_false(edge_h2_session_finished(peer.session));
    edge_h2_session_shutdown_now(peer.session);
    edge_h2_session_shutdown_now(peer.session);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 2);
    assert_int_equal(peer.goaway_last, 0);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

// The client has a whole notice to answer, also where nothing was heard or swept for long before.
static void the_notice_begins_with_the_shutdown(void **state)
{
    (void)state;
    const uint64_t notice_ns = EDGE_LIMIT_NOTICE_S * EDGE_NS_PER_S;
    peer_open(&peer, &defaults);
    peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0);
    peer_pump(&peer);
    peer.now_ns += 60 * EDGE_NS_PER_S;
    edge_h2_session_shutdown(peer.session, peer.now_ns);
    edge_h2_session_sweep(peer.session, peer.now_ns + notice_ns - 1);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 1);
    edge_h2_session_sweep(peer.session, peer.now_ns + notice_ns);
    peer_pump(&peer);
    assert_int_equal(peer.goaways, 2);
    peer_close(&peer);
}

static void a_clients_goaway_ends_an_idle_connection(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    peer_frame(&peer, GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
    peer_pump(&peer);
    assert_false(edge_h2_session_finished(peer.session));
    peer_frame(&peer, DATA, END_STREAM, 1, NULL, 0);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deadline_ends_a_call_that_waits),
        cmocka_unit_test(a_deadline_met_is_forgotten),
        cmocka_unit_test(a_deadline_passes_a_closed_window),
        cmocka_unit_test(a_deadline_inside_a_reply_resets),
        cmocka_unit_test(a_deadline_lets_a_held_frame_go),
        cmocka_unit_test(shutdown_takes_two_steps),
        cmocka_unit_test(shutdown_does_not_wait_for_a_ping),
        cmocka_unit_test(the_notice_begins_with_the_shutdown),
        cmocka_unit_test(a_clients_goaway_ends_an_idle_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
