// The records of a result file: one struct and one table of keys for each. The tables drive the
// writer, the reader and the check of docs/result-format.md, so that a key is spelled once.
//
// What was not measured stays at its "unknown" value and is null in the file:
//   uint64_t EDGE_UNMEASURED · int64_t EDGE_UNMEASURED_SIGNED · int EDGE_UNKNOWN · text ""
// edge_record_init() puts every member there; then fill in what is known.
//
// Times are CLOCK_MONOTONIC nanoseconds of the host (the agent's clock where a name says so).
// `repeat` counts from 1; 0 means over all repeats.
#ifndef EDGE_RESULT_RECORD_H
#define EDGE_RESULT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_RESULT_FORMAT "bench-edge-result"
#define EDGE_RESULT_MAJOR  1 // a reader refuses another major
#define EDGE_RESULT_MINOR  1 // a reader skips keys and records it does not know

#define EDGE_UNMEASURED        UINT64_MAX
#define EDGE_UNMEASURED_SIGNED INT64_MIN

enum edge_truth {
    EDGE_UNKNOWN = -1,
    EDGE_NO = 0,
    EDGE_YES = 1,
};

enum edge_record_type {
    EDGE_RECORD_RUN,      // first in every file: what was run
    EDGE_RECORD_BUILD,    // one for bench-edge, one for the server
    EDGE_RECORD_BOARD,    // where the server ran
    EDGE_RECORD_OPT,      // one effective option
    EDGE_RECORD_SYNC,     // clocks of host and agent at one moment
    EDGE_RECORD_INTERVAL, // a span of time and what was measured over it
    EDGE_RECORD_SAMPLE,   // the server at one moment
    EDGE_RECORD_HIST,     // a histogram: edge_result_write_histogram() writes it
    EDGE_RECORD_COUNT,    // the generator's books for one repeat
    EDGE_RECORD_SOURCE,   // a power source
    EDGE_RECORD_POWER,    // one reading of a power source
    EDGE_RECORD_ENERGY,   // the energy of one interval, by one power source
    EDGE_RECORD_RULE,     // one validity rule and its verdict
    EDGE_RECORD_END,      // last in every file that is complete
    EDGE_RECORD_TYPES
};

// Named counts: outcomes, statuses. Names are unique; a count of zero may be left out.
#define EDGE_TALLY_MAX 32
struct edge_tally {
    unsigned count;
    struct edge_tally_entry {
        char name[32];
        uint64_t value;
    } at[EDGE_TALLY_MAX];
};

// A short list of sentences.
#define EDGE_TEXTS_MAX 24
struct edge_texts {
    unsigned count;
    char at[EDGE_TEXTS_MAX][200];
};

struct edge_record_run {
    char tool_version[32];
    char started_utc[24]; // a label: edge_clock_utc()
    char server[128];     // the row's name in tables
    char scenario[64];
    char call[128];
    char target[128]; // "local", "qemu:rpizero", "ssh://pi@rpi4"
    int emulated;     // enum edge_truth
    int calibration;  // enum edge_truth: null_server
    uint64_t repeats; // planned
};

struct edge_record_build {
    char program[32]; // "bench-edge" or "server"
    char version[64]; // for a foreign server: the first line of its --version
    char git[64];
    char compiler[64];
    char flags[512];
    char build[32]; // "Release"
    char target[64];
    char codec[64];      // server only: "nanopb 0.4.7"
    char tls[64];        // server only: "off", the library, or "on" where it does not say
    uint64_t size_bytes; // server only: of its file
};

struct edge_record_board {
    char id[64];     // of boards/*.ini, or "host"
    char model[128]; // "Raspberry Pi 4 Model B Rev 1.4"
    char cpu[128];   // "AMD EPYC 7B13", "4 x Cortex-A72"
    uint64_t cpus;   // online
    uint64_t ram_bytes;
    char kernel[128];         // "Linux 6.1.0-28-amd64"
    char os[128];             // "Debian GNU/Linux 12 (bookworm)"
    char arch[32];            // "x86_64"
    char ram_limit[128];      // how the server's RAM limit was applied, or why none could be
    char governor[64];        // of all CPUs; several: "ondemand,performance"
    uint64_t max_hz;          // the highest clock that the hardware has
    uint64_t cap_hz;          // the highest clock that is allowed; lower: somebody has capped it
    char thermal_zone[64];    // whose temperature is read
    char throttle_source[32]; // "firmware", "rpi_volt", "cooling_device"
    char link[64];            // "eth0 1000 Mb/s"
};

