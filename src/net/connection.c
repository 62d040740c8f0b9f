#include "net/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "net/socket.h"

// A peer that takes all it is given must not keep the others waiting.
#define FILLS_PER_TURN 4
#define LINGER_NS      (2 * EDGE_NS_PER_S)
#define LINGER_BYTES   (1u << 20) // what a flow control window may have let get under way

int edge_io_init(struct edge_io *io, struct edge_loop *loop, size_t bytes)
{
    *io = (struct edge_io){.loop = loop, .in_cap = bytes, .out_high = bytes};
    io->in = malloc(bytes);
    if (io->in == NULL || edge_buffer_reserve(&io->out, bytes) < 0) {
        edge_io_free(io);
        return -ENOMEM;
    }
    return 0;
}

void edge_io_free(struct edge_io *io)
{
    free(io->in);
    io->in = NULL;
    edge_buffer_free(&io->out);
    edge_buffer_free(&io->plain);
    edge_buffer_free(&io->wire);
}

static uint32_t wanted_events(const struct edge_connection *connection)
{
    bool blocked = connection->pending.len > 0 || connection->connecting;
    bool reads = !connection->connecting && !connection->closing &&
                 (!blocked || connection->read_while_blocked);
    return (blocked || connection->unfinished ? (uint32_t)EPOLLOUT : 0) |
           (reads ? (uint32_t)EPOLLIN : 0);
}

static void free_pending(struct edge_connection *connection)
{
    connection->io->pending_bytes -= connection->pending.cap;
    edge_buffer_free(&connection->pending);
}

// Keeps what the socket did not take. 0, -ENOMEM or EDGE_ERR_LIMIT.
static int keep_pending(struct edge_connection *connection, const uint8_t *bytes, size_t len)
{
    struct edge_io *io = connection->io;
    if (io->pending_limit != 0 && io->pending_bytes + len > io->pending_limit)
        return EDGE_ERR_LIMIT;
    if (connection->pending.len == 0)
        connection->blocked_ns = io->loop->now_ns;
    size_t before = connection->pending.cap;
    int error = edge_buffer_append(&connection->pending, bytes, len);
    io->pending_bytes += connection->pending.cap - before;
    return error;
}

