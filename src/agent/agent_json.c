#include "agent/agent_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One table per struct drives both directions. `size` 0 is a number (uint64_t), else a text.
struct field {
    const char *key;
    size_t offset;
    size_t size;
};

#define NUMBER(s, f) #f, offsetof(struct s, f), 0
#define TEXT(s, f)   #f, offsetof(struct s, f), sizeof(((struct s *)0)->f)

static const struct field board_fields[] = {
    {TEXT(edge_board, model)},
    {TEXT(edge_board, model_source)},
    {TEXT(edge_board, cpu)},
    {TEXT(edge_board, machine)},
    {TEXT(edge_board, kernel)},
    {TEXT(edge_board, os)},
    {TEXT(edge_board, governor)},
    {TEXT(edge_board, allowed_cpus)},
    {TEXT(edge_board, thermal_zone)},
    {TEXT(edge_board, throttle_source)},
    {TEXT(edge_board, link)},
    {TEXT(edge_board, emulator)},
    {NUMBER(edge_board, max_hz)},
    {NUMBER(edge_board, cap_hz)},
    {NUMBER(edge_board, cores)},
    {NUMBER(edge_board, ram_bytes)},
    {NUMBER(edge_board, page_bytes)},
    {NUMBER(edge_board, userland_bits)},
    {NULL, 0, 0},
};

static const struct field sample_fields[] = {
    {TEXT(edge_agent_sample, label)},
    {TEXT(edge_agent_sample, cpu_source)},
    {NUMBER(edge_agent_sample, t_ns)},
    {NUMBER(edge_agent_sample, wall_ns)},
    {NUMBER(edge_agent_sample, cpu_ns)},
    {NUMBER(edge_agent_sample, rss_bytes)},
    {NUMBER(edge_agent_sample, hwm_bytes)},
    {NUMBER(edge_agent_sample, pss_bytes)},
    {NUMBER(edge_agent_sample, threads)},
    {NUMBER(edge_agent_sample, processes)},
    {NUMBER(edge_agent_sample, voluntary_switches)},
    {NUMBER(edge_agent_sample, involuntary_switches)},
    {NUMBER(edge_agent_sample, guest_insns)},
    {NUMBER(edge_agent_sample, guest_syscalls)},
    {NUMBER(edge_agent_sample, machine_busy_ns)},
    {NUMBER(edge_agent_sample, machine_idle_ns)},
    {NUMBER(edge_agent_sample, machine_steal_ns)},
    {NUMBER(edge_agent_sample, temperature_millicelsius)},
    {NUMBER(edge_agent_sample, requested_hz)},
    {NUMBER(edge_agent_sample, measured_hz)},
    {NUMBER(edge_agent_sample, throttle_bits)},
    {NUMBER(edge_agent_sample, cpus_online)},
    {NUMBER(edge_agent_sample, below_max_ns)},
    {NUMBER(edge_agent_sample, swap_bytes)},
    {NUMBER(edge_agent_sample, cpu_pressure_ns)},
    {NUMBER(edge_agent_sample, memory_pressure_ns)},
    {NUMBER(edge_agent_sample, io_pressure_ns)},
    {NUMBER(edge_agent_sample, cgroup_peak_bytes)},
    {NULL, 0, 0},
};

int edge_agent_json_line(const char *line, size_t len, json_t **object,
                         struct edge_message *message)
{
    json_error_t error;
    *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    if (!*object)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "expected one JSON object per line, found at column %d: %s", error.column,
                         error.text);
    if (json_is_object(*object))
        return 0;
    json_decref(*object);
    *object = NULL;
    return edge_fail(message, EDGE_ERR_FORMAT, "expected a JSON object, found another value");
}

int edge_agent_json_number(const json_t *object, const char *key, uint64_t fallback,
                           uint64_t *value, struct edge_message *message)
{
    const json_t *member = json_object_get(object, key);
    *value = fallback;
    if (!member || json_is_null(member))
        return 0;
    if (!json_is_integer(member) || json_integer_value(member) < 0)
        return edge_fail(message, EDGE_ERR_FORMAT, "\"%s\": expected a number of 0 or more", key);
    *value = (uint64_t)json_integer_value(member);
    return 0;
}

int edge_agent_json_text(const json_t *object, const char *key, const char *fallback,
                         const char **value, struct edge_message *message)
{
    const json_t *member = json_object_get(object, key);
    *value = fallback;
    if (!member || json_is_null(member))
        return 0;
    if (!json_is_string(member))
        return edge_fail(message, EDGE_ERR_FORMAT, "\"%s\": expected a string", key);
    *value = json_string_value(member);
    return 0;
}

int edge_agent_json_texts(const json_t *object, const char *key, const char ***list,
                          struct edge_message *message)
{
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_array(member))
        return edge_fail(message, EDGE_ERR_FORMAT, "\"%s\": expected an array of strings", key);
    size_t count = json_array_size(member);
    const char **texts = calloc(count + 1, sizeof(*texts));
    if (!texts)
        return edge_fail(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(member, i));
        if (!texts[i]) {
            free((void *)texts);
            return edge_fail(message, EDGE_ERR_FORMAT, "\"%s\"[%zu]: expected a string", key, i);
        }
    }
    *list = texts;
    return 0;
}

static json_t *from_fields(const struct field *fields, const void *facts)
{
    json_t *object = json_object();
    for (const struct field *field = fields; object && field->key; field++) {
        const char *at = (const char *)facts + field->offset;
        uint64_t number;
        json_t *value;
        if (field->size > 0) {
            value = edge_agent_json_from_bytes(at, strlen(at));
        } else {
            memcpy(&number, at, sizeof number);
            value = number == EDGE_UNMEASURED ? json_null() : json_integer((json_int_t)number);
        }
        if (json_object_set_new(object, field->key, value) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static void to_fields(const struct field *fields, const json_t *object, void *facts)
{
    for (const struct field *field = fields; field->key; field++) {
        char *at = (char *)facts + field->offset;
        const json_t *value = json_object_get(object, field->key);
        if (field->size > 0 && json_is_string(value)) {
            snprintf(at, field->size, "%s", json_string_value(value));
        } else if (field->size == 0 && json_is_integer(value) && json_integer_value(value) >= 0) {
            uint64_t number = (uint64_t)json_integer_value(value);
            memcpy(at, &number, sizeof number);
        }
    }
}

json_t *edge_agent_json_from_board(const struct edge_board *board)
{
    return from_fields(board_fields, board);
}

void edge_agent_json_to_board(const json_t *object, struct edge_board *board)
{
    *board = (struct edge_board){.cores = 0};
    to_fields(board_fields, object, board);
}

json_t *edge_agent_json_from_sample(const struct edge_agent_sample *sample)
{
    return from_fields(sample_fields, sample);
}

void edge_agent_json_to_sample(const json_t *object, struct edge_agent_sample *sample)
{
    edge_agent_sample_init(sample);
    to_fields(sample_fields, object, sample);
}

json_t *edge_agent_json_from_bytes(const char *bytes, size_t len)
{
    char *copy = malloc(len + 1);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        char byte = bytes[i];
        copy[i] = (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t' ? byte : '?';
    }
    json_t *text = json_stringn_nocheck(copy, len);
    free(copy);
    return text;
}
