#include "power/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/procfs.h"

// The kernel declares the ioctl with a pointer as its argument, whose size is part of the number:
// a 32-bit program on a 64-bit kernel may need the other one.
#define PROPERTY_IOCTL       _IOC(_IOC_READ | _IOC_WRITE, 100, 0, sizeof(void *))
#define PROPERTY_IOCTL_OTHER _IOC(_IOC_READ | _IOC_WRITE, 100, 0, 12 - sizeof(void *))

#define REPLY_OK    0x80000000u // of the message, and of each tag that was answered
#define FIXTURE_MAX 16384

enum { TOTAL, CODE, TAG, VALUE_SIZE, VALUE_CODE, VALUE }; // the words of a message

size_t edge_mailbox_encode_property(uint32_t words[EDGE_MAILBOX_WORDS], uint32_t tag,
                                    const uint32_t *value, size_t count)
{
    size_t used = VALUE + count + 1;
    memset(words, 0, EDGE_MAILBOX_WORDS * sizeof *words);
    words[TOTAL] = (uint32_t)(used * sizeof *words);
    words[TAG] = tag;
    words[VALUE_SIZE] = (uint32_t)(count * sizeof *words);
    memcpy(words + VALUE, value, count * sizeof *words);
    return used;
}

int edge_mailbox_decode_property(const uint32_t words[EDGE_MAILBOX_WORDS], uint32_t *value,
                                 size_t count)
{
    if (words[CODE] != REPLY_OK || !(words[VALUE_CODE] & REPLY_OK) ||
        (words[VALUE_CODE] & ~REPLY_OK) > count * sizeof *words)
        return EDGE_ERR_PROTOCOL;
    memcpy(value, words + VALUE, count * sizeof *words);
    return 0;
}

size_t edge_mailbox_encode_gencmd(uint32_t words[EDGE_MAILBOX_WORDS], const char *command)
{
    memset(words, 0, EDGE_MAILBOX_WORDS * sizeof *words);
    words[TOTAL] = EDGE_MAILBOX_WORDS * sizeof *words;
    words[TAG] = EDGE_MAILBOX_GET_GENCMD_RESULT;
    words[VALUE_SIZE] = EDGE_MAILBOX_TEXT;
    snprintf((char *)(words + VALUE + 1), EDGE_MAILBOX_TEXT, "%s", command);
    return EDGE_MAILBOX_WORDS;
}

int edge_mailbox_decode_gencmd(const uint32_t words[EDGE_MAILBOX_WORDS], char *text, size_t size)
{
    if (words[CODE] != REPLY_OK)
        return EDGE_ERR_PROTOCOL;
    snprintf(text, size, "%.*s", (int)EDGE_MAILBOX_TEXT, (const char *)(words + VALUE + 1));
    return words[VALUE] == 0 ? 0 : EDGE_ERR_FAILED; // the command's own result
}

static int read_fixture(struct edge_mailbox *mailbox, const char *root,
                        struct edge_message *message)
{
    mailbox->fixture = malloc(FIXTURE_MAX);
    if (!mailbox->fixture)
        return edge_fail(message, -ENOMEM, "out of memory");
    int length = edge_procfs_read(root, "/dev/vcio.fixture", mailbox->fixture, FIXTURE_MAX);
    if (length >= 0)
        return 0;
    edge_mailbox_close(mailbox);
    return edge_fail(message, length,
                     "no firmware mailbox (its answers would be in dev/vcio.fixture): no Raspberry "
                     "Pi");
}

int edge_mailbox_open(struct edge_mailbox *mailbox, const char *root, struct edge_message *message)
{
    *mailbox = (struct edge_mailbox){.property_fd = -1, .gencmd_fd = -1};
    if (root[0])
        return read_fixture(mailbox, root, message);
    mailbox->property_fd = open("/dev/vcio", O_RDONLY | O_CLOEXEC);
    int error = -errno;
    mailbox->gencmd_fd = open("/dev/vcio_gencmd", O_RDONLY | O_CLOEXEC);
    if (mailbox->gencmd_fd < 0 && mailbox->property_fd >= 0)
        mailbox->gencmd_fd = fcntl(mailbox->property_fd, F_DUPFD_CLOEXEC, 0);
    if (mailbox->property_fd >= 0 || mailbox->gencmd_fd >= 0)
        return 0;
    if (error == -EACCES || error == -EPERM)
        return edge_fail(message, -EACCES,
                         "/dev/vcio may not be opened: add the user to its group (sudo usermod -aG "
                         "video USER) and log in again; in a container, pass the device");
    return edge_fail(message, error,
                     "no firmware mailbox (/dev/vcio): no Raspberry Pi, or a "
                     "container without that device");
}

