// TCP and unix sockets, non-blocking and close-on-exec, TCP with TCP_NODELAY.
#ifndef EDGE_NET_SOCKET_H
#define EDGE_NET_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"

struct edge_address {
    struct sockaddr_storage storage;
    socklen_t len;
    char text[128]; // "127.0.0.1:50051", "[::1]:50051", "unix:/run/greeter.sock"
};

// Takes "HOST:PORT": an IPv4 literal, an IPv6 literal in brackets, or "localhost" (127.0.0.1); or
// "unix:PATH", as gRPC writes it.
// Other names are not looked up: the programs are static, and glibc's resolver is not.
// 0; EDGE_ERR_FORMAT, EDGE_ERR_UNSUPPORTED (a host name) with a message.
int edge_address_parse(const char *text, struct edge_address *address,
                       struct edge_message *message);
// The same from a numeric host and a port. 0 or EDGE_ERR_FORMAT with a message.
int edge_address_numeric(const char *host, uint16_t port, struct edge_address *address,
                         struct edge_message *message);

// Its host alone, without brackets: "127.0.0.1", "::1"; of a socket of files "localhost". Returns
// host.
const char *edge_address_host(const struct edge_address *address, char *host, size_t size);

// Listens on the address with SO_REUSEADDR. Returns the fd, or a negated errno with a message
// (-EADDRINUSE says who to look for). Port 0 takes a free one: address is updated to the real one.
int edge_socket_listen(struct edge_address *address, struct edge_message *message);

// Takes one waiting connection. The fd, -EAGAIN when there is none, or another negated errno.
int edge_socket_accept(int listen_fd);

// Sent bytes that the peer's kernel does not acknowledge for so long close the connection
// (TCP_USER_TIMEOUT, RFC 5482). Ignored where it is not known.
void edge_socket_user_timeout(int fd, uint64_t timeout_ns);

// Starts connecting. Returns the fd (connected, or in progress: wait for EPOLLOUT, then ask
// edge_socket_error), or a negated errno.
int edge_socket_connect(const struct edge_address *address);
// The pending error of a socket (SO_ERROR) as a negated errno; 0: none.
int edge_socket_error(int fd);

#endif
