#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "grpc/utf8.h"
#include "hellobench.pb.h"
#include "helloworld.pb.h"
#include "server/greeter_codec.h"

// --- Decoding ---

// The state of an input stream, shared by its substreams.
struct reader {
    const uint8_t *at;
    struct edge_arena *arena;
    bool exhausted;
    bool bad_utf8;
};

static bool read_bytes(pb_istream_t *stream, pb_byte_t *out, size_t count)
{
    struct reader *reader = stream->state;
    if (count == 1) // most reads are a byte of a tag or varint
        *out = *reader->at;
    else
        memcpy(out, reader->at, count);
    reader->at += count;
    return true;
}

// NULL: nanopb made this stream up for a field that is not length-delimited, as ours all are.
static struct reader *reader_of(pb_istream_t *stream)
{
    return stream->callback == read_bytes ? stream->state : NULL;
}

// Takes the rest of a substream where it lies.
static bool take_text(pb_istream_t *stream, struct edge_nanopb_text *text)
{
    struct reader *reader = reader_of(stream);
    if (reader == NULL)
        return false;
    text->bytes = reader->at;
    text->len = stream->bytes_left;
    reader->at += text->len;
    stream->bytes_left = 0;
    reader->bad_utf8 = !edge_utf8_valid(text->bytes, text->len);
    return !reader->bad_utf8;
}

static bool take_pet(pb_istream_t *stream, struct edge_nanopb_pets *pets)
{
    struct reader *reader = reader_of(stream);
    if (reader == NULL)
        return false;
    if (pets->count == pets->cap) {
        size_t cap = pets->cap == 0 ? 4 : pets->cap * 2;
        helloworld_Pet *items =
            edge_arena_realloc(reader->arena, pets->items, cap * sizeof(*items));
        if (items == NULL) {
            reader->exhausted = true;
            return false;
        }
        pets->items = items;
        pets->cap = cap;
    }
    helloworld_Pet *pet = &pets->items[pets->count++];
    *pet = (helloworld_Pet){.color = 0};
    return pb_decode_ex(stream, helloworld_Pet_fields, pet, PB_DECODE_NOINIT);
}

// `message` is zeroed memory for the typed message. False: the call has ended.
static bool decode(struct edge_call *call, struct edge_arena *arena, const pb_msgdesc_t *fields,
                   const uint8_t *bytes, size_t len, void *message)
{
    struct reader reader = {.at = bytes, .arena = arena};
    pb_istream_t stream = {.callback = read_bytes, .state = &reader, .bytes_left = len};
    if (pb_decode_ex(&stream, fields, message, PB_DECODE_NOINIT))
        return true;
    if (reader.exhausted)
        edge_greeter_too_large(call);
    else if (reader.bad_utf8)
        edge_greeter_bad_utf8(call);
    else
        edge_greeter_malformed(call);
    return false;
}

// --- Encoding ---

// The state of an output stream: where the next byte goes. nanopb keeps the bound.
struct writer {
    uint8_t *at;
};

