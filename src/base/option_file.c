// Options from a file.
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option.h"

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
