// The load generator as a library: what `bench-edge load` and `bench-edge run` share.
//
//   edge_load_start()     connects, then starts one pinned thread per CPU
//   edge_load_snapshot()  live counters, any time, from any thread
//   edge_load_finish()    waits for the end and the drain, merges, judges
//
// Times are CLOCK_MONOTONIC nanoseconds.
#ifndef EDGE_LOAD_LOAD_H
#define EDGE_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "base/histogram.h"
#include "load/payload.h"
#include "load/shape.h"
#include "net/socket.h"
#include "net/tls.h"

struct edge_metadata;

// The most that options may ask for. A year: sums of times stay far below 2^64.
#define EDGE_LOAD_TIME_MAX_NS     (UINT64_C(8784) * 3600 * 1000000000)
#define EDGE_LOAD_CONNECTIONS_MAX 65535u
#define EDGE_LOAD_CALLS_MAX       1000000u // in flight; each takes a record of about 100 bytes

// How calls of streams are made. Zero: as the payload has it.
struct edge_load_streams {
    uint64_t interval_ns; // between two requests of a call
    uint64_t count;       // requests after which a call is done; of a server stream: replies
    uint64_t duration_ns; // the same by time
};

struct edge_load_config {
    const char *name; // a label for people; NULL: none
    struct edge_address address;
    const char *authority;                    // :authority; NULL: the address
    const struct edge_tls_client_config *tls; // NULL: in the clear
    const struct edge_payload *payload;       // the call: path, kind, templates, expected replies
    uint64_t connections;                     // >= 1
    uint64_t concurrency;        // calls in flight over all connections; >= connections
    uint64_t rate;               // open loop: calls due per second over all; 0: closed loop
    bool idle;                   // no calls: connections are only held; then rate, total: 0
    uint64_t total;              // stop after that many calls; 0: by duration
    uint64_t duration_ns;        // the measured window; ignored if total > 0
    uint64_t warmup_ns;          // load before the window, not counted
    uint64_t timeout_ns;         // per call, sent as grpc-timeout; 0: none
    uint64_t connect_timeout_ns; // 0: 10 s
    uint64_t drain_ns;           // how long to wait for calls in flight at the end
    struct edge_load_streams streams;
    const struct edge_metadata *metadata; // of each call; NULL: none
    bool gzip;                            // pack requests, and take packed replies
    struct edge_cpuset cpus;              // one thread each, pinned; empty: one thread, not pinned
    uint64_t skip;                        // calls before the window, not counted, after warm-up
    uint64_t max_duration_ns; // with `total`: stop after so long at the latest; 0: never
    // How `rate` and `concurrency` change from the window's start; both are then the first value,
    // but `concurrency` is the highest. Constant if all zero.
    struct edge_shape_config rates, calls;
    bool poisson;          // open loop: arrivals are Poisson, not evenly spread
    uint64_t seed;         // of those, and of what is random in the requests
    uint64_t ramp_ns;      // opens the connections evenly over this time, before the load
    uint64_t keepalive_ns; // PING after so long without a word from the server; 0: none
};

// How a call ended. The order is that of records and tables; edge_outcome_name() gives the keys.
enum edge_outcome {
    EDGE_OUTCOME_OK,          // every reply verified, grpc-status 0
    EDGE_OUTCOME_WRONG_REPLY, // grpc-status 0, but a reply differs from what it must be
    EDGE_OUTCOME_WRONG_COUNT, // grpc-status 0, but too few or too many replies
    EDGE_OUTCOME_GRPC_STATUS, // grpc-status other than 0: see edge_load_result.grpc_status
    EDGE_OUTCOME_NO_STATUS,   // the stream ended without grpc-status
    EDGE_OUTCOME_HTTP_STATUS, // :status other than 200
    EDGE_OUTCOME_BAD_MESSAGE, // content-type, flag or length of a message is wrong, or cut short
    EDGE_OUTCOME_RESET,       // RST_STREAM from the server
    EDGE_OUTCOME_REFUSED,     // not processed: REFUSED_STREAM, or above GOAWAY's last stream
    EDGE_OUTCOME_CONNECTION,  // the connection was lost
    EDGE_OUTCOME_TIMEOUT,     // no end within timeout_ns
    EDGE_OUTCOME_UNFINISHED,  // still in flight when the drain ended
    EDGE_OUTCOMES
};

// "ok", "wrong_reply", ... : the keys of records.
const char *edge_outcome_name(enum edge_outcome outcome);

#define EDGE_LOAD_UNKNOWN UINT64_MAX // not measured

