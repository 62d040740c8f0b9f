#include "cmocka_headers.h"

#include <errno.h>
#include <malloc.h>
#include <mbedtls/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/tls.h"
#include "net/tls_files.h"

// Two contexts, and one session of each; what one says is what the other hears.
struct pair {
    struct edge_tls *server, *client;
    struct edge_transport *left, *right; // the client's session, the server's
    struct edge_buffer to_left, to_right;
    struct edge_buffer at_left, at_right; // plain bytes that came
    int left_state, right_state;
};

static void open_pair(struct pair *pair, struct edge_tls *server, struct edge_tls *client)
{
    *pair = (struct pair){.server = server, .client = client};
    assert_int_equal(edge_tls_session_new(client, &pair->left), 0);
    assert_int_equal(edge_tls_session_new(server, &pair->right), 0);
}

static void close_pair(struct pair *pair)
{
    pair->left->ops->del(pair->left);
    pair->right->ops->del(pair->right);
    edge_buffer_free(&pair->to_left);
    edge_buffer_free(&pair->to_right);
    edge_buffer_free(&pair->at_left);
    edge_buffer_free(&pair->at_right);
}

// Gives a session what was said to it, `step` bytes at a time (0: all at once).
static int hear(struct edge_transport *session, struct edge_buffer *in, size_t step,
                struct edge_buffer *plain, struct edge_buffer *out, int state)
{
    while (in->len > 0 && state >= 0) {
        size_t len = step == 0 || step > in->len ? in->len : step;
        state = session->ops->receive(session, edge_buffer_head(in), len, plain, out);
        edge_buffer_consume(in, len);
    }
    return state;
}

// Until nobody has anything to say.
static void talk(struct pair *pair, size_t step)
{
    while (pair->to_left.len > 0 || pair->to_right.len > 0) {
        pair->right_state = hear(pair->right, &pair->to_right, step, &pair->at_right,
                                 &pair->to_left, pair->right_state);
        pair->left_state = hear(pair->left, &pair->to_left, step, &pair->at_left, &pair->to_right,
                                pair->left_state);
        if (pair->right_state < 0)
            edge_buffer_consume(&pair->to_right, pair->to_right.len);
        if (pair->left_state < 0)
            edge_buffer_consume(&pair->to_left, pair->to_left.len);
    }
}

static void shake_hands(struct pair *pair, size_t step)
{
    assert_int_equal(pair->left->ops->receive(pair->left, NULL, 0, &pair->at_left, &pair->to_right),
                     0);
    talk(pair, step);
}

static void open_and_shake_hands(struct pair *pair, struct edge_tls *server,
                                 struct edge_tls *client, size_t step)
{
    open_pair(pair, server, client);
    shake_hands(pair, step);
    assert_int_equal(pair->left_state, 1);
    assert_int_equal(pair->right_state, 1);
}

static void exchange(struct pair *pair, size_t len, size_t step)
{
    uint8_t *bytes = malloc(len);
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i * 7);
    assert_int_equal(pair->left->ops->send(pair->left, bytes, len, &pair->to_right), 0);
    assert_int_equal(pair->right->ops->send(pair->right, bytes, len, &pair->to_left), 0);
    talk(pair, step);
    assert_int_equal(pair->at_left.len, len);
    assert_int_equal(pair->at_right.len, len);
    assert_memory_equal(edge_buffer_head(&pair->at_left), bytes, len);
    assert_memory_equal(edge_buffer_head(&pair->at_right), bytes, len);
    free(bytes);
}

// ---- handshakes ----

static void any_split_of_the_bytes_is_the_same(void **state)
{
    (void)state;
    static const size_t steps[] = {0, 1, 5, 6, 1000};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct edge_tls *server = tls_files_server();
        struct edge_tls *client = tls_files_client(&tls_files_client_config);
        struct pair pair;
        open_and_shake_hands(&pair, server, client, steps[i]);
        exchange(&pair, 100000, steps[i]);
        struct edge_tls_facts facts;
        edge_tls_facts(client, &facts);
        assert_true(strcmp(facts.version, "TLSv1.2") == 0 || strcmp(facts.version, "TLSv1.3") == 0);
        assert_non_null(facts.suite);
        assert_int_equal(facts.full, 1);
        edge_tls_facts(server, &facts);
        assert_int_equal(facts.full, 1);
        assert_int_equal(facts.resumed + facts.failed, 0);
        close_pair(&pair);
        edge_tls_del(server);
        edge_tls_del(client);
    }
}

