#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/tls_internal.h"

#ifdef MBEDTLS_PSA_CRYPTO_C
#include <psa/crypto.h>
#endif

#define TICKET_SECONDS 86400u

static const char *protocols[] = {"h2", NULL};

// ---- who the peer is ----

// Called for each certificate of the peer's chain, the peer's own last.
static int verify(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
    struct edge_tls *tls = context;
    if (tls->current != NULL)
        tls->current->resumed = false;
    if (depth == 0 && tls->address_len > 0 &&
        !edge_tls_has_address(certificate, tls->address, tls->address_len))
        *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    tls->verify_flags = depth == 0 ? tls->verify_flags | *flags : *flags;
    if (tls->skip_verify)
        *flags = 0;
    return 0;
}

static int parse_ticket(void *context, mbedtls_ssl_session *session, unsigned char *bytes,
                        size_t len)
{
    struct edge_tls *tls = context;
    int error = mbedtls_ssl_ticket_parse(&tls->tickets, session, bytes, len);
    if (error == 0 && tls->current != NULL)
        tls->current->resumed = true;
    return error;
}

static int write_ticket(void *context, const mbedtls_ssl_session *session, unsigned char *start,
                        const unsigned char *end, size_t *len, uint32_t *lifetime)
{
    struct edge_tls *tls = context;
    return mbedtls_ssl_ticket_write(&tls->tickets, session, start, end, len, lifetime);
}

// ---- files ----

// What errno says, which mbedTLS does not pass on.
static int check_readable(const char *what, const char *file, struct edge_message *message)
{
    if (access(file, R_OK) == 0)
        return 0;
    return edge_fail(message, -errno, "cannot read the %s %s: %s", what, file, strerror(errno));
}

static int load_certificate(mbedtls_x509_crt *certificate, const char *what, const char *file,
                            struct edge_message *message)
{
    int error = check_readable(what, file, message);
    if (error < 0)
        return error;
    error = mbedtls_x509_crt_parse_file(certificate, file);
    if (error == MBEDTLS_ERR_X509_ALLOC_FAILED)
        return edge_fail(message, -ENOMEM, "out of memory");
    if (error > 0)
        return edge_fail(message, EDGE_ERR_FORMAT, "%s: %d of its certificates cannot be read",
                         file, error);
    if (error != 0)
        return edge_fail(
            message, EDGE_ERR_FORMAT,
            "%s: expected a certificate in PEM, found something else (mbedTLS -0x%04x)", file,
            (unsigned)-error);
    return 0;
}

static int load_key(struct edge_tls *tls, const char *file, struct edge_message *message)
{
    int error = check_readable("key", file, message);
    if (error < 0)
        return error;
#ifdef EDGE_MBEDTLS_KEY_RANDOM
    error = mbedtls_pk_parse_keyfile(&tls->key, file, NULL, mbedtls_ctr_drbg_random, &tls->random);
#else
    error = mbedtls_pk_parse_keyfile(&tls->key, file, NULL);
#endif
    if (error != 0)
        return edge_fail(
            message, EDGE_ERR_FORMAT,
            "%s: expected a private key in PEM that is not encrypted (openssl pkey -in "
            "%s -out NEW decrypts one), found something else",
            file, file);
    return 0;
}

static int check_pair(struct edge_tls *tls, const char *cert_file, const char *key_file,
                      struct edge_message *message)
{
#ifdef EDGE_MBEDTLS_KEY_RANDOM
    int error = mbedtls_pk_check_pair(&tls->certificate.pk, &tls->key, mbedtls_ctr_drbg_random,
                                      &tls->random);
#else
    int error = mbedtls_pk_check_pair(&tls->certificate.pk, &tls->key);
#endif
    if (error != 0)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s is not the key of the first certificate in %s", key_file, cert_file);
    return 0;
}

static int check_dates(const mbedtls_x509_crt *certificate, const char *file,
                       struct edge_message *message)
{
    const mbedtls_x509_time *to = &certificate->valid_to;
    const mbedtls_x509_time *from = &certificate->valid_from;
    if (mbedtls_x509_time_is_past(to))
        return edge_fail(message, EDGE_ERR_FORMAT, "%s expired on %04d-%02d-%02d: make a new one",
                         file, to->year, to->mon, to->day);
    if (mbedtls_x509_time_is_future(from))
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s is not valid before %04d-%02d-%02d: is this machine's clock right?",
                         file, from->year, from->mon, from->day);
    return 0;
}

