#include "base/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int edge_procfs_read(const char *root, const char *path, char *text, size_t size)
{
    char full[PATH_MAX];
    text[0] = '\0';
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof full)
        return -ENAMETOOLONG;
    int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t have = 0;
    while (have < size - 1) {
        ssize_t got = read(fd, text + have, size - 1 - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int error = -errno;
            close(fd);
            text[0] = '\0';
            return error;
        }
        if (got == 0)
            break;
        have += (size_t)got;
    }
    close(fd);
    text[have] = '\0';
    return (int)have;
}

int edge_procfs_line(const char *root, const char *path, char *text, size_t size)
{
    int length = edge_procfs_read(root, path, text, size);
    if (length < 0)
        return length;
    size_t end = strcspn(text, "\n");
    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    text[end] = '\0';
    size_t start = strspn(text, " \t");
    memmove(text, text + start, end - start + 1);
    return (int)(end - start);
}

int edge_procfs_integer(const char *root, const char *path, int64_t *value)
{
    char text[64], *end;
    int length = edge_procfs_line(root, path, text, sizeof text);
    if (length < 0)
        return length;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno)
        return EDGE_ERR_FORMAT;
    *value = number;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    return strverscmp(a, b);
}

int edge_procfs_names(const char *root, const char *path, const char *prefix,
                      char (*names)[EDGE_PROCFS_NAME], size_t max)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof full)
        return -ENAMETOOLONG;
    DIR *folder = opendir(full);
    if (!folder)
        return -errno;
    size_t count = 0;
    for (struct dirent *entry; count < max && (entry = readdir(folder));) {
        size_t len = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || len >= EDGE_PROCFS_NAME ||
            strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        memcpy(names[count++], entry->d_name, len + 1);
    }
    closedir(folder);
    qsort(names, count, sizeof *names, by_number);
    return (int)count;
}

bool edge_procfs_number(const char *text, const char *key, uint64_t *value)
{
    size_t key_len = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_len) != 0)
            continue;
        const char *digits = line + key_len + strspn(line + key_len, " \t");
        if (!isdigit((unsigned char)*digits))
            return false;
        errno = 0;
        unsigned long long number = strtoull(digits, NULL, 10);
        if (errno)
            return false;
        *value = number;
        return true;
    }
    return false;
}
