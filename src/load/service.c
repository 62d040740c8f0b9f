#include "load/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum edge_call_kind kind_of(const struct edge_schema_method *method)
{
    if (method->client_streams)
        return method->server_streams ? EDGE_CALL_BIDI : EDGE_CALL_CLIENT_STREAM;
    return method->server_streams ? EDGE_CALL_SERVER_STREAM : EDGE_CALL_UNARY;
}

static int describe(struct edge_payload *payload, const struct edge_schema_method *method,
                    const char *data_name, struct edge_message *message)
{
    payload->kind = kind_of(method);
    payload->messages_out = 1;
    payload->messages_in = method->server_streams ? 0 : 1;
    payload->messages = 1;
    edge_payload_name(payload, data_name);
    int call = snprintf(payload->call, sizeof(payload->call), "%s", method->name);
    int path =
        snprintf(payload->path, sizeof(payload->path), "/%s/%s", method->service, method->name);
    if (call < 0 || path < 0 || (size_t)call >= sizeof(payload->call) ||
        (size_t)path >= sizeof(payload->path))
        return edge_fail(message, EDGE_ERR_LIMIT,
                         "expected a method of at most 190 characters; found %.60s...",
                         payload->path);
    return 0;
}

static int read_data(struct edge_service *service, const struct edge_type *request,
                     const struct edge_service_data *data, struct edge_message *message)
{
    if (data->bytes != NULL)
        return edge_data_from_binary(&service->data, request, data->name, data->bytes, data->len,
                                     message);
    const char *json = data->json != NULL ? data->json : "{}";
    return edge_data_from_json(&service->data, service->schema, request, data->name, json,
                               data->json != NULL ? data->len : 2, data->seed, message);
}

int edge_service_payload_take(struct edge_payload *payload, struct edge_schema *schema,
                              const char *call, const struct edge_service_data *data,
                              struct edge_message *message)
{
    struct edge_schema_method method;
    *payload = (struct edge_payload){.service = calloc(1, sizeof(*payload->service))};
    if (payload->service == NULL) {
        edge_schema_del(schema);
        return edge_fail(message, -ENOMEM, "out of memory");
    }
    payload->service->schema = schema;
    int error = edge_schema_find(schema, call, &method, message);
    if (error == 0)
        error = describe(payload, &method, data->name, message);
    if (error == 0)
        error = read_data(payload->service, method.request, data, message);
    if (error == 0)
        payload->service->reply = method.reply;
    else
        edge_payload_free(payload);
    return error;
}

void edge_service_del(struct edge_service *service)
{
    if (service == NULL)
        return;
    edge_data_free(&service->data);
    edge_schema_del(service->schema);
    free(service);
}
