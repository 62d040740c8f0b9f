#include <string.h>

#include "grpc/utf8.h"
#include "hellobench.pb-c.h"
#include "helloworld.pb-c.h"
#include "server/greeter_codec.h"
#include "server/protobufc.h"

// protobuf-c neither checks UTF-8 nor keeps a length: the arena knows how many bytes there were.
static bool check_text(struct edge_call *call, const char *text)
{
    if (text == protobuf_c_empty_string)
        return true;
    size_t len = edge_arena_size(text) - 1;
    if (!edge_utf8_valid(text, len)) {
        edge_greeter_bad_utf8(call);
        return false;
    }
    if (memchr(text, '\0', len) != NULL) {
        edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT,
                      "a string field holds a NUL, which protobuf-c cannot carry");
        return false;
    }
    return true;
}

static bool check_hello(struct edge_call *call, const Helloworld__Hello *hello)
{
    if (!check_text(call, hello->name))
        return false;
    if (hello->choice_case == HELLOWORLD__HELLO__CHOICE_C1 && !check_text(call, hello->c1))
        return false;
    for (size_t i = 0; i < hello->n_pets; i++)
        if (!check_text(call, hello->pets[i]->name))
            return false;
    return true;
}

struct request {
    const Helloworld__HelloRequest *message;
    size_t len; // as it came
};

static const void *decode_request(struct edge_call *call, struct edge_arena *arena,
                                  const uint8_t *bytes, size_t len, int32_t *replies)
{
    const Helloworld__HelloRequest *message =
        edge_protobufc_unpack(call, arena, &helloworld__hello_request__descriptor, bytes, len);
    if (message == NULL)
        return NULL;
    if (message->request != NULL && !check_hello(call, message->request))
        return NULL;
    struct request *request = edge_arena_alloc(arena, sizeof(*request));
    if (request == NULL) {
        edge_greeter_too_large(call);
        return NULL;
    }
    *request = (struct request){message, len};
    *replies = message->replies;
    return request;
}

#define SMALL 512 // bytes of a request
// A reply is at most that much longer than its request: no field takes twice the bytes it came in,
// but `n` may be new.
#define GROWTH 2
#define SLACK  32

// Queues the reply to a request of `len` bytes. For a small one, room that is not needed costs less
// than protobuf-c's pass over the message to learn its size.
static void pack(struct edge_call *call, const ProtobufCMessage *message, size_t len)
{
    size_t size = len <= SMALL ? GROWTH * len + SLACK : protobuf_c_message_get_packed_size(message);
    uint8_t *out = edge_call_reply(call, size);
    if (out != NULL)
        edge_call_reply_end(call, protobuf_c_message_pack(message, out));
}

// New pets, so that nothing but the declared fields comes back.
static bool copy_pets(struct edge_call *call, struct edge_arena *arena,
                      const Helloworld__Hello *from, Helloworld__Hello *to)
{
    if (from->n_pets == 0)
        return true;
    Helloworld__Pet *pets = edge_arena_alloc(arena, from->n_pets * sizeof(*pets));
    Helloworld__Pet **list = edge_arena_alloc(arena, from->n_pets * sizeof(Helloworld__Pet *));
    if (pets == NULL || list == NULL) {
        edge_greeter_too_large(call);
        return false;
    }
    for (size_t i = 0; i < from->n_pets; i++) {
        helloworld__pet__init(&pets[i]);
        pets[i].name = from->pets[i]->name;
        pets[i].color = from->pets[i]->color;
        list[i] = &pets[i];
    }
    to->pets = list;
    to->n_pets = from->n_pets;
    return true;
}

static void reply(struct edge_call *call, struct edge_arena *arena, const void *opaque,
                  const int32_t *n)
{
    const struct request *request = opaque;
    const Helloworld__Hello *from = request->message->request;
    Helloworld__HelloReply reply = HELLOWORLD__HELLO_REPLY__INIT;
    Helloworld__Hello hello = HELLOWORLD__HELLO__INIT;
    if (from != NULL) {
        hello.name = from->name;
        hello.d = from->d;
        hello.f = from->f;
        hello.b = from->b;
        hello.n = from->n;
        hello.l = from->l;
        hello.choice_case = from->choice_case;
        if (from->choice_case == HELLOWORLD__HELLO__CHOICE_C1)
            hello.c1 = from->c1;
        else if (from->choice_case == HELLOWORLD__HELLO__CHOICE_C2)
            hello.c2 = from->c2;
        if (!copy_pets(call, arena, from, &hello))
            return;
    }
    if (n != NULL)
        hello.n = *n;
    if (from != NULL || n != NULL)
        reply.response = &hello;
    pack(call, &reply.base, request->len);
}

static void echo_empty(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                       size_t len)
{
    if (edge_protobufc_unpack(call, arena, &hellobench__empty__descriptor, bytes, len) == NULL)
        return;
    Hellobench__Empty reply = HELLOBENCH__EMPTY__INIT;
    pack(call, &reply.base, len);
}

static void echo_something(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                           size_t len)
{
    const Hellobench__Something *request =
        edge_protobufc_unpack(call, arena, &hellobench__something__descriptor, bytes, len);
    if (request == NULL || !check_text(call, request->text))
        return;
    Hellobench__Something reply = HELLOBENCH__SOMETHING__INIT;
    reply.text = request->text;
    pack(call, &reply.base, len);
}

const struct edge_greeter_codec edge_greeter_protobufc = {
    .name = "protobuf-c",
    .decode_request = decode_request,
    .reply = reply,
    .echo_empty = echo_empty,
    .echo_something = echo_something,
};
