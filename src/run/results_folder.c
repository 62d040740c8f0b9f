#include "run/results_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

// Makes every folder of the path that is missing. 0 or a negated errno.
static int make_parents(const char *path)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
        return -ENAMETOOLONG;
    for (char *slash = part; slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return -errno;
        if (slash)
            *slash = '/';
    }
    return 0;
}

int edge_results_folder_make(const char *results_dir, uint64_t wall_ns, const char *board,
                             char *path, size_t size, struct edge_message *message)
{
    char utc[24], compact[24];
    size_t len = 0;
    edge_clock_utc(wall_ns, utc);
    for (const char *at = utc; *at; at++)
        if (*at != '-' && *at != ':')
            compact[len++] = *at;
    compact[len] = '\0';
    int error = make_parents(results_dir);
    for (unsigned i = 1; !error && i < 100; i++) {
        char suffix[8] = "";
        if (i > 1)
            snprintf(suffix, sizeof(suffix), "-%u", i);
        if (snprintf(path, size, "%s/%s-%s%s", results_dir, compact, board, suffix) >= (int)size)
            error = -ENAMETOOLONG;
        else if (mkdir(path, 0777) == 0)
            return 0;
        else if (errno != EEXIST)
            error = -errno;
    }
    if (!error)
        error = -EEXIST;
    return edge_fail(message, error,
                     "cannot make a folder for the results in %s: %s; choose another with "
                     "--results-dir",
                     results_dir, edge_error_text(error));
}

int edge_results_folder_file(const char *folder, const char *server, const char *scenario,
                             const char *call, char *path, size_t size,
                             struct edge_message *message)
{
    if (snprintf(path, size, "%s/%s.%s.%s.jsonl", folder, server, scenario, call) < (int)size)
        return 0;
    return edge_fail(message, -ENAMETOOLONG, "the path of %s's result file is too long", server);
}