static void a_batch_is_as_few_records_as_it_can_be(void **state)
{
    (void)state;
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(&tls_files_client_config);
    struct pair pair;
    open_and_shake_hands(&pair, server, client, 0);
    static const uint8_t bytes[40000];
    assert_int_equal(pair.right->ops->send(pair.right, bytes, sizeof(bytes), &pair.to_left), 0);
    size_t records = 0;
    const uint8_t *at = edge_buffer_head(&pair.to_left);
    const uint8_t *end = at + pair.to_left.len;
    for (; at < end; records++) {
        assert_int_equal(at[0], MBEDTLS_SSL_MSG_APPLICATION_DATA);
        at += 5 + at[3] * 256 + at[4];
    }
    const size_t most = MBEDTLS_SSL_OUT_CONTENT_LEN; // a board's library has half of the usual
    assert_int_equal(records, (sizeof(bytes) + most - 1) / most);
    talk(&pair, 0);
    assert_int_equal(pair.at_left.len, sizeof(bytes));
    close_pair(&pair);
    edge_tls_del(server);
    edge_tls_del(client);
}

static void a_ticket_saves_the_second_handshake(void **state)
{
    (void)state;
    struct edge_tls_client_config config = tls_files_client_config;
    config.resume = true;
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(&config);
    struct edge_tls *forgetful = tls_files_client(&tls_files_client_config);
    struct edge_tls_facts facts;
    struct pair pair;
    for (int i = 0; i < 3; i++) {
        open_and_shake_hands(&pair, server, client, 0);
        exchange(&pair, 10, 0);
        close_pair(&pair);
    }
    edge_tls_facts(client, &facts);
    assert_int_equal(facts.full, 1);
    assert_int_equal(facts.resumed, 2);
    for (int i = 0; i < 2; i++) {
        open_and_shake_hands(&pair, server, forgetful, 0);
        close_pair(&pair);
    }
    edge_tls_facts(forgetful, &facts);
    assert_int_equal(facts.full, 2);
    edge_tls_facts(server, &facts);
    assert_int_equal(facts.full, 3);
    assert_int_equal(facts.resumed, 2);
    edge_tls_del(server);
    edge_tls_del(client);
    edge_tls_del(forgetful);
}

// The peer has restarted: its tickets are worth nothing, and the handshake is a full one.
static void a_ticket_of_another_server_does_no_harm(void **state)
{
    (void)state;
    struct edge_tls_client_config config = tls_files_client_config;
    config.resume = true;
    struct edge_tls *client = tls_files_client(&config);
    struct edge_tls_facts facts;
    struct pair pair;
    for (int i = 0; i < 2; i++) {
        struct edge_tls *server = tls_files_server();
        open_and_shake_hands(&pair, server, client, 0);
        exchange(&pair, 10, 0);
        close_pair(&pair);
        edge_tls_del(server);
    }
    edge_tls_facts(client, &facts);
    assert_int_equal(facts.full, 2);
    edge_tls_del(client);
}

