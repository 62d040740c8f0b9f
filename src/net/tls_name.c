#include <mbedtls/asn1.h>
#include <mbedtls/oid.h>
#include <string.h>

#include "net/tls_internal.h"

#define TAG_IP_ADDRESS (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7)

// Looks for the address in GeneralNames, a SEQUENCE of tagged values.
static bool names_have(unsigned char *at, const unsigned char *end, const uint8_t *address,
                       size_t address_len)
{
    size_t len;
    if (mbedtls_asn1_get_tag(&at, end, &len, MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE) != 0)
        return false;
    end = at + len;
    while (at < end) {
        unsigned char tag = *at++;
        if (mbedtls_asn1_get_len(&at, end, &len) != 0)
            return false;
        if (tag == TAG_IP_ADDRESS && len == address_len && memcmp(at, address, len) == 0)
            return true;
        at += len;
    }
    return false;
}

bool edge_tls_has_address(const mbedtls_x509_crt *certificate, const uint8_t *address,
                          size_t address_len)
{
    unsigned char *at = certificate->v3_ext.p;
    if (at == NULL)
        return false;
    const unsigned char *end = at + certificate->v3_ext.len;
    size_t len;
    // Extensions ::= SEQUENCE OF SEQUENCE { id, critical BOOLEAN DEFAULT FALSE, value OCTET STRING
    // }
    const int sequence = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE;
    if (mbedtls_asn1_get_tag(&at, end, &len, sequence) != 0)
        return false;
    while (at < end) {
        int critical = 0;
        if (mbedtls_asn1_get_tag(&at, end, &len, sequence) != 0)
            return false;
        const unsigned char *next = at + len;
        if (mbedtls_asn1_get_tag(&at, next, &len, MBEDTLS_ASN1_OID) != 0)
            return false;
        bool is_names = len == MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME) &&
                        memcmp(at, MBEDTLS_OID_SUBJECT_ALT_NAME, len) == 0;
        at += len;
        int error = mbedtls_asn1_get_bool(&at, next, &critical);
        if (error != 0 && error != MBEDTLS_ERR_ASN1_UNEXPECTED_TAG)
            return false;
        if (mbedtls_asn1_get_tag(&at, next, &len, MBEDTLS_ASN1_OCTET_STRING) != 0)
            return false;
        if (is_names)
            return names_have(at, at + len, address, address_len);
        at += len;
    }
    return false;
}
