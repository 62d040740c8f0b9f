// The whole generator against a server in a thread of its own.
#include "cmocka_headers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/books.h"
#include "load/load.h"
#include "load/worker.h"
#include "net/connection.h"
#include "server/null/null.h"

// ---- the server ----

enum behaviour {
    BEHAVE,
    SILENT,    // reads, and says nothing after its SETTINGS
    GO_AWAY,   // GOAWAY after each 100 reads of a connection
    BREAK_OFF, // closes after each 100 reads of a connection
    DIE,       // the same, and takes no more connections
    WRONG,     // changes a letter in a reply
    NOT_HTTP2, // answers as an HTTP/1 server
};

struct server {
    struct edge_loop loop;
    struct edge_io io;
    struct edge_watch listener, end;
    struct edge_address address;
    enum behaviour behaviour;
    pthread_t thread;
    unsigned connections; // open now
};

struct session {
    struct edge_connection connection;
    struct server *server;
    struct edge_null null;
    struct edge_buffer replies;
    unsigned reads;
    bool going;
};

static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct session *session = self;
    enum behaviour behaviour = session->server->behaviour;
    bool greeted = session->null.greeted;
    session->reads++;
    if (behaviour == NOT_HTTP2) {
        session->going = true;
        return edge_buffer_append(&session->replies, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
    }
    if ((behaviour == BREAK_OFF || behaviour == DIE) && session->reads > 100) {
        if (behaviour == DIE) {
            edge_loop_remove(&session->server->loop, &session->server->listener);
            shutdown(session->server->listener.fd, SHUT_RDWR);
        }
        return EDGE_ERR_FAILED;
    }
    if (session->going || (behaviour == SILENT && greeted))
        return 0;
    int error = edge_null_receive(&session->null, bytes, len, &session->replies);
    if (behaviour == GO_AWAY && session->reads > 100) {
        session->going = true;
        edge_null_shutdown(&session->null, &session->replies);
    }
    return error;
}

static int fill(void *self, struct edge_buffer *out, size_t high)
{
    struct session *session = self;
    struct edge_buffer *replies = &session->replies;
    (void)high;
    if (replies->len == 0)
        return 0;
    if (session->server->behaviour == WRONG && session->reads > 2) {
        uint8_t *pet = memmem(edge_buffer_head(replies), replies->len, "Kim the cat", 11);
        if (pet != NULL)
            pet[0] = 'J';
    }
    int error = edge_buffer_append(out, edge_buffer_head(replies), replies->len);
    edge_buffer_consume(replies, replies->len);
    return error;
}

static bool finished(void *self)
{
    const struct session *session = self;
    return session->going && session->server->behaviour == NOT_HTTP2;
}

static void closed(void *self, int reason)
{
    struct session *session = self;
    (void)reason;
    session->server->connections--;
    edge_buffer_free(&session->replies);
    free(session);
}

static const struct edge_protocol protocol = {receive, fill, finished, closed};

static void on_accept(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct server *server =
        (struct server *)(void *)((char *)watch - offsetof(struct server, listener));
    int fd;
    while ((fd = edge_socket_accept(watch->fd)) >= 0) {
        struct session *session = calloc(1, sizeof(*session));
        session->server = server;
        server->connections++;
        if (edge_connection_open(&session->connection, &server->io, fd, false, &protocol, session) <
            0)
            abort();
    }
}

static void on_end(struct edge_watch *watch, uint32_t events)
{
    (void)events;
    struct server *server = (struct server *)(void *)((char *)watch - offsetof(struct server, end));
    edge_loop_remove(&server->loop, &server->listener);
    edge_loop_stop(&server->loop);
}

static void *serve(void *arg)
{
    struct server *server = arg;
    edge_loop_run(&server->loop);
    // The clients are gone: what is left are their ends.
    server->loop.stopped = false;
    edge_loop_remove(&server->loop, &server->end);
    while (server->connections > 0)
        edge_loop_turn(&server->loop, EDGE_LOOP_FOREVER);
    return NULL;
}

