#include "load/method.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hellobench.pb-c.h"
#include "helloworld.pb-c.h"

#define MESSAGES_DEFAULT 10u

int edge_method_pack(const ProtobufCMessage *message, struct edge_buffer *out)
{
    size_t len = protobuf_c_message_get_packed_size(message);
    int error = edge_buffer_reserve(out, len);
    if (error < 0)
        return error;
    if (len > 0)
        out->len += protobuf_c_message_pack(message, edge_buffer_tail(out));
    return 0;
}

static bool one_message(ProtobufCMessage *request, uint64_t *messages)
{
    (void)request;
    *messages = 1;
    return false;
}

static bool many_requests(ProtobufCMessage *request, uint64_t *messages)
{
    (void)request;
    if (*messages == 0)
        *messages = MESSAGES_DEFAULT;
    return false;
}

static bool many_replies(ProtobufCMessage *request, uint64_t *messages)
{
    Helloworld__HelloRequest *hello = (Helloworld__HelloRequest *)request;
    if (*messages == 0)
        *messages = hello->replies > 0 ? (uint64_t)hello->replies : MESSAGES_DEFAULT;
    bool changed = (uint64_t)hello->replies != *messages;
    hello->replies = (int32_t)*messages;
    return changed;
}

static int expect_hello(const ProtobufCMessage *request, uint64_t messages,
                        struct edge_buffer *reply)
{
    (void)messages;
    Helloworld__HelloReply hello = HELLOWORLD__HELLO_REPLY__INIT;
    hello.response = ((const Helloworld__HelloRequest *)request)->request;
    return edge_method_pack(&hello.base, reply);
}

static int expect_counted_hello(const ProtobufCMessage *request, uint64_t messages,
                                struct edge_buffer *reply)
{
    const Helloworld__Hello *asked = ((const Helloworld__HelloRequest *)request)->request;
    Helloworld__Hello counted = HELLOWORLD__HELLO__INIT;
    if (asked != NULL)
        counted = *asked;
    counted.n = (int32_t)messages;
    Helloworld__HelloReply hello = HELLOWORLD__HELLO_REPLY__INIT;
    hello.response = &counted;
    return edge_method_pack(&hello.base, reply);
}

static int expect_same(const ProtobufCMessage *request, uint64_t messages,
                       struct edge_buffer *reply)
{
    (void)messages;
    return edge_method_pack(request, reply);
}

#define HELLOWORLD                                                                                 \
    .service = "helloworld.Greeter", .request = &helloworld__hello_request__descriptor,            \
    .reply = &helloworld__hello_reply__descriptor

static const struct edge_method methods[] = {
    {HELLOWORLD, .name = "SayHello", .kind = EDGE_CALL_UNARY, .set_messages = one_message,
     .expect = expect_hello},
    {HELLOWORLD, .name = "SayHellos", .kind = EDGE_CALL_SERVER_STREAM, .set_messages = many_replies,
     .expect = expect_hello},
    {HELLOWORLD, .name = "SayHelloCS", .kind = EDGE_CALL_CLIENT_STREAM,
     .set_messages = many_requests, .expect = expect_counted_hello},
    {HELLOWORLD, .name = "SayHelloBidi", .kind = EDGE_CALL_BIDI, .set_messages = many_requests,
     .expect = expect_hello},
    {.service = "hellobench.Greeter",
     .name = "SayEmpty",
     .kind = EDGE_CALL_UNARY,
     .request = &hellobench__empty__descriptor,
     .reply = &hellobench__empty__descriptor,
     .set_messages = one_message,
     .expect = expect_same},
    {.service = "hellobench.Greeter",
     .name = "SaySomething",
     .kind = EDGE_CALL_UNARY,
     .request = &hellobench__something__descriptor,
     .reply = &hellobench__something__descriptor,
     .set_messages = one_message,
     .expect = expect_same},
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

const struct edge_method *edge_method_find(const char *call)
{
    for (size_t i = 0; i < METHODS; i++) {
        const struct edge_method *method = &methods[i];
        if (strcmp(method->service, "helloworld.Greeter") == 0 && strcmp(method->name, call) == 0)
            return method;
        size_t len = strlen(method->service);
        if (strncmp(method->service, call, len) == 0 && (call[len] == '/' || call[len] == '.') &&
            strcmp(method->name, call + len + 1) == 0)
            return method;
    }
    return NULL;
}

const char *edge_method_list(char *text, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < METHODS && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s/%s", i == 0 ? "" : ", ",
                                methods[i].service, methods[i].name);
    return text;
}
