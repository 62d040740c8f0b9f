#include "run/servers.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "run/ask.h"

static void ask_version(struct edge_server_entry *entry, const struct edge_emulator *emulator)
{
    const char *argv[sizeof(emulator->prefix) / sizeof(emulator->prefix[0]) + 2];
    size_t count = 0;
    struct edge_message message;
    char line[sizeof(entry->version)];
    if (emulator && edge_emulator_check(emulator, entry->path, &message) < 0) {
        snprintf(entry->problem, sizeof(entry->problem), "%s", message.text);
        return;
    }
    while (emulator && emulator->prefix[count]) {
        argv[count] = emulator->prefix[count];
        count++;
    }
    argv[count++] = entry->path;
    argv[count++] = "--version";
    argv[count] = NULL;
    if (edge_ask(argv, true, line, sizeof(line), NULL, 0, &message) < 0)
        snprintf(entry->problem, sizeof(entry->problem), "%s", message.text);
    else
        edge_servers_set_version(entry, line);
}

void edge_servers_set_version(struct edge_server_entry *entry, const char *line)
{
    snprintf(entry->version, sizeof(entry->version), "%.*s", (int)strcspn(line, "\r\n"), line);
    entry->calibration = strstr(entry->version, "calibration") != NULL;
}

// Then its size is known too.
static bool is_executable(struct edge_server_entry *entry)
{
    struct stat status;
    if (stat(entry->path, &status) != 0 || !S_ISREG(status.st_mode) ||
        access(entry->path, X_OK) != 0)
        return false;
    entry->size_bytes = (uint64_t)status.st_size;
    return true;
}

static struct edge_server_entry *add(struct edge_servers *servers)
{
    struct edge_server_entry *at =
        realloc(servers->at, (servers->count + 1) * sizeof(*servers->at));
    if (!at)
        return NULL;
    servers->at = at;
    at[servers->count] = (struct edge_server_entry){.name = ""};
    return &at[servers->count++];
}

static int join(struct edge_server_entry *entry, const char *folder, const char *name)
{
    int length = snprintf(entry->path, sizeof(entry->path), "%s/%s", folder, name);
    return length < 0 || (size_t)length >= sizeof(entry->path) ? -ENAMETOOLONG : 0;
}

// A name that is too long for a row is cut; its path is not.
static void set_name(struct edge_server_entry *entry, const char *name)
{
    snprintf(entry->name, sizeof(entry->name), "%.*s", (int)sizeof(entry->name) - 1, name);
}

static int by_name(const void *a, const void *b)
{
    const struct edge_server_entry *x = a, *y = b;
    if (x->calibration != y->calibration)
        return x->calibration ? 1 : -1;
    return strcmp(x->name, y->name);
}

// Adds every executable of the folder, sorted, without asking for versions.
static int scan(struct edge_servers *servers, const char *folder, struct edge_message *message)
{
    DIR *entries = opendir(folder);
    if (!entries) {
        int error = -errno;
        return edge_fail(message, error, "cannot look for servers in %s: %s", folder,
                         edge_error_text(error));
    }
    int error = 0;
    for (struct dirent *file; !error && (file = readdir(entries));) {
        if (file->d_name[0] == '.')
            continue;
        struct edge_server_entry *entry = add(servers);
        error = entry ? join(entry, folder, file->d_name) : -ENOMEM;
        if (!error && !is_executable(entry))
            servers->count--;
        else if (!error)
            set_name(entry, file->d_name);
    }
    closedir(entries);
    if (error)
        return edge_fail(message, error, "cannot list %s: %s", folder, edge_error_text(error));
    edge_servers_sort(servers);
    return 0;
}

static int find_all(struct edge_servers *servers, const char *folder, struct edge_message *message)
{
    int error = scan(servers, folder, message);
    if (error)
        return error;
    if (servers->count == 0)
        return edge_fail(message, EDGE_ERR_NOT_FOUND,
                         "expected servers in %s, found no executable: build them, or name one by "
                         "its path",
                         folder);
    return 0;
}

