#include "load/handshakes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/connection.h"
#include "wire/frame.h"

#define IO_BYTES 16384u
#define RETRY_NS (20 * EDGE_NS_PER_MS) // after a failure, for one connection

struct attempt {
    struct edge_connection connection;
    struct edge_handshakes *owner;
    struct edge_timer retry;
    bool greeted, done;
};

struct edge_handshakes {
    struct edge_address address;
    struct edge_tls *tls;
    struct edge_loop loop;
    struct edge_io io;
    uint64_t failed;
    char failure[256];
    bool ending;
    unsigned count;
    struct attempt attempts[EDGE_HANDSHAKES_MAX];
};

// An answer to the preface: the handshake is over on both sides.
static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct attempt *attempt = self;
    (void)bytes;
    (void)len;
    attempt->done = true;
    return 0;
}

static int fill(void *self, struct edge_buffer *out, size_t high)
{
    struct attempt *attempt = self;
    (void)high;
    if (attempt->greeted)
        return 0;
    attempt->greeted = true;
    int error = edge_buffer_append(out, EDGE_PREFACE, EDGE_PREFACE_LEN);
    if (error == 0)
        error = edge_buffer_reserve(out, EDGE_FRAME_HEADER);
    if (error == 0)
        out->len += edge_frame_settings(edge_buffer_tail(out), NULL, 0);
    return error;
}

static bool finished(void *self)
{
    const struct attempt *attempt = self;
    return attempt->done;
}

static void closed(void *self, int reason)
{
    struct attempt *attempt = self;
    struct edge_handshakes *owner = attempt->owner;
    uint64_t due_ns = owner->loop.now_ns;
    if (owner->ending)
        return;
    if (!attempt->done) {
        owner->failed++;
        snprintf(owner->failure, sizeof(owner->failure), "%s",
                 reason == EDGE_ERR_TLS ? edge_tls_failure(owner->tls) : edge_error_text(reason));
        due_ns += RETRY_NS;
    }
    // Not here: the connection is still being closed. Without memory this one stays closed.
    edge_timer_start(&owner->loop, &attempt->retry, due_ns);
}

static const struct edge_protocol protocol = {receive, fill, finished, closed};

static int connect_one(struct attempt *attempt)
{
    struct edge_handshakes *owner = attempt->owner;
    // Closes by a reset: thousands of ports would wait for a minute each.
    static const struct linger reset = {.l_onoff = 1};
    attempt->greeted = attempt->done = false;
    int fd = edge_socket_connect(&owner->address);
    if (fd < 0)
        return fd;
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    int error = edge_tls_session_new(owner->tls, &attempt->connection.transport);
    if (error < 0) {
        close(fd);
        return error;
    }
    attempt->connection.read_while_blocked = true;
    return edge_connection_open(&attempt->connection, &owner->io, fd, true, &protocol, attempt);
}

static void on_retry(struct edge_timer *timer)
{
    struct attempt *attempt =
        (struct attempt *)(void *)((char *)timer - offsetof(struct attempt, retry));
    int error = connect_one(attempt);
    if (error < 0)
        closed(attempt, error);
}

int edge_handshakes_new(const struct edge_handshakes_config *config, struct edge_handshakes **made,
                        struct edge_message *message)
{
    struct edge_handshakes *handshakes = calloc(1, sizeof(*handshakes));
    if (handshakes == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    handshakes->address = config->address;
    handshakes->count = config->connections;
    for (unsigned i = 0; i < EDGE_HANDSHAKES_MAX; i++) {
        struct attempt *attempt = &handshakes->attempts[i];
        *attempt = (struct attempt){.owner = handshakes, .retry = {.fire = on_retry}};
        attempt->connection.watch.fd = -1;
    }
    int error = edge_loop_init(&handshakes->loop);
    if (error == 0)
        error = edge_io_init(&handshakes->io, &handshakes->loop, IO_BYTES);
    if (error < 0)
        edge_fail(message, error, "cannot connect: %s", edge_error_text(error));
    else
        error = edge_tls_client_new(config->tls, &handshakes->tls, message);
    if (error < 0) {
        edge_handshakes_del(handshakes);
        return error;
    }
    for (unsigned i = 0; i < handshakes->count; i++)
        on_retry(&handshakes->attempts[i].retry);
    *made = handshakes;
    return 0;
}

void edge_handshakes_del(struct edge_handshakes *handshakes)
{
    handshakes->ending = true;
    for (unsigned i = 0; i < handshakes->count; i++)
        edge_connection_close(&handshakes->attempts[i].connection, EDGE_OK);
    edge_tls_del(handshakes->tls);
    edge_io_free(&handshakes->io);
    edge_loop_free(&handshakes->loop);
    free(handshakes);
}

int edge_handshakes_turn(struct edge_handshakes *handshakes, uint64_t until_ns)
{
    int error;
    do {
        error = edge_loop_turn(&handshakes->loop, until_ns);
    } while (error >= 0 && handshakes->loop.now_ns < until_ns);
    return error < 0 ? error : 0;
}

void edge_handshakes_counts(const struct edge_handshakes *handshakes,
                            struct edge_handshakes_counts *counts)
{
    struct edge_tls_facts facts;
    edge_tls_facts(handshakes->tls, &facts);
    *counts = (struct edge_handshakes_counts){facts.full, facts.resumed, handshakes->failed};
}

const char *edge_handshakes_failure(const struct edge_handshakes *handshakes)
{
    return handshakes->failure;
}
