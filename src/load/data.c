#include "load/data.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/fit.h"
#include "load/placeholder.h"

#define ROUNDS_WANTED 256u         // encodings of texts of varied length
#define BYTES_MAX     (256u << 20) // of all of them
#define PATCHES_MAX   1024u        // of one message

// A string of the JSON with placeholders in it.
struct slot {
    json_t *string; // borrowed
    char *original;
    enum edge_type_kind kind;
    char place[192]; // "NAME:LINE: PATH", for messages
};

struct build {
    struct edge_schema *schema;
    const struct edge_type *type;
    struct edge_message *message;
    uint64_t seed;
    struct edge_fit fit;
    struct slot *slots;
    size_t slot_count;
    size_t patch_count; // of the message
    bool texts;         // one of its slots has a text of varied length
    uint64_t variant;   // which of the encodings
    size_t marked;      // the patch whose field is being looked for; PATCHES_MAX: none
};

// ---- sentinels: what stands in a field while its place is looked for ----

// Each byte of the field differs between the two.
static void write_number(const struct edge_patch *patch, bool marked, char *out, size_t size)
{
    uint64_t raw = 0;
    unsigned step = patch->form == EDGE_PATCH_VARINT || patch->form == EDGE_PATCH_ZIGZAG ? 7 : 8;
    uint64_t part = marked ? 4 : 2;
    if (patch->form == EDGE_PATCH_FLOAT)
        part = marked ? 0x42 : 0x41; // a number, and a normal one
    for (size_t i = 0; i < patch->len; i++)
        raw |= part << (step * i);
    if (patch->form != EDGE_PATCH_FLOAT) {
        snprintf(out, size, "%llu",
                 (unsigned long long)(patch->form == EDGE_PATCH_ZIGZAG ? raw >> 1 : raw));
    } else if (patch->len == 4) {
        uint32_t narrow = (uint32_t)raw;
        float number;
        memcpy(&number, &narrow, sizeof(number));
        snprintf(out, size, "%.9g", (double)number);
    } else {
        double number;
        memcpy(&number, &raw, sizeof(number));
        snprintf(out, size, "%.17g", number);
    }
}

// {{randomString}}: letters and digits, the same for the same message, variant and place.
static int write_text(const struct build *build, const struct edge_placeholder *placeholder,
                      uint64_t salt, struct edge_buffer *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    uint64_t random = edge_patch_random(build->seed, build->variant, salt << 20);
    const uint64_t lengths = placeholder->max - placeholder->min + 1;
    size_t len = (size_t)(placeholder->min + random % lengths);
    int error = edge_buffer_reserve(out, len);
    for (size_t i = 0; i < len && error == 0; i++) {
        random = edge_patch_random(build->seed, build->variant, (salt << 20) + 1 + i);
        out->data[out->start + out->len++] = (uint8_t)letters[random % (sizeof(letters) - 1)];
    }
    return error;
}

static int fail_slot(const struct build *build, const struct slot *slot, const char *what)
{
    return edge_fail(build->message, EDGE_ERR_FORMAT, "%s: expected %s; found \"%.60s\"",
                     slot->place, what, slot->original);
}

// Writes one placeholder's sentinel. `patches` (may be NULL) gets its patch.
static int render_placeholder(struct build *build, const struct slot *slot,
                              const struct edge_placeholder *placeholder, uint64_t salt,
                              struct edge_patch *patches, struct edge_buffer *out)
{
    struct edge_patch patch;
    char number[40];
    if (placeholder->is_text) {
        build->texts = true;
        if (slot->kind != EDGE_TYPE_STRING)
            return fail_slot(build, slot, "a number's placeholder here, and no text");
        return write_text(build, placeholder, salt, out);
    }
    const char *why = edge_placeholder_patch(placeholder, slot->kind, &patch);
    if (why != NULL)
        return edge_fail(build->message, EDGE_ERR_FORMAT, "%s: %s; found \"%.60s\"", slot->place,
                         why, slot->original);
    if (build->patch_count == PATCHES_MAX)
        return fail_slot(build, slot, "at most 1024 placeholders in a message");
    patch.salt = (uint32_t)salt;
    bool marked = build->patch_count == build->marked;
    if (patches != NULL)
        patches[build->patch_count] = patch;
    build->patch_count++;
    if (patch.form != EDGE_PATCH_TEXT) {
        write_number(&patch, marked, number, sizeof(number));
        return edge_buffer_append(out, number, strlen(number));
    }
    int error = edge_buffer_reserve(out, patch.len);
    if (error == 0) {
        memset(edge_buffer_tail(out), marked ? '1' : '0', patch.len);
        out->len += patch.len;
    }
    return error;
}