static void server_start(struct server *server, enum behaviour behaviour)
{
    *server = (struct server){.behaviour = behaviour};
    struct edge_message message;
    assert_int_equal(edge_loop_init(&server->loop), 0);
    assert_int_equal(edge_io_init(&server->io, &server->loop, 65536), 0);
    assert_int_equal(edge_address_numeric("127.0.0.1", 0, &server->address, &message), 0);
    int fd = edge_socket_listen(&server->address, &message);
    assert_true(fd >= 0);
    server->listener = (struct edge_watch){.fd = fd, .events = EPOLLIN, .ready = on_accept};
    server->end =
        (struct edge_watch){.fd = eventfd(0, EFD_NONBLOCK), .events = EPOLLIN, .ready = on_end};
    assert_int_equal(edge_loop_add(&server->loop, &server->listener), 0);
    assert_int_equal(edge_loop_add(&server->loop, &server->end), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct server *server)
{
    uint64_t one = 1;
    assert_int_equal(write(server->end.fd, &one, sizeof(one)), sizeof(one));
    pthread_join(server->thread, NULL);
    close(server->listener.fd);
    close(server->end.fd);
    edge_io_free(&server->io);
    edge_loop_free(&server->loop);
}

// ---- the load ----

static struct edge_payload payload;

static int load_payload(void **state)
{
    (void)state;
    return edge_payload_load(&payload, "complex_proto", NULL, 0, NULL);
}

static int free_payload(void **state)
{
    (void)state;
    edge_payload_free(&payload);
    return 0;
}

static struct edge_load_config config_for(const struct server *server)
{
    return (struct edge_load_config){
        .address = server->address,
        .payload = &payload,
        .connections = 3,
        .concurrency = 20,
        .total = 2000,
        .timeout_ns = 20 * EDGE_NS_PER_S,
        .drain_ns = 10 * EDGE_NS_PER_S,
    };
}

static void run(const struct edge_load_config *config, struct edge_load_result *result)
{
    struct edge_load *load;
    struct edge_message message = {""};
    if (edge_load_start(config, &load, &message) != 0)
        fail_msg("%s", message.text);
    assert_int_equal(edge_load_finish(load, result), 0);
    assert_true(result->balanced);
}

static void closed_loop_by_total(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, BEHAVE);
    struct edge_load_config config = config_for(&server);
    run(&config, &result);
    server_stop(&server);
    assert_int_equal(result.sent, 2000);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK], 2000);
    assert_int_equal(result.ok_in_window, 2000);
    assert_int_equal(result.service.count, 2000);
    assert_int_equal(result.response.count, 0);
    assert_int_equal(result.connections_opened, 3);
    assert_int_equal(result.connections_lost, 0);
    assert_string_equal(result.first_error, "");
    assert_true(result.window_stop_ns > result.window_start_ns);
    assert_false(result.stopped_early);
    edge_load_result_free(&result);
}

// Two threads; the snapshot is read while they run.
static void open_loop_on_two_threads(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    struct edge_load *load;
    struct edge_load_snapshot snapshot;
    server_start(&server, BEHAVE);
    struct edge_load_config config = config_for(&server);
    config.total = 0;
    config.rate = 4000;
    config.warmup_ns = 50 * EDGE_NS_PER_MS;
    config.duration_ns = 250 * EDGE_NS_PER_MS;
    assert_int_equal(edge_cpuset_allowed(&config.cpus), 0);
    config.cpus.cpus[1] = config.cpus.cpus[0]; // two threads, whatever there is
    config.cpus.count = 2;
    assert_int_equal(edge_load_start(&config, &load, NULL), 0);
    uint64_t start_ns, stop_ns;
    edge_load_window(load, &start_ns, &stop_ns);
    assert_int_equal(stop_ns - start_ns, config.duration_ns);
    do {
        edge_load_snapshot(load, &snapshot);
        assert_true(snapshot.ok <= snapshot.ended + 1000);
    } while (snapshot.running);
    assert_int_equal(edge_load_finish(load, &result), 0);
    server_stop(&server);
    assert_true(result.balanced);
    assert_int_equal(result.due, 1000); // 4000 per second for 250 ms, to the call
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK], result.sent);
    // What was due and never sent is in it too, as a lower bound.
    assert_int_equal(result.response.count, result.due);
    assert_int_equal(result.send_lag.count, result.sent);
    assert_true(result.response.sum >= result.service.sum);
    assert_int_equal(result.thread_count, 2);
    edge_load_result_free(&result);
}

