#include <stdio.h>

#include "net/tls_internal.h"

static const char *alert_name(int alert)
{
    switch (alert) {
    case 10:
        return "unexpected_message";
    case 40:
        return "handshake_failure: no version, suite or group in common";
    case 42:
        return "bad_certificate";
    case 43:
        return "unsupported_certificate";
    case 45:
        return "certificate_expired";
    case 46:
        return "certificate_unknown";
    case 48:
        return "unknown_ca";
    case 70:
        return "protocol_version: it has neither TLS 1.2 nor 1.3";
    case 71:
        return "insufficient_security";
    case 112:
        return "unrecognized_name";
    case 116:
        return "certificate_required: it wants a certificate of ours";
    case 120:
        return "no_application_protocol: it has no HTTP/2 (ALPN \"h2\")";
    default:
        return NULL;
    }
}

static void explain_certificate(struct edge_tls *tls)
{
    uint32_t flags = tls->verify_flags;
    char *text = tls->failure;
    size_t size = sizeof(tls->failure);
    if ((flags & MBEDTLS_X509_BADCERT_EXPIRED) != 0)
        snprintf(text, size, "a certificate that has expired");
    else if ((flags & MBEDTLS_X509_BADCERT_FUTURE) != 0)
        snprintf(text, size,
                 "a certificate that is not valid yet (is this machine's clock right?)");
    else if ((flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED) != 0)
        snprintf(text, size, "a certificate that no trusted authority has signed");
    else if ((flags & MBEDTLS_X509_BADCERT_CN_MISMATCH) != 0)
        snprintf(text, size, "a certificate that is not for \"%s\"", tls->server_name);
    else
        snprintf(text, size, "a certificate that does not verify (mbedTLS flags 0x%x)",
                 (unsigned)flags);
}

void edge_tls_explain(struct edge_tls *tls, const struct edge_tls_session *session, int error)
{
    char *text = tls->failure;
    size_t size = sizeof(tls->failure);
    const char *alert = alert_name(session->alert);
    if (session->open)
        snprintf(text, size, "a record that is not valid (mbedTLS -0x%04x)", (unsigned)-error);
    else if (error == EDGE_TLS_NO_PROTOCOL)
        snprintf(text, size, "a peer that takes no HTTP/2 over TLS (no ALPN)");
    else if (error == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
        explain_certificate(tls);
    else if (session->alert >= 0 && alert != NULL)
        snprintf(text, size, "the alert %s", alert);
    else if (session->alert >= 0)
        snprintf(text, size, "the alert number %d", session->alert);
    else if (session->not_tls)
        snprintf(text, size, "an answer that is not TLS");
    else
        snprintf(text, size, "a handshake that fails (mbedTLS -0x%04x)", (unsigned)-error);
}
