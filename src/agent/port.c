#include "agent/port.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/socket.h"

#define FIRST 10000u
#define COUNT 22000u // up to 31999; outgoing ports begin at 32768 by default
#define STEP  7919u  // a prime that does not divide COUNT: visits every port

int edge_port_pick(const char *host, struct edge_message *message)
{
    uint64_t at = edge_clock_wall_ns() / EDGE_NS_PER_US + (uint64_t)getpid() * 31;
    int error = -EADDRINUSE;
    for (unsigned i = 0; i < 200 && error == -EADDRINUSE; i++) {
        struct edge_address address;
        uint16_t port = (uint16_t)(FIRST + (at + (uint64_t)i * STEP) % COUNT);
        error = edge_address_numeric(host, port, &address, message);
        if (error)
            return error;
        int fd = edge_socket_listen(&address, message);
        if (fd >= 0) {
            close(fd);
            return port;
        }
        error = fd;
    }
    return error;
}
