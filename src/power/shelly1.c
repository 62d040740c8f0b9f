// Shelly plugs of the first generation: /meter/0.
#include "base/clock.h"
#include "power/plug.h"
#include "power/sources.h"

static int take(const json_t *answer, struct edge_reading *reading, struct edge_message *message)
{
    double watt_minutes;
    const json_t *total = json_object_get(answer, "total");
    if (json_is_false(json_object_get(answer, "is_valid")))
        return edge_fail(message, EDGE_ERR_LIMIT, "the plug says that its reading is not valid");
    if (total && edge_plug_number(total, "total", &watt_minutes, NULL) == 0 && watt_minutes >= 0 &&
        watt_minutes < 1e9)
        reading->energy_uj = (uint64_t)(watt_minutes * 6e7 + 0.5);
    return edge_plug_watts(json_object_get(answer, "power"), "power", reading, message);
}

const struct edge_plug_dialect edge_plug_shelly1 = {
    .path = "/meter/0",
    .quantum_uj = 60000000, // one watt-minute
    .take = take,
};

static int open_shelly1(struct edge_power *power, struct edge_message *message)
{
    return edge_plug_open(power, &edge_plug_shelly1, message);
}

const struct edge_power_source edge_power_shelly1 = {
    .name = "shelly1",
    .argument = "HOST",
    .place = EDGE_POWER_HOST,
    .scope = "wall",
    .interval_ns = EDGE_NS_PER_S,
    .open = open_shelly1,
    .read = edge_plug_read,
    .close = edge_plug_close,
    .reads = "Shelly, first generation: `http://HOST/meter/0`: `power`; `total` in watt-minutes",
    .includes = "everything behind the plug, power supply included; readings below 5 W are refused",
    .permission = "network; a password in `~/.netrc`",
};
