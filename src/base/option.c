#include "base/option.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

static void *field_of(const struct edge_option *option, void *config)
{
    return (char *)config + option->offset;
}

static const char *kind_text(enum edge_option_type type)
{
    switch (type) {
    case EDGE_OPTION_COUNT:
        return "a whole number such as 50 or 10k";
    case EDGE_OPTION_BYTES:
        return "a size such as 64k or 512m";
    case EDGE_OPTION_DURATION:
        return "a duration such as 20s or 100ms";
    default:
        return "a value";
    }
}

static int parse_number(const struct edge_option *option, const char *text, uint64_t *value)
{
    if (option->type == EDGE_OPTION_BYTES)
        return edge_parse_bytes(text, value);
    if (option->type == EDGE_OPTION_DURATION)
        return edge_parse_duration(text, value);
    return edge_parse_count(text, value);
}

static const char *number_text(const struct edge_option *option, uint64_t value, char *text,
                               size_t size)
{
    if (option->type == EDGE_OPTION_BYTES)
        return edge_format_bytes(value, text, size);
    if (option->type == EDGE_OPTION_DURATION)
        return edge_format_duration(value, text, size);
    snprintf(text, size, "%" PRIu64, value);
    return text;
}

static int set_number(const struct edge_option *option, void *config, const char *label,
                      const char *text, struct edge_message *message)
{
    char bound[32];
    uint64_t value;
    if (parse_number(option, text, &value) < 0)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: expected %s, found \"%s\"", label,
                         kind_text(option->type), text);
    if (value < option->min)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: must be at least %s, found %s", label,
                         number_text(option, option->min, bound, sizeof(bound)), text);
    if (option->max > 0 && value > option->max)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: must be at most %s, found %s", label,
                         number_text(option, option->max, bound, sizeof(bound)), text);
    *(uint64_t *)field_of(option, config) = value;
    return 0;
}

static int set_choice(const struct edge_option *option, void *config, const char *label,
                      const char *text, struct edge_message *message)
{
    char known[256] = "";
    for (unsigned i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *(unsigned *)field_of(option, config) = i;
            return 0;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "", option->choices[i]);
    }
    return edge_fail(message, EDGE_ERR_USAGE, "%s: expected one of %s; found \"%s\"", label, known,
                     text);
}

static int set_bool(const struct edge_option *option, void *config, const char *label,
                    const char *text, struct edge_message *message)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    bool no = strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    if (!yes && !no)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: expected true or false, found \"%s\"", label,
                         text);
    *(bool *)field_of(option, config) = yes;
    return 0;
}

static int add_to_list(const struct edge_option *option, void *config, const char *label,
                       const char *text, struct edge_message *message)
{
    struct edge_option_list *list = field_of(option, config);
    if (list->count == EDGE_OPTION_LIST_MAX)
        return edge_fail(message, EDGE_ERR_USAGE, "%s: given more than %u times", label,
                         EDGE_OPTION_LIST_MAX);
    list->at[list->count++] = text;
    return 0;
}

int edge_option_set(const struct edge_option *option, void *config, const char *label,
                    const char *text, struct edge_message *message)
{
    switch (option->type) {
    case EDGE_OPTION_BOOL:
        return set_bool(option, config, label, text, message);
    case EDGE_OPTION_STRING:
        *(const char **)field_of(option, config) = text;
        return 0;
    case EDGE_OPTION_CHOICE:
        return set_choice(option, config, label, text, message);
    case EDGE_OPTION_LIST:
        return add_to_list(option, config, label, text, message);
    default:
        return set_number(option, config, label, text, message);
    }
}

void edge_options_defaults(const struct edge_command *command, void *config)
{
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        struct edge_message message;
        if (option->fallback == NULL) {
            if (option->type == EDGE_OPTION_STRING)
                *(const char **)field_of(option, config) = NULL;
            else if (option->type == EDGE_OPTION_LIST)
                ((struct edge_option_list *)field_of(option, config))->count = 0;
            else if (option->type == EDGE_OPTION_BOOL)
                *(bool *)field_of(option, config) = false;
            else if (option->type == EDGE_OPTION_CHOICE)
                *(unsigned *)field_of(option, config) = 0;
            else
                *(uint64_t *)field_of(option, config) = 0;
        } else if (edge_option_set(option, config, option->name, option->fallback, &message) < 0) {
            fprintf(stderr, "default of --%s\n", message.text);
            abort();
        }
    }
}

int edge_options_env(const struct edge_command *command, void *config, struct edge_message *message)
{
    for (const struct edge_option *option = command->options; option->name != NULL; option++) {
        const char *text = option->env != NULL ? getenv(option->env) : NULL;
        if (text == NULL || text[0] == '\0')
            continue;
        int error = edge_option_set(option, config, option->env, text, message);
        if (error < 0)
            return error;
    }
    return 0;
}

