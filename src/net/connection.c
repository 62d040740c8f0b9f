#include "net/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "net/socket.h"

// A peer that takes all it is given must not keep the others waiting.
#define FILLS_PER_TURN 4

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

void edge_connection_close(struct edge_connection *connection, int reason)
{
    if (connection->watch.fd < 0)
        return;
    edge_loop_remove(connection->io->loop, &connection->watch);
    close(connection->watch.fd);
    connection->watch.fd = -1;
    free_pending(connection);
    connection->ops->closed(connection->protocol, reason);
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
    ssize_t sent = 0;
    // What the socket did not take before goes first.
    if (out->len > 0 && connection->pending.len == 0) {
        sent = send_some(connection, edge_buffer_head(out), out->len);
        if (sent < 0) {
            edge_connection_close(connection, (int)sent);
            return (int)sent;
        }
    }
    if ((size_t)sent < out->len) {
        error = keep_pending(connection, edge_buffer_head(out) + sent, out->len - (size_t)sent);
        if (error < 0) {
            edge_connection_close(connection, error);
            return error;
        }
        return 0;
    }
    return full && !connection->closing;
}

void edge_connection_flush(struct edge_connection *connection)
{
    if (connection->watch.fd < 0 || connection->connecting)
        return;
    int more = drain_pending(connection);
    for (int fills = 0; more > 0 && !connection->closing && fills < FILLS_PER_TURN; fills++)
        more = fill_and_write(connection);
    if (more < 0)
        return;
    connection->unfinished = more > 0 && !connection->closing;
    if (connection->pending.len == 0 && !connection->unfinished) {
        if (connection->closing) {
            edge_connection_close(connection, connection->close_reason);
            return;
        }
        if (connection->ops->finished(connection->protocol)) {
            edge_connection_close(connection, EDGE_OK);
            return;
        }
    }
    edge_loop_modify(connection->io->loop, &connection->watch, wanted_events(connection));
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
    int error = connection->ops->receive(connection->protocol, io->in, (size_t)got);
    if (error < 0) {
        // What the protocol has to say about it (a GOAWAY) still goes out.
        connection->closing = true;
        connection->close_reason = error;
        return fill_and_write(connection) >= 0;
    }
    return true;
}

static void on_ready(struct edge_watch *watch, uint32_t events)
{
    struct edge_connection *connection = (struct edge_connection *)(void *)watch;
    if (connection->connecting) {
        int error = edge_socket_error(watch->fd);
        if (error < 0) {
            edge_connection_close(connection, error);
            return;
        }
        connection->connecting = false;
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
    *connection = (struct edge_connection){.watch = {.fd = fd, .ready = on_ready},
                                           .io = io,
                                           .ops = ops,
                                           .protocol = protocol,
                                           .read_while_blocked = read_while_blocked,
                                           .connecting = connecting};
    connection->watch.events = wanted_events(connection);
    int error = edge_loop_add(io->loop, &connection->watch);
    if (error < 0) {
        close(fd);
        connection->watch.fd = -1;
    }
    return error;
}