// Puts sentinels in the place of a slot's placeholders.
static int render_slot(struct build *build, size_t index, struct edge_patch *patches)
{
    const struct slot *slot = &build->slots[index];
    const char *text = slot->original;
    size_t left = strlen(text);
    struct edge_buffer out = {0};
    int error = 0;
    for (uint64_t i = 0; error == 0; i++) {
        struct edge_placeholder placeholder;
        size_t at = left, size = 0;
        const char *why;
        int found = edge_placeholder_find(text, left, &at, &size, &placeholder, &why);
        if (found < 0)
            error = fail_slot(build, slot, why);
        else if (slot->kind != EDGE_TYPE_STRING && (at > 0 || size != left))
            error = fail_slot(build, slot, "nothing but one placeholder");
        if (error == 0)
            error = edge_buffer_append(&out, text, found > 0 ? at : left);
        if (error < 0 || found == 0)
            break;
        error =
            render_placeholder(build, slot, &placeholder, index * PATCHES_MAX + i, patches, &out);
        text += at + size;
        left -= at + size;
    }
    if (error == 0 &&
        json_string_setn(slot->string, out.len > 0 ? (char *)edge_buffer_head(&out) : "", out.len) <
            0)
        error = -ENOMEM;
    edge_buffer_free(&out);
    return error;
}

// Encodes the message with sentinels, the field of patch `marked` with the other one.
static int encode(struct build *build, json_t *value, size_t marked, struct edge_patch *patches,
                  struct edge_buffer *out)
{
    int error = 0;
    build->patch_count = 0;
    build->marked = marked;
    for (size_t i = 0; i < build->slot_count && error == 0; i++)
        error = render_slot(build, i, patches);
    if (error < 0)
        return error;
    char *json = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (json == NULL)
        return -ENOMEM;
    struct edge_message detail = {""};
    error = edge_schema_encode(build->schema, build->type, json, strlen(json), out, &detail);
    free(json);
    return error == 0 ? 0
                      : edge_fail(build->message, error, "%s: expected a %s; %s",
                                  build->fit.source.name, build->type->name, detail.text);
}

// Finds a patch's field: where two encodings differ.
static int locate(struct build *build, json_t *value, size_t index, struct edge_template *template)
{
    struct edge_buffer other = {0};
    struct edge_patch *patch = &template->patches[index];
    int error = encode(build, value, index, NULL, &other);
    if (error == 0) {
        const uint8_t *a = template->bytes, *b = edge_buffer_head(&other);
        size_t first = 0, last = template->len;
        bool same_len = other.len == template->len;
        while (same_len && first < last && a[first] == b[first])
            first++;
        while (same_len && last > first && a[last - 1] == b[last - 1])
            last--;
        patch->at = first;
        if (!same_len || last - first != patch->len)
            error = edge_fail(build->message, EDGE_ERR_FORMAT,
                              "%s: placeholder %zu stands where it cannot be patched, such as in "
                              "what sorts a map",
                              build->fit.source.name, index + 1);
    }
    edge_buffer_free(&other);
    return error;
}

static int make_template(struct build *build, json_t *value, struct edge_template *template)
{
    struct edge_patch *patches = NULL;
    struct edge_buffer bytes = {0};
    if (build->slot_count > 0) {
        patches = malloc(PATCHES_MAX * sizeof(*patches));
        if (patches == NULL)
            return -ENOMEM;
    }
    int error = encode(build, value, PATCHES_MAX, patches, &bytes);
    *template = (struct edge_template){.len = bytes.len, .bytes = bytes.data};
    if (error == 0 && template->bytes == NULL) {
        template->bytes = malloc(1); // an empty message
        error = template->bytes == NULL ? -ENOMEM : 0;
    }
    if (error < 0 || build->patch_count == 0) {
        free(patches);
        return error;
    }
    struct edge_patch *shrunk = realloc(patches, build->patch_count * sizeof(*patches));
    if (shrunk == NULL) {
        free(patches);
        return -ENOMEM;
    }
    template->patches = shrunk;
    template->patch_count = build->patch_count;
    for (size_t i = 0; i < template->patch_count && error == 0; i++)
        error = locate(build, value, i, template);
    return error;
}

// ---- the messages ----

static int add_slot(void *context, json_t *string, const struct edge_type_field *field,
                    const struct edge_json_path *path)
{
    struct build *build = context;
    char where[128];
    struct slot *slots = realloc(build->slots, (build->slot_count + 1) * sizeof(*slots));
    if (slots == NULL)
        return -ENOMEM;
    build->slots = slots;
    struct slot *slot = &slots[build->slot_count];
    *slot = (struct slot){
        .string = string, .original = strdup(json_string_value(string)), .kind = field->kind};
    if (slot->original == NULL)
        return -ENOMEM;
    snprintf(slot->place, sizeof(slot->place), "%.50s:%u: %s", build->fit.source.name,
             edge_json_line(build->fit.source.text, build->fit.source.len, path),
             edge_json_path_text(path, where, sizeof(where)));
    build->slot_count++;
    return 0;
}

