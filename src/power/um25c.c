// RDTech UM24C and UM25C over their serial port: Bluetooth's RFCOMM, bound to a tty.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "power/meter.h"
#include "power/sources.h"

#define UM24C     0x0963u
#define UM25C     0x09c9u
#define ANSWER_NS EDGE_NS_PER_S

struct um25c {
    int fd;
};

static uint32_t big_endian(const uint8_t *bytes, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

int edge_um25c_parse(const uint8_t frame[EDGE_UM25C_FRAME], uint64_t *power_uw,
                     struct edge_message *message)
{
    uint32_t model = big_endian(frame, 2);
    if (big_endian(frame + EDGE_UM25C_FRAME - 2, 2) != 0xfff1)
        return edge_fail(message, EDGE_ERR_FORMAT, "a broken frame: expected it to end in ff f1");
    if (model != UM24C && model != UM25C)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "expected a UM24C (0963) or UM25C (09c9), found model %04x", model);
    // UM25C counts mV and 0.1 mA; UM24C 10 mV and mA.
    double volt = big_endian(frame + 2, 2) / (model == UM25C ? 1e3 : 1e2);
    double ampere = big_endian(frame + 4, 2) / (model == UM25C ? 1e4 : 1e3);
    double watt = big_endian(frame + 6, 4) / 1e3;
    if (volt > 30 || ampere > 8)
        return edge_fail(message, EDGE_ERR_LIMIT,
                         "reads %.5g V, %.5g A: more than the meter can carry", volt, ampere);
    double difference = watt - volt * ampere;
    if (difference < 0)
        difference = -difference;
    if (difference > 0.05 + 0.05 * volt * ampere)
        return edge_fail(message, EDGE_ERR_FORMAT, "a broken frame: %.3f V x %.4f A is not %.3f W",
                         volt, ampere, watt);
    *power_uw = (uint64_t)(watt * 1e6 + 0.5);
    return 0;
}

static int set_up(int fd)
{
    struct termios line;
    if (tcgetattr(fd, &line) != 0)
        return -errno;
    cfmakeraw(&line);
    cfsetspeed(&line, B9600);
    line.c_cc[VMIN] = 0;
    line.c_cc[VTIME] = 0;
    return tcsetattr(fd, TCSANOW, &line) == 0 ? 0 : -errno;
}

static int ask(int fd, uint8_t frame[EDGE_UM25C_FRAME], struct edge_message *message)
{
    uint8_t byte = EDGE_UM25C_ASK;
    uint64_t until_ns = edge_clock_ns() + ANSWER_NS;
    tcflush(fd, TCIFLUSH); // what is left of a broken frame
    if (write(fd, &byte, 1) != 1)
        return edge_fail(message, -errno, "cannot write: %s", edge_error_text(-errno));
    size_t have = 0;
    while (have < EDGE_UM25C_FRAME) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        uint64_t now_ns = edge_clock_ns();
        if (now_ns >= until_ns)
            return edge_fail(message, -ETIMEDOUT, "expected %d bytes within 1 s, found %zu",
                             EDGE_UM25C_FRAME, have);
        if (poll(&ready, 1, (int)((until_ns - now_ns) / EDGE_NS_PER_MS + 1)) <= 0)
            continue;
        ssize_t got = read(fd, frame + have, EDGE_UM25C_FRAME - have);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return edge_fail(message, EDGE_ERR_CLOSED, "the port was closed");
        if (got > 0)
            have += (size_t)got;
    }
    return 0;
}

static int read_um25c(struct edge_power *power, struct edge_reading *reading,
                      struct edge_message *message)
{
    const struct um25c *meter = power->state;
    uint8_t frame[EDGE_UM25C_FRAME] = {0};
    uint64_t before_ns = edge_clock_ns();
    int error = ask(meter->fd, frame, message);
    reading->t_ns = before_ns + (edge_clock_ns() - before_ns) / 2;
    return error ? error : edge_um25c_parse(frame, &reading->power_uw, message);
}

static int open_um25c(struct edge_power *power, struct edge_message *message)
{
    const char *path = power->config.argument;
    struct um25c *meter = malloc(sizeof *meter);
    if (!meter)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = meter;
    meter->fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    int error = meter->fd < 0 ? -errno : set_up(meter->fd);
    if (error == -EACCES)
        return edge_fail(message, error,
                         "%s may not be opened: add the user to its group (dialout)", path);
    if (error)
        return edge_fail(message, error,
                         "cannot use %s: %s; bind the meter first: sudo rfcomm bind "
                         "0 ADDRESS",
                         path, edge_error_text(error));
    struct edge_reading reading;
    struct edge_message why;
    error = read_um25c(power, &reading, &why);
    if (error)
        return edge_fail(message, error, "%s: %.300s", path, why.text);
    snprintf(power->detail, sizeof power->detail, "%.150s", path);
    return 0;
}

static void close_um25c(struct edge_power *power)
{
    struct um25c *meter = power->state;
    if (meter && meter->fd >= 0)
        close(meter->fd);
    free(meter);
}

const struct edge_power_source edge_power_um25c = {
    .name = "um25c",
    .argument = "TTY",
    .place = EDGE_POWER_HOST,
    .scope = "dc_input",
    .interval_ns = 500 * EDGE_NS_PER_MS,
    .open = open_um25c,
    .read = read_um25c,
    .close = close_um25c,
    .reads = "RDTech UM24C, UM25C: Bluetooth serial port (`rfcomm bind 0 ADDRESS`, then "
             "`/dev/rfcomm0`), watts",
    .includes = "the board behind the meter and its cable",
    .permission = "group `dialout`",
};