static size_t heap_used(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// A server's sessions whose clients stop in the middle of the handshake, when they take the most.
static void a_session_takes_no_more_than_it_says(void **state)
{
    (void)state;
    enum { SESSIONS = 64 };
    static struct pair pairs[SESSIONS];
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(&tls_files_client_config);
    size_t before = heap_used();
    for (size_t i = 0; i < SESSIONS; i++)
        assert_int_equal(edge_tls_session_new(server, &pairs[i].right), 0);
    size_t taken = heap_used() - before;
    for (struct pair *pair = pairs; pair < pairs + SESSIONS; pair++) {
        assert_int_equal(edge_tls_session_new(client, &pair->left), 0);
        pair->left->ops->receive(pair->left, NULL, 0, &pair->at_left, &pair->to_right);
        assert_int_equal(edge_buffer_reserve(&pair->to_left, 16384), 0);
    }
    before = heap_used();
    for (struct pair *pair = pairs; pair < pairs + SESSIONS; pair++)
        assert_int_equal(hear(pair->right, &pair->to_right, 0, &pair->at_right, &pair->to_left, 0),
                         0);
    taken += heap_used() - before;
    for (size_t i = 0; i < SESSIONS; i++)
        close_pair(&pairs[i]);
    edge_tls_del(server);
    edge_tls_del(client);
    if (taken == 0)
        skip(); // a sanitizer's allocator does not tell
    assert_in_range(taken / SESSIONS, edge_tls_session_bytes() / 3 * 2, edge_tls_session_bytes());
}

// ---- certificates ----

static void check_refused(const struct edge_tls_client_config *config,
                          const struct edge_tls_server_config *served, const char *why)
{
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(config);
    struct edge_message message;
    struct pair pair;
    if (served != NULL) {
        edge_tls_del(server);
        assert_int_equal(edge_tls_server_new(served, &server, &message), 0);
    }
    open_pair(&pair, server, client);
    shake_hands(&pair, 0);
    assert_int_equal(pair.left_state, why != NULL ? EDGE_ERR_TLS : 1);
    if (why != NULL) {
        assert_non_null(strstr(edge_tls_failure(client), why));
        assert_true(pair.right_state < 0); // told by an alert
        assert_non_null(strstr(edge_tls_failure(server), "alert"));
    }
    close_pair(&pair);
    edge_tls_del(server);
    edge_tls_del(client);
}

static void a_client_looks_at_the_certificate(void **state)
{
    (void)state;
    static const struct edge_tls_server_config other = {tls_files.other_cert, tls_files.other_key};
    static const char *const names[] = {"localhost", "127.0.0.1", "::1", "edge.example"};
    static const char *const wrong[] = {"example", "127.0.0.2", "::2", "localhost.example", ""};
    struct edge_tls_client_config config = tls_files_client_config;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        config.server_name = names[i];
        check_refused(&config, NULL, NULL);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        config.server_name = wrong[i];
        check_refused(&config, NULL, "is not for");
    }
    config.server_name = "localhost";
    check_refused(&config, &other, "no trusted authority");
    config = (struct edge_tls_client_config){.server_name = "example", .skip_verify = true};
    check_refused(&config, &other, NULL);
}

static void check_file_fault(const char *cert, const char *key, int error, const char *why)
{
    const struct edge_tls_server_config config = {cert, key};
    struct edge_tls *tls = NULL;
    struct edge_message message = {""};
    assert_int_equal(edge_tls_server_new(&config, &tls, &message), error);
    assert_null(tls);
    assert_non_null(strstr(message.text, why));
}

static void faults_of_files_are_told(void **state)
{
    (void)state;
    check_file_fault("/nowhere/a.pem", tls_files.key, -ENOENT, "cannot read the certificate");
    check_file_fault(tls_files.cert, "/nowhere/a.pem", -ENOENT, "cannot read the key");
    check_file_fault(tls_files.text, tls_files.key, EDGE_ERR_FORMAT,
                     "expected a certificate in PEM");
    check_file_fault(tls_files.cert, tls_files.text, EDGE_ERR_FORMAT,
                     "expected a private key in PEM");
    check_file_fault(tls_files.cert, tls_files.other_key, EDGE_ERR_FORMAT, "is not the key of");
    check_file_fault(tls_files.old_cert, tls_files.old_key, EDGE_ERR_FORMAT, "expired on 20");
}

static void a_certificate_has_all_of_its_name_or_is_not_made(void **state)
{
    (void)state;
    char name[122], file[64];
    struct edge_message message = {""};
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(file, sizeof(file), "%s/long.pem", tls_files.folder);
    assert_int_equal(edge_tls_make_certificate(file, file, name, 1, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "at most 120 characters"));
    assert_int_equal(unlink(file), -1);
    name[sizeof(name) - 2] = '\0';
    assert_int_equal(edge_tls_make_certificate(file, file, name, 1, &message), 0);
    assert_int_equal(unlink(file), 0);
}

// ---- peers that are not as they should be ----

