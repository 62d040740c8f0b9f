// The rows of the table, one from each file.
#ifndef EDGE_POWER_SOURCES_H
#define EDGE_POWER_SOURCES_H

#include "power/power.h"

extern const struct edge_power_source edge_power_ina3221;
extern const struct edge_power_source edge_power_hwmon;
extern const struct edge_power_source edge_power_pmic;
extern const struct edge_power_source edge_power_supply;
extern const struct edge_power_source edge_power_rapl;
extern const struct edge_power_source edge_power_tasmota;
extern const struct edge_power_source edge_power_shelly1;
extern const struct edge_power_source edge_power_shelly2;
extern const struct edge_power_source edge_power_um25c;
extern const struct edge_power_source edge_power_fnirsi;
extern const struct edge_power_source edge_power_csv;
extern const struct edge_power_source edge_power_cmd;

#endif
