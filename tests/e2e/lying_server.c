// lying_server: a gRPC server that lies as it is told to, so that a client can be seen to notice.
//
//   lying_server --port N [--lie NAME]     LIE=NAME in the environment does the same
//   lying_server --list                    the names of the lies
//
// It answers unary calls of an echo service (the reply is the request's bytes). Without a name it
// tells every lie about single calls in turn, so that no reply is right.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option.h"
#include "lies.h"
#include "lying_session.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/socket.h"

struct config {
    uint64_t port;
    const char *lie;
    bool list;
};

static const struct edge_option options[] = {
    {.name = "port",
     .letter = 'p',
     EDGE_OPT_COUNT(struct config, port),
     .argument = "N",
     .fallback = "50051",
     .max = 65535,
     .help = "TCP port on 127.0.0.1; 0 takes a free one, which is printed."},
    {.name = "lie",
     EDGE_OPT_STRING(struct config, lie),
     .argument = "NAME",
     .fallback = "mix",
     .env = "LIE",
     .help = "The lie to tell."},
    {.name = "list", EDGE_OPT_BOOL(struct config, list), .help = "Print the lies and exit."},
    {.name = NULL},
};

static const struct edge_command command = {
    .name = "lying_server",
    .operands = "",
    .summary = "A test fixture: answers gRPC calls with lies.",
    .options = options,
};

struct server {
    struct edge_loop loop;
    struct edge_io io;
    struct edge_watch listener;
    struct liar_shared shared;
};

struct client {
    struct edge_connection connection;
    struct liar liar;
};

static int client_receive(void *self, const uint8_t *bytes, size_t len)
{
    struct client *client = self;
    return liar_receive(&client->liar, bytes, len);
}

static int client_fill(void *self, struct edge_buffer *out, size_t high)
{
    struct client *client = self;
    struct edge_buffer *told = &client->liar.out;
    (void)high;
    int result = client->connection.closing ? 0 : liar_turn(&client->liar);
    int error = edge_buffer_append(out, edge_buffer_head(told), told->len);
    edge_buffer_consume(told, told->len);
    return error < 0 ? error : result;
}

static bool client_finished(void *self)
{
    (void)self;
    return false;
}

static void client_closed(void *self, int reason)
{
    struct client *client = self;
    (void)reason;
    liar_free(&client->liar);
    free(client);
}

static const struct edge_protocol protocol = {
    .receive = client_receive,
    .fill = client_fill,
    .finished = client_finished,
    .closed = client_closed,
};

static void on_listener(struct edge_watch *watch, uint32_t events)
{
    struct server *server =
        (struct server *)(void *)((char *)watch - offsetof(struct server, listener));
    (void)events;
    int fd;
    while ((fd = edge_socket_accept(watch->fd)) >= 0) {
        struct client *client = calloc(1, sizeof(*client));
        if (client == NULL || liar_init(&client->liar, &server->shared) < 0 ||
            edge_connection_open(&client->connection, &server->io, fd, false, &protocol, client) <
                0)
            abort();
    }
}

static int serve(struct server *server, uint64_t port, struct edge_message *message)
{
    struct edge_address address;
    int error = edge_address_numeric("127.0.0.1", (uint16_t)port, &address, message);
    if (error < 0)
        return error;
    int fd = edge_socket_listen(&address, message);
    if (fd < 0)
        return fd;
    server->listener = (struct edge_watch){fd, EPOLLIN, on_listener, false};
    if (edge_loop_init(&server->loop) < 0 || edge_io_init(&server->io, &server->loop, 65536) < 0 ||
        edge_loop_add(&server->loop, &server->listener) < 0)
        return edge_fail(message, EDGE_ERR_FAILED, "the event loop cannot be set up");
    fprintf(stderr, "lying_server (%s) listening on %s\n", server->shared.lie->name, address.text);
    return edge_loop_run(&server->loop);
}

// Nothing is worth finishing.
static void on_term(int signal_number)
{
    (void)signal_number;
    _exit(EDGE_EXIT_OK);
}

int main(int argc, char **argv)
{
    static struct server server;
    struct config config;
    struct edge_message message;
    int operands = 0;
    edge_options_defaults(&command, &config);
    int got = edge_options_env(&command, &config, &message);
    if (got == 0)
        got = edge_options_argv(&command, &config, argc, argv, &operands, &message);
    if (got == EDGE_ARGV_HELP) {
        edge_options_help(&command, stdout);
        return EDGE_EXIT_OK;
    }
    if (got == EDGE_ARGV_GO && config.list) {
        lies_print(stdout);
        return EDGE_EXIT_OK;
    }
    if (got != EDGE_ARGV_GO) {
        fprintf(stderr, "lying_server: %s\n", got < 0 ? message.text : "only lies are told here");
        return EDGE_EXIT_USAGE;
    }
    server.shared.lie = lies_find(config.lie);
    if (server.shared.lie == NULL) {
        fprintf(stderr, "lying_server: no lie \"%s\"; --list prints them\n", config.lie);
        return EDGE_EXIT_USAGE;
    }
    signal(SIGTERM, on_term);
    if (serve(&server, config.port, &message) < 0)
        fprintf(stderr, "lying_server: %s\n", message.text);
    return EDGE_EXIT_FAILED;
}