static int load_pair(struct edge_tls *tls, const char *cert_file, const char *key_file,
                     struct edge_message *message)
{
    int error = load_certificate(&tls->certificate, "certificate", cert_file, message);
    if (error == 0)
        error = load_key(tls, key_file, message);
    if (error == 0)
        error = check_pair(tls, cert_file, key_file, message);
    if (error == 0)
        error = check_dates(&tls->certificate, cert_file, message);
    if (error == 0 && mbedtls_ssl_conf_own_cert(&tls->config, &tls->certificate, &tls->key) != 0)
        error = edge_fail(message, -ENOMEM, "out of memory");
    return error;
}

// ---- what both roles have in common ----

// Groups of 256 bits first: what all peers have, and the fastest here.
static void set_groups(struct edge_tls *tls)
{
#ifdef EDGE_MBEDTLS_GROUPS
    static const uint16_t groups[] = {
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1, MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
    mbedtls_ssl_conf_groups(&tls->config, groups);
#else
    static const mbedtls_ecp_group_id groups[] = {MBEDTLS_ECP_DP_SECP256R1,
                                                  MBEDTLS_ECP_DP_CURVE25519,
                                                  MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_ECP_DP_NONE};
    mbedtls_ssl_conf_curves(&tls->config, groups);
#endif
}

static void set_versions(struct edge_tls *tls)
{
#ifdef EDGE_MBEDTLS_TLS_VERSION
    mbedtls_ssl_conf_min_tls_version(&tls->config, MBEDTLS_SSL_VERSION_TLS1_2);
#else
    mbedtls_ssl_conf_min_version(&tls->config, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
#endif
#ifdef MBEDTLS_SSL_PROTO_TLS1_3
    // A ticket alone would give up forward secrecy.
    mbedtls_ssl_conf_tls13_key_exchange_modes(&tls->config,
                                              MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ALL);
#endif
#ifdef MBEDTLS_SSL_RENEGOTIATION
    mbedtls_ssl_conf_legacy_renegotiation(&tls->config, MBEDTLS_SSL_LEGACY_BREAK_HANDSHAKE);
#endif
}

static int init_context(struct edge_tls *tls, int role)
{
    static const char personal[] = "bench-edge";
    int error = mbedtls_ctr_drbg_seed(&tls->random, mbedtls_entropy_func, &tls->entropy,
                                      (const unsigned char *)personal, sizeof(personal));
#ifdef MBEDTLS_PSA_CRYPTO_C
    if (error == 0)
        error = psa_crypto_init() == PSA_SUCCESS ? 0 : MBEDTLS_ERR_SSL_ALLOC_FAILED;
#endif
    if (error == 0)
        error = mbedtls_ssl_config_defaults(&tls->config, role, MBEDTLS_SSL_TRANSPORT_STREAM,
                                            MBEDTLS_SSL_PRESET_DEFAULT);
    if (error != 0)
        return error;
    mbedtls_ssl_conf_rng(&tls->config, mbedtls_ctr_drbg_random, &tls->random);
    mbedtls_ssl_conf_ciphersuites(&tls->config, edge_tls_suites());
    set_groups(tls);
    set_versions(tls);
    return mbedtls_ssl_conf_alpn_protocols(&tls->config, protocols);
}

static struct edge_tls *make_context(int role, struct edge_message *message)
{
    struct edge_tls *tls = calloc(1, sizeof(*tls));
    if (tls == NULL) {
        edge_fail(message, -ENOMEM, "out of memory");
        return NULL;
    }
    tls->is_server = role == MBEDTLS_SSL_IS_SERVER;
    mbedtls_ssl_config_init(&tls->config);
    mbedtls_entropy_init(&tls->entropy);
    mbedtls_ctr_drbg_init(&tls->random);
    mbedtls_x509_crt_init(&tls->certificate);
    mbedtls_x509_crt_init(&tls->trusted);
    mbedtls_pk_init(&tls->key);
    mbedtls_ssl_ticket_init(&tls->tickets);
    mbedtls_ssl_session_init(&tls->saved);
    int error = init_context(tls, role);
    if (error != 0) {
        edge_fail(message, -ENOMEM, "mbedTLS does not start: -0x%04x", (unsigned)-error);
        edge_tls_del(tls);
        return NULL;
    }
    return tls;
}

void edge_tls_del(struct edge_tls *tls)
{
    if (tls == NULL)
        return;
    edge_tls_free_idle(tls);
    mbedtls_ssl_config_free(&tls->config);
    mbedtls_ssl_session_free(&tls->saved);
    mbedtls_ssl_ticket_free(&tls->tickets);
    mbedtls_pk_free(&tls->key);
    mbedtls_x509_crt_free(&tls->certificate);
    mbedtls_x509_crt_free(&tls->trusted);
    mbedtls_ctr_drbg_free(&tls->random);
    mbedtls_entropy_free(&tls->entropy);
    free(tls->server_name);
    free(tls);
}

// ---- the two roles ----

int edge_tls_server_new(const struct edge_tls_server_config *config, struct edge_tls **made,
                        struct edge_message *message)
{
    *made = NULL;
    if (config->cert_file == NULL && config->key_file == NULL)
        return 0;
    if (config->cert_file == NULL || config->key_file == NULL)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected a TLS certificate and its key, found only the %s",
                         config->cert_file != NULL ? "certificate" : "key");
    struct edge_tls *tls = make_context(MBEDTLS_SSL_IS_SERVER, message);
    if (tls == NULL)
        return -ENOMEM;
    int error = load_pair(tls, config->cert_file, config->key_file, message);
    if (error == 0 && mbedtls_ssl_ticket_setup(&tls->tickets, mbedtls_ctr_drbg_random, &tls->random,
                                               MBEDTLS_CIPHER_AES_256_GCM, TICKET_SECONDS) != 0)
        error = edge_fail(message, -ENOMEM, "out of memory");
    if (error < 0) {
        edge_tls_del(tls);
        return error;
    }
    mbedtls_ssl_conf_session_tickets_cb(&tls->config, write_ticket, parse_ticket, tls);
    *made = tls;
    return 0;
}

static int set_server_name(struct edge_tls *tls, const char *name)
{
    if (name == NULL)
        return 0;
    tls->server_name = strdup(name);
    if (inet_pton(AF_INET, name, tls->address) == 1)
        tls->address_len = 4;
    else if (inet_pton(AF_INET6, name, tls->address) == 1)
        tls->address_len = 16;
    return tls->server_name != NULL ? 0 : -ENOMEM;
}

int edge_tls_client_new(const struct edge_tls_client_config *config, struct edge_tls **made,
                        struct edge_message *message)
{
    struct edge_tls *tls = make_context(MBEDTLS_SSL_IS_CLIENT, message);
    if (tls == NULL)
        return -ENOMEM;
    tls->skip_verify = config->skip_verify;
    tls->resume = config->resume;
    int error = set_server_name(tls, config->server_name);
    if (error < 0)
        edge_fail(message, error, "out of memory");
    if (error == 0 && config->ca_file != NULL)
        error = load_certificate(&tls->trusted, "certificates", config->ca_file, message);
    if (error == 0 && config->cert_file != NULL)
        error = load_pair(tls, config->cert_file, config->key_file, message);
    if (error < 0) {
        edge_tls_del(tls);
        return error;
    }
    mbedtls_ssl_conf_ca_chain(&tls->config, &tls->trusted, NULL);
    // OPTIONAL still looks at the certificate, and so tells a resumed session from a full one.
    mbedtls_ssl_conf_authmode(&tls->config, tls->skip_verify ? MBEDTLS_SSL_VERIFY_OPTIONAL
                                                             : MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_verify(&tls->config, verify, tls);
    mbedtls_ssl_conf_session_tickets(&tls->config, tls->resume
                                                       ? MBEDTLS_SSL_SESSION_TICKETS_ENABLED
                                                       : MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
#ifdef EDGE_MBEDTLS_TICKET_SIGNAL
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        &tls->config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
#endif
    *made = tls;
    return 0;
}
