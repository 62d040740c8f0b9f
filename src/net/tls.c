#include "net/tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls_internal.h"

#define RECORD_MAX 16384u // of plain bytes: RFC 8446 section 5.1
#define IDLE_MAX   16u    // sessions kept for the next connections

// Beside its two record buffers: contexts, keys, a handshake's parameters.
#define SESSION_REST 12288u

static struct edge_tls_session *session_of(struct edge_transport *transport)
{
    return (struct edge_tls_session *)(void *)transport;
}

// ---- the bytes of the connection ----

static int send_wire(void *context, const unsigned char *bytes, size_t len)
{
    struct edge_tls_session *session = context;
    return edge_buffer_append(session->wire, bytes, len) < 0 ? EDGE_TLS_NO_MEMORY : (int)len;
}

static int receive_wire(void *context, unsigned char *bytes, size_t len)
{
    struct edge_tls_session *session = context;
    if (session->in_len == 0)
        return MBEDTLS_ERR_SSL_WANT_READ;
    if (len > session->in_len)
        len = session->in_len;
    memcpy(bytes, session->in, len);
    session->in += len;
    session->in_len -= len;
    return (int)len;
}

// What the message for a failed handshake is made from. An alert that is not encrypted is the last
// thing that a peer says.
static void note_peer(struct edge_tls_session *session, const uint8_t *bytes, size_t len)
{
    if (!session->heard)
        session->not_tls = bytes[0] < MBEDTLS_SSL_MSG_CHANGE_CIPHER_SPEC ||
                           bytes[0] > MBEDTLS_SSL_MSG_APPLICATION_DATA;
    session->heard = true;
    if (len < 7)
        return;
    const uint8_t *record = bytes + len - 7;
    if (record[0] == MBEDTLS_SSL_MSG_ALERT && record[1] == 3 && record[3] == 0 && record[4] == 2 &&
        record[5] == MBEDTLS_SSL_ALERT_LEVEL_FATAL)
        session->alert = record[6];
}

// ---- a session's steps ----

static int fail(struct edge_tls_session *session, int error)
{
    struct edge_tls *tls = session->tls;
    bool said_nothing = session->wire->len == 0;
    unsigned char alert = MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE;
    session->ended = true;
    if (!session->open)
        tls->facts.failed++;
    if (error == EDGE_TLS_NO_MEMORY || error == MBEDTLS_ERR_SSL_ALLOC_FAILED)
        return -ENOMEM;
    edge_tls_explain(tls, session, error);
    if (session->open)
        alert = MBEDTLS_SSL_ALERT_MSG_UNEXPECTED_MESSAGE;
    else if (error == EDGE_TLS_NO_PROTOCOL)
        alert = MBEDTLS_SSL_ALERT_MSG_NO_APPLICATION_PROTOCOL;
    // mbedTLS is silent about some faults, and a peer that speaks in the clear learns from an alert
    // that this is TLS.
    if (error == EDGE_TLS_NO_PROTOCOL ||
        (said_nothing && error != MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE))
        mbedtls_ssl_send_alert_message(&session->ssl, MBEDTLS_SSL_ALERT_LEVEL_FATAL, alert);
    // Before it has read a ClientHello, mbedTLS 2 writes 0.0 as the version.
    uint8_t *record = edge_buffer_head(session->wire);
    if (session->wire->len == 7 && record[1] == 0)
        record[1] = record[2] = 3;
    return EDGE_ERR_TLS;
}

static void save_session(struct edge_tls_session *session)
{
    struct edge_tls *tls = session->tls;
    if (!tls->resume)
        return;
    mbedtls_ssl_session_free(&tls->saved);
    mbedtls_ssl_session_init(&tls->saved);
    tls->has_saved = mbedtls_ssl_get_session(&session->ssl, &tls->saved) == 0;
}

static void note_opening(struct edge_tls_session *session)
{
    struct edge_tls *tls = session->tls;
    session->open = true;
    tls->facts.version = mbedtls_ssl_get_version(&session->ssl);
    tls->facts.suite = mbedtls_ssl_get_ciphersuite(&session->ssl);
    *(session->resumed ? &tls->facts.resumed : &tls->facts.full) += 1;
    save_session(session);
}

// 1: open, 0: more bytes are needed, or negative.
static int shake_hands(struct edge_tls_session *session)
{
    int error = mbedtls_ssl_handshake(&session->ssl);
    if (error == MBEDTLS_ERR_SSL_WANT_READ)
        return 0;
    if (error != 0)
        return fail(session, error);
    // A peer with other protocols was refused by an alert; this one named none.
    if (mbedtls_ssl_get_alpn_protocol(&session->ssl) == NULL)
        return fail(session, EDGE_TLS_NO_PROTOCOL);
    note_opening(session);
    return 1;
}

