#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "grpc/h2.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/socket.h"
#include "net/tls.h"
#include "server/health.h"

#define IO_BYTES        65536u
#define ARENA_FACTOR    4 // a decoded message may take that many times --max-message
#define ARENA_MIN       ((size_t)1 << 20)
#define NOTICE_NS       EDGE_NS_PER_S        // for the PING of a draining client to come back
#define DRAIN_NS        (10 * EDGE_NS_PER_S) // for its calls to end
#define ACCEPT_PAUSE_NS (100 * EDGE_NS_PER_MS)

struct client;

struct server {
    const struct edge_server_config *config;
    struct edge_loop loop;
    struct edge_io io;
    struct edge_pool pool;
    struct edge_services services;
    struct edge_h2 *h2;
    struct edge_tls *tls; // NULL: in the clear
    struct edge_watch listener;
    struct edge_watch signals;
    struct edge_timer accept_timer; // runs while there are no file descriptors left
    struct edge_timer notice_timer;
    struct edge_timer drain_timer;
    struct client *clients;
    bool draining;
    struct edge_message failure; // why the loop was stopped, if not by a signal
};

struct client {
    struct edge_connection connection;
    struct edge_h2_session *session;
    struct edge_timer deadline_timer; // due at or before the session's next deadline
    struct server *server;
    struct client *next;
    struct client **link; // what points here
};

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

// --- One client ---

static void watch_deadline(struct client *client)
{
    uint64_t due_ns = edge_h2_session_due(client->session);
    struct edge_timer *timer = &client->deadline_timer;
    if (due_ns == EDGE_H2_NEVER || (timer->heap_index != 0 && timer->due_ns <= due_ns))
        return;
    // Without memory for it the calls only lose their deadline.
    edge_timer_start(&client->server->loop, timer, due_ns);
}

static void on_deadline(struct edge_timer *timer)
{
    struct client *client = OWNER(timer, struct client, deadline_timer);
    edge_h2_session_tick(client->session, client->server->loop.now_ns);
    watch_deadline(client);
    edge_connection_flush(&client->connection);
}

static int client_receive(void *self, const uint8_t *bytes, size_t len)
{
    struct client *client = self;
    int error = edge_h2_session_receive(client->session, bytes, len, client->server->loop.now_ns);
    watch_deadline(client);
    return error;
}

static int client_fill(void *self, struct edge_buffer *out, size_t high)
{
    struct client *client = self;
    return edge_h2_session_fill(client->session, out, high);
}

static bool client_finished(void *self)
{
    struct client *client = self;
    return edge_h2_session_finished(client->session);
}

static void client_del(struct client *client)
{
    struct edge_pool *pool = &client->server->pool;
    edge_timer_stop(&client->server->loop, &client->deadline_timer);
    edge_h2_session_del(client->session);
    edge_pool_release(pool, client);
}

static void client_closed(void *self, int reason)
{
    struct client *client = self;
    struct server *server = client->server;
    (void)reason; // a client that leaves is no event
    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    client_del(client);
    if (server->draining && server->clients == NULL)
        edge_loop_stop(&server->loop);
}

static const struct edge_protocol client_protocol = {
    .receive = client_receive,
    .fill = client_fill,
    .finished = client_finished,
    .closed = client_closed,
};

// Takes the connection `fd`. 0 or a negated errno.
static int client_new(struct server *server, int fd)
{
    struct client *client = edge_pool_alloc(&server->pool, sizeof(*client));
    if (client == NULL) {
        close(fd);
        return -ENOMEM;
    }
    *client = (struct client){.server = server, .deadline_timer = {.fire = on_deadline}};
    int error = edge_h2_session_new(server->h2, &client->session);
    if (error == 0 && server->tls != NULL)
        error = edge_tls_session_new(server->tls, &client->connection.transport);
    if (error < 0)
        close(fd);
    else
        error = edge_connection_open(&client->connection, &server->io, fd, false, &client_protocol,
                                     client);
    if (error < 0) {
        client_del(client);
        return error;
    }
    client->next = server->clients;
    client->link = &server->clients;
    if (client->next != NULL)
        client->next->link = &client->next;
    server->clients = client;
    edge_connection_flush(&client->connection);
    return 0;
}

// Sends what the session has to say at its end. In a handshake nothing can be said yet.
static void client_end(struct client *client)
{
    if (client->connection.handshaking)
        edge_connection_close(&client->connection, EDGE_OK);
    else
        edge_connection_flush(&client->connection);
}

// --- The server ---

static void stop(struct server *server, const char *what, int error)
{
    edge_fail(&server->failure, error, "%s: %s", what, edge_error_text(error));
    edge_loop_stop(&server->loop);
}

static void on_accept_timer(struct edge_timer *timer)
{
    struct server *server = OWNER(timer, struct server, accept_timer);
    if (!server->draining)
        edge_loop_modify(&server->loop, &server->listener, EPOLLIN);
}

static void on_listener(struct edge_watch *watch, uint32_t events)
{
    struct server *server = OWNER(watch, struct server, listener);
    (void)events;
    int fd;
    int error = 0;
    while (error == 0 && (fd = edge_socket_accept(watch->fd)) >= 0)
        error = client_new(server, fd);
    if (error == 0)
        error = fd;
    switch (error) {
    case -EMFILE:
    case -ENFILE:
    case -ENOBUFS:
    case -ENOMEM:
    case -ENOSPC:
        // Those that wait stay in the backlog until there is room for them.
        error = edge_timer_start(&server->loop, &server->accept_timer,
                                 server->loop.now_ns + ACCEPT_PAUSE_NS);
        if (error == 0)
            error = edge_loop_modify(&server->loop, watch, 0);
        if (error < 0)
            stop(server, "cannot accept connections", error);
        break;
    case -EBADF:
    case -EINVAL:
    case -ENOTSOCK:
        stop(server, "cannot accept connections", error);
        break;
    default: // none is waiting, or that one is gone: accept() passes its error on
        break;
    }
}

