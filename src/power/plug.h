// What plugs that measure have in common: a GET, a JSON answer, and readings that are not to be
// believed below some watts.
#ifndef EDGE_POWER_PLUG_H
#define EDGE_POWER_PLUG_H

#include <stddef.h>

#include <jansson.h>

#include "power/power.h"

// Plugs read 0 or nonsense for loads below this, and now and then kilowatts.
#define EDGE_PLUG_FLOOR_W   5.0
#define EDGE_PLUG_CEILING_W 500.0

struct edge_plug_dialect {
    const char *path;    // of the URL: "/meter/0"
    uint64_t quantum_uj; // step of the energy counter
    // Takes power_uw, and energy_uj if there is a counter, from the answer. 0, or an error with a
    // message.
    int (*take)(const json_t *answer, struct edge_reading *reading, struct edge_message *message);
};

extern const struct edge_plug_dialect edge_plug_tasmota;
extern const struct edge_plug_dialect edge_plug_shelly1;
extern const struct edge_plug_dialect edge_plug_shelly2;

// open, read and close of a row.
int edge_plug_open(struct edge_power *power, const struct edge_plug_dialect *dialect,
                   struct edge_message *message);
int edge_plug_read(struct edge_power *power, struct edge_reading *reading,
                   struct edge_message *message);
void edge_plug_close(struct edge_power *power);

// An answer's text: 0; EDGE_ERR_FORMAT (no JSON, or a member is missing), EDGE_ERR_LIMIT (a reading
// that cannot be believed), EDGE_ERR_UNSUPPORTED (below the floor), with a message.
int edge_plug_parse(const struct edge_plug_dialect *dialect, const char *text, size_t len,
                    struct edge_reading *reading, struct edge_message *message);

// A number that must be there; `name` for the message. 0, or EDGE_ERR_FORMAT.
int edge_plug_number(const json_t *value, const char *name, double *number,
                     struct edge_message *message);
// The same, watts: none below 0, none above what a board can draw. 0, EDGE_ERR_FORMAT,
// EDGE_ERR_LIMIT.
int edge_plug_watts(const json_t *value, const char *name, struct edge_reading *reading,
                    struct edge_message *message);

#endif
