#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "net/connection.h"

// A protocol that sends `to_send` bytes of a pattern and keeps what it receives.
struct peer {
    struct edge_connection connection;
    struct edge_loop *loop;
    size_t to_send, sent;
    size_t received;
    uint8_t last[16];
    int receive_result;
    bool done;
    int closed_count, reason;
};

static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct peer *peer = self;
    memcpy(peer->last, bytes, len < sizeof(peer->last) ? len : sizeof(peer->last));
    peer->received += len;
    return peer->receive_result;
}

static int fill(void *self, struct edge_buffer *out, size_t high)
{
    struct peer *peer = self;
    while (peer->sent < peer->to_send && out->len < high) {
        uint8_t byte = (uint8_t)(peer->sent * 7);
        assert_int_equal(edge_buffer_append(out, &byte, 1), 0);
        peer->sent++;
    }
    return 0;
}

static bool finished(void *self)
{
    return ((struct peer *)self)->done;
}

static void closed(void *self, int reason)
{
    struct peer *peer = self;
    peer->closed_count++;
    peer->reason = reason;
    edge_loop_stop(peer->loop);
}

static const struct edge_protocol ops = {receive, fill, finished, closed};

struct fixture {
    struct edge_loop loop;
    struct edge_io io;
    struct peer peer;
    int other; // our end of the socket pair, blocking
};

