#include <mbedtls/chachapoly.h>
#include <mbedtls/gcm.h>

#include "base/clock.h"
#include "net/tls_internal.h"

#define BYTES  2048u
#define TRIES  3
#define MARGIN 1.25 // by which AES must be faster: one machine should always find the same

// Ephemeral keys and AEAD: RFC 9113 appendix A prohibits all others of TLS 1.2.
#define CHACHA                                                                                     \
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,                                         \
        MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
#define AES_GCM                                                                                    \
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,                                               \
        MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,                                             \
        MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,                                           \
        MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
#ifdef MBEDTLS_SSL_PROTO_TLS1_3
#define CHACHA_13  MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
#define AES_GCM_13 MBEDTLS_TLS1_3_AES_128_GCM_SHA256, MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
#else
#define CHACHA_13
#define AES_GCM_13
#endif

static const int aes_first[] = {AES_GCM_13 CHACHA_13 AES_GCM, CHACHA, 0};
static const int chacha_first[] = {CHACHA_13 AES_GCM_13 CHACHA, AES_GCM, 0};

struct trial {
    mbedtls_gcm_context gcm;
    mbedtls_chachapoly_context chacha;
    unsigned char bytes[BYTES];
};

static int seal(struct trial *trial, bool aes)
{
    static const unsigned char nonce[12] = {0};
    unsigned char tag[16];
    unsigned char *bytes = trial->bytes;
    if (aes)
        return mbedtls_gcm_crypt_and_tag(&trial->gcm, MBEDTLS_GCM_ENCRYPT, BYTES, nonce,
                                         sizeof(nonce), NULL, 0, bytes, bytes, sizeof(tag), tag);
    return mbedtls_chachapoly_encrypt_and_tag(&trial->chacha, BYTES, nonce, NULL, 0, bytes, bytes,
                                              tag);
}

// CPU time of the fastest try; UINT64_MAX if it does not work.
static uint64_t time_of(struct trial *trial, bool aes)
{
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start_ns = edge_clock_thread_cpu_ns();
        if (seal(trial, aes) != 0)
            return UINT64_MAX;
        uint64_t taken_ns = edge_clock_thread_cpu_ns() - start_ns;
        best_ns = taken_ns < best_ns ? taken_ns : best_ns;
    }
    return best_ns;
}

const int *edge_tls_suites(void)
{
    static const unsigned char key[32] = {0};
    struct trial trial = {.bytes = {0}};
    uint64_t aes_ns = UINT64_MAX, chacha_ns = UINT64_MAX;
    mbedtls_gcm_init(&trial.gcm);
    mbedtls_chachapoly_init(&trial.chacha);
    if (mbedtls_gcm_setkey(&trial.gcm, MBEDTLS_CIPHER_ID_AES, key, 128) == 0)
        aes_ns = time_of(&trial, true);
    if (mbedtls_chachapoly_setkey(&trial.chacha, key) == 0)
        chacha_ns = time_of(&trial, false);
    mbedtls_gcm_free(&trial.gcm);
    mbedtls_chachapoly_free(&trial.chacha);
    return (double)aes_ns * MARGIN < (double)chacha_ns ? aes_first : chacha_first;
}
