#include "load/placeholder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define TEXT_COUNT UINT64_C(10000000000)
#define ARGUMENTS  2

struct words {
    char name[24];
    char arguments[ARGUMENTS][24];
    unsigned count;
};

// "{{name a b}}" at the start of text[len]. Returns its length, or 0: it is something else.
static size_t split(const char *text, size_t len, struct words *words)
{
    const char *end = memmem(text, len, "}}", 2);
    char inner[96];
    if (end == NULL || (size_t)(end - text) >= sizeof(inner))
        return 0;
    size_t inner_len = (size_t)(end - text) - 2;
    memcpy(inner, text + 2, inner_len);
    inner[inner_len] = '\0';
    char rest[8] = "";
    int got = sscanf(inner, " %23s %23s %23s %7s", words->name, words->arguments[0],
                     words->arguments[1], rest);
    if (got < 1 || got > 1 + ARGUMENTS)
        return 0;
    words->count = (unsigned)got - 1;
    return (size_t)(end - text) + 2;
}

static bool read_number(const char *text, uint64_t max, uint64_t *value)
{
    *value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || *value > max / 10)
            return false;
        *value = *value * 10 + (uint64_t)(*text - '0');
    }
    return *value <= max;
}

static const char *read_text(const struct words *words, struct edge_placeholder *placeholder)
{
    static const char expected[] = "{{randomString N}} or {{randomString MIN MAX}}, up to 65536";
    placeholder->is_text = true;
    if (words->count == 0 ||
        !read_number(words->arguments[0], EDGE_PLACEHOLDER_TEXT_MAX, &placeholder->min))
        return expected;
    placeholder->max = placeholder->min;
    if (words->count == 2 &&
        (!read_number(words->arguments[1], EDGE_PLACEHOLDER_TEXT_MAX, &placeholder->max) ||
         placeholder->max < placeholder->min))
        return expected;
    return NULL;
}

static const char *read_timestamp(const struct words *words, struct edge_placeholder *placeholder)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", EDGE_NS_PER_S}, {"ms", EDGE_NS_PER_MS}, {"us", EDGE_NS_PER_US}, {"ns", 1}};
    placeholder->source = EDGE_PATCH_TIMESTAMP;
    placeholder->unit_ns = 1;
    if (words->count == 0)
        return NULL;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && words->count == 1; i++) {
        if (strcmp(units[i].name, words->arguments[0]) == 0) {
            placeholder->unit_ns = units[i].ns;
            return NULL;
        }
    }
    return "{{timestamp}}, or with s, ms, us or ns";
}

static const char *read_words(const struct words *words, struct edge_placeholder *placeholder)
{
    *placeholder = (struct edge_placeholder){0};
    if (strcmp(words->name, "randomString") == 0)
        return read_text(words, placeholder);
    if (strcmp(words->name, "timestamp") == 0)
        return read_timestamp(words, placeholder);
    if (strcmp(words->name, "uuid") == 0) {
        placeholder->source = EDGE_PATCH_UUID;
        return words->count == 0 ? NULL : "{{uuid}}";
    }
    bool counter = strcmp(words->name, "counter") == 0;
    if (!counter && strcmp(words->name, "random") != 0)
        return "one of {{counter}}, {{random}}, {{timestamp}}, {{uuid}} and {{randomString N}}";
    placeholder->source = counter ? EDGE_PATCH_COUNTER : EDGE_PATCH_RANDOM;
    if (words->count == 0)
        return NULL;
    if (words->count > 1 ||
        !read_number(words->arguments[0], EDGE_PATCH_COUNT_MAX, &placeholder->count) ||
        placeholder->count == 0)
        return "a count from 1 to 2^63 behind counter or random";
    return NULL;
}

int edge_placeholder_find(const char *text, size_t len, size_t *at, size_t *size,
                          struct edge_placeholder *placeholder, const char **why)
{
    const char *start = memmem(text, len, "{{", 2);
    if (start == NULL)
        return 0;
    struct words words;
    *at = (size_t)(start - text);
    *size = split(start, len - *at, &words);
    *why = *size == 0 ? "}} after {{ and at most two arguments" : read_words(&words, placeholder);
    return *why == NULL ? 1 : EDGE_ERR_FORMAT;
}

