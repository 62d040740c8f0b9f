#include "run/ssh_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/ask.h"

#define SLOWEST_BYTES_PER_S 20000u
#define PATIENCE_NS         (30 * EDGE_NS_PER_S)

bool edge_ssh_is_plain(const char *text)
{
    return text[0] != '\0' && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "/._+,:@-") == strlen(text);
}

// The sum of a file here, by the same program as there. "" if it has none.
static void sum_here(const char *path, char sum[65])
{
    const char *argv[] = {"sha256sum", "--", path, NULL};
    char line[128];
    struct edge_message ignored; // then it is copied
    sum[0] = '\0';
    if (edge_ask(argv, true, line, sizeof(line), NULL, 0, &ignored) == 0 &&
        strspn(line, "0123456789abcdef") == 64)
        snprintf(sum, 65, "%.64s", line);
}

static bool is_there(const struct edge_ssh_copy *copy, const char *path, const char *name)
{
    char sum[65];
    const struct edge_ssh_board *board = copy->board;
    for (unsigned i = 0; i < board->sum_count; i++)
        if (strcmp(board->sums[i].name, name) == 0) {
            sum_here(path, sum);
            return strcmp(board->sums[i].sum, sum) == 0;
        }
    return false;
}

static int send_file(struct edge_ssh_copy *copy, int fd, uint64_t size, const char *name,
                     unsigned mode, struct edge_message *message)
{
    char command[2048], out[256]; // a folder and names of at most 128 bytes each
    // The size is looked at: a connection that ends looks like the end of the file.
    snprintf(command, sizeof(command),
             "exec sh -c 'umask 077; cd %s && { { cat >%s.new && test $(wc -c <%s.new) -eq %" PRIu64
             " && chmod %o %s.new && mv -f %s.new %s; } || { rm -f %s.new; exit 1; }; }'",
             copy->dir, name, name, size, mode, name, name, name, name);
    struct edge_ssh_output output = {.out = out, .out_size = sizeof(out)};
    uint64_t timeout_ns = PATIENCE_NS + size / SLOWEST_BYTES_PER_S * EDGE_NS_PER_S;
    int error = edge_ssh_run(copy->ssh, command, fd, timeout_ns, &output, message);
    if (error)
        return error;
    if (output.status != 0)
        return edge_fail(message, EDGE_ERR_FAILED,
                         "cannot copy %s (%" PRIu64 " KiB) to %s on the board: %.200s; another "
                         "folder can be given with --board-dir",
                         name, size / 1024, copy->dir,
                         output.words[0] ? output.words : "it arrived in part");
    copy->files++;
    copy->bytes += size;
    return 0;
}

int edge_ssh_copy_file(struct edge_ssh_copy *copy, const char *path, const char *name,
                       unsigned mode, struct edge_message *message)
{
    struct stat status = {.st_size = 0};
    if (!edge_ssh_is_plain(name) || strlen(name) > 127)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected a name of letters, digits and . _ + - for a program that is "
                         "copied to a board, found \"%.128s\"",
                         name);
    if (is_there(copy, path, name))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &status) != 0 ? -errno : 0;
    if (error)
        edge_fail(message, error, "cannot read %s: %s", path, edge_error_text(error));
    else
        error = send_file(copy, fd, (uint64_t)status.st_size, name, mode, message);
    if (fd >= 0)
        close(fd);
    return error;
}
