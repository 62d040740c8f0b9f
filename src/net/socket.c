#include "net/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

static void write_text(struct edge_address *address, const char *host, uint16_t port)
{
    bool v6 = address->storage.ss_family == AF_INET6;
    snprintf(address->text, sizeof(address->text), v6 ? "[%s]:%u" : "%s:%u", host, port);
}

int edge_address_numeric(const char *host, uint16_t port, struct edge_address *address,
                         struct edge_message *message)
{
    *address = (struct edge_address){0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address->storage;
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        address->len = sizeof(*v4);
    } else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        address->len = sizeof(*v6);
    } else {
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected a numeric address such as 127.0.0.1 or ::1, found \"%s\"", host);
    }
    write_text(address, host, port);
    return 0;
}

const char *edge_address_host(const struct edge_address *address, char *host, size_t size)
{
    const char *text = address->text;
    const char *colon = strrchr(text, ':');
    int len = colon != NULL ? (int)(colon - text) : (int)strlen(text);
    if (address->storage.ss_family == AF_UNIX)
        snprintf(host, size, "localhost");
    else if (text[0] == '[')
        snprintf(host, size, "%.*s", len - 2, text + 1);
    else
        snprintf(host, size, "%.*s", len, text);
    return host;
}

static int parse_port(const char *text, uint16_t *port)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return EDGE_ERR_FORMAT;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value == 0 || value > 65535)
        return EDGE_ERR_FORMAT;
    *port = (uint16_t)value;
    return 0;
}

static int parse_path(const char *path, struct edge_address *address, struct edge_message *message)
{
    struct sockaddr_un *local = (struct sockaddr_un *)&address->storage;
    while (strncmp(path, "//", 2) == 0) // gRPC's other spelling, unix:///absolute
        path++;
    if (path[0] == '\0' || strlen(path) >= sizeof(local->sun_path))
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected unix:PATH with a path of 1 to %zu bytes, found %zu",
                         sizeof(local->sun_path) - 1, strlen(path));
    *address = (struct edge_address){.len = sizeof(*local)};
    local->sun_family = AF_UNIX;
    memcpy(local->sun_path, path, strlen(path));
    snprintf(address->text, sizeof(address->text), "unix:%s", path);
    return 0;
}

int edge_address_parse(const char *text, struct edge_address *address, struct edge_message *message)
{
    if (strncmp(text, "unix:", 5) == 0)
        return parse_path(text + 5, address, message);
    char host[64];
    uint16_t port;
    const char *colon = strrchr(text, ':');
    const char *first = text;
    const char *last = colon;
    if (text[0] == '[') {
        first = text + 1;
        last = strchr(text, ']');
        if (last != NULL && last + 1 != colon)
            last = NULL;
    } else if (colon != strchr(text, ':')) {
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "\"%s\": write an IPv6 address in brackets, as in [::1]:50051", text);
    }
    if (colon == NULL || last == NULL || last == first || parse_port(colon + 1, &port) < 0 ||
        (size_t)(last - first) >= sizeof(host))
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected HOST:PORT such as 127.0.0.1:50051, found \"%s\"", text);
    snprintf(host, sizeof(host), "%.*s", (int)(last - first), first);
    const char *numeric = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (edge_address_numeric(numeric, port, address, NULL) == 0)
        return 0;
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "\"%s\": host names are not looked up here; give the numeric address "
                     "(getent ahosts %s prints it)",
                     text, host);
}

int edge_socket_listen(struct edge_address *address, struct edge_message *message)
{
    int on = 1;
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return edge_fail(message, -errno, "cannot make a socket: %s", strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    socklen_t len = sizeof(address->storage);
    if (bind(fd, (const struct sockaddr *)&address->storage, address->len) < 0 ||
        listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, (struct sockaddr *)&address->storage, &len) < 0) {
        int error = -errno;
        close(fd);
        return edge_fail(
            message, error, "cannot listen on %s: %s%s", address->text, edge_error_text(error),
            error == -EADDRINUSE ? "; stop the program that has the port (ss -ltnp shows it) or "
                                   "choose another with --port"
                                 : "");
    }
    if (address->storage.ss_family == AF_UNIX)
        return fd;
    uint16_t port = address->storage.ss_family == AF_INET6
                        ? ((const struct sockaddr_in6 *)&address->storage)->sin6_port
                        : ((const struct sockaddr_in *)&address->storage)->sin_port;
    char *colon = strrchr(address->text, ':');
    if (colon != NULL)
        snprintf(colon, 7, ":%u", ntohs(port));
    return fd;
}

static void set_no_delay(int fd)
{
    int on = 1;
    // Without it a small reply waits for the peer's delayed ACK. Fails only on non-TCP sockets.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int edge_socket_accept(int listen_fd)
{
    int fd;
    do {
        fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (fd < 0)
        return -errno;
    set_no_delay(fd);
    return fd;
}

void edge_socket_user_timeout(int fd, uint64_t timeout_ns)
{
    const uint64_t ms = timeout_ns / EDGE_NS_PER_MS;
    const unsigned timeout = ms < INT_MAX ? (unsigned)ms : INT_MAX;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
}

int edge_socket_connect(const struct edge_address *address)
{
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    set_no_delay(fd);
    if (connect(fd, (const struct sockaddr *)&address->storage, address->len) < 0 &&
        errno != EINPROGRESS) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int edge_socket_error(int fd)
{
    int error = 0;
    socklen_t len = sizeof(error);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return -errno;
    return -error;
}
