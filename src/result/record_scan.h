// Reads a record without building a JSON tree: the lines that result files consist of by far. What
// is not in the plain form that the writer gives is left to the JSON parser, which also has the
// words for what is wrong.
#ifndef EDGE_RESULT_RECORD_SCAN_H
#define EDGE_RESULT_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "result/record.h"

// The type of a line that begins with {"type":"NAME"; EDGE_RECORD_TYPES if it does not, or if the
// name is not known.
enum edge_record_type edge_record_scan_type(const char *text, size_t len);

// Fills `record`, a struct of that type, from a line of `len` bytes, without its newline. Takes
// only known keys, each once, the required ones among them; whole numbers, true, false, null, and
// text of printable ASCII without escapes; of arrays only bins; no spaces between. true: the record
// is what edge_record_decode() and the parsing of bins would have given; the caller frees the bins
// of a hist record, and checks them. false: nothing is said, and nothing kept.
bool edge_record_scan(enum edge_record_type type, const char *text, size_t len, void *record);

#endif
