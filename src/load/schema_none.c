// A build without libprotobuf: boards'.
#include "load/schema.h"

static int unsupported(struct edge_message *message)
{
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "this bench-edge was built without libprotobuf: it knows the calls of the "
                     "built-in contract only, and no --proto, --protoset or reflection");
}

bool edge_schema_available(void)
{
    return false;
}

int edge_schema_from_protos(struct edge_schema **schema, const char *const *files,
                            size_t file_count, const char *const *paths, size_t path_count,
                            struct edge_message *message)
{
    (void)schema, (void)files, (void)file_count, (void)paths, (void)path_count;
    return unsupported(message);
}

int edge_schema_from_set(struct edge_schema **schema, const char *name, const uint8_t *bytes,
                         size_t len, struct edge_message *message)
{
    (void)schema, (void)name, (void)bytes, (void)len;
    return unsupported(message);
}

int edge_schema_new(struct edge_schema **schema, struct edge_message *message)
{
    (void)schema;
    return unsupported(message);
}

int edge_schema_add(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                    struct edge_message *message)
{
    (void)schema, (void)bytes, (void)len;
    return unsupported(message);
}

const char *edge_schema_missing(struct edge_schema *schema)
{
    (void)schema;
    return NULL;
}

void edge_schema_del(struct edge_schema *schema)
{
    (void)schema;
}

int edge_schema_find(struct edge_schema *schema, const char *call,
                     struct edge_schema_method *method, struct edge_message *message)
{
    (void)schema, (void)call, (void)method;
    return unsupported(message);
}

int edge_schema_encode(struct edge_schema *schema, const struct edge_type *type, const char *json,
                       size_t len, struct edge_buffer *out, struct edge_message *message)
{
    (void)schema, (void)type, (void)json, (void)len, (void)out;
    return unsupported(message);
}
