// What a server says about its build in answer to --version.
#ifndef EDGE_RUN_VERSION_LINE_H
#define EDGE_RUN_VERSION_LINE_H

#include "result/record.h"

// Fills the build record from one line of words and key=value pairs (key="a value" if it has
// blanks): the pairs git, compiler, flags, build, target, codec and tls fill those members; the
// version is all else, without the server's own name in front.
void edge_version_line_parse(const char *line, const char *name, struct edge_record_build *build);

#endif
