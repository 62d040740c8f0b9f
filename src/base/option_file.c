// Options from a file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option.h"

#define FILE_MAX (1u << 20)

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
        len--;
    text[len] = '\0';
    return text;
}

static int unknown_name(const struct edge_command *command, const char *where, const char *name,
                        struct edge_message *message)
{
    const char *nearest = NULL;
    size_t best = EDGE_NEAREST_FAR;
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        size_t distance = edge_nearest_distance(name, option->name);
        if (distance < best) {
            best = distance;
            nearest = option->name;
        }
    }
    return edge_fail(message, EDGE_ERR_USAGE, "%s: there is no option \"%.60s\"%s%s%s", where, name,
                     nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "?" : "");
}

static int take_line(const struct edge_command *command, void *config, char *line,
                     const char *where, struct edge_message *message)
{
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return 0;
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: expected name = value, found \"%.60s\"",
                         where, line);
    *equals = '\0';
    const char *name = trim(line);
    const char *value = trim(equals + 1);
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        if (strcmp(option->name, name) != 0)
            continue;
        if (value[0] == '\0' && option->type == EDGE_OPTION_STRING)
            return 0;
        char label[200];
        snprintf(label, sizeof(label), "%s: %s", where, name);
        return edge_option_set(option, config, label, value, message);
    }
    return unknown_name(command, where, name, message);
}

int edge_options_text(const struct edge_command *command, void *config, char *text,
                      const char *file, struct edge_message *message)
{
    unsigned number = 0;
    while (text != NULL) {
        char *line = strsep(&text, "\n");
        char where[128];
        snprintf(where, sizeof(where), "%.100s:%u", file, ++number);
        int error = take_line(command, config, line, where, message);
        if (error < 0)
            return error;
    }
    return 0;
}

static int read_file(const char *path, struct edge_buffer *text, struct edge_message *message)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return edge_fail(message, EDGE_ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
    char chunk[4096];
    size_t got;
    int error = 0;
    while (error == 0 && (got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        error = text->len < FILE_MAX ? edge_buffer_append(text, chunk, got) : EDGE_ERR_LIMIT;
    if (error == 0)
        error = edge_buffer_append(text, "", 1);
    if (ferror(file))
        error = -EIO;
    fclose(file);
    return error < 0 ? edge_fail(message, EDGE_ERR_USAGE, "cannot read %s: %s", path,
                                 edge_error_text(error))
                     : 0;
}

// Looks at the command line without moving its operands.
static int look(const struct edge_command *command, void *config, int argc, char **argv,
                struct edge_message *message)
{
    int operands;
    char **copy = calloc((size_t)argc + 1, sizeof(*copy));
    if (copy == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    memcpy(copy, argv, (size_t)argc * sizeof(*copy));
    int asked = edge_options_argv(command, config, argc, copy, &operands, message);
    free(copy);
    return asked;
}

int edge_options_all(const struct edge_command *command, void *config, const char *const *file,
                     int argc, char **argv, int *operands, struct edge_buffer *text,
                     struct edge_message *message)
{
    edge_options_defaults(command, config);
    int asked = look(command, config, argc, argv, message);
    if (asked < 0 || asked == EDGE_ARGV_HELP || asked == EDGE_ARGV_VERSION)
        return asked;
    const char *path = *file;
    edge_options_defaults(command, config);
    int error = edge_options_env(command, config, message);
    if (error == 0 && path != NULL)
        error = read_file(path, text, message);
    if (error == 0 && path != NULL)
        error = edge_options_text(command, config, (char *)edge_buffer_head(text), path, message);
    return error < 0 ? error : edge_options_argv(command, config, argc, argv, operands, message);
}
