// What each rule reads: a number from the readings, NAN where it was not measured; and more about a
// broken one, or NULL.
#ifndef EDGE_RESULT_RULES_MEASURE_H
#define EDGE_RESULT_RULES_MEASURE_H

#include "result/rules.h"

double edge_measure_ready(const struct edge_readings *readings);
double edge_measure_server_alive(const struct edge_readings *readings);
double edge_measure_finished(const struct edge_readings *readings);
double edge_measure_duration(const struct edge_readings *readings);
double edge_measure_samples(const struct edge_readings *readings);
double edge_measure_verified(const struct edge_readings *readings);
double edge_measure_books(const struct edge_readings *readings);
double edge_measure_client_limited(const struct edge_readings *readings);
double edge_measure_emulated(const struct edge_readings *readings);
double edge_measure_calibration(const struct edge_readings *readings);
double edge_measure_recorded(const struct edge_readings *readings);
double edge_measure_cpus_lost(const struct edge_readings *readings);
double edge_measure_swap(const struct edge_readings *readings);
double edge_measure_power(const struct edge_readings *readings);
double edge_measure_power_gaps(const struct edge_readings *readings);
double edge_measure_power_lost(const struct edge_readings *readings);
double edge_measure_power_updates(const struct edge_readings *readings);
double edge_measure_power_doubt(const struct edge_readings *readings);
double edge_measure_power_shared(const struct edge_readings *readings);
double edge_measure_idle_drift(const struct edge_readings *readings);
double edge_measure_undervoltage(const struct edge_readings *readings);
double edge_measure_throttled(const struct edge_readings *readings);
double edge_measure_governor(const struct edge_readings *readings);
double edge_measure_steal(const struct edge_readings *readings);
double edge_measure_errors(const struct edge_readings *readings);
double edge_measure_background(const struct edge_readings *readings);
double edge_measure_clock_step(const struct edge_readings *readings);
double edge_measure_spread(const struct edge_readings *readings);

const char *edge_measure_ready_why(const struct edge_readings *readings);
const char *edge_measure_alive_why(const struct edge_readings *readings);
const char *edge_measure_finished_why(const struct edge_readings *readings);
const char *edge_measure_limited_why(const struct edge_readings *readings);
const char *edge_measure_power_why(const struct edge_readings *readings);
const char *edge_measure_doubt_why(const struct edge_readings *readings);
const char *edge_measure_throttled_why(const struct edge_readings *readings);

#endif