static void silent_server_times_out(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, SILENT);
    struct edge_load_config config = config_for(&server);
    config.total = 40;
    config.timeout_ns = 30 * EDGE_NS_PER_MS;
    run(&config, &result);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_TIMEOUT], 40);
    assert_int_equal(result.ok_in_window, 0);
    // How long they took is not known, but at least so long.
    assert_int_equal(result.service.count, 40);
    assert_int_equal(result.service.censored, 40);
    assert_true(result.service.min >= config.timeout_ns);
    assert_string_equal(result.first_error, "no end of the call within its timeout");
    edge_load_result_free(&result);

    // Without a timeout they are still there when the drain ends.
    config.timeout_ns = 0;
    config.total = 0;
    config.duration_ns = 30 * EDGE_NS_PER_MS;
    config.drain_ns = 30 * EDGE_NS_PER_MS;
    run(&config, &result);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_UNFINISHED], 20);
    assert_int_equal(result.sent, 20);
    assert_int_equal(result.service.censored, 20);
    assert_true(result.service.min >= config.drain_ns);
    edge_load_result_free(&result);

    // An open loop goes on being due, but -c bounds what is sent.
    config.rate = 10000;
    run(&config, &result);
    server_stop(&server);
    assert_int_equal(result.due, 300);
    assert_int_equal(result.sent, 20);
    assert_int_equal(result.unsent, 280);
    assert_int_equal(result.service.censored, 20);
    assert_int_equal(result.response.count, 300);
    assert_int_equal(result.response.censored, 300);
    // The median unsent call had waited for half of the window.
    uint64_t median_ns = edge_histogram_percentile(&result.response, 50);
    assert_true(median_ns > 14 * EDGE_NS_PER_MS && median_ns < 17 * EDGE_NS_PER_MS);
    assert_false(result.client_limited);
    edge_load_result_free(&result);
}

static void goaway_replaces_the_connection(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, GO_AWAY);
    struct edge_load_config config = config_for(&server);
    config.total = 5000;
    config.connections = 1;
    config.concurrency = 2;
    run(&config, &result);
    server_stop(&server);
    assert_true(result.connections_opened > 10);
    assert_int_equal(result.connections_lost, 0);
    // What was on its way when GOAWAY came was refused, not failed; all else went through.
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK] + result.outcomes[EDGE_OUTCOME_REFUSED],
                     5000);
    assert_true(result.outcomes[EDGE_OUTCOME_OK] > 4000);
    edge_load_result_free(&result);
}

static void lost_connections_come_back(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, BREAK_OFF);
    struct edge_load_config config = config_for(&server);
    config.connections = 1;
    config.concurrency = 1;
    config.total = 500;
    run(&config, &result);
    server_stop(&server);
    assert_true(result.connections_lost >= 4);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_CONNECTION], result.connections_lost);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK], 500 - result.connections_lost);
    edge_load_result_free(&result);
}

// By number of calls there would be no end: it gives up after the connect timeout.
static void server_that_died(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, DIE);
    struct edge_load_config config = config_for(&server);
    config.connections = 1;
    config.concurrency = 1;
    config.connect_timeout_ns = 50 * EDGE_NS_PER_MS;
    run(&config, &result);
    server_stop(&server);
    assert_true(result.stopped_early);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_CONNECTION], 1);
    assert_int_equal(result.sent, result.outcomes[EDGE_OUTCOME_OK] + 1);
    assert_true(result.sent < config.total);
    edge_load_result_free(&result);
}

// Before the last stream id is used up the connection is replaced; no call is lost by that.
static void stream_ids_run_out(void **state)
{
    (void)state;
    struct server server;
    struct edge_plan plan;
    struct edge_worker worker;
    struct edge_worker_control control = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                          .changed = PTHREAD_COND_INITIALIZER};
    server_start(&server, BEHAVE);
    struct edge_load_config config = config_for(&server);
    config.connections = 1;
    config.total = 500;
    atomic_init(&control.stop_ns, EDGE_LOOP_FOREVER);
    assert_int_equal(edge_plan_init(&plan, &config, NULL), 0);
    assert_int_equal(edge_worker_init(&worker, &plan, &control, 0, 1, NULL), 0);
    assert_int_equal(pthread_create(&worker.thread, NULL, edge_worker_main, &worker), 0);
    pthread_mutex_lock(&control.lock);
    while (control.arrived == 0)
        pthread_cond_wait(&control.changed, &control.lock);
    worker.channels[0].client.next_id = EDGE_STREAM_ID_MAX - 200; // a hundred calls are left
    control.start_ns = edge_clock_ns();
    control.go = true;
    pthread_cond_broadcast(&control.changed);
    pthread_mutex_unlock(&control.lock);
    pthread_join(worker.thread, NULL);
    const struct edge_load_result *books = &worker.group.books;
    assert_int_equal(books->outcomes[EDGE_OUTCOME_OK], 500);
    assert_int_equal(books->connections_opened, 2);
    assert_int_equal(books->connections_lost, 0);
    edge_worker_free(&worker);
    edge_plan_free(&plan);
    server_stop(&server);
}

