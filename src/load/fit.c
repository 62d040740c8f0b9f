#include "load/fit.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

#define DEPTH_MAX 64u

// ---- scalars ----

static bool is_signed(const json_t *value, int64_t min, int64_t max)
{
    if (json_is_integer(value))
        return json_integer_value(value) >= min && json_integer_value(value) <= max;
    if (json_is_real(value)) // 1e3 is a whole number, too
        return nearbyint(json_real_value(value)) == json_real_value(value) &&
               json_real_value(value) >= (double)min && json_real_value(value) <= (double)max;
    if (!json_is_string(value))
        return false;
    char *end;
    const char *text = json_string_value(value);
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return (isdigit((unsigned char)*text) || *text == '-') && *end == '\0' && end != text &&
           errno == 0 && number >= min && number <= max;
}

static bool is_unsigned(const json_t *value, uint64_t max)
{
    if (json_is_integer(value))
        return json_integer_value(value) >= 0 && (uint64_t)json_integer_value(value) <= max;
    if (json_is_real(value))
        return nearbyint(json_real_value(value)) == json_real_value(value) &&
               json_real_value(value) >= 0 && json_real_value(value) <= (double)max;
    if (!json_is_string(value))
        return false;
    char *end;
    const char *text = json_string_value(value);
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && number <= max;
}

static bool is_real(const json_t *value)
{
    if (json_is_number(value))
        return true;
    const char *text = json_string_value(value);
    if (text == NULL)
        return false;
    if (strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0)
        return true;
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0' && strpbrk(text, "xXnN ") == NULL;
}

static bool is_base64(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=") ==
               json_string_length(value);
}

static bool is_enum(const json_t *value, const struct edge_type_field *field)
{
    if (json_is_string(value)) {
        for (const char *const *name = field->names; *name != NULL; name++) {
            if (strcmp(*name, json_string_value(value)) == 0)
                return true;
        }
        return false;
    }
    return is_signed(value, INT32_MIN, INT32_MAX);
}

static bool scalar_fits(const json_t *value, const struct edge_type_field *field)
{
    switch (field->kind) {
    case EDGE_TYPE_DOUBLE:
    case EDGE_TYPE_FLOAT:
        return is_real(value);
    case EDGE_TYPE_INT64:
    case EDGE_TYPE_SINT64:
    case EDGE_TYPE_SFIXED64:
        return is_signed(value, INT64_MIN, INT64_MAX);
    case EDGE_TYPE_INT32:
    case EDGE_TYPE_SINT32:
    case EDGE_TYPE_SFIXED32:
        return is_signed(value, INT32_MIN, INT32_MAX);
    case EDGE_TYPE_UINT64:
    case EDGE_TYPE_FIXED64:
        return is_unsigned(value, UINT64_MAX);
    case EDGE_TYPE_UINT32:
    case EDGE_TYPE_FIXED32:
        return is_unsigned(value, UINT32_MAX);
    case EDGE_TYPE_BOOL:
        return json_is_boolean(value);
    case EDGE_TYPE_BYTES:
        return is_base64(value);
    case EDGE_TYPE_ENUM:
        return is_enum(value, field);
    default:
        return json_is_string(value);
    }
}

static const char *expected_text(const struct edge_type_field *field, char *text, size_t size)
{
    static const char *const kinds[] = {
        [EDGE_TYPE_DOUBLE] = "a number",
        [EDGE_TYPE_FLOAT] = "a number",
        [EDGE_TYPE_INT64] = "a whole number (int64)",
        [EDGE_TYPE_UINT64] = "a whole number (uint64)",
        [EDGE_TYPE_INT32] = "a whole number (int32)",
        [EDGE_TYPE_FIXED64] = "a whole number (fixed64)",
        [EDGE_TYPE_FIXED32] = "a whole number (fixed32)",
        [EDGE_TYPE_BOOL] = "true or false",
        [EDGE_TYPE_STRING] = "a string",
        [EDGE_TYPE_BYTES] = "a string of base64",
        [EDGE_TYPE_UINT32] = "a whole number (uint32)",
        [EDGE_TYPE_SFIXED32] = "a whole number (sfixed32)",
        [EDGE_TYPE_SFIXED64] = "a whole number (sfixed64)",
        [EDGE_TYPE_SINT32] = "a whole number (sint32)",
        [EDGE_TYPE_SINT64] = "a whole number (sint64)",
    };
    if (field->kind != EDGE_TYPE_ENUM)
        return kinds[field->kind];
    size_t len = (size_t)snprintf(text, size, "one of ");
    for (const char *const *name = field->names; *name != NULL && len < size; name++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", name == field->names ? "" : ", ",
                                *name);
    return text;
}

