// The floor for latency: the bytes of one call to and fro over TCP, with epoll on both sides and
// no protocol at all.
//
//   tcp_pingpong server REQUEST REPLY          listens on a free port of 127.0.0.1, prints it
//   tcp_pingpong client PORT REQUEST REPLY MS  plays for MS milliseconds, prints "count mean_ns"
//
// REQUEST and REPLY are byte counts. Each side does what an event loop must do per message:
// epoll_wait, read, write.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES 65536

static void die(const char *what)
{
    fprintf(stderr, "tcp_pingpong: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long parse(const char *text, long max)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "tcp_pingpong: expected a number from 1 to %ld, found '%s'\n", max, text);
        exit(2);
    }
    return value;
}

// Makes the socket fit for an event loop and watches it. Returns the epoll fd.
static int watch(int fd)
{
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
        die("TCP_NODELAY");
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        die("epoll");
    return epoll_fd;
}

// Waits for `want` bytes. 0 when the peer has closed.
static int take(int epoll_fd, int fd, size_t want)
{
    static uint8_t bytes[MAX_BYTES];
    while (want > 0) {
        struct epoll_event event;
        if (epoll_wait(epoll_fd, &event, 1, -1) < 0)
            die("epoll_wait");
        ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (got < 0 && errno != EAGAIN)
            die("recv");
        if (got == 0)
            return 0;
        if (got > 0)
            want -= (size_t)got < want ? (size_t)got : want;
    }
    return 1;
}

static void give(int fd, size_t len)
{
    static const uint8_t bytes[MAX_BYTES];
    if (send(fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len)
        die("send");
}

static int serve(size_t request, size_t reply)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, len) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &len) != 0)
        die("listen");
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    int fd = accept(listener, NULL, NULL);
    if (fd < 0)
        die("accept");
    int epoll_fd = watch(fd);
    while (take(epoll_fd, fd, request))
        give(fd, reply);
    return 0;
}

static int play(uint16_t port, size_t request, size_t reply, uint64_t duration_ns)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        die("connect");
    int epoll_fd = watch(fd);
    uint64_t start = now_ns();
    uint64_t end = start;
    uint64_t count = 0;
    while (end - start < duration_ns) {
        give(fd, request);
        if (!take(epoll_fd, fd, reply)) {
            fprintf(stderr, "tcp_pingpong: the server closed the connection\n");
            return 1;
        }
        end = now_ns();
        count++;
    }
    printf("%llu %.1f\n", (unsigned long long)count, (double)(end - start) / (double)count);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "server") == 0)
        return serve((size_t)parse(argv[2], MAX_BYTES), (size_t)parse(argv[3], MAX_BYTES));
    if (argc == 6 && strcmp(argv[1], "client") == 0)
        return play((uint16_t)parse(argv[2], 65535), (size_t)parse(argv[3], MAX_BYTES),
                    (size_t)parse(argv[4], MAX_BYTES), (uint64_t)parse(argv[5], 600000) * 1000000u);
    fprintf(stderr, "usage: tcp_pingpong server REQUEST REPLY\n"
                    "       tcp_pingpong client PORT REQUEST REPLY MS\n");
    return 2;
}
