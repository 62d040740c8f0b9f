// FNIRSI FNB48, FNB48S, FNB58 and C1 by /dev/hidrawN. They send 25 reports a second for as long as
// they are asked for more.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "power/meter.h"
#include "power/sources.h"

#define CLASS       "/sys/class/hidraw"
#define DEVICES_MAX 64
#define SAMPLES     4
#define SAMPLE_SIZE 15
#define REPORT_NS   (40 * EDGE_NS_PER_MS)
#define SILENCE_MS  1000

enum { ASK_DATA = 0x04, BEGIN = 0x81, START = 0x82, GO_ON = 0x83 };

// HID_ID of their uevent: bus, vendor, product. The older two want to be asked after each report.
static const struct {
    const char *id, *name;
    bool impatient;
} models[] = {
    {"00000483:0000003A", "FNB48", true},
    {"00000483:0000003B", "C1", true},
    {"00002E3C:00005558", "FNB58", false},
    {"00002E3C:00000049", "FNB48S", false},
};
#define MODELS (sizeof models / sizeof models[0])

struct fnirsi {
    int fd;
    bool impatient;
    uint64_t ask_at_ns;
};

uint8_t edge_fnirsi_crc(const uint8_t *bytes, size_t len)
{
    uint8_t crc = 0x42;
    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x39 : crc << 1);
    }
    return crc;
}

void edge_fnirsi_command(uint8_t command, uint8_t report[EDGE_FNIRSI_REPORT])
{
    memset(report, 0, EDGE_FNIRSI_REPORT);
    report[0] = 0xaa;
    report[1] = command;
    report[EDGE_FNIRSI_REPORT - 1] = edge_fnirsi_crc(report + 1, EDGE_FNIRSI_REPORT - 2);
}

static uint32_t little_endian(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

int edge_fnirsi_parse(const uint8_t report[EDGE_FNIRSI_REPORT], uint64_t *power_uw,
                      struct edge_message *message)
{
    uint8_t crc = edge_fnirsi_crc(report + 1, EDGE_FNIRSI_REPORT - 2);
    if (report[0] != 0xaa || report[EDGE_FNIRSI_REPORT - 1] != crc)
        return edge_fail(message, EDGE_ERR_FORMAT,
                         "a broken report: expected aa ... %02x, found %02x ... %02x", crc,
                         report[0], report[EDGE_FNIRSI_REPORT - 1]);
    if (report[1] != ASK_DATA)
        return -EAGAIN;
    double sum_w = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const uint8_t *sample = report + 2 + (size_t)i * SAMPLE_SIZE;
        double volt = little_endian(sample) / 1e5, ampere = little_endian(sample + 4) / 1e5;
        if (volt > 60 || ampere > 12)
            return edge_fail(message, EDGE_ERR_LIMIT,
                             "reads %.5g V, %.5g A: more than the meter can carry", volt, ampere);
        sum_w += volt * ampere;
    }
    *power_uw = (uint64_t)(sum_w / SAMPLES * 1e6 + 0.5);
    return 0;
}

// hidraw wants the number of the report first; these have none.
static int send_command(const struct fnirsi *meter, uint8_t command)
{
    uint8_t bytes[1 + EDGE_FNIRSI_REPORT] = {0};
    edge_fnirsi_command(command, bytes + 1);
    ssize_t sent = write(meter->fd, bytes, sizeof bytes);
    return sent < 0 ? -errno : sent == (ssize_t)sizeof bytes ? 0 : -EIO;
}

static int read_report(struct fnirsi *meter, uint8_t report[EDGE_FNIRSI_REPORT],
                       struct edge_message *message)
{
    size_t have = 0;
    while (have < EDGE_FNIRSI_REPORT) { // whole from hidraw, in parts from a stream
        struct pollfd ready = {.fd = meter->fd, .events = POLLIN};
        if (poll(&ready, 1, SILENCE_MS) <= 0)
            return edge_fail(message, -ETIMEDOUT, "expected a report of %d bytes, found %zu",
                             EDGE_FNIRSI_REPORT, have);
        ssize_t got = read(meter->fd, report + have, EDGE_FNIRSI_REPORT - have);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return edge_fail(message, EDGE_ERR_CLOSED, "the meter is gone");
        if (got > 0)
            have += (size_t)got;
    }
    return 0;
}

