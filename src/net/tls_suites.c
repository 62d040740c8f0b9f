#include <sys/auxv.h>

#include "net/tls_internal.h"

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

// Whether the CPU has AES and carry-less multiplication, and the library uses them.
static bool aes_is_fast(void)
{
#if defined(__x86_64__) && defined(MBEDTLS_AESNI_C)
    return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
#elif defined(__aarch64__) && defined(MBEDTLS_AESCE_C)
    enum { AES = 1 << 3, PMULL = 1 << 4 }; // of AT_HWCAP
    return (getauxval(AT_HWCAP) & (AES | PMULL)) == (AES | PMULL);
#elif defined(__arm__) && defined(MBEDTLS_AESCE_C)
    enum { AES = 1 << 0, PMULL = 1 << 1 }; // of AT_HWCAP2
    return (getauxval(AT_HWCAP2) & (AES | PMULL)) == (AES | PMULL);
#else
    return false;
#endif
}

const int *edge_tls_suites(void)
{
    return aes_is_fast() ? aes_first : chacha_first;
}
