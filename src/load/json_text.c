#include "load/json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *at, *end;
    unsigned line;
};

static void step(struct cursor *c)
{
    c->line += *c->at == '\n';
    c->at++;
}

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) != NULL)
        step(c);
}

static void skip_string(struct cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end)
            c->at++;
    }
    if (c->at < c->end)
        c->at++;
}

// Skips one value: a string, a balanced pair of brackets, or a bare word.
static void skip_value(struct cursor *c)
{
    unsigned depth = 0;
    skip_space(c);
    while (c->at < c->end) {
        char first = *c->at;
        if (first == '"') {
            skip_string(c);
        } else if (first == '{' || first == '[') {
            depth++;
            step(c);
        } else if (first == '}' || first == ']') {
            if (depth == 0)
                return; // the end of what holds this value
            depth--;
            step(c);
        } else if (depth > 0) {
            step(c);
            continue;
        } else {
            while (c->at < c->end && strchr(",]} \t\r\n", *c->at) == NULL)
                step(c);
        }
        if (depth == 0)
            return;
    }
}

// Moves past `bracket` or a comma to the next member or element. False: there is none.
static bool next_part(struct cursor *c, bool first, char bracket)
{
    skip_space(c);
    if (c->at == c->end || *c->at != (first ? bracket : ','))
        return false;
    step(c);
    skip_space(c);
    return c->at < c->end && *c->at != ']' && *c->at != '}';
}

static bool seek_member(struct cursor *c, const char *key, unsigned *line)
{
    size_t key_len = strlen(key);
    for (bool first = true; next_part(c, first, '{'); first = false) {
        const char *name = c->at + 1;
        unsigned name_line = c->line;
        skip_string(c);
        bool found = (size_t)(c->at - 1 - name) == key_len && memcmp(name, key, key_len) == 0;
        skip_space(c);
        if (c->at < c->end)
            step(c); // the colon
        skip_space(c);
        if (found) {
            *line = name_line;
            return true;
        }
        skip_value(c);
    }
    return false;
}

static bool seek_element(struct cursor *c, size_t index, unsigned *line)
{
    size_t at = 0;
    for (bool first = true; next_part(c, first, '['); first = false, at++) {
        if (at == index) {
            *line = c->line;
            return true;
        }
        skip_value(c);
    }
    return false;
}

static bool seek(struct cursor *c, const struct edge_json_path *path, unsigned *line)
{
    if (path->parent == NULL) {
        skip_space(c);
        *line = c->line;
        return true;
    }
    if (!seek(c, path->parent, line))
        return false;
    return path->key != NULL ? seek_member(c, path->key, line) : seek_element(c, path->index, line);
}

unsigned edge_json_line(const char *text, size_t len, const struct edge_json_path *path)
{
    struct cursor c = {text, text + len, 1};
    unsigned line = 1;
    seek(&c, path, &line);
    return line;
}

static size_t write_path(const struct edge_json_path *path, char *out, size_t size)
{
    if (path->parent == NULL)
        return 0;
    size_t len = write_path(path->parent, out, size);
    if (len >= size)
        return len;
    int more = path->key != NULL
                   ? snprintf(out + len, size - len, "%s%s", len > 0 ? "." : "", path->key)
                   : snprintf(out + len, size - len, "[%zu]", path->index);
    return len + (more > 0 ? (size_t)more : 0);
}

const char *edge_json_path_text(const struct edge_json_path *path, char *out, size_t size)
{
    if (write_path(path, out, size) == 0)
        snprintf(out, size, "the request");
    return out;
}

int edge_json_fail(const struct edge_json_source *source, const struct edge_json_path *path,
                   const char *expected, const json_t *found)
{
    char where[128];
    char *text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    edge_fail(source->message, EDGE_ERR_FORMAT, "%s:%u: %s: expected %s; found %.60s%s",
              source->name, edge_json_line(source->text, source->len, path),
              edge_json_path_text(path, where, sizeof(where)), expected,
              text != NULL ? text : "a value", text != NULL && strlen(text) > 60 ? "..." : "");
    free(text);
    return EDGE_ERR_FORMAT;
}
