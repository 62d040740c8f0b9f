// grpc.reflection.v1 and v1alpha: the same messages under two names.

#include <string.h>

#include "grpc/call.h"
#include "grpc/protobuf.h"
#include "grpc/utf8.h"
#include "server/descriptors.h"
#include "server/services.h"

// Fields of ServerReflectionRequest.
enum {
    FILE_BY_FILENAME = 3,
    FILE_CONTAINING_SYMBOL = 4,
    FILE_CONTAINING_EXTENSION = 5,
    ALL_EXTENSION_NUMBERS = 6,
    LIST_SERVICES = 7,
};
// Fields of ServerReflectionResponse.
enum {
    VALID_HOST = 1,
    ORIGINAL_REQUEST = 2,
    FILE_DESCRIPTOR = 4,
    EXTENSION_NUMBERS = 5,
    SERVICES = 6,
    ERROR = 7,
};

// Errors are answers inside the stream: ErrorResponse{error_code = 1, error_message = 2}.
static int put_error(struct edge_buffer *out, enum edge_status status, const char *text)
{
    struct edge_buffer inner = {0};
    int error = edge_protobuf_put_varint(&inner, 1, status);
    if (error == 0)
        error = edge_protobuf_put_bytes(&inner, 2, text, strlen(text));
    if (error == 0)
        error = edge_protobuf_put_bytes(out, ERROR, edge_buffer_head(&inner), inner.len);
    edge_buffer_free(&inner);
    return error;
}

// FileDescriptorResponse{repeated bytes file_descriptor_proto = 1}. Our files import nothing.
static int put_file(struct edge_buffer *out, struct edge_descriptor_file file, const char *missing)
{
    if (file.bytes == NULL)
        return put_error(out, EDGE_STATUS_NOT_FOUND, missing);
    struct edge_buffer inner = {0};
    int error = edge_protobuf_put_bytes(&inner, 1, file.bytes, file.len);
    if (error == 0)
        error = edge_protobuf_put_bytes(out, FILE_DESCRIPTOR, edge_buffer_head(&inner), inner.len);
    edge_buffer_free(&inner);
    return error;
}

// ExtensionNumberResponse{base_type_name = 1}: proto3 messages have no extensions.
static int put_extensions(struct edge_buffer *out, const struct edge_protobuf_field *type)
{
    if (edge_descriptors_by_symbol(type->bytes, type->len).bytes == NULL)
        return put_error(out, EDGE_STATUS_NOT_FOUND, "unknown type");
    struct edge_buffer inner = {0};
    int error = edge_protobuf_put_bytes(&inner, 1, type->bytes, type->len);
    if (error == 0)
        error =
            edge_protobuf_put_bytes(out, EXTENSION_NUMBERS, edge_buffer_head(&inner), inner.len);
    edge_buffer_free(&inner);
    return error;
}

// ListServiceResponse{repeated ServiceResponse{string name = 1} service = 1}
static int put_services(struct edge_buffer *out, const struct edge_method *const *tables)
{
    struct edge_buffer list = {0};
    const char *name = NULL;
    size_t len = 0;
    int error = 0;
    while (error == 0 && (name = edge_method_next_service(tables, name, &len)) != NULL) {
        struct edge_buffer service = {0};
        error = edge_protobuf_put_bytes(&service, 1, name, len);
        if (error == 0)
            error = edge_protobuf_put_bytes(&list, 1, edge_buffer_head(&service), service.len);
        edge_buffer_free(&service);
    }
    if (error == 0)
        error = edge_protobuf_put_bytes(out, SERVICES, edge_buffer_head(&list), list.len);
    edge_buffer_free(&list);
    return error;
}

static int put_answer(struct edge_buffer *out, const struct edge_services *services,
                      const struct edge_protobuf_field *question)
{
    switch (question->number) {
    case FILE_BY_FILENAME:
        return put_file(out, edge_descriptors_by_name(question->bytes, question->len),
                        "unknown file");
    case FILE_CONTAINING_SYMBOL:
        return put_file(out, edge_descriptors_by_symbol(question->bytes, question->len),
                        "unknown symbol");
    case FILE_CONTAINING_EXTENSION:
        return put_error(out, EDGE_STATUS_NOT_FOUND, "unknown extension");
    case ALL_EXTENSION_NUMBERS:
        return put_extensions(out, question);
    case LIST_SERVICES:
        return put_services(out, services->tables);
    default:
        return put_error(out, EDGE_STATUS_INVALID_ARGUMENT, "no message_request is set");
    }
}

static void info(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = call->shared->context;
    struct edge_buffer *out = &services->scratch;
    const uint8_t *at = bytes;
    size_t left = len;
    struct edge_protobuf_field field;
    struct edge_protobuf_field host = {.len = 0};
    struct edge_protobuf_field question = {.number = 0};
    int got;
    while ((got = edge_protobuf_next(&at, &left, &field)) > 0) {
        if (field.type != EDGE_WIRE_BYTES)
            continue;
        if (field.number == 1)
            host = field;
        else if (field.number >= FILE_BY_FILENAME && field.number <= LIST_SERVICES)
            question = field;
    }
    if (got < 0) {
        edge_greeter_malformed(call);
        return;
    }
    if (!edge_utf8_valid(host.bytes, host.len) ||
        (question.number != FILE_CONTAINING_EXTENSION &&
         !edge_utf8_valid(question.bytes, question.len))) {
        edge_greeter_bad_utf8(call);
        return;
    }
    out->start = out->len = 0;
    int error = host.len == 0 ? 0 : edge_protobuf_put_bytes(out, VALID_HOST, host.bytes, host.len);
    if (error == 0)
        error = edge_protobuf_put_bytes(out, ORIGINAL_REQUEST, bytes, len);
    if (error == 0)
        error = put_answer(out, services, &question);
    if (error < 0) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    uint8_t *reply = edge_call_reply(call, out->len);
    if (reply == NULL)
        return;
    memcpy(reply, edge_buffer_head(out), out->len);
    edge_call_reply_end(call, out->len);
}

const struct edge_method edge_reflection_methods[] = {
    {.path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     .client_streams = true,
     .server_streams = true,
     .message = info},
    {.path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     .client_streams = true,
     .server_streams = true,
     .message = info},
    {.path = NULL},
};
