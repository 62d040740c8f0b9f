// Numbers with units, as people write and read them.
#ifndef EDGE_BASE_UNITS_H
#define EDGE_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

// Each parser takes the whole of `text` (no spaces, no sign) and writes *value.
// Returns 0, EDGE_ERR_FORMAT (not such a number, or a unit that is not known), or EDGE_ERR_LIMIT
// (it does not fit in 64 bits).

// "250", "10k" (1000s), "2M", "1G".
int edge_parse_count(const char *text, uint64_t *value);
// "4096", "64k", "512m", "1g"; powers of 1024, upper or lower case, "KiB"/"MiB"/"GiB" too. Bytes.
int edge_parse_bytes(const char *text, uint64_t *value);
// "20s", "1.5s", "100ms", "50us", "10ns", "2m", "1h"; plain "0" too. Nanoseconds.
int edge_parse_duration(const char *text, uint64_t *value);

// Each formatter writes into text[size] (24 is enough for any value) and returns text.

// The shortest form the parser reads back to the same value: "20s", "1500ms", "512m".
const char *edge_format_duration(uint64_t ns, char *text, size_t size);
const char *edge_format_bytes(uint64_t bytes, char *text, size_t size);
// For tables, three or four significant digits: "812 ns", "31.30 ms", "1.204 s".
const char *edge_format_latency(double ns, char *text, size_t size);

#endif
