// The calls that the generator can make: a small table, one row per method of both Greeters.
#ifndef EDGE_LOAD_METHOD_H
#define EDGE_LOAD_METHOD_H

#include <protobuf-c/protobuf-c.h>

#include "base/buffer.h"
#include "load/payload.h"

struct edge_method {
    const char *service; // "helloworld.Greeter"
    const char *name;    // "SayHello"
    enum edge_call_kind kind;
    const ProtobufCMessageDescriptor *request;
    const ProtobufCMessageDescriptor *reply;

    // Decides on the number of messages per call (`messages` 0: the request's own, or 10) and
    // writes it into the request where the method has a field for it. True if the request changed.
    bool (*set_messages)(ProtobufCMessage *request, uint64_t *messages);
    // Appends the reply that `request` must get. 0 or -ENOMEM.
    int (*expect)(const ProtobufCMessage *request, uint64_t messages, struct edge_buffer *reply);
};

// The method "SERVICE/NAME" or, of helloworld.Greeter only, "NAME". NULL: there is none.
const struct edge_method *edge_method_find(const char *call);

// "helloworld.Greeter/SayHello, ..." for messages. Returns text.
const char *edge_method_list(char *text, size_t size);

// Appends the encoding of `message`. 0 or -ENOMEM.
int edge_method_pack(const ProtobufCMessage *message, struct edge_buffer *out);

#endif
