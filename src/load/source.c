#include "load/source.h"

#include <errno.h>
#include <string.h>

#include "load/method.h"
#include "load/reflect.h"
#include "load/service.h"

static int usage(struct edge_message *message, const char *text)
{
    return edge_fail(message, EDGE_ERR_USAGE, "%s", text);
}

int edge_source_check(const struct edge_source_options *options, uint64_t timeout_ns,
                      struct edge_message *message)
{
    int data = (options->scenario != NULL) + (options->data != NULL) +
               (options->data_file != NULL) + options->binary + (options->binary_file != NULL);
    bool described = options->protos.count > 0 || options->protoset != NULL;
    if (data > 1)
        return usage(message, "expected one of --scenario, --data, --data-file, --binary and "
                              "--binary-file, found several");
    if (options->protos.count > 0 && options->protoset != NULL)
        return usage(message, "expected --proto or --protoset, found both");
    if (options->import_paths.count > 0 && options->protos.count == 0)
        return usage(message, "--import-path is where --proto looks for imports: expected --proto");
    if (described && options->call == NULL)
        return usage(message,
                     "expected --call with --proto and --protoset: which of their methods?");
    if (options->metadata != NULL && options->metadata_file != NULL)
        return usage(message, "expected --metadata or --metadata-file, found both");
    if (options->stream_call_duration > 0 && timeout_ns > 0 &&
        options->stream_call_duration >= timeout_ns)
        return usage(message, "--stream-call-duration is not below --timeout: every call would "
                              "time out; expected a longer --timeout, or --timeout 0s");
    return 0;
}

// ---- data ----

// What was given as data: in `bytes` if it had to be read, else in the options.
struct given {
    const char *name;
    const char *json; // NULL: none
    size_t len;
    bool binary;
    struct edge_buffer bytes;
};

static int read_data(const struct edge_source_options *options, struct given *given,
                     struct edge_message *message)
{
    *given = (struct given){.name = "the default"};
    const char *file = options->data_file;
    if (options->data != NULL && strcmp(options->data, "@") != 0) {
        given->name = "--data";
        given->json = options->data;
        given->len = strlen(options->data);
        return 0;
    }
    if (options->data != NULL)
        file = "-";
    given->binary = options->binary || options->binary_file != NULL;
    if (given->binary)
        file = options->binary ? "-" : options->binary_file;
    if (file == NULL)
        return 0;
    given->name = strcmp(file, "-") == 0 ? "standard input" : file;
    int error = edge_payload_read_file(file, &given->bytes, message);
    if (error < 0)
        return error;
    given->len = given->bytes.len;
    if (!given->binary)
        given->json = given->len > 0 ? (const char *)edge_buffer_head(&given->bytes) : "";
    return 0;
}

// ---- methods of the contract ----

static int built_in(struct edge_payload *payload, const struct edge_source_options *options,
                    const struct given *given, struct edge_message *message)
{
    const char *call = options->call;
    const struct edge_method *method = edge_method_find(call != NULL ? call : "SayHello");
    bool streams = method->kind == EDGE_CALL_CLIENT_STREAM || method->kind == EDGE_CALL_BIDI;
    uint64_t messages = options->messages;
    if (streams && options->stream_call_duration > 0)
        return usage(message, "--stream-call-duration: the replies of a built-in method are "
                              "verified by the number of requests; expected --stream-call-count, "
                              "or the method's --proto");
    if (streams && options->stream_call_count > 0 && messages > 0)
        return usage(message, "expected --messages or --stream-call-count, found both");
    if (streams && options->stream_call_count > 0)
        messages = options->stream_call_count;
    if (given->json != NULL) {
        size_t start = 0;
        while (start < given->len && strchr(" \t\r\n", given->json[start]) != NULL)
            start++;
        if (start < given->len &&
            (given->json[start] == '[' || memmem(given->json, given->len, "{{", 2) != NULL))
            return usage(message, "the data of a built-in method is one message without {{...}}: "
                                  "for more, describe the method with --proto");
        return edge_payload_from_json(payload, given->name, given->json, given->len, call, messages,
                                      message);
    }
    if (given->binary) {
        static const uint8_t nothing[1];
        return edge_payload_from_binary(
            payload, given->name, given->len > 0 ? given->bytes.data + given->bytes.start : nothing,
            given->len, call, messages, message);
    }
    return edge_payload_load(payload,
                             options->scenario != NULL ? options->scenario : "complex_proto", call,
                             messages, message);
}

// ---- any other method ----

