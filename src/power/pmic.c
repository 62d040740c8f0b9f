// The regulator of a Raspberry Pi 5, CM5 and 500: twelve rails with voltage and current each,
// through the firmware. vcgencmd pmic_read_adc asks the same device for the same text; starting a
// program for every reading would disturb what is measured.
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "power/mailbox.h"
#include "power/sources.h"

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
    if (end == number + 1 || *end != kind || line[len - 2] != '_' || value < 0 || value > 1000)
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

static int ask(struct edge_mailbox *mailbox, uint64_t *power_uw, unsigned *pairs,
               struct edge_message *message)
{
    char text[EDGE_MAILBOX_TEXT];
    int error = edge_mailbox_gencmd(mailbox, COMMAND, text, sizeof text);
    if (error)
        return edge_fail(message, error == EDGE_ERR_FAILED ? EDGE_ERR_UNSUPPORTED : error,
                         "the firmware does not know " COMMAND ": only a Pi 5, CM5 or 500 has "
                         "this regulator (%s)",
                         edge_error_text(error));
    error = sum_rails(text, power_uw, pairs);
    if (error)
        return edge_fail(message, error,
                         "expected lines like \"3V3_SYS_A current(1)=0.06A\", found \"%.60s\"",
                         text);
    return 0;
}

static int open_pmic(struct edge_power *power, struct edge_message *message)
{
    struct edge_mailbox *mailbox = malloc(sizeof *mailbox);
    uint64_t power_uw = 0;
    unsigned pairs = 0;
    if (!mailbox)
        return edge_fail(message, -ENOMEM, "out of memory");
    int error = edge_mailbox_open(mailbox, power->config.root, message);
    if (error) {
        free(mailbox);
        return error;
    }
    power->state = mailbox;
    error = ask(mailbox, &power_uw, &pairs, message);
    if (error)
        return error;
    snprintf(power->detail, sizeof power->detail, "sum of %u rails by " COMMAND, pairs);
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
    if (power->state)
        edge_mailbox_close(power->state);
    free(power->state);
}

const struct edge_power_source edge_power_pmic = {
    .name = "pmic",
    .place = EDGE_POWER_BOARD,
    .scope = "soc_rails",
    .interval_ns = 100 * EDGE_NS_PER_MS,
    .open = open_pmic,
    .read = read_pmic,
    .close = close_pmic,
    .reads = "Raspberry Pi 5, CM5, 500: `pmic_read_adc` through the firmware mailbox `/dev/vcio`",
    .includes = "12 rails behind the regulator; not its losses, nor USB, HATs, NVMe and fan: 18 to "
                "31 % below the 5 V input",
    .permission = "group `video`",
};
