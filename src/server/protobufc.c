#include "server/protobufc.h"

#include "server/greeter_codec.h"

struct memory {
    struct edge_arena *arena;
    bool exhausted;
};

static void *memory_alloc(void *self, size_t size)
{
    struct memory *memory = self;
    void *block = edge_arena_alloc(memory->arena, size);
    if (block == NULL)
        memory->exhausted = true;
    return block;
}

// The arena forgets everything at once.
static void memory_free(void *self, void *block)
{
    (void)self;
    (void)block;
}

void *edge_protobufc_unpack(struct edge_call *call, struct edge_arena *arena,
                            const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                            size_t len)
{
    struct memory memory = {.arena = arena};
    ProtobufCAllocator allocator = {memory_alloc, memory_free, &memory};
    void *message = protobuf_c_message_unpack(descriptor, &allocator, len, bytes);
    if (message == NULL && memory.exhausted)
        edge_greeter_too_large(call);
    else if (message == NULL)
        edge_greeter_malformed(call);
    return message;
}
