// The record of the board that was measured.
#ifndef EDGE_RUN_BOARD_RECORD_H
#define EDGE_RUN_BOARD_RECORD_H

#include "agent/board.h"
#include "result/record.h"
#include "run/target.h"

// Fills `record`, fresh from edge_record_init(), with what the target and its agent (`facts`) tell.
// Below an emulator only what the programs were built for is the board's.
void edge_board_record_fill(const struct edge_target *target, const struct edge_board *facts,
                            const char *ram_limit, struct edge_record_board *record);

#endif
