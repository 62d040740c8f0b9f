// The messages are nanopb's generated structs, read and written by hand with nanopb's stream
// functions, field by field. Its table-driven pb_decode() and pb_encode() walk a compressed
// description of the message at run time: 5400 instructions more for a call of complex_proto, a
// third of all that the server does. For speed nanopb's author advises what stands here.

#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "grpc/utf8.h"
#include "hellobench.pb.h"
#include "helloworld.pb.h"
#include "server/greeter_codec.h"

#define KEY(tag, wire_type) ((uint32_t)(tag) << 3 | (wire_type))

// --- Decoding ---

// A message that is being read.
struct reader {
    pb_istream_t stream;
    const uint8_t *end;
    struct edge_arena *arena;
    bool exhausted;
    bool bad_utf8;
};

static bool take_key(struct reader *in, uint32_t *key)
{
    pb_wire_type_t type;
    uint32_t tag;
    bool eof;
    if (!pb_decode_tag(&in->stream, &type, &tag, &eof))
        return false;
    *key = KEY(tag, type);
    return true;
}

// Skips a field that no case has taken. The tags from 1 to `last` are known: one that comes here
// has a wire type that it must not have.
static bool skip(struct reader *in, uint32_t key, uint32_t last)
{
    return key >> 3 > last && pb_skip_field(&in->stream, (pb_wire_type_t)(key & 7));
}

// Takes a string where it lies.
static bool take_text(struct reader *in, struct edge_nanopb_text *text)
{
    uint32_t len;
    if (!pb_decode_varint32(&in->stream, &len) || len > in->stream.bytes_left)
        return false;
    text->bytes = in->end - in->stream.bytes_left;
    text->len = len;
    in->bad_utf8 = !edge_utf8_valid(text->bytes, len);
    return !in->bad_utf8 && pb_read(&in->stream, NULL, len);
}

static bool take_int32(struct reader *in, int32_t *value)
{
    uint64_t wide;
    if (!pb_decode_varint(&in->stream, &wide))
        return false;
    *value = (int32_t)wide;
    return true;
}

static bool take_int64(struct reader *in, int64_t *value)
{
    uint64_t wide;
    if (!pb_decode_varint(&in->stream, &wide))
        return false;
    *value = (int64_t)wide;
    return true;
}

// Reads a message inside of `in`.
static bool take_message(struct reader *in, bool (*take)(struct reader *in, void *message),
                         void *message)
{
    struct reader inner = {.arena = in->arena};
    if (!pb_make_string_substream(&in->stream, &inner.stream))
        return false;
    inner.end = in->end - in->stream.bytes_left;
    bool taken = take(&inner, message);
    in->exhausted = inner.exhausted;
    in->bad_utf8 = inner.bad_utf8;
    return taken && pb_close_string_substream(&in->stream, &inner.stream);
}

static bool take_pet(struct reader *in, void *message)
{
    helloworld_Pet *pet = message;
    bool taken = true;
    while (taken && in->stream.bytes_left > 0) {
        uint32_t key;
        if (!take_key(in, &key))
            return false;
        switch (key) {
        case KEY(helloworld_Pet_name_tag, PB_WT_STRING):
            taken = take_text(in, &pet->name);
            break;
        case KEY(helloworld_Pet_color_tag, PB_WT_VARINT):
            taken = take_int32(in, &pet->color);
            break;
        default:
            taken = skip(in, key, helloworld_Pet_color_tag);
        }
    }
    return taken;
}

static bool take_pets(struct reader *in, struct edge_nanopb_pets *pets)
{
    if (pets->count == pets->cap) {
        size_t cap = pets->cap == 0 ? 4 : pets->cap * 2;
        helloworld_Pet *items = edge_arena_realloc(in->arena, pets->items, cap * sizeof(*items));
        if (items == NULL) {
            in->exhausted = true;
            return false;
        }
        pets->items = items;
        pets->cap = cap;
    }
    helloworld_Pet *pet = &pets->items[pets->count++];
    *pet = (helloworld_Pet){.color = 0};
    return take_message(in, take_pet, pet);
}

