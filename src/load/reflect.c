#include "load/reflect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "grpc/protobuf.h"
#include "grpc/status.h"
#include "load/service.h"

#define ANSWER_NS (10 * EDGE_NS_PER_S)
#define FILES_MAX 10000u // that a server makes us ask for

// Fields of grpc.reflection.v1's messages; v1alpha's are the same.
enum { ASK_FILE = 3, ASK_SYMBOL = 4, ASK_LIST = 7 };
enum { ANSWER_FILES = 4, ANSWER_LIST = 6, ANSWER_ERROR = 7 };

// ---- answers ----

static void copy_printable(char *out, size_t size, const uint8_t *bytes, size_t len)
{
    size_t i = 0;
    for (; i < len && i + 1 < size; i++)
        out[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '?';
    out[i] = '\0';
}

static int read_files(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                      struct edge_reflect_answer *answer, struct edge_message *message)
{
    struct edge_protobuf_field field;
    int more;
    while ((more = edge_protobuf_next(&bytes, &len, &field)) > 0) {
        if (field.number != 1 || field.type != EDGE_WIRE_BYTES)
            continue;
        int error = edge_schema_add(schema, field.bytes, field.len, message);
        if (error < 0)
            return error;
        answer->files++;
    }
    return more;
}

static int read_service(const uint8_t *bytes, size_t len, const char *wanted, size_t *best,
                        struct edge_reflect_answer *answer)
{
    struct edge_protobuf_field field;
    char name[128];
    int more;
    while ((more = edge_protobuf_next(&bytes, &len, &field)) > 0) {
        if (field.number != 1 || field.type != EDGE_WIRE_BYTES)
            continue;
        copy_printable(name, sizeof(name), field.bytes, field.len);
        size_t distance = edge_nearest_distance(wanted, name);
        if (distance < *best) {
            *best = distance;
            memcpy(answer->nearest, name, sizeof(name));
        }
        size_t used = strlen(answer->services);
        snprintf(answer->services + used, sizeof(answer->services) - used, "%s%s",
                 used > 0 ? ", " : "", name);
    }
    return more;
}

static int read_list(const uint8_t *bytes, size_t len, const char *wanted,
                     struct edge_reflect_answer *answer)
{
    struct edge_protobuf_field field;
    size_t best = EDGE_NEAREST_FAR;
    int more;
    while ((more = edge_protobuf_next(&bytes, &len, &field)) > 0) {
        if (field.number == 1 && field.type == EDGE_WIRE_BYTES &&
            read_service(field.bytes, field.len, wanted, &best, answer) < 0)
            return EDGE_ERR_FORMAT;
    }
    return more;
}

static int read_error(const uint8_t *bytes, size_t len, struct edge_reflect_answer *answer)
{
    struct edge_protobuf_field field;
    int more;
    answer->error_code = EDGE_STATUS_UNKNOWN;
    while ((more = edge_protobuf_next(&bytes, &len, &field)) > 0) {
        if (field.number == 1 && field.type == EDGE_WIRE_VARINT)
            answer->error_code = field.value;
        else if (field.number == 2 && field.type == EDGE_WIRE_BYTES)
            copy_printable(answer->error_text, sizeof(answer->error_text), field.bytes, field.len);
    }
    return more;
}

int edge_reflect_read(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                      const char *wanted, struct edge_reflect_answer *answer,
                      struct edge_message *message)
{
    struct edge_protobuf_field field;
    int more;
    *answer = (struct edge_reflect_answer){0};
    message->text[0] = '\0';
    while ((more = edge_protobuf_next(&bytes, &len, &field)) > 0) {
        int error = 0;
        if (field.type != EDGE_WIRE_BYTES)
            continue;
        if (field.number == ANSWER_FILES)
            error = read_files(schema, field.bytes, field.len, answer, message);
        else if (field.number == ANSWER_LIST)
            error = read_list(field.bytes, field.len, wanted, answer);
        else if (field.number == ANSWER_ERROR)
            error = read_error(field.bytes, field.len, answer);
        if (error < 0) {
            more = error;
            break;
        }
    }
    if (more < 0 && message->text[0] == '\0')
        edge_fail(message, more, "expected a ServerReflectionResponse; found %s",
                  more == -ENOMEM ? "no memory for it" : "bytes that are none");
    return more;
}

// ---- questions ----

struct asking {
    const struct edge_load_config *like;
    struct edge_schema *schema;
    const char *version; // "v1"
    char service[128];   // that is wanted
    struct edge_message *message;
};

static void take_answer(void *context, const uint8_t *bytes, size_t len)
{
    // Out of memory shows as an answer without files.
    edge_buffer_append(context, bytes, len);
}

// The one call, made. 0; EDGE_ERR_UNSUPPORTED without a message (UNIMPLEMENTED); or another error.
static int make_call(const struct asking *asking, const struct edge_load_config *config)
{
    struct edge_load *load;
    struct edge_load_result *result = malloc(sizeof(*result));
    if (result == NULL)
        return edge_fail(asking->message, -ENOMEM, "out of memory");
    int error = edge_load_start(config, &load, asking->message);
    if (error < 0) { // the server's fault, whatever the code
        free(result);
        return error == -ENOMEM ? error : EDGE_ERR_FAILED;
    }
    error = edge_load_finish(load, result);
    if (error < 0)
        edge_fail(asking->message, error, "%s", edge_error_text(error));
    else if (result->grpc_status[EDGE_STATUS_UNIMPLEMENTED] > 0)
        error = EDGE_ERR_UNSUPPORTED;
    else if (result->outcomes[EDGE_OUTCOME_OK] == 0)
        error = edge_fail(asking->message, EDGE_ERR_FAILED, "reflection by %s failed: %s",
                          config->address.text,
                          result->first_error[0] != '\0' ? result->first_error : "no answer");
    edge_load_result_free(result);
    free(result);
    return error;
}

// Asks one question, and reads the answer.
static int ask(const struct asking *asking, uint32_t field, const char *text,
               struct edge_reflect_answer *answer)
{
    static const struct edge_type any = {.name = "ServerReflectionResponse"};
    *answer = (struct edge_reflect_answer){0};
    struct edge_buffer question = {0}, reply = {0};
    int error = edge_protobuf_put_bytes(&question, field, text, strlen(text));
    if (error < 0)
        return edge_fail(asking->message, error, "out of memory");
    struct edge_template template = {.bytes = edge_buffer_head(&question), .len = question.len};
    struct edge_service service = {.data = {.messages = &template, .count = 1, .given = 1},
                                   .reply = &any,
                                   .take = take_answer,
                                   .take_context = &reply};
    struct edge_payload payload = {.kind = EDGE_CALL_BIDI,
                                   .messages = 1,
                                   .messages_out = 1,
                                   .messages_in = 1,
                                   .service = &service};
    snprintf(payload.path, sizeof(payload.path),
             "/grpc.reflection.%s.ServerReflection/ServerReflectionInfo", asking->version);
    const struct edge_load_config config = {
        .address = asking->like->address,
        .authority = asking->like->authority,
        .tls = asking->like->tls,
        .metadata = asking->like->metadata,
        .connect_timeout_ns = asking->like->connect_timeout_ns,
        .payload = &payload,
        .connections = 1,
        .concurrency = 1,
        .total = 1,
        .timeout_ns = ANSWER_NS,
        .drain_ns = ANSWER_NS,
    };
    error = make_call(asking, &config);
    if (error == 0)
        error = edge_reflect_read(asking->schema, edge_buffer_head(&reply), reply.len,
                                  asking->service, answer, asking->message);
    edge_buffer_free(&question);
    edge_buffer_free(&reply);
    return error;
}

// There is no such service: which are there?
static int fail_unknown(const struct asking *asking, const struct edge_reflect_answer *why)
{
    struct edge_reflect_answer answer;
    int error = ask(asking, ASK_LIST, "*", &answer);
    if (error < 0)
        return error == EDGE_ERR_UNSUPPORTED
                   ? edge_fail(asking->message, EDGE_ERR_FAILED, "reflection stopped half-way")
                   : error;
    bool near = answer.nearest[0] != '\0';
    return edge_fail(asking->message, EDGE_ERR_NOT_FOUND,
                     "the server at %s knows no service \"%s\" (%s)%s%s%s it has %s",
                     asking->like->address.text, asking->service,
                     why->error_text[0] != '\0' ? why->error_text : "it says",
                     near ? "; did you mean " : ";", near ? answer.nearest : "", near ? "?" : "",
                     answer.services[0] != '\0' ? answer.services : "none");
}

// Asks for the files that others import, until none is missing.
static int ask_imports(const struct asking *asking)
{
    struct edge_reflect_answer answer;
    const char *name;
    for (unsigned i = 0; (name = edge_schema_missing(asking->schema)) != NULL; i++) {
        char wanted[256];
        snprintf(wanted, sizeof(wanted), "%s", name);
        if (i == FILES_MAX)
            return edge_fail(asking->message, EDGE_ERR_FORMAT,
                             "reflection does not come to an end");
        int error = ask(asking, ASK_FILE, wanted, &answer);
        if (error < 0)
            return error;
        name = edge_schema_missing(asking->schema);
        if (name != NULL && strcmp(name, wanted) == 0)
            return edge_fail(asking->message, EDGE_ERR_FORMAT,
                             "the server's reflection lacks %s, which another file imports",
                             wanted);
    }
    return 0;
}

static int ask_service(const struct asking *asking)
{
    struct edge_reflect_answer answer;
    int error = ask(asking, ASK_SYMBOL, asking->service, &answer);
    if (error < 0)
        return error;
    if (answer.error_code != 0 || answer.files == 0)
        return fail_unknown(asking, &answer);
    return ask_imports(asking);
}

int edge_reflect(const struct edge_load_config *like, const char *call, struct edge_schema **schema,
                 struct edge_message *message)
{
    static const char *const versions[] = {"v1", "v1alpha"};
    struct asking asking = {.like = like, .message = message};
    const char *end = strchr(call, '/') != NULL ? strchr(call, '/') : strrchr(call, '.');
    if (end == NULL || end == call || (size_t)(end - call) >= sizeof(asking.service))
        return edge_fail(message, EDGE_ERR_NOT_FOUND,
                         "unknown call \"%.60s\": expected SERVICE/METHOD", call);
    memcpy(asking.service, call, (size_t)(end - call));
    int error = edge_schema_new(&asking.schema, message);
    if (error < 0)
        return error;
    error = EDGE_ERR_UNSUPPORTED;
    for (size_t i = 0; i < 2 && error == EDGE_ERR_UNSUPPORTED; i++) {
        asking.version = versions[i];
        error = ask_service(&asking);
    }
    if (error == 0) {
        *schema = asking.schema;
        return 0;
    }
    edge_schema_del(asking.schema);
    return error == EDGE_ERR_UNSUPPORTED
               ? edge_fail(message, error,
                           "the server at %s offers no reflection, neither v1 nor v1alpha: "
                           "describe %s with --proto or --protoset",
                           like->address.text, asking.service)
               : error;
}
