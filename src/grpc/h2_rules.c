#include "grpc/h2_rules.h"

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

enum {
    METHOD = 1 << 0,
    SCHEME = 1 << 1,
    PATH = 1 << 2,
    AUTHORITY = 1 << 3,
    HOST = 1 << 4,
    LENGTH = 1 << 5,
    REGULAR = 1 << 6, // no pseudo-header field may follow
    CONNECT = 1 << 7,
    OPTIONS = 1 << 8,
    HTTP = 1 << 9,    // the scheme is http or https
    ROOTED = 1 << 10, // the path begins with a slash
    STAR = 1 << 11,   // the path is "*"
};

static int is_scheme(const uint8_t *value, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool letter = (value[i] | 0x20) >= 'a' && (value[i] | 0x20) <= 'z';
        bool other = (value[i] >= '0' && value[i] <= '9') || value[i] == '+' || value[i] == '-' ||
                     value[i] == '.';
        if (!letter && (i == 0 || !other))
            return false;
    }
    return true;
}

static bool to_number(const uint8_t *value, size_t len, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < len; i++)
        if (value[i] < '0' || value[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, value[i] - '0', number) || *number > INT64_MAX)
            return false;
    return len > 0;
}

static int is_number(const uint8_t *value, size_t len)
{
    uint64_t number;
    return to_number(value, len, &number);
}

static int is_trailers(const uint8_t *value, size_t len)
{
    return len == 8 && strncasecmp((const char *)value, "trailers", 8) == 0;
}

static int never(const uint8_t *value, size_t len)
{
    (void)value;
    (void)len;
    return false;
}

static const struct row {
    const char *name;
    uint16_t once; // the bit of a field that comes at most once and is not empty
    int (*valid)(const uint8_t *value, size_t len);
} rows[] = {
    {":method", METHOD, nghttp2_check_method},
    {":scheme", SCHEME, is_scheme},
    {":path", PATH, nghttp2_check_path},
    {":authority", AUTHORITY, nghttp2_check_authority},
    {"host", HOST, nghttp2_check_authority},
    {"content-length", LENGTH, is_number},
    {"te", 0, is_trailers},
    // Connection-specific (8.2.2).
    {"connection", 0, never},
    {"keep-alive", 0, never},
    {"proxy-connection", 0, never},
    {"transfer-encoding", 0, never},
    {"upgrade", 0, never},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *find(const uint8_t *name, size_t len)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return &rows[i];
    return NULL;
}

static bool is(const uint8_t *value, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(value, text, len) == 0;
}

// What later rules ask of this value.
static int note(struct edge_h2_rules *rules, uint16_t once, const uint8_t *value, size_t len)
{
    switch (once) {
    case METHOD:
        return is(value, len, "CONNECT") ? CONNECT : is(value, len, "OPTIONS") ? OPTIONS : 0;
    case SCHEME:
        return (len == 4 || len == 5) && strncasecmp((const char *)value, "https", len) == 0 ? HTTP
                                                                                             : 0;
    case PATH:
        return value[0] == '/' ? ROOTED : is(value, len, "*") ? STAR : 0;
    case LENGTH:
        to_number(value, len, &rules->content_length);
        return 0;
    default:
        return 0;
    }
}

int edge_h2_rules_field(struct edge_h2_rules *rules, const uint8_t *name, size_t name_len,
                        const uint8_t *value, size_t value_len)
{
    // That a name is lower case is among what this checks.
    if (!nghttp2_check_header_name(name, name_len))
        return EDGE_ERR_PROTOCOL;
    const struct row *row = find(name, name_len);
    bool pseudo = name[0] == ':';
    if (pseudo && (row == NULL || (rules->seen & REGULAR) != 0))
        return EDGE_ERR_PROTOCOL;
    if (!pseudo)
        rules->seen |= REGULAR;
    if (row == NULL)
        return nghttp2_check_header_value_rfc9113(value, value_len) ? 0 : EDGE_ERR_PROTOCOL;
    if (row->once != 0 && (value_len == 0 || (rules->seen & row->once) != 0))
        return EDGE_ERR_PROTOCOL;
    if (!row->valid(value, value_len))
        return EDGE_ERR_PROTOCOL;
    rules->seen |= (uint16_t)(row->once | note(rules, row->once, value, value_len));
    return 0;
}

int edge_h2_rules_request(struct edge_h2_rules *rules)
{
    unsigned seen = rules->seen;
    rules->seen |= REGULAR;
    if ((seen & CONNECT) != 0) { // 8.5
        rules->seen &= (uint16_t)~LENGTH;
        return (seen & (SCHEME | PATH | AUTHORITY)) == AUTHORITY ? 0 : EDGE_ERR_PROTOCOL;
    }
    const unsigned needed = METHOD | SCHEME | PATH;
    if ((seen & needed) != needed || (seen & (AUTHORITY | HOST)) == 0)
        return EDGE_ERR_PROTOCOL;
    bool path_fits =
        (seen & (HTTP | ROOTED)) != HTTP || (seen & (OPTIONS | STAR)) == (OPTIONS | STAR);
    return path_fits ? 0 : EDGE_ERR_PROTOCOL;
}

int edge_h2_rules_data(struct edge_h2_rules *rules, size_t len)
{
    rules->received += len;
    return (rules->seen & LENGTH) != 0 && rules->received > rules->content_length
               ? EDGE_ERR_PROTOCOL
               : 0;
}

int edge_h2_rules_end(const struct edge_h2_rules *rules)
{
    return (rules->seen & LENGTH) != 0 && rules->received != rules->content_length
               ? EDGE_ERR_PROTOCOL
               : 0;
}