struct edge_record_opt {
    char name[64];   // long option name
    char env[64];    // its environment variable, or ""
    char value[256]; // as edge_option_text() writes it
};

struct edge_record_sync {
    uint64_t repeat;
    uint64_t time_ns;
    uint64_t agent_time_ns; // the agent's clock at the same moment
    uint64_t round_trip_ns; // of the ping: the bound on the error
    uint64_t wall_ns;       // CLOCK_REALTIME of the host, to notice a step
};

// name "window": the measured window; the values below it are over exactly that span.
// name "slice": a part of the window, for plots; only `ended` and `ok` are filled.
// name "load": emulated only: warm-up, window and drain; `ended`, `ok`, and what was executed for
// them.
// name "level": a step of the load-to-power curve, at `load_percent` of the rate that was found in
// the window; 0 is idle with connections open.
// Names "idle_before" and "idle_after": the same outside the curve.
// With TLS, "connected": all connections open, before the first call; "handshakes_full" and
// "handshakes_resumed": connections opened and closed, `ok` counts handshakes.
// Other names ("warmup", "drain") are spans without values.
struct edge_record_interval {
    uint64_t repeat;
    char name[32];
    uint64_t start_ns, stop_ns;
    uint64_t ended, ok;         // calls that ended, and verified ones
    uint64_t server_cpu_ns;     // user + system, all threads
    uint64_t client_cpu_ns;     // the generator's threads
    uint64_t background_cpu_ns; // busy time of all CPUs that is neither's
    uint64_t cpus;              // how many CPUs that is over
    uint64_t rss_bytes;         // mean over the samples in the window
    uint64_t pss_bytes;         // mean over the samples that read it
    uint64_t peak_bytes;        // peak RSS since the reset before the window
    uint64_t connection_bytes;  // of "connected": what a connection adds to the PSS
    uint64_t energy_uj;         // over the window, gross
    char power_scope[32];       // "wall", "dc_input", "module", "soc_rails", "cpu_package"
    uint64_t instructions;      // emulated: instructions that the server executed
    uint64_t system_calls;      // emulated: that the server made
    uint64_t load_percent;      // of a level
    uint64_t target_rate;       // of a level: calls due per second
    uint64_t temperature_start_millicelsius, temperature_max_millicelsius;
    uint64_t requested_hz;  // mean of what the kernel asked for
    uint64_t measured_hz;   // mean of what the firmware measured
    uint64_t below_max_ns;  // time that the server's CPUs were below their highest clock
    uint64_t throttle_bits; // those that were set at any moment, and those that rose
    uint64_t steal_ns;      // CPU time that a hypervisor gave to others, all CPUs
    uint64_t swap_bytes;    // by which used swap grew
    uint64_t cpu_pressure_ns, memory_pressure_ns, io_pressure_ns; // PSI "some"
    uint64_t cgroup_peak_bytes; // page cache and kernel memory included, since the server started
};

struct edge_record_sample {
    uint64_t repeat;
    uint64_t agent_time_ns;
    uint64_t cpu_ns; // since the server started
    uint64_t rss_bytes;
    uint64_t pss_bytes;
    uint64_t peak_bytes;
    uint64_t temperature_millicelsius;
    uint64_t requested_hz, measured_hz;
    uint64_t throttle_bits; // as Raspberry Pi firmware counts them
};

struct edge_record_source {
    uint64_t source; // number, from 1; 1 is the one that tables show
    char name[32];   // "pmic"
    char place[16];  // "board" or "host"
    char scope[16];  // "wall", "dc_input", "module", "soc_rails", "cpu_package", "unstated"
    char detail[160];
    char correction[160];
    char warning[200];
    uint64_t interval_ns; // nominal, between two new values
    uint64_t quantum_uj;  // step of its energy counter
};

