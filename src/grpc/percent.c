#include "grpc/percent.h"

#include <stdbool.h>

static bool plain(unsigned char c)
{
    return c >= 0x20 && c <= 0x7e && c != '%';
}

static bool continues_character(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t edge_percent_encode(const char *text, size_t len, char *out, size_t cap)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t at = 0;
    size_t whole = 0; // output length at the last character boundary
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (!continues_character(c))
            whole = at;
        size_t need = plain(c) ? 1 : 3;
        if (cap - at < need)
            return whole;
        if (plain(c)) {
            out[at++] = (char)c;
            continue;
        }
        out[at++] = '%';
        out[at++] = hex[c >> 4];
        out[at++] = hex[c & 15];
    }
    return at;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

size_t edge_percent_decode(const char *text, size_t len, char *out, size_t cap)
{
    size_t at = 0;
    for (size_t i = 0; i < len && at < cap; i++) {
        if (text[i] == '%' && len - i > 2) {
            int high = hex_value(text[i + 1]);
            int low = hex_value(text[i + 2]);
            if (high >= 0 && low >= 0) {
                out[at++] = (char)(high << 4 | low);
                i += 2;
                continue;
            }
        }
        out[at++] = text[i];
    }
    return at;
}
