#include "load/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "grpc/percent.h"
#include "grpc/status.h"
#include "wire/frame.h"

#define QUOTE_MAX 120

// What a peer wrote is shown with all but printable ASCII replaced.
static const char *printable(const char *bytes, size_t len, char text[QUOTE_MAX + 1])
{
    if (len > QUOTE_MAX)
        len = QUOTE_MAX;
    for (size_t i = 0; i < len; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    text[len] = '\0';
    return text;
}

static void explain_status(const struct edge_explain *detail, char *text, size_t size)
{
    char decoded[QUOTE_MAX], quoted[QUOTE_MAX + 1] = "";
    size_t len = 0;
    const char *value =
        detail->fields != NULL ? edge_fields_find(detail->fields, "grpc-message", &len) : NULL;
    if (value != NULL)
        printable(decoded, edge_percent_decode(value, len, decoded, sizeof(decoded)), quoted);
    int status = edge_verify_grpc_status(detail->word);
    snprintf(text, size, "the server answered grpc-status %d (%s)%s%s", status,
             edge_status_name(status), value != NULL ? ": " : "", quoted);
}

bool edge_explain_is_tls(const uint8_t *bytes, size_t len)
{
    return len >= 2 && bytes[0] == 21 && bytes[1] == 3; // RFC 8446 section 5.1: alert, version 3.x
}

static void explain_loss(const struct edge_explain *detail, char *text, size_t size)
{
    if (detail->failure != NULL)
        snprintf(text, size, "the server broke HTTP/2: %s", detail->failure);
    else if (detail->error == EDGE_ERR_CLOSED)
        snprintf(text, size, "the server closed the connection with calls in flight");
    else if (detail->error == EDGE_ERR_TLS)
        snprintf(text, size, "the connection was lost: %s", edge_tls_failure(detail->tls));
    else
        snprintf(text, size, "the connection was lost: %s", edge_error_text(detail->error));
}

static void explain_refusal(const struct edge_explain *detail, char *text, size_t size)
{
    char quoted[QUOTE_MAX + 1] = "";
    if (!detail->goaway) {
        snprintf(text, size, "the server refused the stream (REFUSED_STREAM)");
        return;
    }
    if (detail->text_len > 0)
        printable(detail->text, detail->text_len, quoted);
    snprintf(text, size, "the server sent GOAWAY (%s%s%s) before it took the call",
             edge_h2_error_name(detail->h2_code), quoted[0] != '\0' ? ": " : "", quoted);
}

static void explain_fault(const struct edge_verify_odd *odd, const struct edge_verify_plan *plan,
                          char *text, size_t size)
{
    const struct edge_type_field *field = odd->fault_field;
    snprintf(text, size, "a reply is no encoded %s: %s%s %s", plan->type->name,
             field != NULL ? "field " : "it", field != NULL ? field->name : "", odd->fault);
}

void edge_explain(enum edge_outcome outcome, const struct edge_explain *detail,
                  const struct edge_verify_plan *plan, const struct edge_verify *verify, char *text,
                  size_t size)
{
    switch (outcome) {
    case EDGE_OUTCOME_WRONG_REPLY:
        if (verify->odd != NULL && verify->odd->fault != NULL)
            explain_fault(verify->odd, plan, text, size);
        else
            snprintf(text, size, "a reply is not the expected %s",
                     plan->payload->kind == EDGE_CALL_CLIENT_STREAM
                         ? "one (the last request's, counted)"
                         : "echo of its request");
        return;
    case EDGE_OUTCOME_WRONG_COUNT:
        snprintf(text, size, "expected %llu replies to a call; found %u",
                 (unsigned long long)plan->payload->messages_in, verify->messages);
        return;
    case EDGE_OUTCOME_GRPC_STATUS:
        explain_status(detail, text, size);
        return;
    case EDGE_OUTCOME_NO_STATUS:
        snprintf(text, size, "expected trailers with grpc-status; found the end of the stream");
        return;
    case EDGE_OUTCOME_HTTP_STATUS:
        snprintf(text, size, "expected :status 200; found %u", verify->http_status);
        return;
    case EDGE_OUTCOME_BAD_MESSAGE:
        if (verify->packed && !plan->gzip)
            snprintf(text, size,
                     "a reply is packed with gzip, which was not offered: is --enable-compression "
                     "meant?");
        else
            snprintf(text, size, "content-type, prefix or length of a reply is not gRPC's");
        return;
    case EDGE_OUTCOME_RESET:
        snprintf(text, size, "the server reset the stream (%s)",
                 edge_h2_error_name(detail->h2_code));
        return;
    case EDGE_OUTCOME_REFUSED:
        explain_refusal(detail, text, size);
        return;
    case EDGE_OUTCOME_CONNECTION:
        explain_loss(detail, text, size);
        return;
    case EDGE_OUTCOME_TIMEOUT:
        snprintf(text, size, "no end of the call within its timeout");
        return;
    case EDGE_OUTCOME_UNFINISHED:
        snprintf(text, size, "still in flight when the drain ended");
        return;
    default:
        text[0] = '\0';
        return;
    }
}

int edge_explain_connect(struct edge_message *message, const struct edge_explain *detail,
                         const char *address)
{
    int error = detail->error;
    if (error == -ECONNREFUSED)
        return edge_fail(message, error,
                         "nothing listens on %s (connection refused): start the server, or check "
                         "host and port",
                         address);
    if (error == EDGE_ERR_TLS)
        return edge_fail(message, error, "expected HTTP/2 over TLS on %s; found %s", address,
                         edge_tls_failure(detail->tls));
    if (detail->found_tls)
        return edge_fail(
            message, EDGE_ERR_PROTOCOL,
            "expected HTTP/2 without TLS (h2c, prior knowledge) on %s; found TLS: give "
            "--cacert or --skip-verify",
            address);
    if (detail->tls != NULL && (error == EDGE_ERR_CLOSED || error == -ECONNRESET))
        return edge_fail(message, EDGE_ERR_PROTOCOL,
                         "expected HTTP/2 over TLS on %s; the peer closed the connection: is it a "
                         "server without TLS?",
                         address);
    if (detail->failure != NULL)
        return edge_fail(message, EDGE_ERR_PROTOCOL, "expected HTTP/2 %s on %s; found: %s",
                         detail->tls != NULL ? "over TLS" : "without TLS (h2c, prior knowledge)",
                         address, detail->failure);
    if (error == -ETIMEDOUT)
        return edge_fail(message, error,
                         "expected a connection with HTTP/2 SETTINGS from %s within the connect "
                         "timeout; found silence",
                         address);
    if (error == EDGE_ERR_CLOSED || error == -ECONNRESET)
        return edge_fail(
            message, EDGE_ERR_PROTOCOL,
            "expected HTTP/2 SETTINGS from %s; the peer closed the connection: if it is "
            "a server with TLS, give --cacert or --skip-verify",
            address);
    return edge_fail(message, error < 0 ? error : EDGE_ERR_CLOSED, "cannot connect to %s: %s",
                     address, edge_error_text(error < 0 ? error : EDGE_ERR_CLOSED));
}