static void bytes_that_are_not_tls_get_an_alert(void **state)
{
    (void)state;
    static const char *const words[] = {
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
        "\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00", "\x16\x03\x03\xff\xff and more"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct edge_tls *server = tls_files_server();
        struct edge_transport *session;
        struct edge_buffer plain = {0}, wire = {0};
        struct edge_tls_facts facts;
        assert_int_equal(edge_tls_session_new(server, &session), 0);
        size_t len = i < 2 ? strlen(words[i]) : 10;
        assert_int_equal(
            session->ops->receive(session, (const uint8_t *)words[i], len, &plain, &wire),
            EDGE_ERR_TLS);
        assert_int_equal(plain.len, 0);
        assert_int_equal(wire.len, 7);
        assert_memory_equal(edge_buffer_head(&wire), "\x15\x03", 2); // an alert, version 3.x
        edge_tls_facts(server, &facts);
        assert_int_equal(facts.failed, 1);
        session->ops->end(session, &wire);
        assert_int_equal(wire.len, 7); // nothing more to say
        session->ops->del(session);
        edge_buffer_free(&plain);
        edge_buffer_free(&wire);
        edge_tls_del(server);
    }
}

static void a_client_tells_an_answer_in_the_clear(void **state)
{
    (void)state;
    struct edge_tls *client = tls_files_client(&tls_files_client_config);
    struct edge_transport *session;
    struct edge_buffer plain = {0}, wire = {0};
    assert_int_equal(edge_tls_session_new(client, &session), 0);
    assert_int_equal(session->ops->receive(session, NULL, 0, &plain, &wire), 0);
    assert_int_equal(
        session->ops->receive(session, (const uint8_t *)"\0\0\6\4\0\0\0\0\0", 9, &plain, &wire),
        EDGE_ERR_TLS);
    assert_non_null(strstr(edge_tls_failure(client), "not TLS"));
    session->ops->del(session);
    edge_buffer_free(&plain);
    edge_buffer_free(&wire);
    edge_tls_del(client);
}

static void a_changed_record_ends_the_session(void **state)
{
    (void)state;
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(&tls_files_client_config);
    struct pair pair;
    for (size_t i = 0; i < 30; i++) {
        open_and_shake_hands(&pair, server, client, 0);
        assert_int_equal(
            pair.left->ops->send(pair.left, (const uint8_t *)"hello", 5, &pair.to_right), 0);
        edge_buffer_head(&pair.to_right)[pair.to_right.len - 1 - i % pair.to_right.len] ^= 0x10;
        talk(&pair, 0);
        // A longer length waits for the rest; all else is noticed.
        assert_true(pair.right_state == EDGE_ERR_TLS || pair.right_state == 1);
        assert_int_equal(pair.at_right.len, 0);
        close_pair(&pair);
    }
    edge_tls_del(server);
    edge_tls_del(client);
}

static void close_notify_ends_in_order(void **state)
{
    (void)state;
    struct edge_tls *server = tls_files_server();
    struct edge_tls *client = tls_files_client(&tls_files_client_config);
    struct pair pair;
    open_and_shake_hands(&pair, server, client, 0);
    assert_int_equal(pair.left->ops->send(pair.left, (const uint8_t *)"bye", 3, &pair.to_right), 0);
    pair.left->ops->end(pair.left, &pair.to_right);
    size_t len = pair.to_right.len;
    pair.left->ops->end(pair.left, &pair.to_right); // once is enough
    assert_int_equal(pair.to_right.len, len);
    talk(&pair, 0);
    assert_int_equal(pair.right_state, EDGE_ERR_CLOSED);
    assert_int_equal(pair.at_right.len, 3); // what came before counts
    close_pair(&pair);
    edge_tls_del(server);
    edge_tls_del(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_split_of_the_bytes_is_the_same),
        cmocka_unit_test(a_batch_is_as_few_records_as_it_can_be),
        cmocka_unit_test(a_ticket_saves_the_second_handshake),
        cmocka_unit_test(a_ticket_of_another_server_does_no_harm),
        cmocka_unit_test(a_session_takes_no_more_than_it_says),
        cmocka_unit_test(a_client_looks_at_the_certificate),
        cmocka_unit_test(faults_of_files_are_told),
        cmocka_unit_test(a_certificate_has_all_of_its_name_or_is_not_made),
        cmocka_unit_test(bytes_that_are_not_tls_get_an_alert),
        cmocka_unit_test(a_client_tells_an_answer_in_the_clear),
        cmocka_unit_test(a_changed_record_ends_the_session),
        cmocka_unit_test(close_notify_ends_in_order),
    };
    return cmocka_run_group_tests(tests, tls_files_make, tls_files_remove);
}
