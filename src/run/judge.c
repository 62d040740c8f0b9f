#include "run/judge.h"

static int truth(bool value)
{
    return value ? EDGE_YES : EDGE_NO;
}

void edge_judge_repeat(const struct edge_measurement *measurement,
                       const struct edge_window_figures *figures, const struct edge_target *target,
                       const struct edge_board *board, struct edge_readings *readings)
{
    edge_readings_init(readings);
    const char *problem = measurement->problem[0] ? measurement->problem : NULL;
    bool stopped = measurement->interrupted || measurement->cut[0];
    readings->finished = truth(!stopped);
    readings->finished_why = measurement->cut[0] ? measurement->cut : NULL;
    readings->emulated = truth(target->emulated);
    readings->clock_step_ns = figures->clock_step_ns;
    if (!measurement->ready) {
        // An end before it was ready says nothing about the server.
        readings->ready = stopped ? EDGE_UNKNOWN : EDGE_NO;
        readings->ready_why = problem;
        return;
    }
    readings->ready = EDGE_YES;
    readings->server_alive = truth(!measurement->died);
    readings->server_alive_why = measurement->died ? problem : NULL;
    if (!measurement->loaded)
        return;
    const struct edge_load_result *load = &measurement->load;
    readings->window_ns = load->window_stop_ns - load->window_start_ns;
    readings->samples = figures->samples;
    readings->sent = load->sent;
    readings->failed = load->sent - load->outcomes[EDGE_OUTCOME_OK];
    readings->verified = load->ok_in_window;
    readings->balanced = truth(load->balanced);
    readings->client_limited = truth(load->client_limited);
    readings->client_limited_why = load->client_limited_why;
    if (target->shared) {
        readings->client_limited = EDGE_YES;
        readings->client_limited_why = "server and generator share the only CPU there is";
    }
    readings->background_cpu_ns = figures->background_cpu_ns;
    readings->cpus = board->cores > 0 ? board->cores : EDGE_UNMEASURED;
    readings->throttle_bits = figures->throttle_bits;
    readings->throttle_source = board->throttle_source[0] ? board->throttle_source : NULL;
    readings->governor = board->governor[0] ? board->governor : NULL;
    readings->cpus_lost = figures->cpus_lost;
    readings->swap_bytes = figures->swap_bytes;
    readings->steal_ns = figures->steal_ns;
}

void edge_judge_run(const double *rates, size_t rate_count, bool calibration, bool emulated,
                    bool recorded, struct edge_readings *readings)
{
    edge_readings_init(readings);
    readings->rates = rates;
    readings->rate_count = rate_count;
    readings->calibration = truth(calibration);
    readings->emulated = truth(emulated);
    readings->recorded = truth(recorded);
}
