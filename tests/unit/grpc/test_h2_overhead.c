// Bytes that ask for nothing must be earned: by requests, messages, and DATA in either direction.

#include "cmocka_headers.h"

#include <string.h>

#include "grpc/h2_peer.h"
#include "grpc/limits.h"

static const struct edge_h2_config defaults;
static struct peer peer;

static void open_peer(void)
{
    peer_open(&peer, &defaults);
    peer_pump(&peer);
    peer_frame(&peer, SETTINGS, ACK, 0, NULL, 0);
    peer_pump(&peer);
}

static void assert_thrown_out(void)
{
    assert_int_equal(peer.goaways, 1);
    assert_int_equal(peer.goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_true(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

static void assert_welcome(void)
{
    assert_int_equal(peer.goaways, 0);
    assert_false(edge_h2_session_finished(peer.session));
    peer_close(&peer);
}

// In reads of a few KiB, as they come from a socket.
static void send_overhead(uint8_t type, uint32_t id, const void *payload, size_t len, size_t bytes)
{
    for (size_t sent = 0; sent < bytes && peer.goaways == 0;) {
        for (size_t read = 0; read < 4096; read += 9 + len)
            peer_frame(&peer, type, 0, id, payload, len);
        sent += peer.in.len;
        peer_pump(&peer);
    }
}

static void crumbs_of_window_are_limited(void **state)
{
    (void)state;
    open_peer();
    peer_request(&peer, 1, 0, HANG, NULL, NULL);
    send_overhead(WINDOW, 1, "\0\0\0\1", 4, EDGE_LIMIT_OVERHEAD_BURST / 2);
    assert_int_equal(peer.goaways, 0);
    send_overhead(WINDOW, 1, "\0\0\0\1", 4, EDGE_LIMIT_OVERHEAD_BURST);
    assert_thrown_out();
}

static void priority_and_unknown_frames_are_limited(void **state)
{
    (void)state;
    open_peer();
    send_overhead(2, 1, "\0\0\0\0\1", 5, 2 * EDGE_LIMIT_OVERHEAD_BURST);
    assert_thrown_out();
    open_peer();
    send_overhead(0x42, 0, "", 0, 2 * EDGE_LIMIT_OVERHEAD_BURST);
    assert_thrown_out();
}

static void time_pardons(void **state)
{
    (void)state;
    open_peer();
    for (unsigned i = 0; i < 100; i++) {
        send_overhead(WINDOW, 0, "\0\0\0\1", 4, EDGE_LIMIT_OVERHEAD_PER_S - 5000);
        peer.now_ns += UINT64_C(1000000000);
    }
    assert_welcome();
}

// A WINDOW_UPDATE of the stream and one of the connection for each call.
static void requests_earn_what_clients_send_beside_them(void **state)
{
    (void)state;
    open_peer();
    for (uint32_t i = 0; i < 2000; i++) {
        const uint32_t id = 2 * i + 1;
        struct seen *seen = &peer.streams[id / 2 % PEER_STREAMS];
        edge_buffer_free(&seen->data);
        *seen = (struct seen){.ended = false};
        peer_request(&peer, id, 0, UNARY, NULL, NULL);
        peer_message(&peer, id, END_STREAM, "x", 1);
        for (unsigned crumb = 0; crumb < 20; crumb++)
            peer_window(&peer, 0, 1);
        peer_pump(&peer);
    }
    assert_welcome();
}

static void small_messages_earn_their_window(void **state)
{
    (void)state;
    open_peer();
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    for (unsigned i = 0; i < 20000; i++) {
        peer_message(&peer, 1, 0, "", 0);
        peer_window(&peer, 1, 5);
        peer_window(&peer, 0, 5);
        peer_pump(&peer);
    }
    assert_welcome();
}

static void small_windows_are_earned_by_replies(void **state)
{
    (void)state;
    open_peer();
    peer_setting(&peer, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 500);
    peer_request(&peer, 1, 0, REPEAT, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "\xff\xff\xff\0", 4);
    for (unsigned i = 0; i < 20000; i++) {
        peer_pump(&peer);
        peer_window(&peer, 1, 250);
        peer_window(&peer, 0, 250);
    }
    assert_welcome();
}

// What was on its way when the call ended is not held against the client.
static void data_of_ended_calls_is_no_overhead(void **state)
{
    (void)state;
    static const uint8_t bytes[16000];
    open_peer();
    peer_request(&peer, 1, 0, "/test.T/Nope", NULL, NULL);
    peer_pump(&peer);
    for (unsigned i = 0; i < 400; i++) {
        peer_frame(&peer, DATA, 0, 1, bytes, sizeof(bytes));
        peer_pump_pieces(&peer, 5000);
    }
    assert_int_equal(peer.error, 0);
    assert_welcome();
}

static void data_of_single_bytes_is(void **state)
{
    (void)state;
    open_peer();
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    peer_frame(&peer, DATA, 0, 1, "\0\0\x0f\xff\xff", 5);
    send_overhead(DATA, 1, "x", 1, 3 * EDGE_LIMIT_OVERHEAD_BURST);
    assert_thrown_out();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crumbs_of_window_are_limited),
        cmocka_unit_test(priority_and_unknown_frames_are_limited),
        cmocka_unit_test(time_pardons),
        cmocka_unit_test(requests_earn_what_clients_send_beside_them),
        cmocka_unit_test(small_messages_earn_their_window),
        cmocka_unit_test(small_windows_are_earned_by_replies),
        cmocka_unit_test(data_of_ended_calls_is_no_overhead),
        cmocka_unit_test(data_of_single_bytes_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