static bool take_hello(struct reader *in, void *message)
{
    helloworld_Hello *hello = message;
    bool taken = true;
    while (taken && in->stream.bytes_left > 0) {
        uint32_t key;
        if (!take_key(in, &key))
            return false;
        switch (key) {
        case KEY(helloworld_Hello_name_tag, PB_WT_STRING):
            taken = take_text(in, &hello->name);
            break;
        case KEY(helloworld_Hello_d_tag, PB_WT_64BIT):
            taken = pb_decode_fixed64(&in->stream, &hello->d);
            break;
        case KEY(helloworld_Hello_f_tag, PB_WT_32BIT):
            taken = pb_decode_fixed32(&in->stream, &hello->f);
            break;
        case KEY(helloworld_Hello_b_tag, PB_WT_VARINT):
            taken = pb_decode_bool(&in->stream, &hello->b);
            break;
        case KEY(helloworld_Hello_n_tag, PB_WT_VARINT):
            taken = take_int32(in, &hello->n);
            break;
        case KEY(helloworld_Hello_l_tag, PB_WT_VARINT):
            taken = take_int64(in, &hello->l);
            break;
        case KEY(helloworld_Hello_c1_tag, PB_WT_STRING):
            hello->which_choice = helloworld_Hello_c1_tag;
            taken = take_text(in, &hello->choice.c1);
            break;
        case KEY(helloworld_Hello_c2_tag, PB_WT_VARINT):
            hello->which_choice = helloworld_Hello_c2_tag;
            taken = pb_decode_bool(&in->stream, &hello->choice.c2);
            break;
        case KEY(helloworld_Hello_pets_tag, PB_WT_STRING):
            taken = take_pets(in, &hello->pets);
            break;
        default:
            taken = skip(in, key, helloworld_Hello_pets_tag);
        }
    }
    return taken;
}

static bool take_request(struct reader *in, void *message)
{
    helloworld_HelloRequest *request = message;
    bool taken = true;
    while (taken && in->stream.bytes_left > 0) {
        uint32_t key;
        if (!take_key(in, &key))
            return false;
        switch (key) {
        case KEY(helloworld_HelloRequest_request_tag, PB_WT_STRING):
            request->has_request = true;
            taken = take_message(in, take_hello, &request->request);
            break;
        case KEY(helloworld_HelloRequest_replies_tag, PB_WT_VARINT):
            taken = take_int32(in, &request->replies);
            break;
        default:
            taken = skip(in, key, helloworld_HelloRequest_replies_tag);
        }
    }
    return taken;
}

static bool take_empty(struct reader *in, void *message)
{
    (void)message;
    bool taken = true;
    while (taken && in->stream.bytes_left > 0) {
        uint32_t key;
        taken = take_key(in, &key) && skip(in, key, 0);
    }
    return taken;
}

static bool take_something(struct reader *in, void *message)
{
    hellobench_Something *something = message;
    bool taken = true;
    while (taken && in->stream.bytes_left > 0) {
        uint32_t key;
        if (!take_key(in, &key))
            return false;
        if (key == KEY(hellobench_Something_text_tag, PB_WT_STRING))
            taken = take_text(in, &something->text);
        else
            taken = skip(in, key, hellobench_Something_text_tag);
    }
    return taken;
}

// `message` is zeroed memory for the typed message. False: the call has ended.
static bool decode(struct edge_call *call, struct edge_arena *arena,
                   bool (*take)(struct reader *in, void *message), const uint8_t *bytes, size_t len,
                   void *message)
{
    struct reader in = {
        .stream = pb_istream_from_buffer(bytes, len), .end = bytes + len, .arena = arena};
    if (take(&in, message))
        return true;
    if (in.exhausted)
        edge_greeter_too_large(call);
    else if (in.bad_utf8)
        edge_greeter_bad_utf8(call);
    else
        edge_greeter_malformed(call);
    return false;
}

