#include "run/version_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIZE(m)   sizeof(((struct edge_record_build *)0)->m)
#define MEMBER(m) #m, offsetof(struct edge_record_build, m), SIZE(m)

static const struct {
    const char *key;
    size_t offset, size;
} members[] = {
    {MEMBER(git)},    {MEMBER(compiler)}, {MEMBER(flags)}, {MEMBER(build)},
    {MEMBER(target)}, {MEMBER(codec)},    {MEMBER(tls)},
};

// True if the pair went into a member.
static bool take_pair(struct edge_record_build *build, const char *key, size_t key_len,
                      const char *value, size_t value_len)
{
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (strlen(members[i].key) != key_len || strncmp(members[i].key, key, key_len) != 0)
            continue;
        snprintf((char *)build + members[i].offset, members[i].size, "%.*s", (int)value_len, value);
        return true;
    }
    return false;
}

static void add_word(struct edge_record_build *build, const char *word, size_t len)
{
    size_t used = strlen(build->version);
    snprintf(build->version + used, sizeof(build->version) - used, "%s%.*s", used > 0 ? " " : "",
             (int)len, word);
}

void edge_version_line_parse(const char *line, const char *name, struct edge_record_build *build)
{
    const char *at = line;
    size_t name_len = strlen(name);
    edge_record_init(EDGE_RECORD_BUILD, build);
    snprintf(build->program, sizeof(build->program), "server");
    if (strncmp(at, name, name_len) == 0 && at[name_len] == ' ')
        at += name_len;
    while (*(at += strspn(at, " \t"))) {
        size_t len = strcspn(at, " \t"), key_len = strcspn(at, "= \t");
        const char *value = at + key_len + 1;
        bool pair = at[key_len] == '=';
        if (pair && *value == '"') {
            value++;
            len = (size_t)(value - at) + strcspn(value, "\"");
        }
        if (!pair || !take_pair(build, at, key_len, value, (size_t)(at + len - value)))
            add_word(build, at, len);
        at += len + (at[len] == '"');
    }
}