static void on_notice_timer(struct edge_timer *timer)
{
    struct server *server = OWNER(timer, struct server, notice_timer);
    struct client *next;
    for (struct client *client = server->clients; client != NULL; client = next) {
        next = client->next;
        edge_h2_session_shutdown_now(client->session);
        client_end(client);
    }
}

static void on_drain_timer(struct edge_timer *timer)
{
    struct server *server = OWNER(timer, struct server, drain_timer);
    edge_loop_stop(&server->loop);
}

static void drain(struct server *server)
{
    server->draining = true;
    edge_loop_remove(&server->loop, &server->listener);
    close(server->listener.fd);
    server->listener.fd = -1;
    edge_health_shutdown(&server->services.health);
    struct client *next;
    for (struct client *client = server->clients; client != NULL; client = next) {
        next = client->next;
        edge_h2_session_shutdown(client->session);
        client_end(client);
    }
    uint64_t now_ns = server->loop.now_ns;
    if (server->clients == NULL ||
        edge_timer_start(&server->loop, &server->notice_timer, now_ns + NOTICE_NS) < 0 ||
        edge_timer_start(&server->loop, &server->drain_timer, now_ns + DRAIN_NS) < 0)
        edge_loop_stop(&server->loop);
}

static void on_signal(struct edge_watch *watch, uint32_t events)
{
    struct server *server = OWNER(watch, struct server, signals);
    struct signalfd_siginfo info;
    (void)events;
    while (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (server->draining)
            edge_loop_stop(&server->loop);
        else
            drain(server);
    }
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static const struct edge_method *const tables[] = {edge_greeter_methods, edge_health_methods,
                                                   edge_reflection_methods, NULL};

static int open_services(struct server *server)
{
    const struct edge_server_config *config = server->config;
    size_t arena_limit = ARENA_FACTOR * (size_t)config->max_message;
    edge_services_init(&server->services, tables, config->codec,
                       arena_limit > ARENA_MIN ? arena_limit : ARENA_MIN);
    const struct edge_h2_config h2_config = {.tables = tables,
                                             .context = &server->services,
                                             .pool = &server->pool,
                                             .max_message = (size_t)config->max_message,
                                             .max_streams = (uint32_t)config->max_streams};
    return edge_h2_new(&h2_config, &server->h2);
}

static int open_server(struct server *server, struct edge_message *message)
{
    const struct edge_server_config *config = server->config;
    struct edge_address address;
    int error = edge_address_numeric(config->host, (uint16_t)config->port, &address, message);
    const struct edge_tls_server_config tls_config = {config->tls_cert, config->tls_key};
    if (error == 0)
        error = edge_tls_server_new(&tls_config, &server->tls, message);
    if (error < 0)
        return error;
    int listen_fd = edge_socket_listen(&address, message);
    if (listen_fd < 0)
        return listen_fd;
    server->listener = (struct edge_watch){listen_fd, EPOLLIN, on_listener, false};
    int signal_fd = open_signals();
    server->signals = (struct edge_watch){signal_fd, EPOLLIN, on_signal, false};
    error = signal_fd < 0 ? signal_fd : edge_io_init(&server->io, &server->loop, IO_BYTES);
    if (error == 0)
        error = open_services(server);
    if (error == 0)
        error = edge_loop_add(&server->loop, &server->listener);
    if (error == 0)
        error = edge_loop_add(&server->loop, &server->signals);
    if (error < 0)
        return edge_fail(message, error, "cannot start: %s", edge_error_text(error));
    fprintf(stderr, "%s listening on %s%s\n", config->name, address.text,
            server->tls != NULL ? ", with TLS" : "");
    return 0;
}

static void close_server(struct server *server)
{
    server->draining = false;
    while (server->clients != NULL)
        edge_connection_close(&server->clients->connection, EDGE_OK);
    edge_tls_del(server->tls);
    edge_h2_del(server->h2);
    edge_services_free(&server->services);
    edge_io_free(&server->io);
    edge_pool_free(&server->pool);
    if (server->listener.fd >= 0)
        close(server->listener.fd);
    if (server->signals.fd >= 0)
        close(server->signals.fd);
    edge_loop_free(&server->loop);
}

int edge_server_run(const struct edge_server_config *config, struct edge_message *message)
{
    struct server server = {.config = config,
                            .listener = {.fd = -1},
                            .signals = {.fd = -1},
                            .accept_timer = {.fire = on_accept_timer},
                            .notice_timer = {.fire = on_notice_timer},
                            .drain_timer = {.fire = on_drain_timer}};
    int error = edge_loop_init(&server.loop);
    if (error < 0)
        return edge_fail(message, error, "cannot start: %s", edge_error_text(error));
    error = open_server(&server, message);
    if (error == 0) {
        error = edge_loop_run(&server.loop);
        if (error < 0)
            edge_fail(message, error, "the event loop failed: %s", edge_error_text(error));
        if (server.failure.text[0] != '\0') {
            *message = server.failure;
            error = EDGE_ERR_FAILED;
        }
    }
    close_server(&server);
    return error;
}
