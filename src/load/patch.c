#include "load/patch.h"

#include <string.h>

#define FIELD_MAX 64u // the longest field: a UUID has 36 bytes

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t edge_patch_random(uint64_t seed, uint64_t number, uint64_t salt)
{
    static const uint64_t weyl = UINT64_C(0x9e3779b97f4a7c15);
    return mix(mix(mix(seed + weyl) + number * weyl) + (salt + 1) * weyl);
}

size_t edge_patch_varint_len(uint64_t count)
{
    size_t len = 1;
    for (uint64_t highest = count - 1; highest > 0x7f; highest >>= 7)
        len++;
    return len;
}

size_t edge_patch_digits(uint64_t count)
{
    size_t digits = 1;
    for (uint64_t highest = count - 1; highest > 9; highest /= 10)
        digits++;
    return digits;
}

uint64_t edge_patch_value(const struct edge_patch *patch, const struct edge_patch_values *values)
{
    switch (patch->source) {
    case EDGE_PATCH_COUNTER:
        return values->number % patch->count;
    case EDGE_PATCH_RANDOM:
        return edge_patch_random(values->seed, values->number, patch->salt) % patch->count;
    case EDGE_PATCH_TIMESTAMP:
        return values->wall_ns / patch->unit_ns;
    default:
        return 0;
    }
}

static void write_uuid(const struct edge_patch *patch, const struct edge_patch_values *values,
                       uint8_t *out)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t halves[2];
    for (unsigned i = 0; i < 2; i++)
        halves[i] = edge_patch_random(values->seed, values->number, 2 * (uint64_t)patch->salt + i);
    halves[0] = (halves[0] & ~UINT64_C(0xf000)) | UINT64_C(0x4000);                // version
    halves[1] = (halves[1] & ~(UINT64_C(3) << 62)) | UINT64_C(0x8000000000000000); // variant
    for (unsigned digit = 0; digit < 32; digit++) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20)
            *out++ = '-';
        *out++ = (uint8_t)hex[halves[digit / 16] >> (60 - 4 * (digit % 16)) & 15];
    }
}

static void write_little(uint64_t value, size_t len, uint8_t *out)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static void write_float(uint64_t value, size_t len, uint8_t *out)
{
    uint64_t bits = 0;
    if (len == 4) {
        float number = (float)value;
        uint32_t narrow;
        memcpy(&narrow, &number, sizeof(narrow));
        bits = narrow;
    } else {
        double number = (double)value;
        memcpy(&bits, &number, sizeof(bits));
    }
    write_little(bits, len, out);
}

static void write_varint(uint64_t value, size_t len, uint8_t *out)
{
    for (size_t i = 0; i < len; i++, value >>= 7)
        out[i] = (uint8_t)((value & 0x7f) | (i + 1 < len ? 0x80u : 0u));
}

void edge_patch_write(const struct edge_patch *patch, const struct edge_patch_values *values,
                      uint8_t *out)
{
    uint64_t value = edge_patch_value(patch, values);
    switch (patch->form) {
    case EDGE_PATCH_TEXT:
        if (patch->source == EDGE_PATCH_UUID) {
            write_uuid(patch, values, out);
            return;
        }
        for (size_t i = patch->len; i-- > 0; value /= 10)
            out[i] = (uint8_t)('0' + value % 10);
        return;
    case EDGE_PATCH_VARINT:
        write_varint(value, patch->len, out);
        return;
    case EDGE_PATCH_ZIGZAG:
        write_varint(value << 1, patch->len, out);
        return;
    case EDGE_PATCH_FIXED:
        write_little(value, patch->len, out);
        return;
    case EDGE_PATCH_FLOAT:
        write_float(value, patch->len, out);
        return;
    }
}

void edge_patch_apply(const struct edge_patch *patches, size_t count,
                      const struct edge_patch_values *values, size_t from, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < count; i++) {
        const struct edge_patch *patch = &patches[i];
        size_t start = patch->at > from ? patch->at : from;
        size_t end = patch->at + patch->len;
        if (end > from + len)
            end = from + len;
        if (start >= end)
            continue;
        if (start == patch->at && end == patch->at + patch->len) {
            edge_patch_write(patch, values, out + (start - from));
            continue;
        }
        uint8_t whole[FIELD_MAX]; // only a part lies in these bytes
        edge_patch_write(patch, values, whole);
        memcpy(out + (start - from), whole + (start - patch->at), end - start);
    }
}