// Names what there is in the folder, and the nearest of it.
static void explain_unknown(struct edge_server_entry *entry, const char *folder)
{
    struct edge_servers known = {.at = NULL};
    struct edge_message ignored;
    char list[256] = "";
    const char *nearest = NULL;
    size_t best = EDGE_NEAREST_FAR;
    scan(&known, folder, &ignored);
    for (size_t i = 0; i < known.count; i++) {
        size_t used = strlen(list), distance = edge_nearest_distance(entry->name, known.at[i].name);
        snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", known.at[i].name);
        if (distance < best) {
            best = distance;
            nearest = known.at[i].name;
        }
    }
    snprintf(entry->problem, sizeof(entry->problem),
             "no such server; %s%s%sknown: %.256s; others go by their path",
             nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "",
             list[0] ? list : "none");
    edge_servers_free(&known);
}

static int find_one(struct edge_servers *servers, const char *folder, const char *operand,
                    struct edge_message *message)
{
    struct edge_server_entry *entry = add(servers);
    if (!entry)
        return edge_fail(message, -ENOMEM, "out of memory");
    const char *slash = strrchr(operand, '/');
    set_name(entry, slash ? slash + 1 : operand);
    int error = slash ? snprintf(entry->path, sizeof(entry->path), "%s", operand) >=
                                (int)sizeof(entry->path)
                            ? -ENAMETOOLONG
                            : 0
                      : join(entry, folder, operand);
    if (error || entry->name[0] == '\0')
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected the name or path of a server, found \"%s\"", operand);
    for (size_t i = 0; i + 1 < servers->count; i++)
        if (strcmp(servers->at[i].name, entry->name) == 0)
            return edge_fail(message, EDGE_ERR_USAGE,
                             "two servers are called %s: their results would share a file",
                             entry->name);
    struct stat status;
    if (stat(entry->path, &status) != 0 && !slash)
        explain_unknown(entry, folder);
    else if (stat(entry->path, &status) != 0)
        snprintf(entry->problem, sizeof(entry->problem), "%s", edge_error_text(-errno));
    else if (!is_executable(entry))
        snprintf(entry->problem, sizeof(entry->problem),
                 "expected an executable file; chmod +x it if it is a program");
    return 0;
}

// Neither the agent's lines nor the result's file can carry another name.
static void refuse_if_not_text(struct edge_server_entry *entry)
{
    const char *at = entry->path;
    for (size_t len; (len = edge_text_character(at)) > 0;)
        at += len;
    if (*at && !entry->problem[0])
        snprintf(entry->problem, sizeof(entry->problem),
                 "expected a path in UTF-8 without control characters: rename it");
}

int edge_servers_find(struct edge_servers *servers, const char *folder, char *const *operands,
                      size_t operand_count, struct edge_message *message)
{
    *servers = (struct edge_servers){.named = operand_count > 0};
    int error = operand_count == 0 ? find_all(servers, folder, message) : 0;
    for (size_t i = 0; i < operand_count && !error; i++)
        error = find_one(servers, folder, operands[i], message);
    for (size_t i = 0; i < servers->count && !error; i++)
        refuse_if_not_text(&servers->at[i]);
    if (error)
        edge_servers_free(servers);
    return error;
}

void edge_servers_ask(struct edge_servers *servers, const struct edge_emulator *emulator)
{
    for (size_t i = 0; i < servers->count; i++)
        if (!servers->at[i].problem[0])
            ask_version(&servers->at[i], emulator);
    edge_servers_sort(servers);
}

void edge_servers_sort(struct edge_servers *servers)
{
    if (!servers->named && servers->count > 1)
        qsort(servers->at, servers->count, sizeof(*servers->at), by_name);
}

void edge_servers_free(struct edge_servers *servers)
{
    free(servers->at);
    *servers = (struct edge_servers){.at = NULL};
}
