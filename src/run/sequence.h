// One measurement of one server, from start to stop:
// spawn, ready, idle, warm-up, window, drain, handshakes (TLS), steps of the load-to-power curve,
// idle, stop.
#ifndef EDGE_RUN_SEQUENCE_H
#define EDGE_RUN_SEQUENCE_H

#include "base/progress.h"
#include "load/payload.h"
#include "run/agent_client.h"
#include "run/interrupt.h"
#include "run/measurement.h"
#include "run/meters.h"
#include "run/recorder.h"
#include "run/run_options.h"
#include "run/run_tls.h"
#include "run/servers.h"
#include "run/target.h"

// Everything it needs. Borrowed.
struct edge_sequence {
    const struct edge_run_options *options;
    struct edge_target *target;
    const struct edge_payload *payload;
    const struct edge_server_entry *server;
    struct edge_agent_client *agent;
    struct edge_meters *meters;
    const struct edge_run_tls *tls;
    struct edge_interrupt *interrupt;
    struct edge_recorder *recorder; // gets samples and slices as they come
    struct edge_progress *progress;
    const char *title; // "[2/6] c_nghttp2_nanopb", for the progress line
};

// Measures, into a measurement fresh from edge_measurement_init(). The server is stopped when this
// returns. What went wrong with the server is in measurement->problem; Ctrl-C sets `interrupted`
// and keeps what was measured.
//
// 0, also when the server failed; an error with a message when nothing more can be measured: the
// agent is gone, or memory is out.
int edge_sequence_run(const struct edge_sequence *sequence, struct edge_measurement *measurement,
                      struct edge_message *message);

#endif
