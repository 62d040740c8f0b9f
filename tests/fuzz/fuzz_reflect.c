// What a server answers to reflection, and what files say that were made by another program.
#include <stdint.h>
#include <stdlib.h>

#include "load/reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct edge_schema *schema = NULL;
    struct edge_message message = {""};
    struct edge_reflect_answer answer;
    if (len < 1 || !edge_schema_available())
        return 0;
    int error;
    if (bytes[0] & 1) {
        error = edge_schema_from_set(&schema, "fuzz", bytes + 1, len - 1, &message);
    } else {
        error = edge_schema_new(&schema, &message);
        if (error == 0)
            error = edge_reflect_read(schema, bytes + 1, len - 1, "t.S", &answer, &message);
    }
    struct edge_schema_method method;
    if (error == 0 && edge_schema_missing(schema) == NULL)
        error = edge_schema_find(schema, "t.S/M", &method, &message);
    if (error < 0 && message.text[0] == '\0')
        abort();
    edge_schema_del(schema);
    return 0;
}