struct edge_record_power {
    uint64_t repeat;
    uint64_t source;
    uint64_t time_ns; // host clock
    uint64_t power_uw;
    uint64_t energy_uj; // a counter
};

struct edge_record_energy {
    uint64_t repeat;
    uint64_t source;
    char name[32];         // of the interval
    uint64_t load_percent; // of a level
    uint64_t start_ns, stop_ns;
    uint64_t energy_uj; // gross
    uint64_t idle_uj;   // what idling as long would have taken: gross - idle is net
    char method[16];    // "trapezoid" or "counter"
    uint64_t readings, updates;
    uint64_t interval_ns; // nominal, or as found
    uint64_t longest_gap_ns;
};

// A latency histogram, sparse: bins of edge_histogram that are not empty.
struct edge_record_hist {
    uint64_t repeat;
    char name[32]; // "service", "response", "send_lag"
    uint64_t count, sum_ns;
    uint64_t min_ns, max_ns; // EDGE_UNMEASURED if count is 0
    uint64_t clamped;
    uint64_t censored; // of `count`: lower bounds
    size_t bin_count;
    struct edge_record_bin {
        uint64_t low_ns; // lowest value of the bin, ascending
        uint64_t count;  // > 0
    } * bins;
};

// due == sent + unsent; sent == sum of outcomes.
struct edge_record_count {
    uint64_t repeat;
    uint64_t due, sent, unsent;
    struct edge_tally outcomes;    // by edge_outcome_name(); "ok" always
    struct edge_tally grpc_status; // by number, "16+" is the last
    struct edge_tally reset_code;  // by HTTP/2 error code
    int balanced;                  // enum edge_truth
    uint64_t ok_in_window;         // verified calls that ended inside the window
    uint64_t messages_in_window;
    uint64_t noncanonical;
    uint64_t bytes_in, bytes_out; // inside the window
    uint64_t connections_opened, connections_lost;
    char tls_version[16]; // that was agreed on, "TLSv1.2"; "several"
    char tls_suite[64];
    uint64_t tls_full, tls_resumed; // handshakes
    int client_limited;             // enum edge_truth
    char client_limited_why[160];
    char first_error[256];
};

struct edge_record_rule {
    uint64_t repeat;
    char id[32];
    char verdict[16]; // "pass", "warn", "fail", "not_judged"
    char reading[96]; // "2.0 s", "not measured"
    char limit[64];   // ">= 10 s"
    char words[200];  // what it means and what to do; "" for a pass
};

struct edge_record_end {
    int valid;                 // enum edge_truth; unknown: nothing could be judged
    struct edge_texts reasons; // why not valid
    char finished_utc[24];
    uint64_t elapsed_ns; // since the run record
};

// A key of a record. `offset` and `size` locate the member.
enum edge_field_type {
    EDGE_FIELD_TEXT,  // char[size]
    EDGE_FIELD_UINT,  // uint64_t
    EDGE_FIELD_TRUTH, // int, enum edge_truth
    EDGE_FIELD_TALLY, // struct edge_tally
    EDGE_FIELD_TEXTS, // struct edge_texts
    EDGE_FIELD_BINS,  // struct edge_record_bin *
};

struct edge_field {
    const char *key;
    const char *help; // for docs/result-format.md
    size_t offset;
    size_t size;
    enum edge_field_type type;
    bool required; // the reader refuses a record without it
};

struct edge_record_description {
    const char *name;                // "run"
    size_t size;                     // of the struct
    const struct edge_field *fields; // ends with a NULL key
};

// The table of a record type. Static storage.
const struct edge_record_description *edge_record_describe(enum edge_record_type type);

// The type of a name; EDGE_RECORD_TYPES if it is not known.
enum edge_record_type edge_record_find(const char *name);

// Sets every member of a record of that type to unknown, `repeat` to 0.
void edge_record_init(enum edge_record_type type, void *record);

// Adds `value` to the count of `name`. More than EDGE_TALLY_MAX names share the entry "other".
void edge_tally_add(struct edge_tally *tally, const char *name, uint64_t value);
// The count of `name`, 0 if there is none.
uint64_t edge_tally_get(const struct edge_tally *tally, const char *name);
// Appends a sentence, cut to size; dropped if the list is full.
void edge_texts_add(struct edge_texts *texts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