static int check_scalar(const struct edge_fit *fit, const struct edge_type_field *field,
                        json_t *value, const struct edge_json_path *path)
{
    char expected[200];
    if (json_is_string(value) && strstr(json_string_value(value), "{{") != NULL)
        return fit->placeholder(fit->context, value, field, path);
    return scalar_fits(value, field)
               ? 0
               : edge_json_fail(&fit->source, path,
                                expected_text(field, expected, sizeof(expected)), value);
}

// ---- what holds others ----

static int check_value(const struct edge_fit *fit, const struct edge_type_field *field,
                       json_t *value, const struct edge_json_path *path, unsigned depth);

static const struct edge_type_field *find_field(const struct edge_type *type, const char *key)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, key) == 0 || strcmp(type->fields[i].json_name, key) == 0)
            return &type->fields[i];
    }
    return NULL;
}

static int fail_member(const struct edge_fit *fit, const struct edge_type *type,
                       const struct edge_json_path *path)
{
    char where[128], known[200] = "none";
    size_t len = 0, best = EDGE_NEAREST_FAR;
    const char *nearest = NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        size_t distance = edge_nearest_distance(path->key, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
        if (len < sizeof(known))
            len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i == 0 ? "" : ", ",
                                    name);
    }
    return edge_fail(fit->source.message, EDGE_ERR_FORMAT,
                     "%s:%u: %s: expected a field of %s (%s); found \"%.60s\"%s%s%s",
                     fit->source.name, edge_json_line(fit->source.text, fit->source.len, path),
                     edge_json_path_text(path, where, sizeof(where)), type->name, known, path->key,
                     nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "?" : "");
}

static int check_object(const struct edge_fit *fit, const struct edge_type *type, json_t *value,
                        const struct edge_json_path *path, unsigned depth)
{
    if (strncmp(type->name, "google.protobuf.", 16) == 0) {
        // Their JSON is their own. A wrapper's is that of what it wraps.
        bool wrapper = type->field_count == 1 && strcmp(type->fields[0].name, "value") == 0 &&
                       type->fields[0].kind != EDGE_TYPE_MESSAGE;
        return wrapper ? check_scalar(fit, &type->fields[0], value, path) : 0;
    }
    char expected[128];
    snprintf(expected, sizeof(expected), "an object (%s)", type->name);
    if (!json_is_object(value))
        return edge_json_fail(&fit->source, path, expected, value);
    if (depth > DEPTH_MAX)
        return edge_json_fail(&fit->source, path, "at most 64 levels", value);
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        struct edge_json_path at = {.parent = path, .key = key};
        const struct edge_type_field *field = find_field(type, key);
        if (field == NULL && key[0] == '[') // an extension
            continue;
        int error = field == NULL ? fail_member(fit, type, &at)
                                  : check_value(fit, field, member, &at, depth);
        if (error < 0)
            return error;
    }
    return 0;
}

static int check_single(const struct edge_fit *fit, const struct edge_type_field *field,
                        json_t *value, const struct edge_json_path *path, unsigned depth)
{
    bool nested = field->kind == EDGE_TYPE_MESSAGE || field->kind == EDGE_TYPE_GROUP;
    return nested ? check_object(fit, field->type, value, path, depth + 1)
                  : check_scalar(fit, field, value, path);
}

static int check_value(const struct edge_fit *fit, const struct edge_type_field *field,
                       json_t *value, const struct edge_json_path *path, unsigned depth)
{
    int error = 0;
    if (json_is_null(value))
        return 0;
    if (field->map) {
        const struct edge_type_field *of = edge_type_find(field->type, 2);
        const char *key;
        json_t *member;
        if (!json_is_object(value))
            return edge_json_fail(&fit->source, path, "an object (a map)", value);
        json_object_foreach(value, key, member)
        {
            struct edge_json_path at = {.parent = path, .key = key};
            error = check_single(fit, of, member, &at, depth);
            if (error < 0)
                return error;
        }
        return 0;
    }
    if (!field->repeated)
        return check_single(fit, field, value, path, depth);
    if (!json_is_array(value))
        return edge_json_fail(&fit->source, path, "an array", value);
    for (size_t i = 0; i < json_array_size(value) && error == 0; i++) {
        struct edge_json_path at = {.parent = path, .index = i};
        error = check_single(fit, field, json_array_get(value, i), &at, depth);
    }
    return error;
}

int edge_fit_check(const struct edge_fit *fit, const struct edge_type *type, json_t *value,
                   const struct edge_json_path *path)
{
    return check_object(fit, type, value, path, 0);
}
