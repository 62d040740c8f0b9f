#include "agent/tree.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

int tree_set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/bench-edge-tree-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

int tree_tear_down(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tree_root(void)
{
    return root;
}

void tree_write(const char *path, const char *text)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}