// Sends bytes; returns how many the socket took, 0 when it is full, or a negated errno.
static ssize_t send_some(struct edge_connection *connection, const uint8_t *bytes, size_t len)
{
    ssize_t sent;
    do {
        sent = send(connection->watch.fd, bytes, len, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
    connection->io->writes++;
    connection->io->bytes_out += (uint64_t)sent;
    return sent;
}

// The transport's last word, if the peer may still hear it and the socket takes it.
static void say_goodbye(struct edge_connection *connection)
{
    struct edge_buffer *wire = &connection->io->wire;
    if (connection->handshaking || connection->pending.len > 0)
        return;
    wire->start = wire->len = 0;
    connection->transport->ops->end(connection->transport, wire);
    if (wire->len > 0)
        send_some(connection, edge_buffer_head(wire), wire->len);
}

void edge_connection_close(struct edge_connection *connection, int reason)
{
    struct edge_transport *transport = connection->transport;
    if (connection->watch.fd < 0)
        return;
    if (transport != NULL && !connection->lingering)
        say_goodbye(connection);
    edge_timer_stop(connection->io->loop, &connection->linger_timer);
    edge_loop_remove(connection->io->loop, &connection->watch);
    close(connection->watch.fd);
    connection->watch.fd = -1;
    free_pending(connection);
    connection->transport = NULL;
    connection->ops->closed(connection->protocol, reason);
    if (transport != NULL)
        transport->ops->del(transport);
}

static void on_linger_timer(struct edge_timer *timer)
{
    struct edge_connection *connection =
        (struct edge_connection *)(void *)((char *)timer -
                                           offsetof(struct edge_connection, linger_timer));
    edge_connection_close(connection, connection->close_reason);
}

// Closes once the peer has closed too. A socket that is closed with bytes unread, or gets some
// later (a WINDOW_UPDATE, a PING behind a GOAWAY), resets the connection: the peer loses what it
// has not read, and sees an error instead of an end. A client has said nothing that could matter
// then.
static void end(struct edge_connection *connection, int reason)
{
    struct edge_loop *loop = connection->io->loop;
    if (connection->read_while_blocked ||
        edge_timer_start(loop, &connection->linger_timer, loop->now_ns + LINGER_NS) < 0) {
        edge_connection_close(connection, reason);
        return;
    }
    if (connection->transport != NULL)
        say_goodbye(connection);
    connection->lingering = true;
    connection->close_reason = reason;
    shutdown(connection->watch.fd, SHUT_WR);
    edge_loop_modify(loop, &connection->watch, EPOLLIN);
}

// Drops what the peer says after the end; closes when it closes, or floods.
static void drop_input(struct edge_connection *connection)
{
    struct edge_io *io = connection->io;
    ssize_t got = recv(connection->watch.fd, io->in, io->in_cap, 0);
    if (got > 0)
        connection->dropped += (size_t)got;
    if (got == 0 || connection->dropped > LINGER_BYTES ||
        (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        edge_connection_close(connection, connection->close_reason);
}

// Writes what the socket did not take before. 1 once nothing is left, 0 if the socket is full, or
// negative: closed.
static int drain_pending(struct edge_connection *connection)
{
    while (connection->pending.len > 0) {
        ssize_t sent =
            send_some(connection, edge_buffer_head(&connection->pending), connection->pending.len);
        if (sent < 0)
            edge_connection_close(connection, (int)sent);
        if (sent <= 0)
            return (int)sent;
        edge_buffer_consume(&connection->pending, (size_t)sent);
    }
    free_pending(connection);
    return 1;
}

// Writes `out`; what the socket does not take goes into `pending`. 1 if it took all, 0 if not, or
// negative: closed.
static int write_out(struct edge_connection *connection, struct edge_buffer *out)
{
    ssize_t sent = 0;
    // What the socket did not take before goes first.
    if (out->len > 0 && connection->pending.len == 0) {
        sent = send_some(connection, edge_buffer_head(out), out->len);
        if (sent < 0) {
            edge_connection_close(connection, (int)sent);
            return (int)sent;
        }
    }
    if ((size_t)sent == out->len)
        return 1;
    int error = keep_pending(connection, edge_buffer_head(out) + sent, out->len - (size_t)sent);
    if (error < 0)
        edge_connection_close(connection, error);
    return error;
}

// Fills and writes once. Returns 1 if there may be more, 0 if not, or negative: closed.
static int fill_and_write(struct edge_connection *connection)
{
    struct edge_buffer *out = &connection->io->out;
    out->start = out->len = 0;
    int error = connection->ops->fill(connection->protocol, out, connection->io->out_high);
    if (error < 0) {
        connection->closing = true;
        connection->close_reason = error;
    }
    bool full = out->len >= connection->io->out_high;
    if (connection->transport != NULL && out->len > 0) {
        struct edge_buffer *wire = &connection->io->wire;
        wire->start = wire->len = 0;
        error = connection->transport->ops->send(connection->transport, edge_buffer_head(out),
                                                 out->len, wire);
        if (error < 0) {
            edge_connection_close(connection, error);
            return error;
        }
        out = wire;
    }
    int written = write_out(connection, out);
    return written <= 0 ? written : full && !connection->closing;
}

void edge_connection_flush(struct edge_connection *connection)
{
    if (connection->watch.fd < 0 || connection->connecting || connection->lingering)
        return;
    int more = drain_pending(connection);
    if (connection->handshaking && more > 0)
        more = 0; // the protocol has its turn later
    for (int fills = 0; more > 0 && !connection->closing && fills < FILLS_PER_TURN; fills++)
        more = fill_and_write(connection);
    if (more < 0)
        return;
    connection->unfinished = more > 0 && !connection->closing;
    if (connection->pending.len == 0 && !connection->unfinished) {
        if (connection->closing) {
            end(connection, connection->close_reason);
            return;
        }
        if (!connection->handshaking && connection->ops->finished(connection->protocol)) {
            end(connection, EDGE_OK);
            return;
        }
    }
    edge_loop_modify(connection->io->loop, &connection->watch, wanted_events(connection));
}

// Gives the protocol what was read. False if the connection is closed.
static bool deliver(struct edge_connection *connection, const uint8_t *bytes, size_t len)
{
    int error = connection->ops->receive(connection->protocol, bytes, len);
    if (error < 0) {
        // What the protocol has to say about it (a GOAWAY) still goes out.
        connection->closing = true;
        connection->close_reason = error;
        return fill_and_write(connection) >= 0;
    }
    return true;
}

// The same by way of the transport, which may have words of its own to say.
static bool deliver_through(struct edge_connection *connection, const uint8_t *bytes, size_t len)
{
    struct edge_transport *transport = connection->transport;
    struct edge_io *io = connection->io;
    io->plain.start = io->plain.len = 0;
    io->wire.start = io->wire.len = 0;
    int state = transport->ops->receive(transport, bytes, len, &io->plain, &io->wire);
    if (io->wire.len > 0 && write_out(connection, &io->wire) < 0)
        return false;
    if (state > 0)
        connection->handshaking = false;
    if (io->plain.len > 0 && !deliver(connection, edge_buffer_head(&io->plain), io->plain.len))
        return false;
    if (state < 0 && !connection->closing) {
        connection->closing = true;
        connection->close_reason = state;
    }
    return true;
}

// One read. False if the connection is closed.
static bool read_once(struct edge_connection *connection)
{
    struct edge_io *io = connection->io;
    ssize_t got = recv(connection->watch.fd, io->in, io->in_cap, 0);
    if (got < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
            return true;
        edge_connection_close(connection, -errno);
        return false;
    }
    if (got == 0) {
        edge_connection_close(connection, EDGE_ERR_CLOSED);
        return false;
    }
    io->reads++;
    io->bytes_in += (uint64_t)got;
    if (connection->transport != NULL)
        return deliver_through(connection, io->in, (size_t)got);
    return deliver(connection, io->in, (size_t)got);
}

static void on_ready(struct edge_watch *watch, uint32_t events)
{
    struct edge_connection *connection = (struct edge_connection *)(void *)watch;
    if (connection->lingering) {
        drop_input(connection);
        return;
    }
    if (connection->connecting) {
        int error = edge_socket_error(watch->fd);
        if (error < 0) {
            edge_connection_close(connection, error);
            return;
        }
        connection->connecting = false;
        if (connection->transport != NULL && !deliver_through(connection, NULL, 0))
            return;
    } else if ((events & EPOLLIN) != 0 && !connection->closing) {
        if (!read_once(connection))
            return;
    } else if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        int error = edge_socket_error(watch->fd);
        edge_connection_close(connection, error < 0 ? error : EDGE_ERR_CLOSED);
        return;
    }
    edge_connection_flush(connection);
}

int edge_connection_open(struct edge_connection *connection, struct edge_io *io, int fd,
                         bool connecting, const struct edge_protocol *ops, void *protocol)
{
    bool read_while_blocked = connection->read_while_blocked;
    struct edge_transport *transport = connection->transport;
    *connection = (struct edge_connection){.watch = {.fd = fd, .ready = on_ready},
                                           .io = io,
                                           .ops = ops,
                                           .protocol = protocol,
                                           .transport = transport,
                                           .read_while_blocked = read_while_blocked,
                                           .connecting = connecting,
                                           .handshaking = transport != NULL,
                                           .linger_timer = {.fire = on_linger_timer}};
    connection->watch.events = wanted_events(connection);
    int error = edge_loop_add(io->loop, &connection->watch);
    if (error < 0) {
        close(fd);
        connection->watch.fd = -1;
        if (transport != NULL)
            transport->ops->del(transport);
        connection->transport = NULL;
    }
    return error;
}
