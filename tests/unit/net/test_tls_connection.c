#include "cmocka_headers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "net/connection.h"
#include "net/tls_files.h"

struct peer {
    struct edge_connection connection;
    struct edge_loop *loop;
    size_t to_send, sent, received;
    bool echo, wrong;
    int closed_count, reason;
};

static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct peer *peer = self;
    for (size_t i = 0; i < len; i++)
        peer->wrong |= bytes[i] != (uint8_t)((peer->received + i) * 7);
    peer->received += len;
    if (peer->echo)
        peer->to_send = peer->received;
    return 0;
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
    const struct peer *peer = self;
    return !peer->echo && peer->received == peer->to_send;
}

static void closed(void *self, int reason)
{
    struct peer *peer = self;
    peer->closed_count++;
    peer->reason = reason;
}

static const struct edge_protocol ops = {receive, fill, finished, closed};

struct sockets {
    struct edge_loop loop;
    struct edge_io io;
    struct edge_tls *server, *client;
    struct peer peers[2]; // the client, the server
};

static void open_peer(struct sockets *sockets, int i, int fd, struct edge_tls *tls)
{
    struct peer *peer = &sockets->peers[i];
    int bytes = 4096; // of the kernel's buffer: writes are short
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    *peer = (struct peer){.loop = &sockets->loop, .echo = i == 1};
    peer->connection.read_while_blocked = i == 0;
    assert_int_equal(edge_tls_session_new(tls, &peer->connection.transport), 0);
    assert_int_equal(edge_connection_open(&peer->connection, &sockets->io, fd, i == 0, &ops, peer),
                     0);
    edge_connection_flush(&peer->connection);
}

static void open_sockets(struct sockets *sockets)
{
    int fds[2];
    *sockets = (struct sockets){.server = tls_files_server(),
                                .client = tls_files_client(&tls_files_client_config)};
    assert_int_equal(edge_loop_init(&sockets->loop), 0);
    assert_int_equal(edge_io_init(&sockets->io, &sockets->loop, 65536), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    open_peer(sockets, 0, fds[0], sockets->client);
    open_peer(sockets, 1, fds[1], sockets->server);
}

static void close_sockets(struct sockets *sockets)
{
    for (int i = 0; i < 2; i++)
        edge_connection_close(&sockets->peers[i].connection, EDGE_OK);
    edge_io_free(&sockets->io);
    edge_loop_free(&sockets->loop);
    edge_tls_del(sockets->server);
    edge_tls_del(sockets->client);
}

static void connections_carry_it(void **state)
{
    (void)state;
    struct sockets sockets;
    open_sockets(&sockets);
    sockets.peers[0].to_send = 1000000;
    while (sockets.peers[1].closed_count == 0)
        assert_true(edge_loop_turn(&sockets.loop, EDGE_LOOP_FOREVER) >= 0);
    assert_int_equal(sockets.peers[0].received, 1000000);
    assert_false(sockets.peers[0].wrong || sockets.peers[1].wrong);
    assert_int_equal(sockets.peers[0].reason, EDGE_OK);
    assert_int_equal(sockets.peers[1].reason, EDGE_ERR_CLOSED);
    close_sockets(&sockets);
}

// A server that waits for the handshake is not asked for anything, and the peer's end is its end.
static void an_end_in_the_handshake_is_an_end(void **state)
{
    (void)state;
    struct sockets sockets;
    open_sockets(&sockets);
    sockets.peers[1].to_send = 10;
    edge_connection_flush(&sockets.peers[1].connection);
    assert_int_equal(sockets.peers[1].sent, 0);
    edge_connection_close(&sockets.peers[0].connection, EDGE_OK);
    while (sockets.peers[1].closed_count == 0)
        assert_true(edge_loop_turn(&sockets.loop, EDGE_LOOP_FOREVER) >= 0);
    assert_int_equal(sockets.peers[1].reason, EDGE_ERR_CLOSED);
    assert_int_equal(sockets.peers[1].sent, 0);
    close_sockets(&sockets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_carry_it),
        cmocka_unit_test(an_end_in_the_handshake_is_an_end),
    };
    return cmocka_run_group_tests(tests, tls_files_make, tls_files_remove);
}