static int read_fnirsi(struct edge_power *power, struct edge_reading *reading,
                       struct edge_message *message)
{
    struct fnirsi *meter = power->state;
    uint8_t report[EDGE_FNIRSI_REPORT];
    int error = read_report(meter, report, message);
    uint64_t now_ns = edge_clock_ns();
    if (now_ns >= meter->ask_at_ns) {
        meter->ask_at_ns = now_ns + (meter->impatient ? 0 : EDGE_NS_PER_S / 2);
        if (send_command(meter, GO_ON) != 0 && !error)
            error = edge_fail(message, EDGE_ERR_CLOSED, "the meter is gone");
    }
    if (error)
        return error;
    reading->t_ns = now_ns - REPORT_NS / 2; // the middle of its samples
    error = edge_fnirsi_parse(report, &reading->power_uw, message);
    return error ? error : 1;
}

static const char *identify(const char *device, bool *impatient)
{
    char path[128], text[1024];
    snprintf(path, sizeof path, CLASS "/%.63s/device/uevent", device);
    if (edge_procfs_read("", path, text, sizeof text) <= 0)
        return NULL;
    for (size_t i = 0; i < MODELS; i++)
        if (strcasestr(text, models[i].id)) {
            *impatient = models[i].impatient;
            return models[i].name;
        }
    return NULL;
}

// The first meter there is, or the one named.
static int find(struct edge_power *power, char *path, size_t size, bool *impatient,
                struct edge_message *message)
{
    char devices[DEVICES_MAX][EDGE_PROCFS_NAME];
    const char *wanted = power->config.argument;
    if (wanted) {
        const char *slash = strrchr(wanted, '/');
        const char *model = identify(slash ? slash + 1 : wanted, impatient);
        snprintf(path, size, "%s", wanted);
        snprintf(power->detail, sizeof power->detail, "%s at %.100s", model ? model : "meter",
                 wanted);
        return 0;
    }
    int count = edge_procfs_names("", CLASS, "hidraw", devices, DEVICES_MAX);
    for (int i = 0; i < count; i++) {
        const char *model = identify(devices[i], impatient);
        if (!model)
            continue;
        snprintf(path, size, "/dev/%.63s", devices[i]);
        snprintf(power->detail, sizeof power->detail, "%s at %.100s", model, path);
        return 0;
    }
    return edge_fail(message, -ENOENT, "no FNB48, FNB48S, FNB58 or C1 among " CLASS);
}

static int open_fnirsi(struct edge_power *power, struct edge_message *message)
{
    char path[160];
    struct fnirsi *meter = calloc(1, sizeof *meter);
    if (!meter)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = meter;
    meter->fd = -1;
    int error = find(power, path, sizeof path, &meter->impatient, message);
    if (error)
        return error;
    meter->fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (meter->fd < 0)
        return edge_fail(message, -errno,
                         "cannot open %s: %s; grant it with a udev rule: KERNEL==\"hidraw*\", "
                         "ATTRS{idVendor}==\"2e3c\", MODE=\"0660\", GROUP=\"plugdev\"",
                         path, edge_error_text(-errno));
    error = send_command(meter, BEGIN);
    if (!error)
        error = send_command(meter, START);
    if (!error)
        error = send_command(meter, meter->impatient ? GO_ON : START);
    if (error)
        return edge_fail(message, error, "cannot write to %s: %s", path, edge_error_text(error));
    return 0;
}

static void close_fnirsi(struct edge_power *power)
{
    struct fnirsi *meter = power->state;
    if (meter && meter->fd >= 0)
        close(meter->fd);
    free(meter);
}

const struct edge_power_source edge_power_fnirsi = {
    .name = "fnirsi",
    .argument = "[HIDRAW]",
    .place = EDGE_POWER_HOST,
    .scope = "dc_input",
    .interval_ns = REPORT_NS,
    .open = open_fnirsi,
    .read = read_fnirsi,
    .close = close_fnirsi,
    .reads = "FNIRSI FNB48, FNB48S, FNB58, C1: `/dev/hidrawN`, 100 samples a second, four to a "
             "report; C1 smooths over 0.5 s",
    .includes = "the board behind the meter and its cable",
    .permission = "a udev rule for the hidraw device",
};
