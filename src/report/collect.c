#include "report/collect.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/files.h"
#include "result/reader.h"

void edge_collect_tell(const char *text, FILE *err)
{
    char line[1200];
    snprintf(line, sizeof(line), "%s", text);
    fprintf(err, "%s\n", edge_text_clean(line));
}

static int grow(struct edge_collection *collection)
{
    size_t count = collection->count;
    if ((count & (count - 1)) != 0)
        return 0;
    size_t cap = count == 0 ? 1 : 2 * count;
    struct edge_row *larger = reallocarray(collection->rows, cap, sizeof(*larger));
    if (larger == NULL)
        return -ENOMEM;
    collection->rows = larger;
    return 0;
}

static int read_one(struct edge_collection *collection, const char *path, FILE *err)
{
    struct edge_message message;
    struct edge_result result;
    if (edge_result_read(path, &result, &message) != 0) {
        edge_collect_tell(message.text, err);
        collection->failures++;
        return 0;
    }
    int rv = grow(collection);
    if (rv == 0)
        rv = edge_row_init(&collection->rows[collection->count++], &result);
    edge_result_free(&result);
    return rv;
}

static int by_digest(const void *a, const void *b, void *rows)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    uint64_t left = ((const struct edge_row *)rows)[x].digest;
    uint64_t right = ((const struct edge_row *)rows)[y].digest;
    if (left != right)
        return left < right ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void tell_copy(const struct edge_row *copy, const struct edge_row *first, FILE *err)
{
    char line[1200];
    snprintf(line, sizeof(line), "%s: the same bytes as %s: shown once", copy->path, first->path);
    edge_collect_tell(line, err);
}

// A file that is named twice, or was copied, is one result.
static int drop_copies(struct edge_collection *collection, FILE *err)
{
    struct edge_row *rows = collection->rows;
    size_t *order = calloc(collection->count + 1, sizeof(*order));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < collection->count; i++)
        order[i] = i;
    qsort_r(order, collection->count, sizeof(*order), by_digest, rows);
    for (size_t i = 1, first = 0; i < collection->count; i++) {
        struct edge_row *row = &rows[order[i]];
        if (row->digest != rows[order[first]].digest) {
            first = i;
            continue;
        }
        tell_copy(row, &rows[order[first]], err);
        edge_row_free(row); // its path is then NULL
    }
    size_t kept = 0;
    for (size_t i = 0; i < collection->count; i++)
        if (rows[i].path != NULL)
            rows[kept++] = rows[i];
    collection->count = kept;
    free(order);
    return 0;
}

int edge_collect(struct edge_collection *collection, const char *const *paths, size_t count,
                 FILE *err)
{
    struct edge_files files = {0};
    *collection = (struct edge_collection){0};
    for (size_t i = 0; i < count; i++) {
        struct edge_message message;
        if (edge_files_add(&files, paths[i], &message) != 0) {
            edge_collect_tell(message.text, err);
            collection->failures++;
        }
    }
    int rv = 0;
    for (size_t i = 0; rv == 0 && i < files.count; i++)
        rv = read_one(collection, files.paths[i], err);
    edge_files_free(&files);
    if (rv == 0)
        rv = drop_copies(collection, err);
    if (rv != 0)
        fputs("out of memory\n", err);
    return rv;
}

void edge_collection_free(struct edge_collection *collection)
{
    for (size_t i = 0; i < collection->count; i++)
        edge_row_free(&collection->rows[i]);
    free(collection->rows);
    *collection = (struct edge_collection){0};
}
