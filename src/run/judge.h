// Turns a measurement into what the validity rules look at.
#ifndef EDGE_RUN_JUDGE_H
#define EDGE_RUN_JUDGE_H

#include <stdbool.h>

#include "agent/board.h"
#include "result/rules.h"
#include "run/measurement.h"
#include "run/target.h"

// Fills the readings of one repeat. The texts in `readings` point into `measurement` and `board`.
void edge_judge_repeat(const struct edge_measurement *measurement,
                       const struct edge_window_figures *figures, const struct edge_target *target,
                       const struct edge_board *board, struct edge_readings *readings);

// Fills the readings over all repeats: the rates (borrowed), and what the server and target are.
// `recorded`: the board is a tree of files.
void edge_judge_run(const double *rates, size_t rate_count, bool calibration, bool emulated,
                    bool recorded, struct edge_readings *readings);

#endif