// One generator thread's own health.
struct edge_load_thread {
    int cpu;             // pinned to, or -1
    uint64_t elapsed_ns; // between two readings of its CPU time, at the window's edges
    uint64_t cpu_ns;     // CPU time used between them
    // How long it was ready to run but had no CPU, between them; EDGE_LOAD_UNKNOWN where the kernel
    // does not say.
    uint64_t run_delay_ns;
    uint64_t turns;      // loop turns inside the window
    uint64_t recv_calls; // reads inside the window
    uint64_t replies;    // calls that ended inside the window
};

// Messages that were packed, and their bytes before and after that.
struct edge_load_packed {
    uint64_t messages, plain_bytes, packed_bytes;
};

// What the handshakes of all connections agreed on. The two names are "" without TLS, and
// "several" if it was not the same everywhere.
struct edge_load_tls {
    char version[16];
    char suite[64];
    uint64_t full, resumed; // handshakes
};

struct edge_load_result {
    uint64_t window_start_ns, window_stop_ns; // as it was; from first due to last end with `total`
    uint64_t connections_opened;              // over the whole run, reconnects included
    uint64_t connections_lost;
    struct edge_load_tls tls;
    uint64_t keepalive_pings; // sent
    // The smallest MAX_CONCURRENT_STREAMS that is below a connection's share of `concurrency`, and
    // so kept calls from being in flight; 0: none is.
    uint64_t stream_limit;

    // The books, of calls due inside the window: due == sent + unsent, sent == sum of outcomes.
    uint64_t due, sent, unsent;
    uint64_t waited; // of those sent: due while all of `concurrency` was in flight (open loop)
    uint64_t outcomes[EDGE_OUTCOMES];
    uint64_t grpc_status[17]; // calls by grpc-status; [16] and above share the last
    uint64_t reset_code[16];  // EDGE_OUTCOME_RESET by HTTP/2 error code; unknown codes in the last
    bool balanced;

    // Calls with a verified outcome that ended inside the window, and the messages of those.
    // ok_in_window / window is the throughput.
    uint64_t ok_in_window;
    uint64_t messages_in_window;

    // Latency of calls due inside the window, ns. Service: from handing the first byte to the
    // kernel. Response: from when the call was due; open loop only, else empty. Of verified calls,
    // and as lower bounds (`censored`) of those that had no end: timed out, unfinished, and in the
    // response time also unsent. Without them the slowest calls would be missing. Calls that ended
    // in another way are errors, and in neither.
    struct edge_histogram service;
    struct edge_histogram response;
    struct edge_histogram send_lag; // sent - due; open loop only
    // Of streams, message by message, whatever became of their calls. Counted: messages written and
    // received inside the window (with `total`: of counted calls). Latency of counted calls, ns:
    // from handing the first byte to the kernel to the first whole reply, and from each reply to
    // the next. Replies that one read brought have no gap.
    uint64_t messages_sent, messages_received;
    struct edge_histogram first_message;
    struct edge_histogram message_gap;
    uint64_t ended_by_client; // of OK: server streams that the client ended, as it was told to
    struct edge_load_packed packed_out, packed_in; // of all calls, over the whole run

    uint64_t noncanonical; // replies right in meaning, though encoded differently

    struct edge_load_thread threads[EDGE_CPUSET_MAX];
    unsigned thread_count;
    bool client_limited;
    char client_limited_why[160]; // a sentence if so

    // By edge_load_stop(), or because the server went away for good before `total` was reached.
    bool stopped_early;
    char first_error[256];        // the first failure in words, with what the peer said; "" if none
    uint64_t bytes_in, bytes_out; // inside the window
};

struct edge_load; // a run in progress

// Connects every connection (each must receive the peer's SETTINGS), then starts warm-up.
// `config` and what it points to must live until edge_load_finish(). Returns 0 and *load, or an
// error with a message: -ECONNREFUSED, -ETIMEDOUT, EDGE_ERR_PROTOCOL (no HTTP/2 there),
// EDGE_ERR_TLS, those of edge_tls_client_new(), -ENOMEM.
int edge_load_start(const struct edge_load_config *config, struct edge_load **load,
                    struct edge_message *message);

// Where the window lies. With `total`, stop is EDGE_LOOP_FOREVER (not known before the end).
void edge_load_window(const struct edge_load *load, uint64_t *start_ns, uint64_t *stop_ns);

struct edge_load_snapshot {
    uint64_t ended; // calls since warm-up began, any outcome
    uint64_t ok;
    bool running; // false once every thread is done: edge_load_finish() will not block
};
void edge_load_snapshot(const struct edge_load *load, struct edge_load_snapshot *snapshot);

// Ends the load early (Ctrl-C): no new calls, drain, then finish as usual. Async-signal-safe.
void edge_load_stop(struct edge_load *load);

// Waits for the end, merges and judges. Fills `result` (edge_load_result_free() it) and frees
// `load`. 0 or -ENOMEM.
int edge_load_finish(struct edge_load *load, struct edge_load_result *result);
void edge_load_result_free(struct edge_load_result *result);

#endif