static int read_schema(const struct edge_source_options *options,
                       const struct edge_load_config *config, struct edge_schema **schema,
                       struct edge_message *message)
{
    if (options->protos.count > 0)
        return edge_schema_from_protos(schema, options->protos.at, options->protos.count,
                                       options->import_paths.at, options->import_paths.count,
                                       message);
    if (options->protoset == NULL)
        return edge_reflect(config, options->call, schema, message);
    struct edge_buffer bytes = {0};
    int error = edge_payload_read_file(options->protoset, &bytes, message);
    if (error == 0)
        error = edge_schema_from_set(schema, options->protoset, edge_buffer_head(&bytes), bytes.len,
                                     message);
    edge_buffer_free(&bytes);
    return error;
}

static int any_method(struct edge_payload *payload, const struct edge_source_options *options,
                      const struct edge_load_config *config, const struct given *given,
                      struct edge_message *message)
{
    static const uint8_t nothing[1];
    struct edge_schema *schema = NULL;
    char known[400];
    bool described = options->protos.count > 0 || options->protoset != NULL;
    bool bare = strpbrk(options->call, "./") == NULL;
    if (!described && (bare || !edge_schema_available()))
        return edge_fail(message, EDGE_ERR_NOT_FOUND, "unknown call \"%.100s\"; known: %s%s",
                         options->call, edge_method_list(known, sizeof(known)),
                         bare ? "; or SERVICE/METHOD of any other service"
                              : ". This bench-edge was built without libprotobuf, and can make no "
                                "others");
    if (options->messages > 0)
        return usage(message, "--messages is for built-in methods: expected --stream-call-count");
    if (options->scenario != NULL)
        return usage(message, "--scenario is for built-in methods: expected --data");
    int error = read_schema(options, config, &schema, message);
    if (error < 0)
        return error;
    const struct edge_service_data data = {
        .name = given->name,
        .json = given->json,
        .bytes = !given->binary    ? NULL
                 : given->len == 0 ? nothing
                                   : given->bytes.data + given->bytes.start,
        .len = given->len,
        .seed = config->seed,
    };
    return edge_service_payload_take(payload, schema, options->call, &data, message);
}

// ---- all ----

static int read_metadata(struct edge_source *source, const struct edge_source_options *options,
                         struct edge_message *message)
{
    if (options->metadata != NULL)
        return edge_metadata_from_json(&source->metadata, "--metadata", options->metadata,
                                       strlen(options->metadata), message);
    if (options->metadata_file == NULL)
        return 0;
    struct edge_buffer bytes = {0};
    int error = edge_payload_read_file(options->metadata_file, &bytes, message);
    if (error == 0)
        error = edge_metadata_from_json(&source->metadata, options->metadata_file,
                                        (const char *)edge_buffer_head(&bytes), bytes.len, message);
    edge_buffer_free(&bytes);
    return error;
}

static int read_payload(struct edge_source *source, const struct edge_source_options *options,
                        const struct edge_load_config *config, struct edge_message *message)
{
    struct given given;
    bool contract = options->protos.count == 0 && options->protoset == NULL &&
                    (options->call == NULL || edge_method_find(options->call) != NULL);
    int error = read_data(options, &given, message);
    if (error == 0)
        error = contract ? built_in(&source->payload, options, &given, message)
                         : any_method(&source->payload, options, config, &given, message);
    edge_buffer_free(&given.bytes);
    return error;
}

// What is asked of streams, of a method that has none.
static int check_kind(const struct edge_source *source, const struct edge_source_options *options,
                      struct edge_message *message)
{
    enum edge_call_kind kind = source->payload.kind;
    bool streams = options->stream_call_count > 0 || options->stream_call_duration > 0;
    if (kind == EDGE_CALL_UNARY && (streams || options->stream_interval > 0))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--stream-...: expected a method that streams; %s does not",
                         source->payload.path + 1);
    if (kind == EDGE_CALL_SERVER_STREAM && options->stream_interval > 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--stream-interval: expected a method whose client streams; %s has one "
                         "request",
                         source->payload.path + 1);
    return 0;
}

int edge_source_init(struct edge_source *source, const struct edge_source_options *options,
                     struct edge_load_config *config, struct edge_message *message)
{
    *source = (struct edge_source){0};
    config->gzip = options->compress;
    config->streams = (struct edge_load_streams){
        .interval_ns = options->stream_interval,
        .count = options->stream_call_count,
        .duration_ns = options->stream_call_duration,
    };
    int error = read_metadata(source, options, message);
    config->metadata = &source->metadata;
    if (error == 0)
        error = read_payload(source, options, config, message);
    config->payload = &source->payload;
    if (error == 0)
        error = check_kind(source, options, message);
    if (error < 0)
        edge_source_free(source);
    return error;
}

void edge_source_free(struct edge_source *source)
{
    edge_payload_free(&source->payload);
    edge_metadata_free(&source->metadata);
}
