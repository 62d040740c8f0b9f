// What this binary is: written into every record and quotable line.
#ifndef EDGE_BASE_BUILD_INFO_H
#define EDGE_BASE_BUILD_INFO_H

struct edge_build_info {
    const char *version;  // "0.1.0"
    const char *git;      // "a1b2c3d", "a1b2c3d-dirty", or "unknown"
    const char *compiler; // "GNU 12.2.0"
    const char *flags;    // as given to the compiler
    const char *build;    // "Release"
    const char *target;   // "x86_64-linux-gnu"
};

// Static storage.
const struct edge_build_info *edge_build_info(void);

#endif
