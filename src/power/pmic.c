// The regulator of a Raspberry Pi 5, CM5 and 500: twelve rails with voltage and current each,
// through the firmware's mailbox. vcgencmd pmic_read_adc gives the same text; starting a program
// for every reading disturbs what is measured, so it is the way only where there is no mailbox.
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "power/mailbox.h"
#include "power/sources.h"
#include "power/vcgencmd.h"

#define RAILS_MAX 32
#define COMMAND   "pmic_read_adc"

struct rail {
    char name[16];
    double volt, ampere;
    bool has_volt, has_ampere;
};

static struct rail *rail_of(struct rail *rails, unsigned *count, const char *name, size_t len)
{
    for (unsigned i = 0; i < *count; i++)
        if (strlen(rails[i].name) == len && memcmp(rails[i].name, name, len) == 0)
            return &rails[i];
    if (*count == RAILS_MAX || len >= sizeof rails[0].name)
        return NULL;
    struct rail *fresh = &rails[(*count)++];
    *fresh = (struct rail){.volt = 0};
    memcpy(fresh->name, name, len);
    return fresh;
}

// One line: "   3V3_SYS_A current(1)=0.06245952A". False if it is not of that form.
static bool take_line(const char *line, struct rail *rails, unsigned *count)
{
    line += strspn(line, " \t");
    size_t len = strcspn(line, " \n");
    const char *number = strchr(line, '=');
    if (len < 3 || !number || number > strchrnul(line, '\n'))
        return false;
    char kind = line[len - 1], *end;
    double value = strtod(number + 1, &end);
    if (end == number + 1 || *end != kind || line[len - 2] != '_' ||
        !(value >= 0 && value <= 1000)) // nan, too
        return false;
    // Rails are matched by name: neither indices nor the order of lines say what belongs together.
    struct rail *rail = rail_of(rails, count, line, len - 2);
    if (!rail || (kind != 'A' && kind != 'V'))
        return false;
    *(kind == 'A' ? &rail->ampere : &rail->volt) = value;
    *(kind == 'A' ? &rail->has_ampere : &rail->has_volt) = true;
    return true;
}

// The sum over rails that have both. EXT5V and BATT have a voltage only.
static int sum_rails(const char *text, uint64_t *power_uw, unsigned *pairs)
{
    struct rail rails[RAILS_MAX];
    unsigned count = 0;
    double watts = 0;
    *pairs = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line[strspn(line, " \t\r\n")] && !take_line(line, rails, &count))
            return EDGE_ERR_FORMAT;
    }
    for (unsigned i = 0; i < count; i++) {
        if (rails[i].has_ampere && !rails[i].has_volt)
            return EDGE_ERR_FORMAT; // a rail would be missing from the sum
        if (!rails[i].has_ampere)
            continue;
        watts += rails[i].volt * rails[i].ampere;
        ++*pairs;
    }
    *power_uw = (uint64_t)(watts * 1e6 + 0.5);
    return *pairs > 0 ? 0 : EDGE_ERR_FORMAT;
}

struct pmic {
    struct edge_mailbox mailbox;
    bool by_program;
};

static int read_text(struct pmic *pmic, char *text, size_t size, struct edge_message *message)
{
    if (pmic->by_program)
        return edge_vcgencmd_run(COMMAND, text, size, message);
    int error = edge_mailbox_gencmd(&pmic->mailbox, COMMAND, text, size);
    if (error)
        return edge_fail(message, error == EDGE_ERR_FAILED ? EDGE_ERR_UNSUPPORTED : error,
                         "the firmware does not know " COMMAND ": only a Pi 5, CM5 or 500 has "
                         "this regulator (%s)",
                         edge_error_text(error));
    return 0;
}

static int ask(struct pmic *pmic, uint64_t *power_uw, unsigned *pairs, struct edge_message *message)
{
    char text[EDGE_MAILBOX_TEXT];
    int error = read_text(pmic, text, sizeof text, message);
    if (error)
        return error;
    error = sum_rails(text, power_uw, pairs);
    if (error)
        return edge_fail(message, error,
                         "expected lines like \"3V3_SYS_A current(1)=0.06A\", found \"%.60s\"",
                         text);
    return 0;
}

// Without the device, and where the program is there instead.
static int try_program(struct edge_power *power, struct pmic *pmic)
{
    char text[EDGE_MAILBOX_TEXT];
    if (power->config.root[0] || edge_vcgencmd_run(COMMAND, text, sizeof text, NULL) != 0)
        return -ENOENT;
    pmic->by_program = true;
    power->interval_ns = EDGE_NS_PER_S;
    snprintf(power->warning, sizeof power->warning,
             "there is no /dev/vcio: vcgencmd is started for every reading, once a second, and "
             "disturbs what is measured");
    return 0;
}

static int open_pmic(struct edge_power *power, struct edge_message *message)
{
    struct pmic *pmic = calloc(1, sizeof *pmic);
    uint64_t power_uw = 0;
    unsigned pairs = 0;
    if (!pmic)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = pmic;
    int error = edge_mailbox_open(&pmic->mailbox, power->config.root, message);
    if (error == -ENOENT && try_program(power, pmic) == 0)
        error = 0;
    if (!error)
        error = ask(pmic, &power_uw, &pairs, message);
    if (error)
        return error;
    snprintf(power->detail, sizeof power->detail, "sum of %u rails by %s" COMMAND, pairs,
             pmic->by_program ? "vcgencmd " : "");
    snprintf(power->correction, sizeof power->correction,
             "none: raw sum; what the 5 V input draws is estimated as 1.1451 x + 0.5879 W "
             "(jfikar/RPi5-power, fitted on one board)");
    return 0;
}

static int read_pmic(struct edge_power *power, struct edge_reading *reading,
                     struct edge_message *message)
{
    unsigned pairs;
    uint64_t before_ns = edge_clock_ns();
    int error = ask(power->state, &reading->power_uw, &pairs, message);
    reading->t_ns = before_ns + (edge_clock_ns() - before_ns) / 2;
    return error;
}

static void close_pmic(struct edge_power *power)
{
    struct pmic *pmic = power->state;
    if (pmic)
        edge_mailbox_close(&pmic->mailbox);
    free(pmic);
}

const struct edge_power_source edge_power_pmic = {
    .name = "pmic",
    .place = EDGE_POWER_BOARD,
    .scope = "soc_rails",
    .interval_ns = 100 * EDGE_NS_PER_MS,
    .open = open_pmic,
    .read = read_pmic,
    .close = close_pmic,
    .reads = "Raspberry Pi 5, CM5, 500: `pmic_read_adc` through the firmware mailbox `/dev/vcio`; "
             "without that device by vcgencmd, once a second",
    .includes = "12 rails behind the regulator; not its losses, nor USB, HATs, NVMe and fan: 18 to "
                "31 % below the 5 V input",
    .permission = "group `video`",
};