static void wrong_replies_are_seen(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    server_start(&server, WRONG);
    struct edge_load_config config = config_for(&server);
    config.concurrency = 3;
    config.total = 300;
    run(&config, &result);
    server_stop(&server);
    assert_true(result.outcomes[EDGE_OUTCOME_WRONG_REPLY] > 280);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK] + result.outcomes[EDGE_OUTCOME_WRONG_REPLY],
                     300);
    assert_string_equal(result.first_error, "a reply is not the expected echo of its request");
    edge_load_result_free(&result);
}

static void stopped_early(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    struct edge_load *load;
    struct edge_load_snapshot snapshot;
    server_start(&server, BEHAVE);
    struct edge_load_config config = config_for(&server);
    config.total = 0;
    config.duration_ns = 3600 * EDGE_NS_PER_S;
    assert_int_equal(edge_load_start(&config, &load, NULL), 0);
    do {
        edge_load_snapshot(load, &snapshot);
    } while (snapshot.ok == 0);
    edge_load_stop(load);
    edge_load_stop(load);
    assert_int_equal(edge_load_finish(load, &result), 0);
    server_stop(&server);
    assert_true(result.balanced && result.stopped_early);
    assert_true(result.ok_in_window > 0);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK], result.sent);
    assert_true(result.window_stop_ns - result.window_start_ns < config.duration_ns);
    edge_load_result_free(&result);
}

static void stopped_before_the_window(void **state)
{
    (void)state;
    struct server server;
    struct edge_load_result result;
    struct edge_load *load;
    server_start(&server, BEHAVE);
    struct edge_load_config config = config_for(&server);
    config.total = 0;
    config.duration_ns = config.warmup_ns = 100 * EDGE_NS_PER_S;
    assert_int_equal(edge_load_start(&config, &load, NULL), 0);
    edge_load_stop(load);
    assert_int_equal(edge_load_finish(load, &result), 0);
    server_stop(&server);
    assert_true(result.stopped_early);
    assert_int_equal(result.window_stop_ns, result.window_start_ns);
    assert_int_equal(result.threads[0].cpu, -1); // not pinned: nothing to be found on CPU 0
    assert_true(result.threads[0].run_delay_ns == EDGE_LOAD_UNKNOWN);
    edge_load_result_free(&result);
}

static void starts_that_fail(void **state)
{
    (void)state;
    struct server server;
    struct edge_load *load;
    struct edge_message message;
    server_start(&server, NOT_HTTP2);
    struct edge_load_config config = config_for(&server);
    assert_int_equal(edge_load_start(&config, &load, &message), EDGE_ERR_PROTOCOL);
    assert_non_null(strstr(message.text, "expected HTTP/2 without TLS"));
    server_stop(&server);
    // The port is free now.
    assert_int_equal(edge_load_start(&config, &load, &message), -ECONNREFUSED);
    assert_non_null(strstr(message.text, "nothing listens on 127.0.0.1:"));

    // A port that takes connections and never answers.
    int fd = edge_socket_listen(&server.address, &message);
    assert_true(fd >= 0);
    config.connect_timeout_ns = 20 * EDGE_NS_PER_MS;
    assert_int_equal(edge_load_start(&config, &load, &message), -ETIMEDOUT);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_loop_by_total),
        cmocka_unit_test(open_loop_on_two_threads),
        cmocka_unit_test(silent_server_times_out),
        cmocka_unit_test(goaway_replaces_the_connection),
        cmocka_unit_test(lost_connections_come_back),
        cmocka_unit_test(server_that_died),
        cmocka_unit_test(stream_ids_run_out),
        cmocka_unit_test(wrong_replies_are_seen),
        cmocka_unit_test(stopped_early),
        cmocka_unit_test(stopped_before_the_window),
        cmocka_unit_test(starts_that_fail),
    };
    return cmocka_run_group_tests(tests, load_payload, free_payload);
}
