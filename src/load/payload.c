#include "load/payload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "load/json_message.h"
#include "load/method.h"
#include "load/payload_scenarios.h"
#include "load/service.h"
#include "load/wire_walk.h"

#define FILE_MAX     (64u << 20)
#define MESSAGES_MAX INT32_MAX // SayHellos' `replies`, and SayHelloCS' `n`
#define VARY_MAX     8u

void edge_payload_free(struct edge_payload *payload)
{
    free(payload->request.bytes);
    free(payload->reply.bytes);
    edge_service_del(payload->service);
    *payload = (struct edge_payload){0};
}

void edge_payload_vary(uint8_t *bytes, size_t len, uint64_t number)
{
    for (size_t i = 0; i < len; i++, number >>= 6)
        bytes[i] = (uint8_t)('0' + (number & 63));
}

static int find_method(const char *call, const struct edge_method **method,
                       struct edge_message *message)
{
    char known[400];
    *method = edge_method_find(call);
    if (*method != NULL)
        return 0;
    return edge_fail(message, EDGE_ERR_NOT_FOUND, "unknown call \"%s\"; known: %s", call,
                     edge_method_list(known, sizeof(known)));
}

void edge_payload_name(struct edge_payload *payload, const char *source)
{
    const char *slash = strrchr(source, '/');
    snprintf(payload->scenario, sizeof(payload->scenario), "%s",
             slash != NULL ? slash + 1 : source);
    edge_text_clean(payload->scenario); // it may be any bytes, or be cut within a character
}

static void describe(struct edge_payload *payload, const char *name,
                     const struct edge_method *method, uint64_t messages)
{
    edge_payload_name(payload, name);
    snprintf(payload->call, sizeof(payload->call), "%s", method->name);
    snprintf(payload->path, sizeof(payload->path), "/%s/%s", method->service, method->name);
    payload->kind = method->kind;
    payload->reply_descriptor = method->reply;
    payload->messages = messages;
    bool many_out = method->kind == EDGE_CALL_CLIENT_STREAM || method->kind == EDGE_CALL_BIDI;
    bool many_in = method->kind == EDGE_CALL_SERVER_STREAM || method->kind == EDGE_CALL_BIDI;
    payload->messages_out = many_out ? messages : 1;
    payload->messages_in = many_in ? messages : 1;
}

// Copies the buffer's contents into a template of exactly that size.
static int take_bytes(struct edge_template *template, struct edge_buffer *buffer)
{
    template->bytes = malloc(buffer->len > 0 ? buffer->len : 1);
    if (template->bytes == NULL)
        return -ENOMEM;
    if (buffer->len > 0)
        memcpy(template->bytes, edge_buffer_head(buffer), buffer->len);
    template->len = buffer->len;
    return 0;
}

// The reply to the request template, varied with `number`.
static int expect_varied(const struct edge_payload *payload, const struct edge_method *method,
                         uint64_t number, struct edge_buffer *reply)
{
    const struct edge_template *request = &payload->request;
    edge_payload_vary(request->bytes + request->vary_at, request->vary_len, number);
    ProtobufCMessage *typed =
        protobuf_c_message_unpack(method->request, NULL, request->len, request->bytes);
    if (typed == NULL)
        return -ENOMEM; // it did unpack before
    int error = method->expect(typed, payload->messages, reply);
    protobuf_c_message_free_unpacked(typed, NULL);
    return error;
}

// Builds the reply, and finds its varied field: where the replies to two requests differ.
static int build_reply(struct edge_payload *payload, const struct edge_method *method)
{
    struct edge_buffer first = {0}, second = {0};
    int error = expect_varied(payload, method, UINT64_MAX, &second);
    if (error == 0)
        error = expect_varied(payload, method, 0, &first);
    if (error == 0)
        error = take_bytes(&payload->reply, &first);
    if (error == 0 && payload->request.vary_len > 0 && first.len == second.len) {
        const uint8_t *a = edge_buffer_head(&first), *b = edge_buffer_head(&second);
        size_t at = 0;
        while (at < first.len && a[at] == b[at])
            at++;
        if (at < first.len) {
            payload->reply.vary_at = at;
            payload->reply.vary_len = payload->request.vary_len;
        }
    }
    edge_buffer_free(&first);
    edge_buffer_free(&second);
    return error;
}

// From the encoded request in `bytes` to a whole payload. `rewrite`: the bytes are ours to
// re-encode, else they are sent as given wherever the method allows it.
static int build(struct edge_payload *payload, const char *name, struct edge_buffer *bytes,
                 const struct edge_method *method, uint64_t messages, bool rewrite,
                 struct edge_message *message)
{
    if (messages > MESSAGES_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "messages per call: expected at most %d; found %llu", MESSAGES_MAX,
                         (unsigned long long)messages);
    ProtobufCMessage *typed =
        protobuf_c_message_unpack(method->request, NULL, bytes->len, edge_buffer_head(bytes));
    if (typed == NULL)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: expected an encoded %s; found %zu bytes that are none", name,
                         method->request->name, bytes->len);
    int error = 0;
    if (method->set_messages(typed, &messages) || rewrite) {
        edge_buffer_consume(bytes, bytes->len);
        error = edge_method_pack(typed, bytes);
    }
    protobuf_c_message_free_unpacked(typed, NULL);
    describe(payload, name, method, messages);
    struct edge_template *request = &payload->request;
    if (error == 0)
        error = take_bytes(request, bytes);
    if (error == 0) {
        edge_wire_walk_string(method->request, request->bytes, request->len, VARY_MAX,
                              &request->vary_at, &request->vary_len);
        error = build_reply(payload, method);
    }
    return error == 0 ? 0 : edge_fail(message, error, "%s: %s", name, edge_error_text(error));
}

