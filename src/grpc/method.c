#include "grpc/method.h"

#include <string.h>

const struct edge_method *edge_method_find(const struct edge_method *const *tables,
                                           const char *path, size_t len)
{
    for (; *tables != NULL; tables++)
        for (const struct edge_method *method = *tables; method->path != NULL; method++)
            if (strlen(method->path) == len && memcmp(method->path, path, len) == 0)
                return method;
    return NULL;
}

// The length of "/package.Service/", or 0 if the path has no such beginning.
static size_t service_len(const char *path, size_t len)
{
    while (len > 1 && path[len - 1] != '/')
        len--;
    return len > 1 ? len : 0;
}

const char *edge_method_next_service(const struct edge_method *const *tables, const char *after,
                                     size_t *len)
{
    bool passed = after == NULL;
    for (; *tables != NULL; tables++)
        for (const struct edge_method *method = *tables; method->path != NULL; method++) {
            const char *name = method->path + 1;
            const size_t name_len = service_len(method->path, strlen(method->path)) - 2;
            bool same = after != NULL && name_len == *len && memcmp(name, after, name_len) == 0;
            if (passed && !same) {
                *len = name_len;
                return name;
            }
            passed = passed || same;
        }
    return NULL;
}

bool edge_method_has_service(const struct edge_method *const *tables, const char *path, size_t len)
{
    size_t service = service_len(path, len);
    if (service == 0)
        return false;
    for (; *tables != NULL; tables++)
        for (const struct edge_method *method = *tables; method->path != NULL; method++)
            if (service_len(method->path, strlen(method->path)) == service &&
                memcmp(method->path, path, service) == 0)
                return true;
    return false;
}