// The highest value, plus one, that a field of this kind takes; 0: no number.
static uint64_t count_of(enum edge_type_kind kind)
{
    switch (kind) {
    case EDGE_TYPE_INT32:
    case EDGE_TYPE_SINT32:
    case EDGE_TYPE_SFIXED32:
        return UINT64_C(1) << 31;
    case EDGE_TYPE_UINT32:
    case EDGE_TYPE_FIXED32:
        return UINT64_C(1) << 32;
    case EDGE_TYPE_SINT64: // twice the value must fit
        return EDGE_PATCH_COUNT_MAX / 2;
    case EDGE_TYPE_INT64:
    case EDGE_TYPE_SFIXED64:
    case EDGE_TYPE_UINT64:
    case EDGE_TYPE_FIXED64:
        return EDGE_PATCH_COUNT_MAX;
    case EDGE_TYPE_FLOAT: // whole numbers from here on are not exact
        return UINT64_C(1) << 24;
    case EDGE_TYPE_DOUBLE:
        return UINT64_C(1) << 53;
    default:
        return 0;
    }
}

static void give_width(enum edge_type_kind kind, struct edge_patch *patch)
{
    switch (kind) {
    case EDGE_TYPE_FLOAT:
    case EDGE_TYPE_DOUBLE:
        patch->form = EDGE_PATCH_FLOAT;
        patch->len = kind == EDGE_TYPE_FLOAT ? 4 : 8;
        return;
    case EDGE_TYPE_FIXED32:
    case EDGE_TYPE_SFIXED32:
    case EDGE_TYPE_FIXED64:
    case EDGE_TYPE_SFIXED64:
        patch->form = EDGE_PATCH_FIXED;
        patch->len = kind == EDGE_TYPE_FIXED32 || kind == EDGE_TYPE_SFIXED32 ? 4 : 8;
        return;
    case EDGE_TYPE_SINT32:
    case EDGE_TYPE_SINT64:
        patch->form = EDGE_PATCH_ZIGZAG;
        patch->len =
            patch->count > EDGE_PATCH_COUNT_MAX / 2 ? 10 : edge_patch_varint_len(2 * patch->count);
        return;
    default:
        patch->form = EDGE_PATCH_VARINT;
        patch->len = edge_patch_varint_len(patch->count);
        return;
    }
}

// What a timestamp in text stays below: ten digits of seconds last until 2286.
static uint64_t timestamp_count(uint64_t unit_ns)
{
    return TEXT_COUNT * (EDGE_NS_PER_S / unit_ns);
}

const char *edge_placeholder_patch(const struct edge_placeholder *placeholder,
                                   enum edge_type_kind kind, struct edge_patch *patch)
{
    *patch = (struct edge_patch){.source = placeholder->source,
                                 .count = placeholder->count,
                                 .unit_ns = placeholder->unit_ns};
    bool timestamp = placeholder->source == EDGE_PATCH_TIMESTAMP;
    if (kind == EDGE_TYPE_STRING) {
        if (patch->count == 0)
            patch->count = timestamp ? timestamp_count(patch->unit_ns) : TEXT_COUNT;
        patch->form = EDGE_PATCH_TEXT;
        patch->len = placeholder->source == EDGE_PATCH_UUID ? 36 : edge_patch_digits(patch->count);
        return NULL;
    }
    uint64_t most = count_of(kind);
    if (most == 0)
        return "a placeholder can stand in strings and numbers only";
    if (placeholder->source == EDGE_PATCH_UUID)
        return "a UUID can stand in strings only";
    if (patch->count > most)
        return "the count is above what the field can hold";
    if (timestamp && edge_clock_wall_ns() / patch->unit_ns >= most)
        return "a timestamp in this unit is above what the field can hold";
    if (patch->count == 0)
        patch->count = most;
    give_width(kind, patch);
    return NULL;
}