static int from_json(struct edge_payload *payload, const char *name, const char *json, size_t len,
                     const struct edge_method *method, uint64_t messages,
                     struct edge_message *message)
{
    struct edge_buffer bytes = {0};
    int error = edge_json_message(name, json, len, method->request, &bytes, message);
    if (error == 0)
        error = build(payload, name, &bytes, method, messages, true, message);
    edge_buffer_free(&bytes);
    if (error < 0)
        edge_payload_free(payload);
    return error;
}

int edge_payload_from_json(struct edge_payload *payload, const char *name, const char *json,
                           size_t len, const char *call, uint64_t messages,
                           struct edge_message *message)
{
    *payload = (struct edge_payload){0};
    const struct edge_method *method;
    int error = find_method(call != NULL ? call : "SayHello", &method, message);
    return error < 0 ? error : from_json(payload, name, json, len, method, messages, message);
}

int edge_payload_from_binary(struct edge_payload *payload, const char *name, const uint8_t *bytes,
                             size_t len, const char *call, uint64_t messages,
                             struct edge_message *message)
{
    *payload = (struct edge_payload){0};
    const struct edge_method *method;
    int error = find_method(call != NULL ? call : "SayHello", &method, message);
    if (error < 0)
        return error;
    struct edge_buffer copy = {0};
    error = edge_buffer_append(&copy, bytes, len);
    if (error == 0)
        error = build(payload, name, &copy, method, messages, false, message);
    edge_buffer_free(&copy);
    if (error < 0)
        edge_payload_free(payload);
    return error;
}

int edge_payload_read_file(const char *path, struct edge_buffer *contents,
                           struct edge_message *message)
{
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        int error = -errno;
        return edge_fail(message, error, "cannot open %s: %s", path, strerror(-error));
    }
    int error = 0;
    for (;;) {
        error = edge_buffer_reserve(contents, 65536);
        if (error < 0)
            break;
        ssize_t got = read(fd, edge_buffer_tail(contents), 65536);
        if (got < 0)
            error = -errno;
        if (got <= 0)
            break;
        contents->len += (size_t)got;
        if (contents->len > FILE_MAX) {
            error = -EFBIG;
            break;
        }
    }
    close(fd);
    return error == 0
               ? 0
               : edge_fail(message, error, "cannot read %s: %s", path, edge_error_text(error));
}

const char *const *edge_payload_scenarios(void)
{
    static const char *const names[] = {
        "complex_proto", "string_10B", "string_100B", "string_1kB", "string_10kB", "empty", NULL,
    };
    return names;
}

static int load_file(struct edge_payload *payload, const char *path, const char *call,
                     uint64_t messages, struct edge_message *message)
{
    struct edge_buffer text = {0};
    int error = edge_payload_read_file(path, &text, message);
    if (error == 0)
        error = edge_payload_from_json(payload, path, (const char *)edge_buffer_head(&text),
                                       text.len, call, messages, message);
    edge_buffer_free(&text);
    return error;
}

int edge_payload_load(struct edge_payload *payload, const char *scenario, const char *call,
                      uint64_t messages, struct edge_message *message)
{
    *payload = (struct edge_payload){0};
    size_t len = strlen(scenario);
    if (strchr(scenario, '/') != NULL || (len > 5 && strcmp(scenario + len - 5, ".json") == 0))
        return load_file(payload, scenario, call, messages, message);

    for (size_t i = 0; i < EDGE_PAYLOAD_SCENARIOS; i++) {
        const struct edge_payload_scenario *known = &edge_payload_scenario_table[i];
        if (strcmp(known->name, scenario) != 0)
            continue;
        const struct edge_method *method;
        const char *own =
            strcmp(scenario, "empty") == 0 ? "hellobench.Greeter/SayEmpty" : "SayHello";
        int error = find_method(call != NULL ? call : own, &method, message);
        return error < 0 ? error
                         : from_json(payload, known->name, known->json, known->len, method,
                                     messages, message);
    }
    char list[256] = "";
    size_t at = 0;
    for (const char *const *name = edge_payload_scenarios(); *name != NULL; name++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at == 0 ? "" : ", ", *name);
    return edge_fail(message, EDGE_ERR_NOT_FOUND,
                     "unknown scenario \"%s\"; known: %s, or the path of a JSON file", scenario,
                     list);
}

bool edge_payload_same_meaning(const struct edge_payload *payload, const uint8_t *expected,
                               size_t expected_len, const uint8_t *reply, size_t reply_len)
{
    ProtobufCMessage *typed =
        protobuf_c_message_unpack(payload->reply_descriptor, NULL, reply_len, reply);
    if (typed == NULL)
        return false;
    // The expected bytes are packed by protobuf-c too, so the same meaning is the same bytes.
    struct edge_buffer packed = {0};
    bool same =
        edge_method_pack(typed, &packed) == 0 && packed.len == expected_len &&
        (expected_len == 0 || memcmp(edge_buffer_head(&packed), expected, expected_len) == 0);
    protobuf_c_message_free_unpacked(typed, NULL);
    edge_buffer_free(&packed);
    return same;
}
