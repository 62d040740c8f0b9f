// nanopb as its manual shows it: the generated descriptions of the messages, and pb_decode().

#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "codec.h"
#include "grpc/utf8.h"
#include "interop.pb.h"
#include "server/greeter_codec.h"

// --- Bytes and strings stay where they lie ---

static bool take_text(pb_istream_t *in, struct edge_nanopb_text *text)
{
    text->bytes = in->state; // of a stream from a buffer: what comes next
    text->len = in->bytes_left;
    return pb_read(in, NULL, in->bytes_left);
}

static bool put_text(pb_ostream_t *out, const pb_field_t *field,
                     const struct edge_nanopb_text *text)
{
    return text->len == 0 ||
           (pb_encode_tag_for_field(out, field) && pb_encode_string(out, text->bytes, text->len));
}

bool grpc_testing_Payload_callback(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    return in != NULL ? take_text(in, field->pData) : put_text(out, field, field->pData);
}

bool grpc_testing_EchoStatus_callback(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    return grpc_testing_Payload_callback(in, out, field);
}

// --- Decoding ---

static bool decode(struct edge_call *call, const uint8_t *bytes, size_t len,
                   const pb_msgdesc_t *fields, void *message)
{
    pb_istream_t in = pb_istream_from_buffer(bytes, len);
    if (pb_decode(&in, fields, message))
        return true;
    edge_greeter_malformed(call);
    return false;
}

static enum edge_interop_choice choice(bool said, const grpc_testing_BoolValue *value)
{
    if (!said)
        return EDGE_INTEROP_UNSAID;
    return value->value ? EDGE_INTEROP_YES : EDGE_INTEROP_NO;
}

static bool take_status(struct edge_call *call, const grpc_testing_EchoStatus *status,
                        struct edge_interop_request *request)
{
    if (!edge_utf8_valid(status->message.bytes, status->message.len)) {
        edge_greeter_bad_utf8(call);
        return false;
    }
    request->status = status->code;
    request->status_text = (const char *)status->message.bytes;
    request->status_text_len = status->message.len;
    return true;
}

static bool decode_empty(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                         size_t len, struct edge_interop_request *request)
{
    (void)arena;
    (void)request;
    grpc_testing_Empty message = {0};
    return decode(call, bytes, len, grpc_testing_Empty_fields, &message);
}

static bool decode_simple(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                          size_t len, struct edge_interop_request *request)
{
    (void)arena;
    grpc_testing_SimpleRequest message = {.response_type = 0};
    if (!decode(call, bytes, len, grpc_testing_SimpleRequest_fields, &message))
        return false;
    request->response_type = message.response_type;
    request->payload_len = message.payload.body.len;
    request->expect_compressed = choice(message.has_expect_compressed, &message.expect_compressed);
    request->replies[0].size = message.response_size;
    request->replies[0].compressed =
        choice(message.has_response_compressed, &message.response_compressed);
    request->reply_count = 1;
    return take_status(call, &message.response_status, request);
}

static bool decode_input(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                         size_t len, struct edge_interop_request *request)
{
    (void)arena;
    grpc_testing_StreamingInputCallRequest message = {.has_payload = false};
    if (!decode(call, bytes, len, grpc_testing_StreamingInputCallRequest_fields, &message))
        return false;
    request->payload_len = message.payload.body.len;
    request->expect_compressed = choice(message.has_expect_compressed, &message.expect_compressed);
    return true;
}

static bool decode_output(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                          size_t len, struct edge_interop_request *request)
{
    (void)arena;
    grpc_testing_StreamingOutputCallRequest message = {.response_type = 0};
    if (!decode(call, bytes, len, grpc_testing_StreamingOutputCallRequest_fields, &message))
        return false;
    request->response_type = message.response_type;
    request->payload_len = message.payload.body.len;
    request->reply_count = message.response_parameters_count;
    for (size_t i = 0; i < request->reply_count; i++) {
        const grpc_testing_ResponseParameters *from = &message.response_parameters[i];
        request->replies[i] = (struct edge_interop_reply){
            from->size, from->interval_us, choice(from->has_compressed, &from->compressed)};
    }
    return take_status(call, &message.response_status, request);
}

// --- Encoding ---

static void encode(struct edge_call *call, const pb_msgdesc_t *fields, const void *message)
{
    size_t size;
    if (!pb_get_encoded_size(&size, fields, message)) {
        edge_call_end(call, EDGE_STATUS_INTERNAL, "the reply cannot be encoded");
        return;
    }
    uint8_t *start = edge_call_reply(call, size);
    if (start == NULL)
        return;
    pb_ostream_t out = pb_ostream_from_buffer(start, size);
    if (pb_encode(&out, fields, message))
        edge_call_reply_end(call, out.bytes_written);
    else
        edge_call_end(call, EDGE_STATUS_INTERNAL, "the reply cannot be encoded");
}

static bool make_payload(struct edge_call *call, struct edge_arena *arena, size_t size,
                         grpc_testing_Payload *payload)
{
    uint8_t *body = edge_arena_alloc(arena, size);
    if (body == NULL) {
        edge_greeter_too_large(call);
        return false;
    }
    memset(body, 0, size);
    payload->body = (struct edge_nanopb_text){body, size};
    return true;
}

static void reply_empty(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    (void)arena;
    (void)size;
    const grpc_testing_Empty message = {0};
    encode(call, grpc_testing_Empty_fields, &message);
}

static void reply_simple(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    grpc_testing_SimpleResponse message = {.has_payload = true};
    if (make_payload(call, arena, size, &message.payload))
        encode(call, grpc_testing_SimpleResponse_fields, &message);
}

static void reply_output(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    grpc_testing_StreamingOutputCallResponse message = {.has_payload = true};
    if (make_payload(call, arena, size, &message.payload))
        encode(call, grpc_testing_StreamingOutputCallResponse_fields, &message);
}

static void reply_aggregated(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    (void)arena;
    const grpc_testing_StreamingInputCallResponse message = {.aggregated_payload_size =
                                                                 (int32_t)size};
    encode(call, grpc_testing_StreamingInputCallResponse_fields, &message);
}

const struct edge_interop_codec edge_interop_codec = {
    .empty = decode_empty,
    .simple = decode_simple,
    .streaming_input = decode_input,
    .streaming_output = decode_output,
    .reply_empty = reply_empty,
    .reply_simple = reply_simple,
    .reply_output = reply_output,
    .reply_aggregated = reply_aggregated,
};
