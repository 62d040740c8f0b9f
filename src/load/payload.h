// What a call sends and what must come back: templates built once, patched per call.
#ifndef EDGE_LOAD_PAYLOAD_H
#define EDGE_LOAD_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "load/patch.h"

struct edge_service;

enum edge_call_kind {
    EDGE_CALL_UNARY,
    EDGE_CALL_SERVER_STREAM,
    EDGE_CALL_CLIENT_STREAM,
    EDGE_CALL_BIDI,
};

// One protobuf message with, possibly, a field of fixed width that each message fills anew: message
// `i` of call number `n` carries the text edge_payload_vary() writes for n * messages_out + i, and
// so must the reply to it. (A server stream's replies carry the request's text; a client stream's
// one reply that of the last request.)
struct edge_template {
    uint8_t *bytes;
    size_t len;
    size_t vary_at;             // offset of the varied bytes
    size_t vary_len;            // 0: nothing varies; else printable ASCII, at most 8
    struct edge_patch *patches; // fields of messages that the user made, in place of that
    size_t patch_count;
};

struct edge_payload {
    char scenario[64]; // "complex_proto", or the file's name: edge_payload_name()
    char call[128];    // "SayHello": the method's name, for file names and tables
    char path[192];    // "/helloworld.Greeter/SayHello"
    enum edge_call_kind kind;
    struct edge_template request;
    struct edge_template reply;   // what each reply must be
    uint64_t messages;            // per call, of the side that streams: 1 for unary
    uint64_t messages_out;        // requests per call
    uint64_t messages_in;         // replies per call
    const void *reply_descriptor; // for comparing a reply by meaning; opaque
    // Any other method than the contract's; NULL: one of it. Then the above has no request and
    // reply; messages_out is 1; messages_in is 0 where the server says how many.
    struct edge_service *service;
};

// The scenarios built in, in the order of docs: "complex_proto", ... Ends with NULL.
const char *const *edge_payload_scenarios(void);

// Builds a payload.
//   scenario  a built-in name, or the path of a JSON file (it has a '/' or ends in ".json")
//   call      "helloworld.Greeter/SayHello", a bare method name of helloworld.Greeter, or NULL: the
//             scenario's own (SayHello; SayEmpty for "empty")
//   messages  per call, for the streaming kinds; 0: 10 (a server stream: the request's `replies`)
// 0; EDGE_ERR_NOT_FOUND (unknown scenario or call; the message lists the known ones); a negated
// errno (the file); EDGE_ERR_FORMAT (the message has file, line, and what was expected).
int edge_payload_load(struct edge_payload *payload, const char *scenario, const char *call,
                      uint64_t messages, struct edge_message *message);

// The same with JSON text or protobuf bytes in place of a file. `name` stands in messages. The
// bytes are sent as given, unless the method has a field for `messages`.
int edge_payload_from_json(struct edge_payload *payload, const char *name, const char *json,
                           size_t len, const char *call, uint64_t messages,
                           struct edge_message *message);
int edge_payload_from_binary(struct edge_payload *payload, const char *name, const uint8_t *bytes,
                             size_t len, const char *call, uint64_t messages,
                             struct edge_message *message);

// Names what is sent: `source`, of a file without its folders; plain text that can stand in a
// file's name. What does not fit is cut.
void edge_payload_name(struct edge_payload *payload, const char *source);

// Frees what the payload holds. Safe twice.
void edge_payload_free(struct edge_payload *payload);

// Appends the contents of a file ("-": standard input), at most 64 MiB. 0, or a negated errno with
// a message.
int edge_payload_read_file(const char *path, struct edge_buffer *contents,
                           struct edge_message *message);

// Writes the text of call number `number` into `bytes[len]` (len <= 8): printable, and different
// for different numbers below 64^len.
void edge_payload_vary(uint8_t *bytes, size_t len, uint64_t number);

// True if `reply` means the same as `expected` although its bytes differ. Slow.
bool edge_payload_same_meaning(const struct edge_payload *payload, const uint8_t *expected,
                               size_t expected_len, const uint8_t *reply, size_t reply_len);

#endif
