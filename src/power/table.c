// The table of sources. For --power auto the first that opens is taken: those that see more of the
// board come first.
#include "power/sources.h"

static const struct edge_power_source *const table[] = {
    &edge_power_hwmon,
    &edge_power_ina3221,
    &edge_power_supply,
    &edge_power_pmic,
    &edge_power_rapl,
    &edge_power_fnirsi,
    &edge_power_um25c,
    &edge_power_tasmota,
    &edge_power_shelly1,
    &edge_power_shelly2,
    &edge_power_csv,
    &edge_power_cmd,
    NULL,
};

const struct edge_power_source *const *edge_power_sources(void)
{
    return table;
}
