// What keeps two results from being compared: a set of facts, each allowed by name.
#ifndef EDGE_REPORT_IDENTITY_H
#define EDGE_REPORT_IDENTITY_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/option.h"
#include "report/row.h"

// A set: bit `fact` for each fact, and one for results that are not valid.
typedef uint64_t edge_identity;
#define EDGE_IDENTITY_INVALID (UINT64_C(1) << EDGE_FACTS)

// What differs and must not. The board or the server may differ, both only if it is allowed (the
// set then has "server"); with `same_subject` neither may. A power scope that one of them does not
// have is no difference.
edge_identity edge_identity_differences(const struct edge_row *a, const struct edge_row *b,
                                        bool same_subject);

// The facts that differ and may, for information.
edge_identity edge_identity_background(const struct edge_row *a, const struct edge_row *b);

// Parses --allow, given once or more, each a name or a list with commas. 0 or EDGE_ERR_USAGE.
int edge_identity_parse(const struct edge_option_list *list, edge_identity *allowed,
                        struct edge_message *message);

// Prints the names of the set, with both values if rows are given: "codec (nanopb; protobuf-c)".
void edge_identity_print(edge_identity set, const struct edge_row *a, const struct edge_row *b,
                         FILE *out);

#endif
