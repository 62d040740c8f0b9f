#include "server/services.h"

void edge_services_init(struct edge_services *services, const struct edge_method *const *tables,
                        const struct edge_greeter_codec *codec, size_t arena_limit)
{
    *services =
        (struct edge_services){.tables = tables, .codec = codec, .arena = {.limit = arena_limit}};
}

void edge_services_free(struct edge_services *services)
{
    edge_arena_free(&services->arena);
    edge_buffer_free(&services->scratch);
}
