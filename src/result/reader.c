#include "result/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "result/reader_records.h"

#define READ_CHUNK 65536u

// FNV-1a, eight bytes at a time.
static void digest(struct edge_reading *reading, const char *text, size_t len, bool whole)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = reading->result->digest;
    for (; len >= sizeof(uint64_t); text += sizeof(uint64_t), len -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text, sizeof(word));
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32; // a product only carries upwards
    }
    for (; len > 0; text++, len--)
        hash = (hash ^ (unsigned char)*text) * prime;
    reading->result->digest = (hash ^ (whole ? '\n' : 0)) * prime;
}

// `whole`: the line ended in a newline. One that did not and is no JSON was cut short by a kill.
static int take_line(struct edge_reading *reading, const char *text, size_t len, bool whole)
{
    reading->line++;
    snprintf(reading->where, sizeof(reading->where), "%s:%llu", reading->name,
             (unsigned long long)reading->line);
    if (len > EDGE_RESULT_LINE_MAX)
        return edge_fail(reading->message, EDGE_ERR_LIMIT, "%s: a line of more than %u bytes",
                         reading->where, EDGE_RESULT_LINE_MAX);
    digest(reading, text, len, whole);
    if (whole) {
        int rv = edge_reading_scan(reading, text, len);
        if (rv <= 0)
            return rv;
    }
    json_error_t error;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        if (!whole && reading->begun)
            return 0;
        return edge_fail(reading->message, EDGE_ERR_FORMAT,
                         "%s: expected one JSON object on the line: column %d: %s", reading->where,
                         error.column, error.text);
    }
    int rv =
        json_is_object(object)
            ? edge_reading_take(reading, object)
            : edge_fail(reading->message, EDGE_ERR_FORMAT,
                        "%s: expected one JSON object on the line, found an array", reading->where);
    json_decref(object);
    return rv;
}

static void begin(struct edge_reading *reading, const char *name, struct edge_result *result,
                  struct edge_message *message)
{
    memset(result, 0, sizeof(*result));
    snprintf(result->path, sizeof(result->path), "%s", name);
    result->digest = UINT64_C(0xcbf29ce484222325);
    *reading = (struct edge_reading){.result = result, .name = result->path, .message = message};
    snprintf(reading->where, sizeof(reading->where), "%s", result->path);
}

static int finish(struct edge_reading *reading, int rv)
{
    struct edge_result *result = reading->result;
    if (rv == 0 && !reading->begun)
        rv = edge_fail(reading->message, EDGE_ERR_FORMAT,
                       "%s: the file is empty: expected a \"run\" record first", reading->name);
    if (rv != 0) {
        edge_result_free(result);
    } else if (!result->ended) {
        edge_record_init(EDGE_RECORD_END, &result->end);
        result->end.valid = EDGE_NO;
        edge_texts_add(&result->end.reasons, "interrupted: the file has no end record");
    }
    return rv;
}

int edge_result_parse(const char *name, const char *text, size_t len, struct edge_result *result,
                      struct edge_message *message)
{
    struct edge_reading reading;
    begin(&reading, name, result, message);
    int rv = 0;
    for (size_t at = 0; rv == 0 && at < len;) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline != NULL ? (size_t)(newline - text) - at : len - at;
        rv = take_line(&reading, text + at, line, newline != NULL);
        at += line + 1;
    }
    return finish(&reading, rv);
}

// Takes the whole lines of the buffer; `*searched` bytes of it are known to hold no newline.
static int take_lines(struct edge_reading *reading, struct edge_buffer *buffer, size_t *searched)
{
    int rv = 0;
    while (rv == 0 && *searched < buffer->len) {
        const char *head = (const char *)edge_buffer_head(buffer);
        const char *newline = memchr(head + *searched, '\n', buffer->len - *searched);
        if (newline == NULL) {
            *searched = buffer->len;
            // Too long already: no need to read on to its end.
            if (buffer->len > EDGE_RESULT_LINE_MAX)
                rv = take_line(reading, head, buffer->len, false);
            break;
        }
        rv = take_line(reading, head, (size_t)(newline - head), true);
        edge_buffer_consume(buffer, (size_t)(newline - head) + 1);
        *searched = 0;
    }
    return rv;
}

static int read_all(struct edge_reading *reading, int fd, struct edge_buffer *buffer)
{
    size_t searched = 0;
    for (;;) {
        if (edge_buffer_reserve(buffer, READ_CHUNK) != 0)
            return edge_reading_out_of_memory(reading);
        ssize_t n = read(fd, edge_buffer_tail(buffer), READ_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return edge_fail(reading->message, -errno, "cannot read %s: %s", reading->name,
                             edge_error_text(-errno));
        if (n == 0)
            break;
        buffer->len += (size_t)n;
        int rv = take_lines(reading, buffer, &searched);
        if (rv != 0)
            return rv;
    }
    return buffer->len == 0
               ? 0
               : take_line(reading, (const char *)edge_buffer_head(buffer), buffer->len, false);
}

int edge_result_read(const char *path, struct edge_result *result, struct edge_message *message)
{
    struct edge_reading reading;
    begin(&reading, path, result, message);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return edge_fail(message, -errno, "cannot read %s: %s", path, edge_error_text(-errno));
    struct edge_buffer buffer = {0};
    int rv = read_all(&reading, fd, &buffer);
    edge_buffer_free(&buffer);
    close(fd);
    return finish(&reading, rv);
}
