// protobuf-c, with its messages in an arena.

#include <string.h>

#include "codec.h"
#include "grpc/utf8.h"
#include "interop.pb-c.h"
#include "server/greeter_codec.h"
#include "server/protobufc.h"

// --- Decoding ---

static enum edge_interop_choice choice(const Grpc__Testing__BoolValue *value)
{
    if (value == NULL)
        return EDGE_INTEROP_UNSAID;
    return value->value ? EDGE_INTEROP_YES : EDGE_INTEROP_NO;
}

static bool take_status(struct edge_call *call, const Grpc__Testing__EchoStatus *status,
                        struct edge_interop_request *request)
{
    if (status == NULL)
        return true;
    request->status = status->code;
    if (status->message == protobuf_c_empty_string)
        return true;
    request->status_text = status->message;
    request->status_text_len = edge_arena_size(status->message) - 1;
    if (edge_utf8_valid(request->status_text, request->status_text_len))
        return true;
    edge_greeter_bad_utf8(call);
    return false;
}

static size_t payload_len(const Grpc__Testing__Payload *payload)
{
    return payload == NULL ? 0 : payload->body.len;
}

static bool decode_empty(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                         size_t len, struct edge_interop_request *request)
{
    (void)request;
    return edge_protobufc_unpack(call, arena, &grpc__testing__empty__descriptor, bytes, len) !=
           NULL;
}

static bool decode_simple(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                          size_t len, struct edge_interop_request *request)
{
    const Grpc__Testing__SimpleRequest *message =
        edge_protobufc_unpack(call, arena, &grpc__testing__simple_request__descriptor, bytes, len);
    if (message == NULL)
        return false;
    request->response_type = (int32_t)message->response_type;
    request->payload_len = payload_len(message->payload);
    request->expect_compressed = choice(message->expect_compressed);
    request->replies[0].size = message->response_size;
    request->replies[0].compressed = choice(message->response_compressed);
    request->reply_count = 1;
    return take_status(call, message->response_status, request);
}

static bool decode_input(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                         size_t len, struct edge_interop_request *request)
{
    const Grpc__Testing__StreamingInputCallRequest *message = edge_protobufc_unpack(
        call, arena, &grpc__testing__streaming_input_call_request__descriptor, bytes, len);
    if (message == NULL)
        return false;
    request->payload_len = payload_len(message->payload);
    request->expect_compressed = choice(message->expect_compressed);
    return true;
}

static bool decode_output(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                          size_t len, struct edge_interop_request *request)
{
    const Grpc__Testing__StreamingOutputCallRequest *message = edge_protobufc_unpack(
        call, arena, &grpc__testing__streaming_output_call_request__descriptor, bytes, len);
    if (message == NULL)
        return false;
    if (message->n_response_parameters > EDGE_INTEROP_REPLIES) {
        edge_greeter_malformed(call);
        return false;
    }
    request->response_type = (int32_t)message->response_type;
    request->payload_len = payload_len(message->payload);
    request->reply_count = message->n_response_parameters;
    for (size_t i = 0; i < request->reply_count; i++) {
        const Grpc__Testing__ResponseParameters *from = message->response_parameters[i];
        request->replies[i] =
            (struct edge_interop_reply){from->size, from->interval_us, choice(from->compressed)};
    }
    return take_status(call, message->response_status, request);
}

// --- Encoding ---

static void pack(struct edge_call *call, const ProtobufCMessage *message)
{
    uint8_t *out = edge_call_reply(call, protobuf_c_message_get_packed_size(message));
    if (out != NULL)
        edge_call_reply_end(call, protobuf_c_message_pack(message, out));
}

static bool make_payload(struct edge_call *call, struct edge_arena *arena, size_t size,
                         Grpc__Testing__Payload *payload)
{
    uint8_t *body = edge_arena_alloc(arena, size);
    if (body == NULL) {
        edge_greeter_too_large(call);
        return false;
    }
    memset(body, 0, size);
    grpc__testing__payload__init(payload);
    payload->body = (ProtobufCBinaryData){size, body};
    return true;
}

static void reply_empty(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    (void)arena;
    (void)size;
    const Grpc__Testing__Empty message = GRPC__TESTING__EMPTY__INIT;
    pack(call, &message.base);
}

static void reply_simple(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    Grpc__Testing__SimpleResponse message = GRPC__TESTING__SIMPLE_RESPONSE__INIT;
    Grpc__Testing__Payload payload;
    if (!make_payload(call, arena, size, &payload))
        return;
    message.payload = &payload;
    pack(call, &message.base);
}

static void reply_output(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    Grpc__Testing__StreamingOutputCallResponse message =
        GRPC__TESTING__STREAMING_OUTPUT_CALL_RESPONSE__INIT;
    Grpc__Testing__Payload payload;
    if (!make_payload(call, arena, size, &payload))
        return;
    message.payload = &payload;
    pack(call, &message.base);
}

static void reply_aggregated(struct edge_call *call, struct edge_arena *arena, size_t size)
{
    (void)arena;
    Grpc__Testing__StreamingInputCallResponse message =
        GRPC__TESTING__STREAMING_INPUT_CALL_RESPONSE__INIT;
    message.aggregated_payload_size = (int32_t)size;
    pack(call, &message.base);
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
