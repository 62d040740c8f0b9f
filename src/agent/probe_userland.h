// What the programs of a board's system are: their bits and their C library. A 64-bit kernel may
// carry a 32-bit userland, and uname(2) does not tell.
#ifndef EDGE_AGENT_PROBE_USERLAND_H
#define EDGE_AGENT_PROBE_USERLAND_H

#include <stddef.h>

// 32 or 64, as the ELF header of /bin/sh says; 0 if there is none.
unsigned edge_probe_userland_bits(const char *root);

// "glibc 2.36", "musl"; "" if there is none where systems keep it. Returns text.
const char *edge_probe_userland_libc(const char *root, char *text, size_t size);

#endif