static void drop_slots(struct build *build)
{
    for (size_t i = 0; i < build->slot_count; i++)
        free(build->slots[i].original);
    free(build->slots);
    build->slots = NULL;
    build->slot_count = 0;
}

// Encodes message `index` in each of its rounds.
static int add_message(struct build *build, json_t *value, const struct edge_json_path *path,
                       size_t index, struct edge_data *data)
{
    int error = edge_fit_check(&build->fit, build->type, value, path);
    size_t rounds = data->count / data->given, bytes = 0;
    for (size_t i = 0; i < rounds && error == 0; i++) {
        struct edge_template *template = &data->messages[i * data->given + index];
        build->variant = i * data->given + index;
        error = make_template(build, value, template);
        bytes += template->len;
        if (error == 0 && bytes > BYTES_MAX / data->given)
            error = edge_fail(build->message, EDGE_ERR_LIMIT,
                              "%s: expected messages of at most 256 MiB in all",
                              build->fit.source.name);
    }
    drop_slots(build);
    return error;
}

static int add_messages(struct build *build, json_t *root, struct edge_data *data)
{
    struct edge_json_path path = {0};
    if (!json_is_array(root))
        return add_message(build, root, &path, 0, data);
    int error = 0;
    for (size_t i = 0; i < data->given && error == 0; i++) {
        struct edge_json_path element = {.parent = &path, .index = i};
        error = add_message(build, json_array_get(root, i), &element, i, data);
    }
    return error;
}

static int from_root(struct build *build, json_t *root, struct edge_data *data)
{
    data->given = json_is_array(root) ? json_array_size(root) : 1;
    if (data->given == 0)
        return edge_fail(build->message, EDGE_ERR_FORMAT,
                         "%s: expected at least one message; found an empty array",
                         build->fit.source.name);
    // Rounds are for texts of varied length only.
    bool texts = memmem(build->fit.source.text, build->fit.source.len, "randomString", 12) != NULL;
    size_t rounds = texts && data->given < ROUNDS_WANTED ? ROUNDS_WANTED / data->given : 1;
    data->count = rounds * data->given;
    data->messages = calloc(data->count, sizeof(*data->messages));
    return data->messages != NULL ? add_messages(build, root, data) : -ENOMEM;
}

int edge_data_from_json(struct edge_data *data, struct edge_schema *schema,
                        const struct edge_type *type, const char *name, const char *json,
                        size_t len, uint64_t seed, struct edge_message *message)
{
    *data = (struct edge_data){0};
    size_t blank = 0;
    while (blank < len && strchr(" \t\r\n", json[blank]) != NULL)
        blank++;
    if (blank == len)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: expected a JSON object (%s), or an array of them; found nothing",
                         name, type->name);
    json_error_t parse_error;
    json_t *root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &parse_error);
    if (root == NULL)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s:%d:%d: expected a JSON object (%s), or an array of them; found %s",
                         name, parse_error.line > 0 ? parse_error.line : 1,
                         parse_error.column > 0 ? parse_error.column : 1, type->name,
                         parse_error.text);
    struct build build = {
        .schema = schema,
        .type = type,
        .message = message,
        .seed = seed,
        .fit = {.source = {.name = name, .text = json, .len = len, .message = message},
                .placeholder = add_slot},
    };
    build.fit.context = &build;
    int error = from_root(&build, root, data);
    json_decref(root);
    if (error < 0)
        edge_data_free(data);
    return error == -ENOMEM ? edge_fail(message, error, "out of memory") : error;
}

int edge_data_from_binary(struct edge_data *data, const struct edge_type *type, const char *name,
                          const uint8_t *bytes, size_t len, struct edge_message *message)
{
    const struct edge_type_field *field;
    const char *fault = edge_type_check(type, bytes, len, &field);
    *data = (struct edge_data){0};
    if (fault != NULL)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "%s: expected one encoded %s; found %zu bytes that are none: field %s %s",
                         name, type->name, len, field != NULL ? field->name : "of no known number",
                         fault);
    *data =
        (struct edge_data){.messages = calloc(1, sizeof(*data->messages)), .count = 1, .given = 1};
    if (data->messages != NULL)
        data->messages[0] = (struct edge_template){.bytes = malloc(len > 0 ? len : 1), .len = len};
    if (data->messages == NULL || data->messages[0].bytes == NULL) {
        edge_data_free(data);
        return edge_fail(message, -ENOMEM, "out of memory");
    }
    if (len > 0)
        memcpy(data->messages[0].bytes, bytes, len);
    return 0;
}

void edge_data_free(struct edge_data *data)
{
    for (size_t i = 0; i < data->count && data->messages != NULL; i++) {
        free(data->messages[i].bytes);
        free(data->messages[i].patches);
    }
    free(data->messages);
    *data = (struct edge_data){0};
}
