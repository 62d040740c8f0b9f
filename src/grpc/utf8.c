#include "grpc/utf8.h"

#include <stdint.h>
#include <string.h>

// The length of the character at `p`, not an ASCII one, or 0 if it is malformed. `left` >= 1.
static size_t character(const uint8_t *p, size_t left)
{
    uint8_t lead = p[0];
    size_t len;
    uint8_t low = 0x80; // range of the second byte
    uint8_t high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
        len = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        len = 3;
        if (lead == 0xe0)
            low = 0xa0; // overlong
        if (lead == 0xed)
            high = 0x9f; // surrogates
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        len = 4;
        if (lead == 0xf0)
            low = 0x90; // overlong
        if (lead == 0xf4)
            high = 0x8f; // above U+10FFFF
    } else {
        return 0;
    }
    if (left < len || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

// Whether fewer than eight bytes are ASCII.
static bool short_ascii(const uint8_t *p, size_t len)
{
    uint32_t bits = 0;
    if (len >= 4) {
        uint32_t last;
        memcpy(&bits, p, sizeof(bits));
        memcpy(&last, p + len - sizeof(last), sizeof(last));
        return ((bits | last) & 0x80808080u) == 0;
    }
    for (size_t i = 0; i < len; i++)
        bits |= p[i];
    return bits < 0x80;
}

bool edge_utf8_valid(const void *text, size_t len)
{
    const uint8_t *p = text;
    while (len > 0) {
        uint64_t word;
        if (len >= sizeof(word)) {
            memcpy(&word, p, sizeof(word));
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                p += sizeof(word);
                len -= sizeof(word);
                continue;
            }
        } else if (short_ascii(p, len)) {
            return true;
        }
        size_t step = *p < 0x80 ? 1 : character(p, len);
        if (step == 0)
            return false;
        p += step;
        len -= step;
    }
    return true;
}
