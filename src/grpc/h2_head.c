#include "grpc/h2_head.h"

#include <string.h>

#include "base/error.h"

// Forgets all steps but the first `count`.
static void forget(struct edge_h2_head_reader *reader, size_t count)
{
    while (reader->known > count) {
        struct edge_h2_head_step *step = &reader->steps[--reader->known];
        nghttp2_rcbuf_decref(step->name);
        nghttp2_rcbuf_decref(step->value);
    }
}

static void take_path(struct edge_h2_head *head, const struct edge_method *const *tables,
                      const char *path, size_t len)
{
    head->method = edge_method_find(tables, path, len);
    head->service_found = head->method != NULL || edge_method_has_service(tables, path, len);
}

static int take(struct edge_h2_head *head, const struct edge_method *const *tables,
                nghttp2_vec name, nghttp2_vec value)
{
    int error = edge_h2_rules_field(&head->rules, name.base, name.len, value.base, value.len);
    if (error < 0)
        return error;
    if (name.len == 5 && memcmp(name.base, ":path", 5) == 0)
        take_path(head, tables, (const char *)value.base, value.len);
    return edge_request_header(&head->request, (const char *)name.base, name.len,
                               (const char *)value.base, value.len);
}

int edge_h2_head_field(struct edge_h2_head_reader *reader, const struct edge_method *const *tables,
                       nghttp2_rcbuf *name, nghttp2_rcbuf *value)
{
    struct edge_h2_head head = {.service_found = false};
    if (reader->head != NULL)
        head = *reader->head;
    int error = take(&head, tables, nghttp2_rcbuf_get_buf(name), nghttp2_rcbuf_get_buf(value));
    if (error < 0)
        return error;
    reader->latest = head;
    reader->head = &reader->latest;
    forget(reader, reader->count);
    if (reader->count == reader->known && reader->count < EDGE_H2_HEAD_STEPS &&
        head.request.list_bytes <= EDGE_H2_HEAD_BYTES && !edge_h2_head_metadata(reader)) {
        nghttp2_rcbuf_incref(name);
        nghttp2_rcbuf_incref(value);
        reader->steps[reader->known++] = (struct edge_h2_head_step){name, value, head};
    }
    reader->count++;
    return 0;
}

void edge_h2_head_free(struct edge_h2_head_reader *reader)
{
    forget(reader, 0);
    edge_h2_head_begin(reader);
}
