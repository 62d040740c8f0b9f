#include "result/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/hist_json.h"
#include "result/record_json.h"

static const char *advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "free some space, or choose another folder with --results-dir";
    case EFBIG:
        return "raise the file size limit (ulimit -f), or choose another folder with --results-dir";
    case EACCES:
    case EPERM:
    case EROFS:
        return "make the folder writable, or choose another one with --results-dir";
    case ENOENT:
    case ENOTDIR:
        return "create its folder, or choose another one with --results-dir";
    case EEXIST:
        return "it holds another run: choose another folder with --results-dir";
    default:
        return "check the disk, or choose another folder with --results-dir";
    }
}

int edge_result_writer_open(struct edge_result_writer *writer, const char *path,
                            struct edge_message *message)
{
    memset(writer, 0, sizeof(*writer));
    writer->fd = -1;
    int len = snprintf(writer->path, sizeof(writer->path), "%s", path);
    if (len < 0 || (size_t)len >= sizeof(writer->path))
        return edge_fail(message, -ENAMETOOLONG,
                         "the path of a result file has %d bytes, at most %zu are possible: choose "
                         "a shorter one with --results-dir",
                         len, sizeof(writer->path) - 1);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) {
        int error = errno;
        return edge_fail(message, -error, "cannot create %s: %s; %s", path, edge_error_text(-error),
                         advice(error));
    }
    writer->fd = fd;
    return 0;
}

// Takes back what a failed write left behind the last whole line.
static int roll_back(struct edge_result_writer *writer, off_t size, int error,
                     struct edge_message *message)
{
    const char *kept = ftruncate(writer->fd, size) == 0
                           ? "what was written before is kept"
                           : "its last line may be cut short, the lines before it are kept";
    return edge_fail(message, -error, "cannot write to %s: %s; %s; %s", writer->path,
                     edge_error_text(-error), kept, advice(error));
}

static int write_line(struct edge_result_writer *writer, const char *line, size_t len,
                      struct edge_message *message)
{
    struct stat before;
    if (fstat(writer->fd, &before) != 0)
        return edge_fail(message, -errno, "cannot write to %s: %s", writer->path,
                         edge_error_text(-errno));
    // A regular file takes it all at once. If not, writing the rest tells why.
    for (size_t done = 0; done < len;) {
        ssize_t n = write(writer->fd, line + done, len - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return roll_back(writer, before.st_size, errno, message);
    }
    return 0;
}

static int write_object(struct edge_result_writer *writer, const json_t *object,
                        struct edge_message *message)
{
    size_t len = json_dumpb(object, NULL, 0, JSON_COMPACT);
    char *line = len > 0 ? malloc(len + 1) : NULL;
    if (line == NULL)
        return edge_fail(message, -ENOMEM, "out of memory while writing %s", writer->path);
    json_dumpb(object, line, len, JSON_COMPACT);
    line[len] = '\n';
    int rv = write_line(writer, line, len + 1, message);
    free(line);
    return rv;
}

// An object that begins with its type, and in the run record with the format.
static json_t *begin(enum edge_record_type type)
{
    const char *name = edge_record_describe(type)->name;
    if (type == EDGE_RECORD_RUN)
        return json_pack("{s:s, s:s, s:i, s:i}", "type", name, "format", EDGE_RESULT_FORMAT,
                         "major", EDGE_RESULT_MAJOR, "minor", EDGE_RESULT_MINOR);
    return json_pack("{s:s}", "type", name);
}

static int check_order(struct edge_result_writer *writer, enum edge_record_type type,
                       struct edge_message *message)
{
    if (writer->fd < 0 || writer->ended || writer->begun == (type == EDGE_RECORD_RUN))
        return edge_fail(message, -EINVAL, "%s: a %s record is not possible here", writer->path,
                         edge_record_describe(type)->name);
    return 0;
}

int edge_result_write(struct edge_result_writer *writer, enum edge_record_type type,
                      const void *record, struct edge_message *message)
{
    int rv = check_order(writer, type, message);
    if (rv != 0)
        return rv;
    json_t *object = begin(type);
    rv = edge_record_encode(type, record, object);
    if (rv == 0)
        rv = write_object(writer, object, message);
    else
        edge_fail(message, rv, "out of memory while writing %s", writer->path);
    json_decref(object);
    if (rv == 0) {
        writer->begun = true;
        writer->ended = type == EDGE_RECORD_END;
    }
    return rv;
}

int edge_result_write_histogram(struct edge_result_writer *writer, uint64_t repeat,
                                const char *name, const struct edge_histogram *histogram,
                                struct edge_message *message)
{
    int rv = check_order(writer, EDGE_RECORD_HIST, message);
    if (rv != 0)
        return rv;
    json_t *object = edge_hist_encode(repeat, name, histogram);
    rv = object == NULL
             ? edge_fail(message, -ENOMEM, "out of memory while writing %s", writer->path)
             : write_object(writer, object, message);
    json_decref(object);
    return rv;
}

int edge_result_writer_close(struct edge_result_writer *writer, struct edge_message *message)
{
    if (writer->fd < 0)
        return 0;
    int rv = 0;
    if (fsync(writer->fd) != 0 && errno != EINVAL)
        rv = -errno;
    if (close(writer->fd) != 0 && rv == 0)
        rv = -errno;
    writer->fd = -1;
    if (rv != 0)
        edge_fail(message, rv, "cannot finish %s: %s; %s", writer->path, edge_error_text(rv),
                  advice(-rv));
    return rv;
}
