#include "report/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int append(struct edge_files *files, const char *path)
{
    if ((files->count & (files->count - 1)) == 0) {
        size_t cap = files->count == 0 ? 1 : 2 * files->count;
        char **larger = reallocarray(files->paths, cap, sizeof(char *));
        if (larger == NULL)
            return -ENOMEM;
        files->paths = larger;
    }
    char *copy = strdup(path);
    if (copy == NULL)
        return -ENOMEM;
    files->paths[files->count++] = copy;
    return 0;
}

static bool is_result(const char *name)
{
    size_t len = strlen(name);
    return len > 6 && strcmp(name + len - 6, ".jsonl") == 0;
}

static int add_folder(struct edge_files *files, const char *path, unsigned levels)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return -errno;
    int rv = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *inner = NULL;
        struct stat info;
        if (rv == 0 && name[0] != '.') {
            if (asprintf(&inner, "%s/%s", path, name) < 0) {
                inner = NULL;
                rv = -ENOMEM;
            } else if (stat(inner, &info) == 0 && S_ISDIR(info.st_mode)) {
                rv = levels > 0 ? add_folder(files, inner, levels - 1) : 0;
            } else if (is_result(name)) {
                rv = append(files, inner);
            }
        }
        free(inner);
        free(entries[i]);
    }
    free(entries);
    return rv;
}

int edge_files_add(struct edge_files *files, const char *path, struct edge_message *message)
{
    struct stat info;
    size_t before = files->count;
    int rv = stat(path, &info) != 0 ? -errno : 0;
    if (rv == 0)
        rv = S_ISDIR(info.st_mode) ? add_folder(files, path, 1) : append(files, path);
    if (rv != 0)
        return edge_fail(message, rv, "cannot read %s: %s", path, edge_error_text(rv));
    if (files->count == before)
        return edge_fail(message, EDGE_ERR_NOT_FOUND,
                         "%s: expected result files (*.jsonl) in this folder or one below it, "
                         "found none: bench-edge run writes them",
                         path);
    return 0;
}

void edge_files_free(struct edge_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct edge_files){0};
}