// Decrypts what is there. 1 once no whole record is left, or negative.
static int read_records(struct edge_tls_session *session, struct edge_buffer *plain)
{
    size_t said = session->wire->len;
    for (;;) {
        if (edge_buffer_reserve(plain, RECORD_MAX) < 0)
            return fail(session, EDGE_TLS_NO_MEMORY);
        int got = mbedtls_ssl_read(&session->ssl, edge_buffer_tail(plain), RECORD_MAX);
        if (got > 0) {
            plain->len += (size_t)got;
            continue;
        }
#ifdef MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET
        if (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
            save_session(session);
            continue;
        }
#endif
        if (got == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
            return EDGE_ERR_CLOSED;
        // It also wants to be called again where a message came that is no data, a ticket.
        if (got == MBEDTLS_ERR_SSL_WANT_READ && session->wire->len == said &&
            (session->in_len > 0 || mbedtls_ssl_check_pending(&session->ssl) != 0))
            continue;
        // The only answer to a record is the warning to one who wants to renegotiate, which RFC
        // 9113 section 9.2.1 prohibits.
        if (got != MBEDTLS_ERR_SSL_WANT_READ || session->wire->len != said)
            return fail(session, got);
        return 1;
    }
}

static int session_receive(struct edge_transport *transport, const uint8_t *bytes, size_t len,
                           struct edge_buffer *plain, struct edge_buffer *wire)
{
    struct edge_tls_session *session = session_of(transport);
    session->in = bytes;
    session->in_len = len;
    session->wire = wire;
    session->tls->current = session;
    if (len > 0 && !session->open)
        note_peer(session, bytes, len);
    int state = session->open ? 1 : shake_hands(session);
    if (state > 0)
        state = read_records(session, plain);
    session->tls->current = NULL;
    session->in = NULL;
    session->in_len = 0;
    session->wire = NULL;
    return state;
}

static int session_send(struct edge_transport *transport, const uint8_t *bytes, size_t len,
                        struct edge_buffer *wire)
{
    struct edge_tls_session *session = session_of(transport);
    int error = 0;
    session->wire = wire;
    while (len > 0 && error == 0) {
        int written = mbedtls_ssl_write(&session->ssl, bytes, len); // at most a record of it
        if (written < 0) {
            error = fail(session, written);
        } else {
            bytes += written;
            len -= (size_t)written;
        }
    }
    session->wire = NULL;
    return error;
}

static void session_end(struct edge_transport *transport, struct edge_buffer *wire)
{
    struct edge_tls_session *session = session_of(transport);
    if (session->ended || !session->open)
        return;
    session->ended = true;
    session->wire = wire;
    mbedtls_ssl_close_notify(&session->ssl);
    session->wire = NULL;
}

// ---- life ----

static void free_session(struct edge_tls_session *session)
{
    mbedtls_ssl_free(&session->ssl);
    free(session);
}

static void session_del(struct edge_transport *transport)
{
    struct edge_tls_session *session = session_of(transport);
    struct edge_tls *tls = session->tls;
    if (tls->idle_count == IDLE_MAX || mbedtls_ssl_session_reset(&session->ssl) != 0) {
        free_session(session);
        return;
    }
    session->next_idle = tls->idle;
    tls->idle = session;
    tls->idle_count++;
}

static const struct edge_transport_ops session_ops = {
    .receive = session_receive,
    .send = session_send,
    .end = session_end,
    .del = session_del,
};

static struct edge_tls_session *make_session(struct edge_tls *tls)
{
    struct edge_tls_session *session = tls->idle;
    if (session != NULL) {
        tls->idle = session->next_idle;
        tls->idle_count--;
        return session;
    }
    session = calloc(1, sizeof(*session));
    if (session == NULL)
        return NULL;
    session->tls = tls;
    session->transport.ops = &session_ops;
    mbedtls_ssl_init(&session->ssl);
    if (mbedtls_ssl_setup(&session->ssl, &tls->config) != 0) {
        free_session(session);
        return NULL;
    }
    mbedtls_ssl_set_bio(&session->ssl, session, send_wire, receive_wire, NULL);
    return session;
}

int edge_tls_session_new(struct edge_tls *tls, struct edge_transport **transport)
{
    struct edge_tls_session *session = make_session(tls);
    if (session == NULL)
        return -ENOMEM;
    session->open = session->ended = session->heard = session->not_tls = false;
    session->resumed = !tls->is_server; // unless a certificate is shown
    session->alert = -1;
    int error = 0;
    if (!tls->is_server) {
        // An address is no name of SNI (RFC 6066 section 3): it is compared by edge_tls_verify().
        error =
            mbedtls_ssl_set_hostname(&session->ssl, tls->address_len > 0 ? NULL : tls->server_name);
        // Without it, the handshake is a full one.
        if (error == 0 && tls->has_saved)
            mbedtls_ssl_set_session(&session->ssl, &tls->saved);
    }
    if (error != 0) {
        free_session(session);
        return -ENOMEM;
    }
    *transport = &session->transport;
    return 0;
}

size_t edge_tls_session_bytes(void)
{
    return MBEDTLS_SSL_IN_CONTENT_LEN + MBEDTLS_SSL_OUT_CONTENT_LEN + SESSION_REST;
}

void edge_tls_free_idle(struct edge_tls *tls)
{
    while (tls->idle != NULL) {
        struct edge_tls_session *session = tls->idle;
        tls->idle = session->next_idle;
        free_session(session);
    }
    tls->idle_count = 0;
}

void edge_tls_facts(const struct edge_tls *tls, struct edge_tls_facts *facts)
{
    *facts = tls->facts;
}

const char *edge_tls_failure(const struct edge_tls *tls)
{
    return tls->failure;
}

const char *edge_tls_library(void)
{
    return MBEDTLS_VERSION_STRING_FULL;
}
