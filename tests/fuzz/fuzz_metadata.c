// Custom metadata of a request, and base64, both ways. What is taken must be what is sent again.
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grpc/base64.h"
#include "grpc/metadata.h"

static void check(int condition)
{
    if (!condition)
        abort();
}

static void check_base64(const char *text, size_t len)
{
    // Exactly as large as it says: a byte too many is seen.
    uint8_t *bytes = malloc(EDGE_BASE64_DECODED(len));
    char *again = malloc(EDGE_BASE64_ENCODED(EDGE_BASE64_DECODED(len)) + 1);
    uint8_t *bytes_again = malloc(EDGE_BASE64_DECODED(len + 2));
    check(bytes != NULL && again != NULL && bytes_again != NULL);
    size_t bytes_len, only_checked, len_again;
    int error = edge_base64_decode(text, len, bytes, &bytes_len);
    check(error == edge_base64_decode(text, len, NULL, &only_checked));
    if (error == 0) {
        check(bytes_len <= EDGE_BASE64_DECODED(len) && bytes_len == only_checked);
        size_t again_len = edge_base64_encode(bytes, bytes_len, again);
        check(again_len == EDGE_BASE64_ENCODED(bytes_len));
        check(edge_base64_decode(again, again_len, bytes_again, &len_again) == 0);
        check(len_again == bytes_len && memcmp(bytes, bytes_again, bytes_len) == 0);
    } else {
        check(error == EDGE_ERR_FORMAT);
    }
    free(bytes);
    free(again);
    free(bytes_again);
}

// A list of values is valid if it can be taken.
static void check_list(const char *text, size_t len, struct edge_pool *pool)
{
    struct edge_metadata list = {.first = NULL};
    int error = edge_metadata_take(&list, pool, "x-bin", 5, text, len);
    check((error == 0) == edge_base64_list_valid(text, len));
    edge_metadata_free(&list, pool);
}

// Sends each entry that a request brought.
static void check_sent(const struct edge_metadata *taken, struct edge_pool *pool)
{
    struct edge_metadata sent = {.first = NULL};
    for (struct edge_metadata_entry *at = taken->first; at != NULL; at = at->next) {
        char *name = malloc(at->name_len + 1);
        check(name != NULL);
        memcpy(name, at->name, at->name_len);
        name[at->name_len] = '\0';
        int error = edge_metadata_put(&sent, pool, name, at->value, at->value_len);
        check(error == 0 || error == EDGE_ERR_FORMAT || error == EDGE_ERR_LIMIT);
        check(sent.count <= EDGE_METADATA_SENT_MAX);
        check(edge_metadata_find(taken, NULL, name) != NULL);
        free(name);
    }
    edge_metadata_free(&sent, pool);
}

// Lines of "name: value".
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct edge_pool pool = {0};
    struct edge_metadata taken = {.first = NULL};
    const char *at = (const char *)bytes;
    const char *end = at + len;
    check_base64(at, len);
    check_list(at, len, &pool);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        const char *colon = memchr(at, ':', (size_t)(stop - at));
        // Other names do not get so far: grpc/h2_rules.h.
        if (colon != NULL &&
            nghttp2_check_header_name((const uint8_t *)at, (size_t)(colon - at)) != 0) {
            int error = edge_metadata_take(&taken, &pool, at, (size_t)(colon - at), colon + 1,
                                           (size_t)(stop - colon - 1));
            check(error == 0 || error == EDGE_ERR_FORMAT);
        }
        at = stop + 1;
    }
    check_sent(&taken, &pool);
    edge_metadata_free(&taken, &pool);
    edge_pool_free(&pool);
    return 0;
}
