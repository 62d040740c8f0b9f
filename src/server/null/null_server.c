// null_server: the calibration server. It answers every call without decoding it, so that a run
// against it measures the generator. Never ranked: it implements nothing.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_info.h"
#include "base/option.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/socket.h"
#include "net/tls.h"
#include "server/null/null.h"

#define IO_BYTES 131072u

struct config {
    const char *host;
    uint64_t port;
    const char *tls_cert; // PEM files, both or none
    const char *tls_key;
};

static const struct edge_option options[] = {
    {.name = "port",
     .letter = 'p',
     EDGE_OPT_COUNT(struct config, port),
     .argument = "N",
     .fallback = "50051",
     .max = 65535,
     .help = "TCP port to listen on; 0 takes a free one, which is printed."},
    {.name = "host",
     EDGE_OPT_STRING(struct config, host),
     .argument = "ADDRESS",
     .fallback = "127.0.0.1",
     .env = "GRPC_SERVER_HOST",
     .help = "Address to listen on: an IPv4 or IPv6 literal."},
    {.name = "tls-cert",
     EDGE_OPT_STRING(struct config, tls_cert),
     .argument = "FILE",
     .help = "Serve over TLS: the certificate, in PEM."},
    {.name = "tls-key",
     EDGE_OPT_STRING(struct config, tls_key),
     .argument = "FILE",
     .help = "Its private key, in PEM, not encrypted."},
    {.name = NULL},
};

static const struct edge_command command = {
    .name = "null_server",
    .operands = "",
    .summary = "Answers gRPC calls without decoding them: calibrates a load generator.",
    .epilog = "Replies are the requests' own bytes, so unary and bidi calls of an echo service\n"
              "verify. A call may send up to 1 MiB. Results are a calibration, never ranked.\n",
    .options = options,
};

struct client;

struct program {
    struct edge_loop loop;
    struct edge_io io;
    struct edge_tls *tls; // NULL: in the clear
    struct edge_watch listener;
    struct edge_watch signals;
    struct edge_buffer replies;  // of the connection being read, until its fill takes them
    struct client *clients;      // doubly linked
    struct edge_message failure; // why the loop was stopped, if not by a signal
};

struct client {
    struct edge_connection connection;
    struct edge_null null;
    struct program *program;
    struct client *next;
    struct client **link; // what points here
};

static int client_receive(void *self, const uint8_t *bytes, size_t len)
{
    struct client *client = self;
    return edge_null_receive(&client->null, bytes, len, &client->program->replies);
}

// Replies were written whole while the read was parsed: the two buffers change places.
static int client_fill(void *self, struct edge_buffer *out, size_t high)
{
    struct client *client = self;
    struct edge_buffer *replies = &client->program->replies;
    (void)high;
    if (out->len > 0) {
        int error = edge_buffer_append(out, edge_buffer_head(replies), replies->len);
        replies->start = replies->len = 0;
        return error;
    }
    struct edge_buffer empty = *out;
    *out = *replies;
    *replies = empty;
    return 0;
}

static bool client_finished(void *self)
{
    struct client *client = self;
    return client->null.ended;
}

static void client_closed(void *self, int reason)
{
    struct client *client = self;
    (void)reason;
    client->program->replies.start = client->program->replies.len = 0;
    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    free(client);
}

static const struct edge_protocol client_protocol = {
    .receive = client_receive,
    .fill = client_fill,
    .finished = client_finished,
    .closed = client_closed,
};

static void stop(struct program *program, const char *what, int error)
{
    edge_fail(&program->failure, error, "%s: %s", what, edge_error_text(error));
    edge_loop_stop(&program->loop);
}

// Takes the connection `fd`. 0 or a negated errno.
static int client_new(struct program *program, int fd)
{
    struct client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        close(fd);
        return -ENOMEM;
    }
    client->program = program;
    if (program->tls != NULL &&
        edge_tls_session_new(program->tls, &client->connection.transport) < 0) {
        close(fd);
        free(client);
        return -ENOMEM;
    }
    int error = edge_connection_open(&client->connection, &program->io, fd, false, &client_protocol,
                                     client);
    if (error < 0) {
        free(client);
        return error;
    }
    client->next = program->clients;
    client->link = &program->clients;
    if (client->next != NULL)
        client->next->link = &client->next;
    program->clients = client;
    return 0;
}

