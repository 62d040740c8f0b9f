// What the power sources saw of a result, and what its board did meanwhile, in words.
#ifndef EDGE_REPORT_CONSUMPTION_H
#define EDGE_REPORT_CONSUMPTION_H

#include <stdio.h>

#include "report/row.h"

// Writes a line for each source: name, scope, power, energy per call, and both without what idling
// would have taken. Nothing where there is no source.
void edge_consumption_write_power(const struct edge_row *row, const struct edge_result *result,
                                  FILE *out);

// Writes a line if the board told its temperature or clock.
void edge_consumption_write_heat(const struct edge_row *row, const struct edge_result *result,
                                 FILE *out);

#endif
