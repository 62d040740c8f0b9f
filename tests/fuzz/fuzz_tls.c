// TLS sessions, from the first byte to the end of the handshake: what a peer without a key can
// send. The first byte of an input is the role and the size of the pieces, the rest is what the
// peer says.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/tls.h"

static struct edge_tls *server, *client;

static void die(const char *why)
{
    fprintf(stderr, "fuzz_tls: %s\n", why);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char folder[] = "/tmp/fuzz_tls_XXXXXX", cert[64], key[64];
    struct edge_message message = {""};
    (void)argc;
    (void)argv;
    if (mkdtemp(folder) == NULL)
        die("no folder");
    snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
    snprintf(key, sizeof(key), "%s/key.pem", folder);
    const struct edge_tls_server_config server_config = {cert, key};
    const struct edge_tls_client_config client_config = {
        .ca_file = cert, .server_name = "localhost", .resume = true};
    if (edge_tls_make_certificate(cert, key, NULL, 24, &message) < 0 ||
        edge_tls_server_new(&server_config, &server, &message) < 0 ||
        edge_tls_client_new(&client_config, &client, &message) < 0)
        die(message.text);
    unlink(cert);
    unlink(key);
    rmdir(folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (server == NULL)
        LLVMFuzzerInitialize(NULL, NULL); // a replay has nobody who calls it
    if (size < 2)
        return 0;
    struct edge_transport *session;
    struct edge_buffer plain = {0}, wire = {0};
    bool is_client = (data[0] & 0x80) != 0;
    size_t step = (data[0] & 0x7f) == 0 ? size : data[0] & 0x7f;
    if (edge_tls_session_new(is_client ? client : server, &session) < 0)
        die("out of memory");
    int state = is_client ? session->ops->receive(session, NULL, 0, &plain, &wire) : 0;
    data++;
    size--;
    while (size > 0 && state >= 0) {
        size_t len = step < size ? step : size;
        state = session->ops->receive(session, data, len, &plain, &wire);
        data += len;
        size -= len;
    }
    if (state > 0)
        die("a handshake without a key");
    if (plain.len > 0)
        die("plain bytes without a key");
    session->ops->end(session, &wire);
    session->ops->del(session);
    edge_buffer_free(&plain);
    edge_buffer_free(&wire);
    return 0;
}
