// Plugs with Tasmota: "Status 8" over HTTP. Firmware below 6 calls the object StatusPWR.
#include "base/clock.h"
#include "power/plug.h"
#include "power/sources.h"

static int take(const json_t *answer, struct edge_reading *reading, struct edge_message *message)
{
    const json_t *energy = json_object_get(json_object_get(answer, "StatusSNS"), "ENERGY");
    if (!energy)
        energy = json_object_get(answer, "StatusPWR");
    double total_kwh;
    const json_t *total = json_object_get(energy, "Total");
    if (total && edge_plug_number(total, "Total", &total_kwh, NULL) == 0 && total_kwh >= 0 &&
        total_kwh < 1e6)
        reading->energy_uj = (uint64_t)(total_kwh * 3.6e12 + 0.5);
    return edge_plug_watts(json_object_get(energy, "Power"), "StatusSNS.ENERGY.Power", reading,
                           message);
}

const struct edge_plug_dialect edge_plug_tasmota = {
    .path = "/cm?cmnd=Status%208",
    .quantum_uj = 3600000000, // Total has three digits of kWh
    .take = take,
};

static int open_tasmota(struct edge_power *power, struct edge_message *message)
{
    return edge_plug_open(power, &edge_plug_tasmota, message);
}

const struct edge_power_source edge_power_tasmota = {
    .name = "tasmota",
    .argument = "HOST",
    .place = EDGE_POWER_HOST,
    .scope = "wall",
    .interval_ns = EDGE_NS_PER_S,
    .open = open_tasmota,
    .read = edge_plug_read,
    .close = edge_plug_close,
    .reads =
        "`http://HOST/cm?cmnd=Status%208`: `StatusSNS.ENERGY.Power`; whole watts unless WattRes "
        "is set",
    .includes = "everything behind the plug, power supply included; readings below 5 W are refused",
    .permission = "network; a password in `~/.netrc`",
};
