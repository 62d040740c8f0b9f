// A record as a JSON object and back, by its table of keys.
#ifndef EDGE_RESULT_RECORD_JSON_H
#define EDGE_RESULT_RECORD_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "result/record.h"

// Adds the keys of `record`, a struct of that type, to `object`, but no bins. Text that
// is not UTF-8 or would disturb a terminal is replaced by '?'. 0 or -ENOMEM.
int edge_record_encode(enum edge_record_type type, const void *record, json_t *object);

// Fills `record` from `object`, but no bins; keys that are not known are skipped, absent ones are
// unknown.
// `where` ("FILE:LINE") stands in messages. 0 or EDGE_ERR_FORMAT.
int edge_record_decode(enum edge_record_type type, const json_t *object, void *record,
                       const char *where, struct edge_message *message);

// One number of `object`, for keys outside the tables: a whole number >= 0. Absent or null is
// EDGE_UNMEASURED, refused if `required`. 0 or EDGE_ERR_FORMAT.
int edge_record_decode_uint(const json_t *object, const char *key, bool required, uint64_t *value,
                            const char *where, struct edge_message *message);

// One text of `object`, as above, absent is "". Refused if it does not fit in text[size].
int edge_record_decode_text(const json_t *object, const char *key, bool required, char *text,
                            size_t size, const char *where, struct edge_message *message);

#endif
