#include "grpc/metadata.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "grpc/base64.h"

// A new entry with room for a value of `value_len` bytes, or NULL. The name is copied.
static struct edge_metadata_entry *add(struct edge_metadata *list, struct edge_pool *pool,
                                       const char *name, size_t name_len, size_t value_len)
{
    struct edge_metadata_entry *entry =
        edge_pool_alloc(pool, sizeof(*entry) + name_len + value_len);
    if (entry == NULL)
        return NULL;
    char *at = (char *)(entry + 1);
    memcpy(at, name, name_len);
    *entry = (struct edge_metadata_entry){.name = at,
                                          .value = (const uint8_t *)at + name_len,
                                          .name_len = name_len,
                                          .value_len = value_len};
    struct edge_metadata_entry **end = list->end != NULL ? list->end : &list->first;
    *end = entry;
    list->end = &entry->next;
    list->count++;
    return entry;
}

// Where add() left room.
static uint8_t *room_of(struct edge_metadata_entry *entry)
{
    return (uint8_t *)(entry + 1) + entry->name_len;
}

static bool is_binary(const char *name, size_t len)
{
    return len > 4 && memcmp(name + len - 4, "-bin", 4) == 0;
}

static bool is(const char *name, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(name, text, len) == 0;
}

static bool is_reserved(const char *name, size_t len)
{
    return len == 0 || name[0] == ':' || (len >= 5 && memcmp(name, "grpc-", 5) == 0) ||
           is(name, len, "content-type") || is(name, len, "te");
}

static bool is_printable(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (value[i] < 0x20 || value[i] > 0x7e)
            return false;
    return true;
}

static int take_binary(struct edge_metadata *list, struct edge_pool *pool, const char *name,
                       size_t name_len, const char *value, size_t value_len)
{
    struct edge_metadata_entry *entry =
        add(list, pool, name, name_len, EDGE_BASE64_DECODED(value_len));
    if (entry == NULL)
        return -ENOMEM;
    return edge_base64_decode(value, value_len, room_of(entry), &entry->value_len);
}

int edge_metadata_take(struct edge_metadata *list, struct edge_pool *pool, const char *name,
                       size_t name_len, const char *value, size_t value_len)
{
    if (is_reserved(name, name_len))
        return 0;
    if (!is_binary(name, name_len)) {
        if (!is_printable(value, value_len))
            return 0;
        struct edge_metadata_entry *entry = add(list, pool, name, name_len, value_len);
        if (entry == NULL)
            return -ENOMEM;
        memcpy(room_of(entry), value, value_len);
        return 0;
    }
    // Several values may have been joined by commas, which base64 has not.
    for (;;) {
        const char *comma = value_len > 0 ? memchr(value, ',', value_len) : NULL;
        size_t item = comma != NULL ? (size_t)(comma - value) : value_len;
        int error = take_binary(list, pool, name, name_len, value, item);
        if (error < 0 || comma == NULL)
            return error;
        value = comma + 1;
        value_len -= item + 1;
    }
}

static bool is_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'))
            return false;
    }
    return len > 0;
}

int edge_metadata_put(struct edge_metadata *list, struct edge_pool *pool, const char *name,
                      const void *value, size_t value_len)
{
    size_t name_len = strlen(name);
    bool binary = is_binary(name, name_len);
    if (!is_name(name, name_len) || (!binary && !is_printable(value, value_len)))
        return EDGE_ERR_FORMAT;
    if (list->count >= EDGE_METADATA_SENT_MAX)
        return EDGE_ERR_LIMIT;
    size_t wire_len = binary ? EDGE_BASE64_ENCODED(value_len) : value_len;
    struct edge_metadata_entry *entry = add(list, pool, name, name_len, wire_len);
    if (entry == NULL)
        return -ENOMEM;
    if (binary)
        edge_base64_encode(value, value_len, (char *)room_of(entry));
    else if (value_len > 0)
        memcpy(room_of(entry), value, value_len);
    return 0;
}

const struct edge_metadata_entry *edge_metadata_find(const struct edge_metadata *list,
                                                     const struct edge_metadata_entry *after,
                                                     const char *name)
{
    const struct edge_metadata_entry *entry = after != NULL ? after->next : list->first;
    while (entry != NULL && !is(entry->name, entry->name_len, name))
        entry = entry->next;
    return entry;
}

void edge_metadata_free(struct edge_metadata *list, struct edge_pool *pool)
{
    struct edge_metadata_entry *entry = list->first;
    while (entry != NULL) {
        struct edge_metadata_entry *next = entry->next;
        edge_pool_release(pool, entry);
        entry = next;
    }
    *list = (struct edge_metadata){.first = NULL};
}
