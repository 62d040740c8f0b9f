#include "result/record_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/histogram.h"

// What is left of the line.
struct scan {
    const char *at, *end;
};

static bool take(struct scan *scan, char c)
{
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_word(struct scan *scan, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, word, len) != 0)
        return false;
    scan->at += len;
    return true;
}

// A string of printable ASCII without escapes; *text points into the line.
static bool take_string(struct scan *scan, const char **text, size_t *len)
{
    if (!take(scan, '"'))
        return false;
    *text = scan->at;
    while (scan->at < scan->end && *scan->at >= 0x20 && *scan->at < 0x7f && *scan->at != '"' &&
           *scan->at != '\\')
        scan->at++;
    *len = (size_t)(scan->at - *text);
    return take(scan, '"');
}

// At most 18 digits: it fits.
static bool take_uint(struct scan *scan, uint64_t *value)
{
    const char *begin = scan->at;
    uint64_t v = 0;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        v = 10 * v + (uint64_t)(*scan->at++ - '0');
    size_t digits = (size_t)(scan->at - begin);
    *value = v;
    return digits > 0 && digits <= 18 && (digits == 1 || *begin != '0');
}

static bool take_bin(struct scan *scan, struct edge_record_bin *bin)
{
    return take(scan, '[') && take_uint(scan, &bin->low_ns) && take(scan, ',') &&
           take_uint(scan, &bin->count) && take(scan, ']');
}

static bool take_bins(struct scan *scan, struct edge_record_hist *hist)
{
    if (!take(scan, '['))
        return false;
    // A bin takes at least six bytes, "[0,1],": so many can follow.
    size_t most = (size_t)(scan->end - scan->at) / 6 + 1;
    hist->bins =
        calloc(most < EDGE_HISTOGRAM_BINS ? most : EDGE_HISTOGRAM_BINS, sizeof(*hist->bins));
    if (hist->bins == NULL)
        return false;
    while (!take(scan, ']')) {
        if (hist->bin_count == EDGE_HISTOGRAM_BINS || hist->bin_count == most ||
            (hist->bin_count > 0 && !take(scan, ',')) ||
            !take_bin(scan, &hist->bins[hist->bin_count]))
            return false;
        hist->bin_count++;
    }
    return true;
}

static bool take_text(struct scan *scan, char *member, size_t size)
{
    const char *text;
    size_t len;
    if (!take_string(scan, &text, &len) || len >= size)
        return false;
    memcpy(member, text, len);
    member[len] = '\0';
    return true;
}

static bool take_truth(struct scan *scan, int *member)
{
    *member = take_word(scan, "true") ? EDGE_YES : EDGE_NO;
    return *member == EDGE_YES || take_word(scan, "false");
}

static bool take_value(struct scan *scan, const struct edge_field *field, void *record)
{
    void *member = (char *)record + field->offset;
    if (take_word(scan, "null"))
        return !field->required; // the member is at its unknown value
    switch (field->type) {
    case EDGE_FIELD_TEXT:
        return take_text(scan, member, field->size);
    case EDGE_FIELD_UINT:
        return take_uint(scan, member);
    case EDGE_FIELD_TRUTH:
        return take_truth(scan, member);
    case EDGE_FIELD_BINS:
        return take_bins(scan, record);
    default:
        return false;
    }
}

// The index of a key, looked for from `hint` on: keys mostly stand in the order of the table.
static size_t find(const struct edge_field *fields, size_t count, size_t hint, const char *key,
                   size_t len)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = hint + i < count ? hint + i : hint + i - count;
        if (strncmp(fields[at].key, key, len) == 0 && fields[at].key[len] == '\0')
            return at;
    }
    return count;
}

static bool take_members(struct scan *scan, const struct edge_field *fields, void *record)
{
    uint64_t seen = 0;
    uint64_t required = 0;
    size_t count = 0;
    for (; fields[count].key != NULL; count++)
        required |= (uint64_t)fields[count].required << count;
    for (size_t hint = 0; take(scan, ',');) {
        const char *key;
        size_t len;
        if (!take_string(scan, &key, &len) || !take(scan, ':'))
            return false;
        size_t at = find(fields, count, hint, key, len);
        if (at == count || (seen >> at & 1) != 0 || !take_value(scan, &fields[at], record))
            return false;
        seen |= UINT64_C(1) << at;
        hint = at + 1 < count ? at + 1 : 0;
    }
    return take(scan, '}') && scan->at == scan->end && (seen & required) == required;
}

static bool take_type(struct scan *scan, const char **name, size_t *len)
{
    return take_word(scan, "{\"type\":") && take_string(scan, name, len);
}

enum edge_record_type edge_record_scan_type(const char *text, size_t len)
{
    struct scan scan = {text, text + len};
    const char *name;
    size_t name_len;
    char copy[32];
    if (!take_type(&scan, &name, &name_len) || name_len >= sizeof(copy))
        return EDGE_RECORD_TYPES;
    memcpy(copy, name, name_len);
    copy[name_len] = '\0';
    return edge_record_find(copy);
}

bool edge_record_scan(enum edge_record_type type, const char *text, size_t len, void *record)
{
    struct scan scan = {text, text + len};
    const char *name;
    size_t name_len;
    edge_record_init(type, record);
    if (take_type(&scan, &name, &name_len) &&
        take_members(&scan, edge_record_describe(type)->fields, record))
        return true;
    if (type == EDGE_RECORD_HIST) {
        struct edge_record_hist *hist = record;
        free(hist->bins);
        hist->bins = NULL;
        hist->bin_count = 0;
    }
    return false;
}
