// One request each, and what gRPC says about it.
#include "cases.h"

#define HELLO          "\0\0\0\0\7\x0a\5\x0a\3raw"
#define BYTES(literal) (literal), sizeof(literal) - 1
// HELLO's message as gzip makes it, and with a byte changed.
#define GZIP(byte)                                                                                 \
    "\1\0\0\0\x1b"                                                                                 \
    "\037\213\010\000\000\000\000\000\002\003\343\142" byte                                        \
    "\142\056\112\054\007\000\213\244\046\324\007\000\000\000"
#define NONE NULL, 0
#define OK   "200, grpc-status 0, 1 message"
// Trailers that come before the client's END_STREAM bring RST_STREAM(NO_ERROR) along.
#define TRAILERS_ONLY(status)                                                                      \
    "200, grpc-status " status " | 200, grpc-status " status ", reset NO_ERROR"

const struct raw_request_case raw_requests[] = {
    // --- Method, path, scheme, authority ---
    {"a call", "gRPC over HTTP/2, Requests", NULL, BYTES(HELLO), OK, NULL},
    {"HEAD", "grpc/grpc#34721", ":method: HEAD", NONE, "405, grpc-status 13", NULL},
    {"GET", "connectrpc/conformance, verb", ":method: GET", NONE, "405, grpc-status 13", NULL},
    {"DELETE", "connectrpc/conformance, verb", ":method: DELETE", BYTES(HELLO),
     "405, grpc-status 13 | 405, grpc-status 13, reset NO_ERROR", NULL},
    {"an unknown method", "statuscodes.md", ":path: /helloworld.Greeter/Nope", BYTES(HELLO),
     TRAILERS_ONLY("12"), NULL},
    {"an unknown service", "statuscodes.md", ":path: /nope.Nope/SayHello", BYTES(HELLO),
     TRAILERS_ONLY("12"), NULL},
    {"a path of one part", "grpc-go, malformed method name", ":path: /SayHello", BYTES(HELLO),
     TRAILERS_ONLY("12"), NULL},
    {"the case of a path counts", "gRPC over HTTP/2, Requests",
     ":path: /helloworld.greeter/sayhello", BYTES(HELLO), TRAILERS_ONLY("12"), NULL},
    {"a path without its slash", "RFC 9113, 8.3.1", ":path: helloworld.Greeter/SayHello",
     BYTES(HELLO), "reset PROTOCOL_ERROR", NULL},
    {"no path", "RFC 9113, 8.3.1", "-:path", BYTES(HELLO), "reset PROTOCOL_ERROR", NULL},
    {"no method", "RFC 9113, 8.3.1", "-:method", BYTES(HELLO), "reset PROTOCOL_ERROR", NULL},
    {"two methods", "RFC 9113, 8.3", "+:method: POST", BYTES(HELLO), "reset PROTOCOL_ERROR", NULL},
    {"an unknown pseudo-header", "RFC 9113, 8.3", ":nope: 1", BYTES(HELLO), "reset PROTOCOL_ERROR",
     NULL},
    {"host for authority", "grpc/proposal A41", "-:authority\nhost: raw.test", BYTES(HELLO), OK,
     NULL},
    {"neither host nor authority", "nghttp2 and RFC 9113, 8.3.1", "-:authority", BYTES(HELLO),
     "reset PROTOCOL_ERROR", NULL},
    {"connection: keep-alive", "RFC 9113, 8.2.2", "connection: keep-alive", BYTES(HELLO),
     "reset PROTOCOL_ERROR", NULL},
    {"transfer-encoding: chunked", "RFC 9113, 8.2.2", "transfer-encoding: chunked", BYTES(HELLO),
     "reset PROTOCOL_ERROR", NULL},
    {"a name in upper case", "RFC 9113, 8.2.1", "X-Upper: 1", BYTES(HELLO), "reset PROTOCOL_ERROR",
     NULL},
    {"a value with a carriage return", "RFC 9113, 8.2.1", "x-value: a\rb", BYTES(HELLO),
     "reset PROTOCOL_ERROR", NULL},
    {"a value beyond ASCII", "gRPC over HTTP/2, Requests", "x-value: gr\xc3\xbc\xc3\x9f",
     BYTES(HELLO), OK, NULL},

    // --- te and content-type ---
    {"no te", "envoy#1383, traefik#2895, grpc/grpc#36768", "-te", BYTES(HELLO), OK, NULL},
    {"te: gzip", "RFC 9113, 8.2.2", "te: gzip", BYTES(HELLO), "reset PROTOCOL_ERROR", NULL},
    {"application/grpc+proto", "connectrpc/conformance, sub-format",
     "content-type: application/grpc+proto", BYTES(HELLO), OK, NULL},
    {"application/grpc; charset", "gRPC over HTTP/2, Requests",
     "content-type: application/grpc;charset=utf-8", BYTES(HELLO), OK, NULL},
    {"application/grpc+json", "connectrpc/conformance, sub-format",
     "content-type: application/grpc+json", BYTES(HELLO), TRAILERS_ONLY("12"), NULL},
    {"application/grpcfoo", "grpc-go, ContentSubtype", "content-type: application/grpcfoo",
     BYTES(HELLO), "415 | 415, reset NO_ERROR", NULL},
    {"image/jpeg", "connectrpc/conformance, content-type", "content-type: image/jpeg", BYTES(HELLO),
     "415 | 415, reset NO_ERROR", NULL},
    {"no content-type", "gRPC over HTTP/2, Requests", "-content-type", BYTES(HELLO),
     "415 | 415, reset NO_ERROR", NULL},

    // --- grpc-timeout ---
    {"hours", "grpc-go#2379", "grpc-timeout: 1H", BYTES(HELLO), OK, NULL},
    {"minutes", "grpc/grpc#17079", "grpc-timeout: 1M", BYTES(HELLO), OK, NULL},
    {"seconds", "grpc/grpc#17079", "grpc-timeout: 60S", BYTES(HELLO), OK, NULL},
    {"milliseconds", "grpc/grpc#17079", "grpc-timeout: 60000m", BYTES(HELLO), OK, NULL},
    {"microseconds", "grpc/grpc#17079", "grpc-timeout: 60000000u", BYTES(HELLO), OK, NULL},
    {"8 digits of nanoseconds", "grpc/grpc#17079", "grpc-timeout: 99999999n", BYTES(HELLO),
     OK " | 200, grpc-status 4", NULL},
    {"8 digits of hours", "grpc-go#2379, grpc-gateway#7382", "grpc-timeout: 99999999H",
     BYTES(HELLO), OK, NULL},
    {"9 digits", "grpc/grpc#17079", "grpc-timeout: 123456789S", BYTES(HELLO), TRAILERS_ONLY("13"),
     NULL},
    {"no unit", "grpc/grpc#26401", "grpc-timeout: 5", BYTES(HELLO), TRAILERS_ONLY("13"), NULL},
    {"no digit", "grpc/grpc#26401", "grpc-timeout: S", BYTES(HELLO), TRAILERS_ONLY("13"), NULL},
    {"an unknown unit", "grpc/grpc#26401", "grpc-timeout: 1x", BYTES(HELLO), TRAILERS_ONLY("13"),
     NULL},
    {"a sign", "grpc/grpc#26401", "grpc-timeout: -1S", BYTES(HELLO), TRAILERS_ONLY("13"), NULL},
    {"a fraction", "grpc/grpc#26401", "grpc-timeout: 1.5S", BYTES(HELLO), TRAILERS_ONLY("13"),
     NULL},
    {"a blank", "grpc/grpc#26401", "grpc-timeout: 1 S", BYTES(HELLO), TRAILERS_ONLY("13"), NULL},
    {"an empty timeout", "grpc/grpc#26401", "grpc-timeout: ", BYTES(HELLO), TRAILERS_ONLY("13"),
     NULL},
    {"a nanosecond", "grpc-java#8866, #9362", "grpc-timeout: 1n", BYTES(HELLO),
     OK " | " TRAILERS_ONLY("4"), NULL},
    {"zero", "grpc-go, zero is over", "grpc-timeout: 0n", BYTES(HELLO), TRAILERS_ONLY("4"), NULL},

    // --- Metadata ---
    {"-bin with padding, without, and a list", "grpc-go#1207",
     "x-a-bin: AAE=\nx-b-bin: AAE\nx-c-bin: AAE=,AA", BYTES(HELLO), OK, NULL},
    {"-bin that is no base64", "grpc/grpc#26401", "x-a-bin: A?==", BYTES(HELLO),
     TRAILERS_ONLY("13"), NULL},

    // --- Encodings ---
    {"identity", "grpc-go#1654", "grpc-encoding: identity", BYTES(HELLO), OK, NULL},
    {"an unknown encoding", "grpc/grpc#36770", "grpc-encoding: foo", BYTES(HELLO),
     TRAILERS_ONLY("12"), "identity"},
    {"the compressed flag without an encoding", "grpc-java#10971, grpc/grpc#14176", NULL,
     BYTES("\1\0\0\0\7\x0a\5\x0a\3raw"), TRAILERS_ONLY("13"), NULL},
    {"the compressed flag with identity", "grpc-node#2767", "grpc-encoding: identity",
     BYTES("\1\0\0\0\7\x0a\5\x0a\3raw"), TRAILERS_ONLY("13"), NULL},
    {"gzip", "gRPC over HTTP/2, Message-Encoding", "grpc-encoding: gzip", BYTES(GZIP("\345")), OK,
     NULL},
    {"no compression in a call with gzip", "compression.md", "grpc-encoding: gzip", BYTES(HELLO),
     OK, NULL},
    {"gzip that is damaged", "compression.md", "grpc-encoding: gzip", BYTES(GZIP("\377")),
     TRAILERS_ONLY("13"), NULL},
    {"an unknown flag", "gRPC over HTTP/2, Length-Prefixed-Message", NULL,
     BYTES("\2\0\0\0\7\x0a\5\x0a\3raw"), TRAILERS_ONLY("13"), NULL},

    // --- Messages ---
    {"an empty message", "PacketProxy#130", NULL, BYTES("\0\0\0\0\0"), OK, NULL},
    {"no message", "PacketProxy#130, statuscodes.md", NULL, BYTES(""), "200, grpc-status 12", NULL},
    {"HEADERS that end the stream", "grpc-go#2867, statuscodes.md", NULL, NONE,
     "200, grpc-status 12", NULL},
    {"two messages", "connectrpc/conformance, cardinality", NULL, BYTES(HELLO HELLO),
     TRAILERS_ONLY("12"), NULL},
    {"half a prefix", "gRPC over HTTP/2, Length-Prefixed-Message", NULL, BYTES("\0\0\0"),
     "200, grpc-status 13", NULL},
    {"half a message", "gRPC over HTTP/2, Length-Prefixed-Message", NULL,
     BYTES("\0\0\0\0\7\x0a\5\x0a"), "200, grpc-status 13", NULL},
    {"a length above the limit", "grpc-go, max receive size", NULL, BYTES("\0\xff\xff\xff\xff"),
     TRAILERS_ONLY("8"), NULL},
    {"a message that is no protobuf", "gRPC, INTERNAL", NULL, BYTES("\0\0\0\0\3\x0a\5\x0a"),
     "200, grpc-status 13", NULL},
    {"a string that is no UTF-8", "protobuf, proto3 strings", NULL,
     BYTES("\0\0\0\0\6\x0a\4\x0a\2\xff\xfe"), "200, grpc-status 13", NULL},
    {"content-length that is not what comes", "RFC 9113, 8.1.1", "content-length: 3", BYTES(HELLO),
     "reset PROTOCOL_ERROR", NULL},
    {"content-length that is what comes", "RFC 9113, 8.1.1", "content-length: 12", BYTES(HELLO), OK,
     NULL},
};
const size_t raw_requests_count = sizeof(raw_requests) / sizeof(raw_requests[0]);
