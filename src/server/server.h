// The server around the services: listens, serves HTTP/2 connections, drains on a signal.
#ifndef EDGE_SERVER_SERVER_H
#define EDGE_SERVER_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "grpc/gzip.h"
#include "server/services.h"

// What a program is, whatever its options.
struct edge_server_program {
    const char *name; // stands in messages
    const struct edge_greeter_codec *codec;
    const struct edge_method *more[2]; // tables beside those of services.h; NULL: no more
    edge_gzip_compress *compress;      // of the replies of methods that ask for it, or NULL
};

struct edge_server_config {
    const char *host;     // numeric address
    uint64_t port;        // 0: a free one, told in the listening line
    uint64_t max_message; // bytes
    uint64_t max_streams; // per connection
    uint64_t max_connections;
    uint64_t max_memory; // bytes: see server/limits.h
    // Of a connection, see struct edge_h2_config; 0: never. The PING's answer has no such 0.
    uint64_t max_idle_ns, max_age_ns, max_age_grace_ns;
    uint64_t keepalive_ns, keepalive_timeout_ns, ping_interval_ns;
    const char *tls_cert; // PEM files, both or none; NULL: HTTP/2 in the clear
    const char *tls_key;
    const struct edge_server_program *program;
};

// Serves until SIGTERM or SIGINT, then drains: NOT_SERVING, GOAWAY, calls in flight finish, at most
// for ten seconds (a second signal ends that). Prints one line to stderr when it listens.
// 0; or EDGE_ERR_USAGE (one TLS file without the other), EDGE_ERR_FORMAT (the address, a TLS file),
// EDGE_ERR_UNSUPPORTED (built without TLS) or a negated errno, with a message.
int edge_server_run(const struct edge_server_config *config, struct edge_message *message);

// main() of a server: options, --help, --version, then edge_server_run(). Returns enum edge_exit.
int edge_server_command(const struct edge_server_program *program, int argc, char **argv);

#endif