static void open_pair(struct fixture *fixture)
{
    int fds[2];
    *fixture = (struct fixture){0};
    assert_int_equal(edge_loop_init(&fixture->loop), 0);
    assert_int_equal(edge_io_init(&fixture->io, &fixture->loop, 4096), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    fixture->other = fds[1];
    fixture->peer.loop = &fixture->loop;
    assert_int_equal(edge_connection_open(&fixture->peer.connection, &fixture->io, fds[0], false,
                                          &ops, &fixture->peer),
                     0);
}

static void close_pair(struct fixture *fixture)
{
    edge_connection_close(&fixture->peer.connection, EDGE_OK);
    close(fixture->other);
    edge_io_free(&fixture->io);
    edge_loop_free(&fixture->loop);
}

static void one_read_one_write_per_turn(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.to_send = 1000;
    assert_int_equal(write(f.other, "hello", 5), 5);
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    assert_int_equal(f.peer.received, 5);
    assert_memory_equal(f.peer.last, "hello", 5);
    assert_int_equal(f.io.reads, 1);
    assert_int_equal(f.io.writes, 1);
    assert_int_equal(f.io.bytes_out, 1000);
    close_pair(&f);
    assert_int_equal(f.peer.closed_count, 1);
}

// Flushes until the socket takes no more.
static void fill_socket(struct fixture *fixture)
{
    while (fixture->peer.connection.pending.len == 0)
        edge_connection_flush(&fixture->peer.connection);
}

static void a_peer_that_takes_all_does_not_keep_the_loop(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.to_send = 10 * 4096;
    f.peer.connection.read_while_blocked = true; // a client: it closes at once
    f.peer.done = true;                          // but not before all is sent
    edge_connection_flush(&f.peer.connection);
    assert_int_equal(f.peer.sent, 4 * 4096);
    // It goes on by itself, a turn at a time.
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    assert_int_equal(f.peer.sent, 8 * 4096);
    assert_int_equal(f.peer.closed_count, 0);
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    assert_int_equal(f.io.bytes_out, 10 * 4096);
    assert_int_equal(f.peer.closed_count, 1);
    assert_int_equal(f.peer.reason, EDGE_OK);
    close_pair(&f);
}

static void what_the_socket_does_not_take_goes_out_later_in_order(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.to_send = 3000000; // more than any socket buffer
    fill_socket(&f);
    assert_true(f.peer.sent < f.peer.to_send); // the protocol was not drained into memory
    assert_true(f.peer.connection.pending.len > 0);
    size_t got = 0;
    while (got < f.peer.to_send) {
        uint8_t bytes[65536];
        ssize_t count = recv(f.other, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (count < 0) {
            assert_int_equal(errno, EAGAIN);
            assert_true(edge_loop_turn(&f.loop, EDGE_LOOP_FOREVER) >= 0);
            continue;
        }
        for (ssize_t i = 0; i < count; i++)
            assert_int_equal(bytes[i], (uint8_t)((got + (size_t)i) * 7));
        got += (size_t)count;
    }
    assert_int_equal(f.peer.connection.pending.len, 0);
    close_pair(&f);
}

static void a_blocked_server_does_not_read_and_a_client_does(void **state)
{
    (void)state;
    for (int client = 0; client < 2; client++) {
        struct fixture f;
        open_pair(&f);
        f.peer.connection.read_while_blocked = client == 1;
        f.peer.to_send = 3000000;
        fill_socket(&f);
        assert_int_equal(write(f.other, "x", 1), 1);
        assert_true(edge_loop_turn(&f.loop, 0) >= 0);
        assert_int_equal(f.peer.received, client);
        close_pair(&f);
    }
}

static void unsent_bytes_are_limited_in_time_and_number(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.to_send = 3000000;
    fill_socket(&f);
    const uint64_t now_ns = f.loop.now_ns;
    assert_true(f.io.pending_bytes > 0);
    assert_false(edge_connection_stalled(&f.peer.connection, now_ns + 99, 100));
    assert_true(edge_connection_stalled(&f.peer.connection, now_ns + 100, 100));
    close_pair(&f);
    assert_int_equal(f.io.pending_bytes, 0);

    open_pair(&f);
    f.io.pending_limit = 10;
    f.peer.to_send = 3000000;
    while (f.peer.closed_count == 0)
        edge_connection_flush(&f.peer.connection);
    assert_int_equal(f.peer.reason, EDGE_ERR_LIMIT);
    assert_int_equal(f.io.pending_bytes, 0);
    assert_false(edge_connection_stalled(&f.peer.connection, UINT64_MAX, 1));
    close_pair(&f);
}

static void an_error_of_the_protocol_is_flushed_then_closed(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.receive_result = EDGE_ERR_PROTOCOL;
    f.peer.to_send = 10; // its GOAWAY
    assert_int_equal(write(f.other, "bad", 3), 3);
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    uint8_t bytes[16];
    assert_int_equal(read(f.other, bytes, sizeof(bytes)), 10);
    assert_int_equal(read(f.other, bytes, sizeof(bytes)), 0);
    assert_int_equal(shutdown(f.other, SHUT_WR), 0);
    assert_int_equal(edge_loop_run(&f.loop), 0);
    assert_int_equal(f.peer.reason, EDGE_ERR_PROTOCOL);
    close_pair(&f);
    assert_int_equal(f.peer.closed_count, 1); // not again by close_pair
}

// The last word of a client whose socket was full comes behind the rest, not in the middle of it.
static void an_error_while_blocked_keeps_the_order(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.connection.read_while_blocked = true;
    f.peer.to_send = 3000000;
    fill_socket(&f);
    f.peer.to_send = f.peer.sent + 10;
    f.peer.receive_result = EDGE_ERR_PROTOCOL;
    // The socket has room again before the protocol reads what it does not like.
    static uint8_t bytes[4000000];
    ssize_t got = read(f.other, bytes, sizeof(bytes) / 2);
    assert_true(got > 0);
    assert_int_equal(write(f.other, "bad", 3), 3);
    assert_int_equal(fcntl(f.other, F_SETFL, O_NONBLOCK), 0);
    ssize_t more = 1;
    while (more != 0) {
        assert_true(edge_loop_turn(&f.loop, 0) >= 0);
        more = recv(f.other, bytes + got, sizeof(bytes) - (size_t)got, 0);
        assert_true(more >= 0 || errno == EAGAIN);
        got += more > 0 ? more : 0;
    }
    assert_int_equal(f.peer.reason, EDGE_ERR_PROTOCOL);
    assert_int_equal(got, f.peer.to_send);
    for (ssize_t i = 0; i < got; i++)
        assert_int_equal(bytes[i], (uint8_t)(i * 7));
    close_pair(&f);
}

static void ends_when_the_peer_closes(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    assert_int_equal(shutdown(f.other, SHUT_WR), 0);
    assert_int_equal(edge_loop_run(&f.loop), 0);
    assert_int_equal(f.peer.reason, EDGE_ERR_CLOSED);
    close_pair(&f);
}

static void a_client_that_is_done_closes(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.connection.read_while_blocked = true;
    f.peer.done = true;
    edge_connection_flush(&f.peer.connection);
    assert_int_equal(f.peer.closed_count, 1);
    assert_int_equal(f.peer.reason, EDGE_OK);
    close_pair(&f);
}

// Closed with something unread or to come, a socket is reset: a PING behind a GOAWAY did that.
static void a_server_that_is_done_hears_the_peer_out(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.done = true;
    edge_connection_flush(&f.peer.connection);
    uint8_t bytes[16];
    assert_int_equal(read(f.other, bytes, sizeof(bytes)), 0);
    assert_int_equal(write(f.other, "ping", 4), 4);
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    assert_int_equal(f.peer.received, 0);
    assert_int_equal(f.peer.closed_count, 0);
    assert_int_equal(shutdown(f.other, SHUT_WR), 0);
    assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    assert_int_equal(f.peer.closed_count, 1);
    assert_int_equal(f.peer.reason, EDGE_OK);
    close_pair(&f);
}

static void a_server_that_is_done_does_not_wait_for_good(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.done = true;
    edge_connection_flush(&f.peer.connection);
    assert_int_equal(f.peer.closed_count, 0);
    // Its time is up now.
    struct edge_timer *timer = &f.peer.connection.linger_timer;
    assert_int_equal(edge_timer_start(&f.loop, timer, f.loop.now_ns), 0);
    assert_true(edge_loop_turn(&f.loop, EDGE_LOOP_FOREVER) >= 0);
    assert_int_equal(f.peer.closed_count, 1);
    assert_int_equal(f.peer.reason, EDGE_OK);
    close_pair(&f);
}

static void a_server_that_is_done_does_not_hear_a_flood_out(void **state)
{
    (void)state;
    struct fixture f;
    open_pair(&f);
    f.peer.done = true;
    edge_connection_flush(&f.peer.connection);
    static const uint8_t bytes[4096];
    size_t said = 0;
    while (f.peer.closed_count == 0) {
        assert_int_equal(write(f.other, bytes, sizeof(bytes)), sizeof(bytes));
        said += sizeof(bytes);
        assert_int_equal(edge_loop_turn(&f.loop, 0), 1);
    }
    assert_in_range(said, 1 << 20, 2 << 20);
    close_pair(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_read_one_write_per_turn),
        cmocka_unit_test(a_peer_that_takes_all_does_not_keep_the_loop),
        cmocka_unit_test(what_the_socket_does_not_take_goes_out_later_in_order),
        cmocka_unit_test(a_blocked_server_does_not_read_and_a_client_does),
        cmocka_unit_test(unsent_bytes_are_limited_in_time_and_number),
        cmocka_unit_test(an_error_of_the_protocol_is_flushed_then_closed),
        cmocka_unit_test(an_error_while_blocked_keeps_the_order),
        cmocka_unit_test(ends_when_the_peer_closes),
        cmocka_unit_test(a_client_that_is_done_closes),
        cmocka_unit_test(a_server_that_is_done_hears_the_peer_out),
        cmocka_unit_test(a_server_that_is_done_does_not_wait_for_good),
        cmocka_unit_test(a_server_that_is_done_does_not_hear_a_flood_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
