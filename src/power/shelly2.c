// Shelly plugs from the second generation on: the RPC Switch.GetStatus.
#include "base/clock.h"
#include "power/plug.h"
#include "power/sources.h"

static int take(const json_t *answer, struct edge_reading *reading, struct edge_message *message)
{
    double watt_hours;
    const json_t *total = json_object_get(json_object_get(answer, "aenergy"), "total");
    if (total && edge_plug_number(total, "aenergy.total", &watt_hours, NULL) == 0 &&
        watt_hours >= 0 && watt_hours < 1e8)
        reading->energy_uj = (uint64_t)(watt_hours * 3.6e9 + 0.5);
    return edge_plug_watts(json_object_get(answer, "apower"), "apower", reading, message);
}

const struct edge_plug_dialect edge_plug_shelly2 = {
    .path = "/rpc/Switch.GetStatus?id=0",
    .quantum_uj = 3600000, // aenergy.total has three digits of Wh
    .take = take,
};

static int open_shelly2(struct edge_power *power, struct edge_message *message)
{
    return edge_plug_open(power, &edge_plug_shelly2, message);
}

const struct edge_power_source edge_power_shelly2 = {
    .name = "shelly2",
    .argument = "HOST",
    .place = EDGE_POWER_HOST,
    .scope = "wall",
    .interval_ns = EDGE_NS_PER_S,
    .open = open_shelly2,
    .read = edge_plug_read,
    .close = edge_plug_close,
    .reads = "Shelly, later generations: `http://HOST/rpc/Switch.GetStatus?id=0`: `apower`; "
             "`aenergy.total` in Wh",
    .includes = "everything behind the plug, power supply included; readings below 5 W are refused",
    .permission = "network; a password in `~/.netrc`",
};
