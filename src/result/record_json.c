#include "result/record_json.h"

#include <errno.h>
#include <string.h>

// A file may be printed on a terminal later: no escape sequences, neither C0 nor C1.
static bool is_control(const unsigned char *at)
{
    return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

static json_t *encode_text(const char *text)
{
    if (text[0] == '\0')
        return json_null();
    char clean[1024];
    size_t len = 0;
    for (; text[len] != '\0' && len < sizeof(clean) - 1; len++)
        clean[len] = is_control((const unsigned char *)text + len) ? '?' : text[len];
    clean[len] = '\0';
    json_t *value = json_string(clean);
    if (value != NULL)
        return value;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)clean[i] >= 0x80)
            clean[i] = '?';
    return json_string(clean);
}

static json_t *encode_uint(uint64_t value)
{
    return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *encode_truth(int truth)
{
    return truth == EDGE_UNKNOWN ? json_null() : json_boolean(truth);
}

static json_t *encode_tally(const struct edge_tally *tally)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < tally->count; i++)
        if (json_object_set_new(object, tally->at[i].name, encode_uint(tally->at[i].value)) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *encode_texts(const struct edge_texts *texts)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < texts->count; i++)
        if (json_array_append_new(array, encode_text(texts->at[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *encode_field(enum edge_field_type type, const void *member)
{
    switch (type) {
    case EDGE_FIELD_TEXT:
        return encode_text(member);
    case EDGE_FIELD_UINT:
        return encode_uint(*(const uint64_t *)member);
    case EDGE_FIELD_TRUTH:
        return encode_truth(*(const int *)member);
    case EDGE_FIELD_TALLY:
        return encode_tally(member);
    case EDGE_FIELD_TEXTS:
        return encode_texts(member);
    case EDGE_FIELD_BINS: // hist_json.c
        break;
    }
    return NULL;
}

int edge_record_encode(enum edge_record_type type, const void *record, json_t *object)
{
    for (const struct edge_field *f = edge_record_describe(type)->fields; f->key != NULL; f++) {
        if (f->type == EDGE_FIELD_BINS)
            continue;
        json_t *value = encode_field(f->type, (const char *)record + f->offset);
        if (json_object_set_new(object, f->key, value) != 0)
            return -ENOMEM;
    }
    return 0;
}

// What a value is, in words, for "found ...".
static const char *found(const json_t *value, char *text, size_t size)
{
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL:
        snprintf(text, size, "%g", json_real_value(value));
        return text;
    case JSON_STRING:
        return "a string";
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

static int unexpected(const char *where, const char *key, const char *expected, const json_t *value,
                      struct edge_message *message)
{
    char text[40];
    return edge_fail(message, EDGE_ERR_FORMAT, "%s: \"%s\": expected %s, found %s", where, key,
                     expected, found(value, text, sizeof(text)));
}

// The value of a key; NULL if it is absent or null. EDGE_ERR_FORMAT if it must not be.
static int look_up(const json_t *object, const char *key, bool required, const json_t **value,
                   const char *where, struct edge_message *message)
{
    *value = json_object_get(object, key);
    if (json_is_null(*value))
        *value = NULL;
    if (*value == NULL && required)
        return edge_fail(message, EDGE_ERR_FORMAT, "%s: \"%s\" is missing", where, key);
    return 0;
}

int edge_record_decode_uint(const json_t *object, const char *key, bool required, uint64_t *value,
                            const char *where, struct edge_message *message)
{
    const json_t *json;
    *value = EDGE_UNMEASURED;
    int rv = look_up(object, key, required, &json, where, message);
    if (rv != 0 || json == NULL)
        return rv;
    if (!json_is_integer(json) || json_integer_value(json) < 0)
        return unexpected(where, key, "a whole number >= 0", json, message);
    *value = (uint64_t)json_integer_value(json);
    return 0;
}

static int decode_string(const json_t *json, const char *key, char *text, size_t size,
                         const char *where, struct edge_message *message)
{
    if (!json_is_string(json))
        return unexpected(where, key, "a string", json, message);
    const char *value = json_string_value(json);
    size_t len = json_string_length(json);
    if (len >= size)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"%s\": expected at most %zu bytes of text, found %zu", where, key,
                         size - 1, len);
    for (size_t i = 0; i < len; i++)
        if (is_control((const unsigned char *)value + i))
            return edge_fail(message, EDGE_ERR_FORMAT,
                             "%s: \"%s\": expected plain text, found a control character", where,
                             key);
    memcpy(text, value, len + 1);
    return 0;
}

int edge_record_decode_text(const json_t *object, const char *key, bool required, char *text,
                            size_t size, const char *where, struct edge_message *message)
{
    const json_t *json;
    text[0] = '\0';
    int rv = look_up(object, key, required, &json, where, message);
    if (rv != 0 || json == NULL)
        return rv;
    return decode_string(json, key, text, size, where, message);
}

static int decode_truth(const json_t *json, const char *key, int *truth, const char *where,
                        struct edge_message *message)
{
    if (!json_is_boolean(json))
        return unexpected(where, key, "true, false or null", json, message);
    *truth = json_is_true(json) ? EDGE_YES : EDGE_NO;
    return 0;
}

static int decode_tally(const json_t *json, const char *key, struct edge_tally *tally,
                        const char *where, struct edge_message *message)
{
    if (!json_is_object(json))
        return unexpected(where, key, "an object of counts", json, message);
    if (json_object_size(json) > EDGE_TALLY_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"%s\": expected at most %d names, found %zu", where, key,
                         EDGE_TALLY_MAX, json_object_size(json));
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, name, value)
    {
        struct edge_tally_entry *entry = &tally->at[tally->count];
        json_t *label = json_string(name);
        int rv = label == NULL
                     ? edge_fail(message, -ENOMEM, "%s: out of memory", where)
                     : decode_string(label, key, entry->name, sizeof(entry->name), where, message);
        json_decref(label);
        if (rv == 0)
            rv = edge_record_decode_uint(json, name, true, &entry->value, where, message);
        if (rv != 0)
            return rv;
        tally->count++;
    }
    return 0;
}

static int decode_texts(const json_t *json, const char *key, struct edge_texts *texts,
                        const char *where, struct edge_message *message)
{
    if (!json_is_array(json))
        return unexpected(where, key, "an array of strings", json, message);
    if (json_array_size(json) > EDGE_TEXTS_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: \"%s\": expected at most %d strings, found %zu", where, key,
                         EDGE_TEXTS_MAX, json_array_size(json));
    for (size_t i = 0; i < json_array_size(json); i++) {
        int rv = decode_string(json_array_get(json, i), key, texts->at[i], sizeof(texts->at[i]),
                               where, message);
        if (rv != 0)
            return rv;
        texts->count++;
    }
    return 0;
}

static int decode_field(const struct edge_field *field, const json_t *object, void *member,
                        const char *where, struct edge_message *message)
{
    if (field->type == EDGE_FIELD_BINS) // hist_json.c
        return 0;
    if (field->type == EDGE_FIELD_UINT)
        return edge_record_decode_uint(object, field->key, field->required, member, where, message);
    if (field->type == EDGE_FIELD_TEXT)
        return edge_record_decode_text(object, field->key, field->required, member, field->size,
                                       where, message);
    const json_t *json;
    int rv = look_up(object, field->key, field->required, &json, where, message);
    if (rv != 0 || json == NULL)
        return rv;
    if (field->type == EDGE_FIELD_TRUTH)
        return decode_truth(json, field->key, member, where, message);
    if (field->type == EDGE_FIELD_TALLY)
        return decode_tally(json, field->key, member, where, message);
    return decode_texts(json, field->key, member, where, message);
}

int edge_record_decode(enum edge_record_type type, const json_t *object, void *record,
                       const char *where, struct edge_message *message)
{
    edge_record_init(type, record);
    for (const struct edge_field *f = edge_record_describe(type)->fields; f->key != NULL; f++) {
        int rv = decode_field(f, object, (char *)record + f->offset, where, message);
        if (rv != 0)
            return rv;
    }
    return 0;
}