// --- Encoding: fields that are 0 are left out, as proto3 wants it ---

struct writer {
    pb_ostream_t stream;
    uint8_t *start;
};

static bool put_text(struct writer *out, uint32_t tag, const struct edge_nanopb_text *text)
{
    return pb_encode_tag(&out->stream, PB_WT_STRING, tag) &&
           pb_encode_string(&out->stream, text->bytes, text->len);
}

static bool put_varint(struct writer *out, uint32_t tag, uint64_t value)
{
    return pb_encode_tag(&out->stream, PB_WT_VARINT, tag) && pb_encode_varint(&out->stream, value);
}

static bool put_double(struct writer *out, uint32_t tag, double value)
{
    uint64_t bits; // a negative zero is not left out
    memcpy(&bits, &value, sizeof(bits));
    return bits == 0 || (pb_encode_tag(&out->stream, PB_WT_64BIT, tag) &&
                         pb_encode_fixed64(&out->stream, &value));
}

static bool put_float(struct writer *out, uint32_t tag, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits == 0 || (pb_encode_tag(&out->stream, PB_WT_32BIT, tag) &&
                         pb_encode_fixed32(&out->stream, &value));
}

// Writes the bytes of a varint; returns how many.
static size_t put_length(uint8_t *at, size_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        at[len++] = (uint8_t)(value | 0x80);
    at[len++] = (uint8_t)value;
    return len;
}

// A message inside of `out`. nanopb would encode it twice, the first time for its length: 2^depth
// times in all. Here one byte is left for the length, and a longer one moves the body.
static bool put_message(struct writer *out, uint32_t tag,
                        bool (*put)(struct writer *out, const void *message), const void *message)
{
    uint8_t length[10] = {0};
    if (!pb_encode_tag(&out->stream, PB_WT_STRING, tag) || !pb_write(&out->stream, length, 1))
        return false;
    uint8_t *body = out->start + out->stream.bytes_written;
    if (!put(out, message))
        return false;
    size_t len = (size_t)(out->start + out->stream.bytes_written - body);
    size_t length_len = put_length(length, len);
    if (length_len > 1) {
        if (!pb_write(&out->stream, length, length_len - 1))
            return false;
        memmove(body + length_len - 1, body, len);
    }
    memcpy(body - 1, length, length_len);
    return true;
}

static bool put_pet(struct writer *out, const void *message)
{
    const helloworld_Pet *pet = message;
    return (pet->name.len == 0 || put_text(out, helloworld_Pet_name_tag, &pet->name)) &&
           (pet->color == 0 || put_varint(out, helloworld_Pet_color_tag, (uint64_t)pet->color));
}

static bool put_choice(struct writer *out, const helloworld_Hello *hello)
{
    switch (hello->which_choice) {
    case helloworld_Hello_c1_tag:
        return put_text(out, helloworld_Hello_c1_tag, &hello->choice.c1);
    case helloworld_Hello_c2_tag:
        return put_varint(out, helloworld_Hello_c2_tag, hello->choice.c2);
    default:
        return true;
    }
}

static bool put_hello(struct writer *out, const void *message)
{
    const helloworld_Hello *hello = message;
    bool put = (hello->name.len == 0 || put_text(out, helloworld_Hello_name_tag, &hello->name)) &&
               put_double(out, helloworld_Hello_d_tag, hello->d) &&
               put_float(out, helloworld_Hello_f_tag, hello->f) &&
               (!hello->b || put_varint(out, helloworld_Hello_b_tag, 1)) &&
               (hello->n == 0 || put_varint(out, helloworld_Hello_n_tag, (uint64_t)hello->n)) &&
               (hello->l == 0 || put_varint(out, helloworld_Hello_l_tag, (uint64_t)hello->l)) &&
               put_choice(out, hello);
    for (size_t i = 0; put && i < hello->pets.count; i++)
        put = put_message(out, helloworld_Hello_pets_tag, put_pet, &hello->pets.items[i]);
    return put;
}

