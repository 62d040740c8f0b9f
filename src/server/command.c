#include <nghttp2/nghttp2ver.h>
#include <stdio.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/option.h"
#include "net/tls.h"
#include "server/server.h"

static const struct edge_option options[] = {
    {.name = "port",
     .letter = 'p',
     EDGE_OPT_COUNT(struct edge_server_config, port),
     .argument = "N",
     .fallback = "50051",
     .max = 65535,
     .help = "TCP port to listen on; 0 takes a free one, which is printed."},
    {.name = "host",
     EDGE_OPT_STRING(struct edge_server_config, host),
     .argument = "ADDRESS",
     .fallback = "127.0.0.1",
     .env = "GRPC_SERVER_HOST",
     .help = "Address to listen on, an IPv4 or IPv6 literal; 0.0.0.0 for all of this machine."},
    {.name = "max-message",
     EDGE_OPT_BYTES(struct edge_server_config, max_message),
     .argument = "BYTES",
     .fallback = "4m",
     .min = 1,
     .max = UINT64_C(256) << 20,
     .help = "Largest request message; a larger one is answered RESOURCE_EXHAUSTED."},
    {.name = "max-streams",
     EDGE_OPT_COUNT(struct edge_server_config, max_streams),
     .argument = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "Calls in flight that a connection may have."},
    {.name = "max-connections",
     EDGE_OPT_COUNT(struct edge_server_config, max_connections),
     .argument = "N",
     .fallback = "10000",
     .min = 1,
     .help = "Connections at a time; more are closed at once."},
    {.name = "max-memory",
     EDGE_OPT_BYTES(struct edge_server_config, max_memory),
     .argument = "BYTES",
     .fallback = "256m",
     .min = 1 << 20,
     .max = UINT64_C(1) << 31,
     .help = "Memory that clients can make the server hold, TLS included. Near it, new connections "
             "are closed at once; at it, calls end with RESOURCE_EXHAUSTED or are refused, and "
             "connections may be closed. docs/security.md has what comes on top."},
    {.name = "max-idle",
     EDGE_OPT_DURATION(struct edge_server_config, max_idle_ns),
     .argument = "DURATION",
     .fallback = "5m",
     .help = "A connection without calls is ended gracefully after that; 0: never."},
    {.name = "max-age",
     EDGE_OPT_DURATION(struct edge_server_config, max_age_ns),
     .argument = "DURATION",
     .fallback = "0",
     .help = "A connection is ended gracefully after that, give or take a tenth; 0: never."},
    {.name = "max-age-grace",
     EDGE_OPT_DURATION(struct edge_server_config, max_age_grace_ns),
     .argument = "DURATION",
     .fallback = "0",
     .help = "Calls of a connection that has reached --max-age may go on for that; 0: for ever."},
    {.name = "keepalive",
     EDGE_OPT_DURATION(struct edge_server_config, keepalive_ns),
     .argument = "DURATION",
     .fallback = "2h",
     .help = "A client that was silent for that is sent a PING; 0: never."},
    {.name = "keepalive-timeout",
     EDGE_OPT_DURATION(struct edge_server_config, keepalive_timeout_ns),
     .argument = "DURATION",
     .fallback = "20s",
     .min = EDGE_NS_PER_MS,
     .help = "A connection is closed when the PING, or sent bytes, are not acknowledged for that."},
    {.name = "ping-interval",
     EDGE_OPT_DURATION(struct edge_server_config, ping_interval_ns),
     .argument = "DURATION",
     .fallback = "5m",
     .help = "A client that sends PINGs closer than that, while nothing is sent to it, is "
             "disconnected at the third (without calls: 24 times that); 0: never."},
    {.name = "tls-cert",
     EDGE_OPT_STRING(struct edge_server_config, tls_cert),
     .argument = "FILE",
     .help = "Serve over TLS: the certificate, in PEM, with those between it and its root behind."},
    {.name = "tls-key",
     EDGE_OPT_STRING(struct edge_server_config, tls_key),
     .argument = "FILE",
     .help = "The certificate's private key, in PEM, not encrypted."},
    {.name = NULL},
};

static void print_version(const struct edge_server_program *program)
{
    const struct edge_build_info *build = edge_build_info();
    const char *tls = edge_tls_library();
    printf("%s %s codec=%s nghttp2=%s tls=\"%s\" git=%s compiler=\"%s\" flags=\"%s\"\n",
           program->name, build->version, program->codec->name, NGHTTP2_VERSION,
           tls != NULL ? tls : "none", build->git, build->compiler, build->flags);
}

int edge_server_command(const struct edge_server_program *program, int argc, char **argv)
{
    const struct edge_command command = {
        .name = program->name,
        .operands = "",
        .summary =
            "A single-threaded gRPC server: HTTP/2 in the clear, by prior knowledge, or over "
            "TLS.",
        .epilog =
            "Serves helloworld.Greeter, hellobench.Greeter, grpc.health.v1.Health and server\n"
            "reflection. SIGTERM drains: calls in flight finish, then it exits with 0.\n",
        .options = options,
    };
    struct edge_server_config config;
    struct edge_message message = {""};
    int operands = 0;
    edge_options_defaults(&command, &config);
    config.program = program;
    int got = edge_options_env(&command, &config, &message);
    if (got >= 0)
        got = edge_options_argv(&command, &config, argc, argv, &operands, &message);
    switch (got) {
    case EDGE_ARGV_GO:
        got = edge_server_run(&config, &message);
        break;
    case EDGE_ARGV_HELP:
        edge_options_help(&command, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(&command, &config, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        print_version(program);
        return EDGE_EXIT_OK;
    default:
        break;
    }
    if (got == 0)
        return EDGE_EXIT_OK;
    fprintf(stderr, "%s: %s\n", program->name, message.text);
    return got == EDGE_ERR_USAGE || got == EDGE_ERR_FORMAT ? EDGE_EXIT_USAGE : EDGE_EXIT_FAILED;
}
