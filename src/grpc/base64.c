#include "grpc/base64.h"

#include <string.h>

#include "base/error.h"

static const char alphabet[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits of a character, or -1.
static int bits_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// The length without padding, or -1 if there is padding that does not fill a group of four.
static ptrdiff_t without_padding(const char *text, size_t len)
{
    size_t bare = len;
    while (bare > 0 && len - bare < 2 && text[bare - 1] == '=')
        bare--;
    return bare < len && len % 4 != 0 ? -1 : (ptrdiff_t)bare;
}

int edge_base64_decode(const char *text, size_t len, uint8_t *out, size_t *out_len)
{
    ptrdiff_t bare = without_padding(text, len);
    if (bare < 0 || bare % 4 == 1)
        return EDGE_ERR_FORMAT;
    size_t count = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (ptrdiff_t i = 0; i < bare; i++) {
        int six = bits_of(text[i]);
        if (six < 0)
            return EDGE_ERR_FORMAT;
        bits = bits << 6 | (uint32_t)six;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        if (out != NULL)
            out[count] = (uint8_t)(bits >> held);
        count++;
    }
    *out_len = count;
    return 0;
}

size_t edge_base64_encode(const uint8_t *bytes, size_t len, char *out)
{
    size_t count = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (held += 8; held >= 6;) {
            held -= 6;
            out[count++] = alphabet[bits >> held & 63];
        }
    }
    if (held > 0)
        out[count++] = alphabet[bits << (6 - held) & 63];
    return count;
}

bool edge_base64_list_valid(const char *text, size_t len)
{
    for (;;) {
        const char *comma = len > 0 ? memchr(text, ',', len) : NULL;
        size_t item = comma != NULL ? (size_t)(comma - text) : len;
        size_t ignored;
        if (edge_base64_decode(text, item, NULL, &ignored) < 0)
            return false;
        if (comma == NULL)
            return true;
        text = comma + 1;
        len -= item + 1;
    }
}