// One command line being taken apart.
struct argv_cursor {
    const struct edge_command *command;
    void *config;
    char **argv;
    int argc, at;
    struct edge_message *message;
};

static const char *const common_names[] = {"help", "version", "show-config", NULL};

static int unknown_option(const struct argv_cursor *cursor, const char *name)
{
    const char *nearest = NULL;
    size_t best = EDGE_NEAREST_FAR;
    for (const struct edge_option *o = cursor->command->options; o->name != NULL; o++) {
        size_t distance = edge_nearest_distance(name, o->name);
        if (distance < best) {
            best = distance;
            nearest = o->name;
        }
    }
    for (size_t i = 0; common_names[i] != NULL; i++) {
        size_t distance = edge_nearest_distance(name, common_names[i]);
        if (distance < best) {
            best = distance;
            nearest = common_names[i];
        }
    }
    if (nearest != NULL)
        return edge_fail(cursor->message, EDGE_ERR_USAGE,
                         "unknown option --%s; did you mean --%s? (%s --help lists all)", name,
                         nearest, cursor->command->name);
    return edge_fail(cursor->message, EDGE_ERR_USAGE, "unknown option --%s (%s --help lists all)",
                     name, cursor->command->name);
}

// The value of an option: behind '=', attached, or the next argument.
static const char *take_value(struct argv_cursor *cursor, const char *attached)
{
    if (attached != NULL)
        return attached;
    return cursor->at + 1 < cursor->argc ? cursor->argv[++cursor->at] : NULL;
}

static int apply(struct argv_cursor *cursor, const struct edge_option *option, const char *label,
                 const char *attached)
{
    if (option->type == EDGE_OPTION_BOOL)
        return edge_option_set(option, cursor->config, label, attached != NULL ? attached : "true",
                               cursor->message);
    const char *value = take_value(cursor, attached);
    if (value == NULL)
        return edge_fail(cursor->message, EDGE_ERR_USAGE, "%s needs %s (%s)", label,
                         kind_text(option->type), option->argument);
    return edge_option_set(option, cursor->config, label, value, cursor->message);
}

static int take_long(struct argv_cursor *cursor, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t len = equals != NULL ? (size_t)(equals - text) : strlen(text);
    char name[64];
    char label[80];
    snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), text);
    snprintf(label, sizeof(label), "--%s", name);
    if (strcmp(name, "help") == 0)
        return EDGE_ARGV_HELP;
    if (strcmp(name, "version") == 0)
        return EDGE_ARGV_VERSION;
    if (strcmp(name, "show-config") == 0)
        return EDGE_ARGV_SHOW;
    for (const struct edge_option *o = cursor->command->options; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0)
            return apply(cursor, o, label, equals != NULL ? equals + 1 : NULL);
        if (o->type == EDGE_OPTION_BOOL && equals == NULL && strncmp(name, "no-", 3) == 0 &&
            strcmp(o->name, name + 3) == 0)
            return apply(cursor, o, label, "false");
    }
    return unknown_option(cursor, name);
}

static int take_short(struct argv_cursor *cursor, const char *text)
{
    char label[3] = {'-', text[0], '\0'};
    if (text[0] == 'h' && text[1] == '\0')
        return EDGE_ARGV_HELP;
    for (const struct edge_option *o = cursor->command->options; o->name != NULL; o++) {
        if (o->letter == text[0])
            return apply(cursor, o, label, text[1] != '\0' ? text + 1 : NULL);
    }
    return edge_fail(cursor->message, EDGE_ERR_USAGE, "unknown option -%c (%s --help lists all)",
                     text[0], cursor->command->name);
}

int edge_options_argv(const struct edge_command *command, void *config, int argc, char **argv,
                      int *operands, struct edge_message *message)
{
    struct argv_cursor cursor = {command, config, argv, argc, 1, message};
    int asked = EDGE_ARGV_GO;
    bool only_operands = false;
    *operands = 0;
    for (; cursor.at < argc; cursor.at++) {
        char *text = argv[cursor.at];
        int result = 0;
        if (only_operands || text[0] != '-' || text[1] == '\0')
            argv[(*operands)++] = text;
        else if (strcmp(text, "--") == 0)
            only_operands = true;
        else
            result = text[1] == '-' ? take_long(&cursor, text + 2) : take_short(&cursor, text + 1);
        if (result < 0)
            return result;
        if (result > 0 && asked == EDGE_ARGV_GO)
            asked = result;
    }
    if (*operands > 0 && command->operands[0] == '\0' && asked == EDGE_ARGV_GO)
        return edge_fail(message, EDGE_ERR_USAGE, "expected options only, found \"%s\"", argv[0]);
    return asked;
}
