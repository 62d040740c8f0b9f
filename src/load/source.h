// What is called, and with what: the options that say so, and the payload made from them. The
// method is one of the built-in contract, or any other, described by files or by the server itself.
#ifndef EDGE_LOAD_SOURCE_H
#define EDGE_LOAD_SOURCE_H

#include <stdint.h>

#include "base/option.h"
#include "load/load.h"
#include "load/metadata.h"
#include "load/payload.h"

struct edge_source_options {
    struct edge_option_list protos, import_paths;
    const char *call, *protoset, *scenario;
    const char *data, *data_file, *binary_file, *metadata, *metadata_file;
    uint64_t messages;
    uint64_t stream_interval, stream_call_count, stream_call_duration;
    bool binary, compress;
};

// Rows of an option table for the member `f`, of type struct edge_source_options, of `s`.
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name cannot stand in parentheses
// clang-format off
#define EDGE_SOURCE_ROWS(s, f)                                                                     \
    {EDGE_OPT_STRING(s, f.call), .name = "call", .argument = "METHOD",                             \
     .help = "SERVICE/METHOD, or a method of helloworld.Greeter; without it the scenario's own. "  \
             "A method that is not built in is looked up in --proto or --protoset; without these " \
             "the server is asked (reflection)."},                                                 \
    {EDGE_OPT_LIST(s, f.protos), .name = "proto", .argument = "FILE",                              \
     .help = "A .proto file that describes the method. May be given several times."},              \
    {EDGE_OPT_LIST(s, f.import_paths), .name = "import-path", .letter = 'i', .argument = "FOLDER", \
     .help = "Where --proto looks for imports, before the file's own folder. May be given several "\
             "times."},                                                                            \
    {EDGE_OPT_STRING(s, f.protoset), .name = "protoset", .argument = "FILE",                       \
     .help = "A FileDescriptorSet that describes the method: protoc --include_imports "            \
             "--descriptor_set_out=FILE."},                                                        \
    {EDGE_OPT_STRING(s, f.scenario), .name = "scenario", .argument = "NAME",                       \
     .help = "What is sent to a built-in method: complex_proto (the default), string_10B, "        \
             "string_100B, string_1kB, string_10kB, empty, or a JSON file."},                      \
    {EDGE_OPT_STRING(s, f.data), .name = "data", .letter = 'd', .argument = "JSON",                \
     .help = "The request as JSON; @: from standard input. An array: calls send its elements in "  \
             "turn; a stream sends all of them. docs/load.md has what may vary in it."},           \
    {EDGE_OPT_STRING(s, f.data_file), .name = "data-file", .letter = 'D', .argument = "FILE",      \
     .help = "The same from a file."},                                                             \
    {EDGE_OPT_BOOL(s, f.binary), .name = "binary", .letter = 'b', .fallback = "false",             \
     .help = "The request as one encoded protobuf message from standard input."},                  \
    {EDGE_OPT_STRING(s, f.binary_file), .name = "binary-file", .letter = 'B', .argument = "FILE",  \
     .help = "The request as a file with one encoded protobuf message."},                          \
    {EDGE_OPT_STRING(s, f.metadata), .name = "metadata", .letter = 'm', .argument = "JSON",        \
     .help = "Metadata of each call: an object of names and values; -bin values are base64."},     \
    {EDGE_OPT_STRING(s, f.metadata_file), .name = "metadata-file", .letter = 'M',                  \
     .argument = "FILE", .help = "The same from a file."},                                         \
    {EDGE_OPT_BOOL(s, f.compress), .name = "enable-compression", .letter = 'e',                    \
     .fallback = "false", .help = "Send requests packed with gzip, and take such replies."},       \
    {EDGE_OPT_COUNT(s, f.messages), .name = "messages", .argument = "N", .fallback = "0",          \
     .max = INT32_MAX, .help = "Messages per call of a built-in method that streams; 0: 10."},     \
    {EDGE_OPT_COUNT(s, f.stream_call_count), .name = "stream-call-count", .argument = "N",         \
     .fallback = "0", .max = INT32_MAX,                                                            \
     .help = "End a stream after so many requests, or replies where only the server streams; 0: "  \
             "after all of the data, or when the server ends it."},                                \
    {EDGE_OPT_DURATION(s, f.stream_call_duration), .name = "stream-call-duration",                 \
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,                           \
     .help = "End a stream after so long; requests start again from the first. 0s: see above."},   \
    {EDGE_OPT_DURATION(s, f.stream_interval), .name = "stream-interval", .argument = "TIME",       \
     .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,                                               \
     .help = "Leave so much time between two requests of a stream."}
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)

// What the load borrows until its end.
struct edge_source {
    struct edge_payload payload;
    struct edge_metadata metadata;
};

// Options that contradict each other: 0, or EDGE_ERR_USAGE with a message. `timeout_ns` is a
// call's.
int edge_source_check(const struct edge_source_options *options, uint64_t timeout_ns,
                      struct edge_message *message);

// Reads files and standard input, asks the server that `config` leads to if need be, and sets
// payload, metadata and streams of `config`. 0; -ENOMEM; EDGE_ERR_FAILED (the server, not the
// options); any other error: the options, or what they name, are wrong. With a message.
int edge_source_init(struct edge_source *source, const struct edge_source_options *options,
                     struct edge_load_config *config, struct edge_message *message);
// Safe twice.
void edge_source_free(struct edge_source *source);

#endif
