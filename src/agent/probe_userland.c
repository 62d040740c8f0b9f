#include "agent/probe_userland.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens a file below `root`. A link of a recorded tree may lead out of it, to this machine's files:
// those are not the board's.
static int open_inside(const char *root, const char *path)
{
    char real[PATH_MAX], base[PATH_MAX];
    if (!realpath(path, real))
        return -1;
    if (root[0] && (!realpath(root, base) || strncmp(real, base, strlen(base)) != 0))
        return -1;
    return open(real, O_RDONLY | O_CLOEXEC);
}

unsigned edge_probe_userland_bits(const char *root)
{
    char path[PATH_MAX];
    unsigned char head[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "%s/bin/sh", root);
    int fd = open_inside(root, path);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (got != (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
        return 0;
    return head[EI_CLASS] == ELFCLASS64 ? 64 : head[EI_CLASS] == ELFCLASS32 ? 32 : 0;
}

// The library says so itself: "GNU C Library (Debian GLIBC 2.36-9+deb12u9) stable release version
// 2.36."
static bool glibc_version(const char *bytes, size_t size, char *text, size_t text_size)
{
    static const char before[] = "release version ";
    const char *name = memmem(bytes, size, "GNU C Library", 13);
    if (!name)
        return false;
    size_t left = size - (size_t)(name - bytes);
    const char *at = memmem(name, left < 256 ? left : 256, before, sizeof before - 1);
    if (!at)
        return false;
    at += sizeof before - 1;
    size_t len = 0;
    while (at + len < bytes + size && strchr("0123456789.", at[len]) && at[len])
        len++;
    while (len > 0 && at[len - 1] == '.')
        len--;
    snprintf(text, text_size, "glibc %.*s", (int)len, at);
    return len > 0;
}

static bool read_glibc(const char *root, const char *path, char *text, size_t size)
{
    struct stat status;
    int fd = open_inside(root, path);
    if (fd < 0)
        return false;
    bool found = false;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        size_t length = (size_t)status.st_size;
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            found = glibc_version(bytes, length, text, size);
            munmap(bytes, length);
        }
    }
    close(fd);
    return found;
}

const char *edge_probe_userland_libc(const char *root, char *text, size_t size)
{
    static const char *const places[] = {
        "/lib/*-linux-gnu*/libc.so.6",
        "/usr/lib/*-linux-gnu*/libc.so.6",
        "/lib64/libc.so.6",
        "/lib/libc.so.6",
        "/usr/lib/libc.so.6",
        "/lib/ld-musl-*.so.1",
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !text[0]; i++) {
        char pattern[PATH_MAX];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s", root, places[i]);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        bool musl = strstr(places[i], "musl") != NULL;
        for (size_t j = 0; j < found.gl_pathc && !text[0]; j++) {
            if (musl)
                snprintf(text, size, "musl");
            else if (!read_glibc(root, found.gl_pathv[j], text, size))
                text[0] = '\0';
        }
        globfree(&found);
    }
    return text;
}