void edge_mailbox_close(struct edge_mailbox *mailbox)
{
    if (mailbox->property_fd >= 0)
        close(mailbox->property_fd);
    if (mailbox->gencmd_fd >= 0)
        close(mailbox->gencmd_fd);
    free(mailbox->fixture);
    *mailbox = (struct edge_mailbox){.property_fd = -1, .gencmd_fd = -1};
}

static int exchange(int fd, uint32_t *words)
{
    if (fd < 0)
        return -ENOENT;
    if (ioctl(fd, PROPERTY_IOCTL, words) >= 0)
        return 0;
    if (errno == ENOTTY && ioctl(fd, PROPERTY_IOCTL_OTHER, words) >= 0)
        return 0;
    return -errno;
}

// What follows `key` on the line that begins with it, or NULL.
static const char *fixture_line(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && (line[len] == ' ' || line[len] == '\n'))
            return line + len;
    }
    return NULL;
}

static int fixture_property(const char *fixture, uint32_t tag, uint32_t *words, size_t count)
{
    char key[32];
    snprintf(key, sizeof key, "property %08" PRIx32, tag);
    const char *at = fixture_line(fixture, key);
    if (!at)
        return EDGE_ERR_PROTOCOL;
    unsigned char *bytes = (unsigned char *)words;
    for (size_t i = 0; i < count * sizeof *words; i++) {
        char *end;
        unsigned long byte = strtoul(at, &end, 16);
        if (end == at || byte > UCHAR_MAX)
            return EDGE_ERR_FORMAT;
        bytes[i] = (unsigned char)byte;
        at = end;
    }
    return 0;
}

static int fixture_gencmd(const char *fixture, const char *command, char *text, size_t size)
{
    char key[128];
    size_t used = 0;
    snprintf(key, sizeof key, "gencmd %s", command);
    const char *line = fixture_line(fixture, key);
    if (!line)
        return EDGE_ERR_FAILED;
    text[0] = '\0';
    for (line = strchr(line, '\n'); line && line[1] == '|'; line = strchr(line, '\n')) {
        line += line[2] == ' ' ? 3 : 2;
        int put = snprintf(text + used, size - used, "%.*s\n", (int)strcspn(line, "\n"), line);
        if (put < 0 || (size_t)put >= size - used)
            return EDGE_ERR_LIMIT;
        used += (size_t)put;
    }
    return 0;
}

int edge_mailbox_property(struct edge_mailbox *mailbox, uint32_t tag, uint32_t *words, size_t count)
{
    uint32_t all[EDGE_MAILBOX_WORDS];
    if (mailbox->fixture)
        return fixture_property(mailbox->fixture, tag, words, count);
    edge_mailbox_encode_property(all, tag, words, count);
    int error = exchange(mailbox->property_fd, all);
    return error ? error : edge_mailbox_decode_property(all, words, count);
}

int edge_mailbox_gencmd(struct edge_mailbox *mailbox, const char *command, char *text, size_t size)
{
    uint32_t all[EDGE_MAILBOX_WORDS];
    if (mailbox->fixture)
        return fixture_gencmd(mailbox->fixture, command, text, size);
    edge_mailbox_encode_gencmd(all, command);
    int error = exchange(mailbox->gencmd_fd, all);
    return error ? error : edge_mailbox_decode_gencmd(all, text, size);
}

// Where only /dev/vcio_gencmd may be opened, the same facts come as text: "throttled=0x50005",
// "frequency(0)=1500398464".
static int gencmd_number(struct edge_mailbox *mailbox, const char *command, uint32_t *value)
{
    char text[256];
    int error = edge_mailbox_gencmd(mailbox, command, text, sizeof text);
    if (error)
        return error;
    const char *digits = strchr(text, '=');
    char *end;
    unsigned long number = digits ? strtoul(digits + 1, &end, 0) : 0;
    if (!digits || end == digits + 1)
        return EDGE_ERR_FORMAT;
    *value = (uint32_t)number;
    return 0;
}

int edge_mailbox_throttled(struct edge_mailbox *mailbox, uint32_t *bits)
{
    *bits = 0; // bits that are set here would clear history
    if (edge_mailbox_property(mailbox, EDGE_MAILBOX_GET_THROTTLED, bits, 1) == 0)
        return 0;
    return gencmd_number(mailbox, "get_throttled", bits);
}

int edge_mailbox_measured_hz(struct edge_mailbox *mailbox, uint32_t *hz)
{
    uint32_t words[2] = {EDGE_MAILBOX_CLOCK_ARM, 0};
    int error = edge_mailbox_property(mailbox, EDGE_MAILBOX_GET_CLOCK_MEASURED, words, 2);
    *hz = words[1];
    return error ? gencmd_number(mailbox, "measure_clock arm", hz) : 0;
}
