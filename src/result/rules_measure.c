#include "result/rules_measure.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "result/statistics.h"

static double number(uint64_t value)
{
    return value == EDGE_UNMEASURED ? (double)NAN : (double)value;
}

static double truth(int value)
{
    return value == EDGE_UNKNOWN ? (double)NAN : (double)value;
}

double edge_measure_ready(const struct edge_readings *r)
{
    return truth(r->ready);
}
double edge_measure_server_alive(const struct edge_readings *r)
{
    return truth(r->server_alive);
}
double edge_measure_finished(const struct edge_readings *r)
{
    return truth(r->finished);
}
double edge_measure_duration(const struct edge_readings *r)
{
    return number(r->window_ns);
}
double edge_measure_samples(const struct edge_readings *r)
{
    return number(r->samples);
}
double edge_measure_verified(const struct edge_readings *r)
{
    return number(r->verified);
}
double edge_measure_books(const struct edge_readings *r)
{
    return truth(r->balanced);
}
double edge_measure_client_limited(const struct edge_readings *r)
{
    return truth(r->client_limited);
}
double edge_measure_emulated(const struct edge_readings *r)
{
    return truth(r->emulated);
}
double edge_measure_calibration(const struct edge_readings *r)
{
    return truth(r->calibration);
}

double edge_measure_recorded(const struct edge_readings *r)
{
    return truth(r->recorded);
}
double edge_measure_cpus_lost(const struct edge_readings *r)
{
    return number(r->cpus_lost);
}
double edge_measure_swap(const struct edge_readings *r)
{
    return number(r->swap_bytes);
}
double edge_measure_power(const struct edge_readings *r)
{
    return truth(r->power);
}
double edge_measure_power_gaps(const struct edge_readings *r)
{
    return r->power_gap_periods;
}
double edge_measure_power_lost(const struct edge_readings *r)
{
    return r->power_lost_percent;
}
double edge_measure_power_updates(const struct edge_readings *r)
{
    return number(r->power_updates);
}
double edge_measure_power_doubt(const struct edge_readings *r)
{
    return truth(r->power_doubtful);
}
double edge_measure_power_shared(const struct edge_readings *r)
{
    return truth(r->power_shared);
}
double edge_measure_idle_drift(const struct edge_readings *r)
{
    return r->idle_drift_percent;
}

// As Raspberry Pi firmware counts them: bit 0 under-voltage, 1 clock capped, 2 throttled, 3 soft
// temperature limit; 16 to 19 the same.
#define UNDERVOLTAGE_BITS 0x10001u
#define THROTTLED_BITS    0xe000eu

// Firmware tells all of them; others only what `also` names: from them, 0 is not "no".
static double any_bit(const struct edge_readings *r, uint64_t wanted, const char *also)
{
    const char *source = r->throttle_source ? r->throttle_source : "firmware";
    if (r->throttle_bits == EDGE_UNMEASURED ||
        (!strstr(source, "firmware") && !strstr(source, also)))
        return NAN;
    return (r->throttle_bits & wanted) != 0;
}

double edge_measure_undervoltage(const struct edge_readings *r)
{
    return any_bit(r, UNDERVOLTAGE_BITS, "rpi_volt");
}
double edge_measure_throttled(const struct edge_readings *r)
{
    return any_bit(r, THROTTLED_BITS, "cooling_device");
}
double edge_measure_governor(const struct edge_readings *r)
{
    return r->governor == NULL ? (double)NAN : strcmp(r->governor, "performance") == 0;
}

double edge_measure_steal(const struct edge_readings *r)
{
    if (r->steal_ns == EDGE_UNMEASURED || r->cpus == EDGE_UNMEASURED || r->cpus == 0 ||
        r->window_ns == EDGE_UNMEASURED || r->window_ns == 0)
        return NAN;
    return 100 * (double)r->steal_ns / ((double)r->window_ns * (double)r->cpus);
}

double edge_measure_errors(const struct edge_readings *r)
{
    if (r->sent == 0 || r->sent == EDGE_UNMEASURED || r->failed == EDGE_UNMEASURED)
        return NAN;
    return 100 * (double)r->failed / (double)r->sent;
}

double edge_measure_background(const struct edge_readings *r)
{
    if (r->background_cpu_ns == EDGE_UNMEASURED || r->cpus == EDGE_UNMEASURED || r->cpus == 0 ||
        r->window_ns == EDGE_UNMEASURED || r->window_ns == 0)
        return NAN;
    return 100 * (double)r->background_cpu_ns / ((double)r->window_ns * (double)r->cpus);
}

double edge_measure_clock_step(const struct edge_readings *r)
{
    return r->clock_step_ns == EDGE_UNMEASURED_SIGNED ? (double)NAN
                                                      : fabs((double)r->clock_step_ns);
}

double edge_measure_spread(const struct edge_readings *r)
{
    struct edge_statistics statistics;
    if (r->rate_count < 3 || edge_statistics_compute(r->rates, r->rate_count, &statistics) != 0)
        return NAN;
    return 100 * statistics.variation;
}

const char *edge_measure_ready_why(const struct edge_readings *r)
{
    return r->ready_why;
}
const char *edge_measure_alive_why(const struct edge_readings *r)
{
    return r->server_alive_why;
}
const char *edge_measure_finished_why(const struct edge_readings *r)
{
    return r->finished_why;
}

const char *edge_measure_limited_why(const struct edge_readings *r)
{
    return r->client_limited_why;
}

const char *edge_measure_power_why(const struct edge_readings *r)
{
    return r->power_why;
}
const char *edge_measure_doubt_why(const struct edge_readings *r)
{
    return r->power_doubt;
}

const char *edge_measure_throttled_why(const struct edge_readings *r)
{
    if (r->throttle_bits == EDGE_UNMEASURED)
        return NULL;
    if (r->throttle_bits & 0x40004)
        return "the board was throttled: cool it, give it a stronger supply, and run again";
    if (r->throttle_bits & 0x80008)
        return "the board was at its soft temperature limit: cool it and run again";
    return "the clock was capped: cool the board, give it a stronger supply, and run again";
}