static bool put_reply(struct writer *out, const void *message)
{
    const helloworld_HelloReply *reply = message;
    return !reply->has_response ||
           put_message(out, helloworld_HelloReply_response_tag, put_hello, &reply->response);
}

static bool put_empty(struct writer *out, const void *message)
{
    (void)out;
    (void)message;
    return true;
}

static bool put_something(struct writer *out, const void *message)
{
    const hellobench_Something *something = message;
    return something->text.len == 0 ||
           put_text(out, hellobench_Something_text_tag, &something->text);
}

#define SLACK  32 // a reply may be that much longer than its request,
#define GROWTH 4  // or, encoded sparingly, that many times as long

// Queues the reply to a request of `len` bytes.
static void encode(struct edge_call *call, bool (*put)(struct writer *out, const void *message),
                   const void *message, size_t len)
{
    size_t size = len + SLACK;
    for (int tries = 0; tries < 2; tries++, size *= GROWTH) {
        uint8_t *start = edge_call_reply(call, size);
        if (start == NULL)
            return;
        struct writer out = {pb_ostream_from_buffer(start, size), start};
        if (put(&out, message)) {
            edge_call_reply_end(call, out.stream.bytes_written);
            return;
        }
    }
    edge_call_end(call, EDGE_STATUS_INTERNAL, "the reply cannot be encoded");
}

// --- The codec ---

struct request {
    helloworld_HelloRequest message;
    size_t len; // as it came
};

static const void *decode_request(struct edge_call *call, struct edge_arena *arena,
                                  const uint8_t *bytes, size_t len, int32_t *replies)
{
    struct request *request = edge_arena_alloc(arena, sizeof(*request));
    if (request == NULL) {
        edge_greeter_too_large(call);
        return NULL;
    }
    *request = (struct request){.len = len};
    if (!decode(call, arena, take_request, bytes, len, &request->message))
        return NULL;
    *replies = request->message.replies;
    return request;
}

static bool copy_pets(struct edge_call *call, struct edge_arena *arena,
                      const struct edge_nanopb_pets *from, struct edge_nanopb_pets *to)
{
    if (from->count == 0)
        return true;
    to->items = edge_arena_alloc(arena, from->count * sizeof(*to->items));
    if (to->items == NULL) {
        edge_greeter_too_large(call);
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        to->items[i].name = from->items[i].name;
        to->items[i].color = from->items[i].color;
    }
    to->count = from->count;
    return true;
}

static void reply(struct edge_call *call, struct edge_arena *arena, const void *opaque,
                  const int32_t *n)
{
    const struct request *request = opaque;
    const helloworld_Hello *from = &request->message.request;
    helloworld_HelloReply reply = {
        .has_response = request->message.has_request || n != NULL,
        .response =
            {
                .name = from->name,
                .d = from->d,
                .f = from->f,
                .b = from->b,
                .n = n != NULL ? *n : from->n,
                .l = from->l,
                .which_choice = from->which_choice,
                .choice = from->choice,
            },
    };
    if (copy_pets(call, arena, &from->pets, &reply.response.pets))
        encode(call, put_reply, &reply, request->len);
}

static void echo_empty(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                       size_t len)
{
    hellobench_Empty request = {0};
    hellobench_Empty reply = {0};
    if (decode(call, arena, take_empty, bytes, len, &request))
        encode(call, put_empty, &reply, len);
}

static void echo_something(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                           size_t len)
{
    hellobench_Something request = {.text = {NULL, 0}};
    if (!decode(call, arena, take_something, bytes, len, &request))
        return;
    hellobench_Something reply = {.text = request.text};
    encode(call, put_something, &reply, len);
}

const struct edge_greeter_codec edge_greeter_nanopb = {
    .name = "nanopb",
    .decode_request = decode_request,
    .reply = reply,
    .echo_empty = echo_empty,
    .echo_something = echo_something,
};
