#include "load/metadata.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grpc/base64.h"
#include "load/json_text.h"

static int fail(const struct edge_json_source *source, const char *key, const char *expected,
                const char *found)
{
    struct edge_json_path root = {0}, path = {.parent = &root, .key = key};
    return edge_fail(source->message, EDGE_ERR_FORMAT, "%s:%u: %.60s: expected %s; found \"%.60s\"",
                     source->name, edge_json_line(source->text, source->len, &path), key, expected,
                     found);
}

static bool is_binary(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, "-bin") == 0;
}

// What the generator says itself.
static bool is_reserved(const char *name)
{
    static const char *const own[] = {"te", "content-type", "user-agent", "host", "connection"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strcmp(own[i], name) == 0)
            return true;
    }
    return strncmp(name, "grpc-", 5) == 0;
}

// Copies a name in lower case to *at. NULL: it is none (gRPC over HTTP/2, "Header-Name").
static char *put_name(char **at, const char *name)
{
    char *start = *at;
    if (*name == '\0')
        return NULL;
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && strchr("_.-", *name) == NULL)
            return NULL;
        *(*at)++ = (char)tolower((unsigned char)*name);
    }
    *(*at)++ = '\0';
    return start;
}

// Copies base64 without padding, as gRPC wants it. NULL: it is none, or there is no memory.
static char *put_base64(char **at, const char *value)
{
    char *start = *at;
    size_t len = strlen(value);
    uint8_t *bytes = malloc(EDGE_BASE64_DECODED(len));
    if (bytes == NULL || edge_base64_decode(value, len, bytes, &len) < 0) {
        free(bytes);
        return NULL;
    }
    *at += edge_base64_encode(bytes, len, *at);
    *(*at)++ = '\0';
    free(bytes);
    return start;
}

// Copies printable ASCII (gRPC over HTTP/2, "ASCII-Value"). NULL: it is none.
static char *put_ascii(char **at, const char *value)
{
    char *start = *at;
    for (; *value != '\0'; value++) {
        if (*value < ' ' || *value > '~')
            return NULL;
        *(*at)++ = *value;
    }
    *(*at)++ = '\0';
    return start;
}

static int add(struct edge_metadata *metadata, const struct edge_json_source *source,
               const char *key, const json_t *value, char **at)
{
    const char *text = json_string_value(value);
    if (text == NULL)
        return fail(source, key, "a string, or an array of strings", "something else");
    if (metadata->count == EDGE_METADATA_MAX)
        return fail(source, key, "at most 64 values in all", text);
    struct edge_header *header = &metadata->list[metadata->count];
    header->name = put_name(at, key);
    if (header->name == NULL)
        return fail(source, key, "a name of a-z, 0-9, '_', '-' and '.'", key);
    if (is_reserved(header->name))
        return fail(source, key, "a name that the generator does not set itself", key);
    bool binary = is_binary(header->name);
    header->value = binary ? put_base64(at, text) : put_ascii(at, text);
    if (header->value == NULL)
        return fail(source, key,
                    binary ? "base64, as the name ends in -bin"
                           : "printable ASCII (for more, end the name in -bin)",
                    text);
    metadata->count++;
    return 0;
}

static int add_all(struct edge_metadata *metadata, const struct edge_json_source *source,
                   json_t *root)
{
    const char *key;
    json_t *value;
    char *at = metadata->texts;
    json_object_foreach(root, key, value)
    {
        int error = 0;
        if (!json_is_array(value)) {
            error = add(metadata, source, key, value, &at);
        } else {
            for (size_t i = 0; i < json_array_size(value) && error == 0; i++)
                error = add(metadata, source, key, json_array_get(value, i), &at);
        }
        if (error < 0)
            return error;
    }
    return 0;
}

// Bytes that all names and values take, each with its end.
static size_t size_of(json_t *root)
{
    const char *key;
    json_t *value;
    size_t size = 1;
    json_object_foreach(root, key, value)
    {
        size_t count = json_is_array(value) ? json_array_size(value) : 1;
        for (size_t i = 0; i < count; i++) {
            const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
            size += strlen(key) + 1 + json_string_length(one) + 1;
        }
    }
    return size;
}

int edge_metadata_from_json(struct edge_metadata *metadata, const char *source, const char *json,
                            size_t len, struct edge_message *message)
{
    *metadata = (struct edge_metadata){0};
    json_error_t parse_error;
    json_t *root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &parse_error);
    if (!json_is_object(root)) {
        json_decref(root);
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s:%d: expected a JSON object of names and values; found %s", source,
                         root == NULL && parse_error.line > 0 ? parse_error.line : 1,
                         root == NULL ? parse_error.text : "something else");
    }
    struct edge_json_source from = {source, json, len, message};
    metadata->texts = malloc(size_of(root));
    int error = metadata->texts != NULL ? add_all(metadata, &from, root)
                                        : edge_fail(message, -ENOMEM, "out of memory");
    json_decref(root);
    if (error < 0)
        edge_metadata_free(metadata);
    return error;
}

void edge_metadata_free(struct edge_metadata *metadata)
{
    free(metadata->texts);
    *metadata = (struct edge_metadata){0};
}
