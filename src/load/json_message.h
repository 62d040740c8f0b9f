// JSON to protobuf, as proto3's JSON mapping has it, driven by protobuf-c's descriptors.
#ifndef EDGE_LOAD_JSON_MESSAGE_H
#define EDGE_LOAD_JSON_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "base/buffer.h"
#include "base/error.h"

// Appends the encoding of the JSON object in text[len] as a message of type `type`. Field names
// are the proto's or their lowerCamelCase; enums go by name or number; 64-bit numbers may be
// strings; null is the default. Fields are in order of their numbers; defaults are written too.
// 0; -ENOMEM; EDGE_ERR_FORMAT or EDGE_ERR_UNSUPPORTED with a message that begins "NAME:LINE: ".
int edge_json_message(const char *name, const char *text, size_t len,
                      const ProtobufCMessageDescriptor *type, struct edge_buffer *out,
                      struct edge_message *message);

#endif
