#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mbedtls/oid.h>
#include <mbedtls/platform_util.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "net/tls_internal.h"

#define SUBJECT "O=bench-edge,CN=localhost"
#define PEM_MAX 4096u
#define DNS_MAX 120u // so that all names have a length of one byte
#define TAG_DNS (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 2)
#define TAG_IP  (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7)
#define HOUR    3600

// What a certificate is made with.
struct maker {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_pk_context key;
    mbedtls_x509write_cert certificate;
    unsigned char pem[PEM_MAX];
};

static size_t put_name(uint8_t *at, int tag, const void *bytes, size_t len)
{
    at[0] = (uint8_t)tag;
    at[1] = (uint8_t)len;
    memcpy(at + 2, bytes, len);
    return len + 2;
}

// subjectAltName: this machine's own, and `name`, an address or a DNS name.
static int set_names(struct maker *maker, const char *name)
{
    static const uint8_t local4[] = {127, 0, 0, 1};
    static const uint8_t local6[16] = {[15] = 1};
    uint8_t address[16];
    uint8_t der[3 + DNS_MAX + 64];
    uint8_t *at = der + 3;
    at += put_name(at, TAG_DNS, "localhost", 9);
    at += put_name(at, TAG_IP, local4, sizeof(local4));
    at += put_name(at, TAG_IP, local6, sizeof(local6));
    if (name != NULL && inet_pton(AF_INET, name, address) == 1)
        at += put_name(at, TAG_IP, address, 4);
    else if (name != NULL && inet_pton(AF_INET6, name, address) == 1)
        at += put_name(at, TAG_IP, address, 16);
    else if (name != NULL)
        at += put_name(at, TAG_DNS, name, strlen(name));
    size_t len = (size_t)(at - der) - 3;
    der[0] = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE;
    der[1] = 0x81; // one byte of length follows
    der[2] = (uint8_t)len;
    return mbedtls_x509write_crt_set_extension(&maker->certificate, MBEDTLS_OID_SUBJECT_ALT_NAME,
                                               MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0,
                                               der, len + 3);
}

static int set_validity(struct maker *maker, int hours)
{
    char from[16], to[16];
    time_t first = time(NULL) - HOUR; // clocks differ
    time_t last = first + (time_t)(hours + 1) * HOUR;
    struct tm parts;
    if (last < first) // expired from the start, for tests
        first = last - HOUR;
    strftime(from, sizeof(from), "%Y%m%d%H%M%S", gmtime_r(&first, &parts));
    strftime(to, sizeof(to), "%Y%m%d%H%M%S", gmtime_r(&last, &parts));
    return mbedtls_x509write_crt_set_validity(&maker->certificate, from, to);
}

static int set_serial(struct maker *maker)
{
    unsigned char serial[16];
    int error = mbedtls_ctr_drbg_random(&maker->random, serial, sizeof(serial));
    serial[0] = 1; // neither negative nor with a zero in front
#ifdef EDGE_MBEDTLS_SERIAL_RAW
    if (error == 0)
        error = mbedtls_x509write_crt_set_serial_raw(&maker->certificate, serial, sizeof(serial));
#else
    mbedtls_mpi number;
    mbedtls_mpi_init(&number);
    if (error == 0)
        error = mbedtls_mpi_read_binary(&number, serial, sizeof(serial));
    if (error == 0)
        error = mbedtls_x509write_crt_set_serial(&maker->certificate, &number);
    mbedtls_mpi_free(&number);
#endif
    return error;
}

static int make(struct maker *maker, const char *name, int hours)
{
    mbedtls_x509write_cert *certificate = &maker->certificate;
    int error =
        mbedtls_ctr_drbg_seed(&maker->random, mbedtls_entropy_func, &maker->entropy, NULL, 0);
    if (error == 0)
        error = mbedtls_pk_setup(&maker->key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    if (error == 0)
        error = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(maker->key),
                                    mbedtls_ctr_drbg_random, &maker->random);
    if (error != 0)
        return error;
    mbedtls_x509write_crt_set_version(certificate, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(certificate, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(certificate, &maker->key);
    mbedtls_x509write_crt_set_issuer_key(certificate, &maker->key);
    error = mbedtls_x509write_crt_set_subject_name(certificate, SUBJECT);
    if (error == 0)
        error = mbedtls_x509write_crt_set_issuer_name(certificate, SUBJECT);
    if (error == 0)
        error = set_serial(maker);
    if (error == 0)
        error = set_validity(maker, hours);
    if (error == 0)
        error = mbedtls_x509write_crt_set_basic_constraints(certificate, 1, 0);
    if (error == 0)
        error = set_names(maker, name);
    return error;
}

static int write_pem(const struct maker *maker, const char *file, struct edge_message *message)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t len = strlen((const char *)maker->pem);
    ssize_t written = fd >= 0 ? write(fd, maker->pem, len) : -1;
    int error = written == (ssize_t)len ? 0 : written < 0 ? -errno : -ENOSPC;
    if (fd >= 0)
        close(fd);
    return error == 0
               ? 0
               : edge_fail(message, error, "cannot write %s: %s", file, edge_error_text(error));
}

int edge_tls_make_certificate(const char *cert_file, const char *key_file, const char *name,
                              int hours, struct edge_message *message)
{
    if (name != NULL && strlen(name) > DNS_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected a name of at most %u characters for a certificate, found %zu",
                         DNS_MAX, strlen(name));
    struct maker *maker = calloc(1, sizeof(*maker));
    if (maker == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    mbedtls_entropy_init(&maker->entropy);
    mbedtls_ctr_drbg_init(&maker->random);
    mbedtls_pk_init(&maker->key);
    mbedtls_x509write_crt_init(&maker->certificate);
    int failed = make(maker, name, hours);
    if (failed == 0)
        failed = mbedtls_x509write_crt_pem(&maker->certificate, maker->pem, sizeof(maker->pem),
                                           mbedtls_ctr_drbg_random, &maker->random);
    int error = failed == 0 ? write_pem(maker, cert_file, message) : 0;
    if (failed == 0 && error == 0)
        failed = mbedtls_pk_write_key_pem(&maker->key, maker->pem, sizeof(maker->pem));
    if (failed == 0 && error == 0)
        error = write_pem(maker, key_file, message);
    if (failed != 0)
        error = edge_fail(message, EDGE_ERR_FAILED, "cannot make a certificate: mbedTLS -0x%04x",
                          (unsigned)-failed);
    mbedtls_x509write_crt_free(&maker->certificate);
    mbedtls_pk_free(&maker->key);
    mbedtls_ctr_drbg_free(&maker->random);
    mbedtls_entropy_free(&maker->entropy);
    mbedtls_platform_zeroize(maker->pem, sizeof(maker->pem));
    free(maker);
    return error;
}