static bool write_bytes(pb_ostream_t *stream, const pb_byte_t *bytes, size_t count)
{
    struct writer *writer = stream->state;
    if (count == 1)
        *writer->at = *bytes;
    else
        memcpy(writer->at, bytes, count);
    writer->at += count;
    return true;
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

// nanopb's pb_encode_submessage() encodes twice, the first time for the length: 2^depth times in
// all. Here the length is filled in afterwards.
static bool put_message(pb_ostream_t *stream, const pb_field_t *field, const pb_msgdesc_t *fields,
                        const void *message)
{
    struct writer *writer = stream->state;
    uint8_t length[10] = {0};
    if (!pb_encode_tag_for_field(stream, field) || !pb_write(stream, length, 1))
        return false;
    uint8_t *body = writer->at;
    if (!pb_encode(stream, fields, message))
        return false;
    size_t len = (size_t)(writer->at - body);
    size_t length_len = put_length(length, len);
    // One byte was left for it; a longer one moves the body.
    if (length_len > 1) {
        if (!pb_write(stream, length, length_len - 1))
            return false;
        memmove(body + length_len - 1, body, len);
    }
    memcpy(body - 1, length, length_len);
    return true;
}

static bool put_text(pb_ostream_t *stream, const pb_field_t *field,
                     const struct edge_nanopb_text *text)
{
    return pb_encode_tag_for_field(stream, field) &&
           pb_encode_string(stream, text->bytes, text->len);
}

static bool put_pets(pb_ostream_t *stream, const pb_field_t *field,
                     const struct edge_nanopb_pets *pets)
{
    for (size_t i = 0; i < pets->count; i++)
        if (!put_message(stream, field, helloworld_Pet_fields, &pets->items[i]))
            return false;
    return true;
}

#define SLACK  32 // a reply may be that much longer than its request,
#define GROWTH 4  // or, encoded sparingly, that many times as long

// Queues the reply to a request of `len` bytes.
static void encode(struct edge_call *call, const pb_msgdesc_t *fields, const void *message,
                   size_t len)
{
    size_t size = len + SLACK;
    for (int tries = 0; tries < 2; tries++, size *= GROWTH) {
        struct writer writer = {edge_call_reply(call, size)};
        if (writer.at == NULL)
            return;
        pb_ostream_t stream = {.callback = write_bytes, .state = &writer, .max_size = size};
        if (pb_encode(&stream, fields, message)) {
            edge_call_reply_end(call, stream.bytes_written);
            return;
        }
    }
    edge_call_end(call, EDGE_STATUS_INTERNAL, "the reply cannot be encoded");
}

// --- The fields that nanopb leaves to us; proto/*.options name these functions ---

bool edge_nanopb_hello(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    switch (field->tag) {
    case helloworld_Hello_pets_tag:
        return in != NULL ? take_pet(in, field->pData) : put_pets(out, field, field->pData);
    case helloworld_Hello_c1_tag:
        if (in != NULL)
            *(pb_size_t *)field->pSize = field->tag; // which_choice
        return in != NULL ? take_text(in, field->pData) : put_text(out, field, field->pData);
    default:
        return edge_nanopb_pet(in, out, field);
    }
}

bool edge_nanopb_reply(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    if (in != NULL)
        return false; // replies are only sent
    const helloworld_Hello *const *hello = field->pData;
    return *hello == NULL || put_message(out, field, helloworld_Hello_fields, *hello);
}

// A plain string: proto3 leaves an empty one out.
bool edge_nanopb_pet(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    if (in != NULL)
        return take_text(in, field->pData);
    const struct edge_nanopb_text *text = field->pData;
    return text->len == 0 || put_text(out, field, text);
}

bool edge_nanopb_something(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    return edge_nanopb_pet(in, out, field);
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
    if (!decode(call, arena, helloworld_HelloRequest_fields, bytes, len, &request->message))
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
    helloworld_Hello hello = {
        .name = from->name,
        .d = from->d,
        .f = from->f,
        .b = from->b,
        .n = n != NULL ? *n : from->n,
        .l = from->l,
        .which_choice = from->which_choice,
    };
    if (from->which_choice == helloworld_Hello_c1_tag)
        hello.choice.c1 = from->choice.c1;
    else
        hello.choice.c2 = from->choice.c2;
    if (!copy_pets(call, arena, &from->pets, &hello.pets))
        return;
    helloworld_HelloReply reply = {NULL};
    if (request->message.has_request || n != NULL)
        reply.response = &hello;
    encode(call, helloworld_HelloReply_fields, &reply, request->len);
}

static void echo_empty(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                       size_t len)
{
    hellobench_Empty request = hellobench_Empty_init_zero;
    hellobench_Empty reply = hellobench_Empty_init_zero;
    if (decode(call, arena, hellobench_Empty_fields, bytes, len, &request))
        encode(call, hellobench_Empty_fields, &reply, len);
}

static void echo_something(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                           size_t len)
{
    hellobench_Something request = {.text = {NULL, 0}};
    if (!decode(call, arena, hellobench_Something_fields, bytes, len, &request))
        return;
    hellobench_Something reply = {.text = request.text};
    encode(call, hellobench_Something_fields, &reply, len);
}

const struct edge_greeter_codec edge_greeter_nanopb = {
    .name = "nanopb",
    .decode_request = decode_request,
    .reply = reply,
    .echo_empty = echo_empty,
    .echo_something = echo_something,
};