static void on_listener(struct edge_watch *watch, uint32_t events)
{
    struct program *program =
        (struct program *)(void *)((char *)watch - offsetof(struct program, listener));
    (void)events;
    int fd;
    while ((fd = edge_socket_accept(watch->fd)) >= 0) {
        int error = client_new(program, fd);
        if (error < 0) {
            stop(program, "cannot take a connection", error);
            return;
        }
    }
    if (fd != -EAGAIN && fd != -ECONNABORTED)
        stop(program, "cannot accept connections", fd);
}

static void on_signal(struct edge_watch *watch, uint32_t events)
{
    struct program *program =
        (struct program *)(void *)((char *)watch - offsetof(struct program, signals));
    (void)events;
    edge_loop_stop(&program->loop);
}

// Says GOAWAY to every client and closes. What the socket does not take is dropped.
static void close_clients(struct program *program)
{
    while (program->clients != NULL) {
        struct client *client = program->clients;
        if (edge_null_shutdown(&client->null, &program->replies) == 0)
            edge_connection_flush(&client->connection);
        if (client == program->clients)
            edge_connection_close(&client->connection, EDGE_OK);
    }
}

static int open_program(struct program *program, const struct config *config,
                        struct edge_message *message)
{
    struct edge_address address;
    const struct edge_tls_server_config tls_config = {config->tls_cert, config->tls_key};
    int error = edge_address_numeric(config->host, (uint16_t)config->port, &address, message);
    if (error == 0)
        error = edge_tls_server_new(&tls_config, &program->tls, message);
    if (error < 0)
        return error;
    int listen_fd = edge_socket_listen(&address, message);
    if (listen_fd < 0)
        return listen_fd;
    program->listener = (struct edge_watch){listen_fd, EPOLLIN, on_listener, false};
    int signal_fd = edge_loop_open_signals();
    program->signals = (struct edge_watch){signal_fd, EPOLLIN, on_signal, false};
    error = signal_fd < 0 ? signal_fd : edge_loop_init(&program->loop);
    if (error == 0)
        error = edge_io_init(&program->io, &program->loop, IO_BYTES);
    if (error == 0)
        error = edge_buffer_reserve(&program->replies, IO_BYTES);
    if (error == 0)
        error = edge_loop_add(&program->loop, &program->listener);
    if (error == 0)
        error = edge_loop_add(&program->loop, &program->signals);
    if (error < 0)
        return edge_fail(message, error, "cannot start: %s", edge_error_text(error));
    fprintf(stderr, "null_server listening on %s%s\n", address.text,
            program->tls != NULL ? ", with TLS" : "");
    return 0;
}

static int serve(const struct config *config)
{
    static struct program program;
    struct edge_message message = {""};
    int error = open_program(&program, config, &message);
    if (error < 0) {
        fprintf(stderr, "null_server: %s\n", message.text);
        return error == EDGE_ERR_FORMAT || error == EDGE_ERR_USAGE ? EDGE_EXIT_USAGE
                                                                   : EDGE_EXIT_FAILED;
    }
    error = edge_loop_run(&program.loop);
    if (error < 0)
        edge_fail(&program.failure, error, "the event loop failed: %s", edge_error_text(error));
    close_clients(&program);
    edge_tls_del(program.tls);
    edge_io_free(&program.io);
    edge_buffer_free(&program.replies);
    edge_loop_free(&program.loop);
    close(program.listener.fd);
    close(program.signals.fd);
    if (program.failure.text[0] == '\0')
        return EDGE_EXIT_OK;
    fprintf(stderr, "null_server: %s\n", program.failure.text);
    return EDGE_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    struct config config;
    struct edge_message message = {""};
    int operands = 0;
    edge_options_defaults(&command, &config);
    int got = edge_options_env(&command, &config, &message);
    if (got >= 0)
        got = edge_options_argv(&command, &config, argc, argv, &operands, &message);
    switch (got) {
    case EDGE_ARGV_GO:
        return serve(&config);
    case EDGE_ARGV_HELP:
        edge_options_help(&command, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(&command, &config, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION: {
        const struct edge_build_info *build = edge_build_info();
        printf("null_server %s calibration %s %s %s\n", build->version, build->git, build->compiler,
               build->target);
        return EDGE_EXIT_OK;
    }
    default:
        fprintf(stderr, "null_server: %s\n", message.text);
        return EDGE_EXIT_USAGE;
    }
}
