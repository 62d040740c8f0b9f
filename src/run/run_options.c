#include "run/run_options.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpuset.h"
#include "load/load.h"
#include "run/meters.h"
#include "run/target.h"

static const char *const profiles[] = {"single", "graduated", NULL};
// edge_power_scopes, after one that leaves it open.
static const char *const scopes[] = {"unstated",  "wall",        "dc_input", "module",
                                     "soc_rails", "cpu_package", NULL};

static const struct edge_option options[] = {
    {EDGE_OPT_DURATION(struct edge_run_options, duration_ns), .name = "duration", .letter = 'z',
     .argument = "DURATION", .fallback = "20s", .env = "GRPC_BENCHMARK_DURATION",
     .min = 10 * EDGE_NS_PER_MS, .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Length of the measured window of each repeat. Without it, 3s under an emulator."},
    {EDGE_OPT_DURATION(struct edge_run_options, warmup_ns), .name = "warmup",
     .argument = "DURATION", .fallback = "5s", .env = "GRPC_BENCHMARK_WARMUP",
     .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Load before the window, not counted. Without it, 1s under an emulator."},
    {EDGE_OPT_COUNT(struct edge_run_options, repeat), .name = "repeat", .argument = "N",
     .fallback = "3", .min = 1, .max = 1000,
     .help = "How often each server is measured; the order rotates between repeats."},
    {EDGE_OPT_COUNT(struct edge_run_options, connections), .name = "connections", .argument = "N",
     .fallback = "50", .env = "GRPC_CLIENT_CONNECTIONS", .min = 1, .max = EDGE_LOAD_CONNECTIONS_MAX,
     .help = "Connections of the generator. Without it, 4 under an emulator: counts repeat only "
             "with the same connections and concurrency."},
    {EDGE_OPT_COUNT(struct edge_run_options, concurrency), .name = "concurrency", .letter = 'c',
     .argument = "N", .fallback = "1000", .env = "GRPC_CLIENT_CONCURRENCY", .min = 1,
     .max = EDGE_LOAD_CALLS_MAX,
     .help = "Calls in flight over all connections. Without it, 32 under an emulator."},
    {EDGE_OPT_COUNT(struct edge_run_options, rate), .name = "rps", .letter = 'r', .argument = "N",
     .fallback = "0", .env = "GRPC_CLIENT_QPS", .max = EDGE_SHAPE_VALUE_MAX,
     .help = "Open loop: calls due per second, over all connections. 0: closed loop, a call "
             "follows each reply."},
    {EDGE_OPT_STRING(struct edge_run_options, scenario), .name = "scenario", .argument = "NAME",
     .fallback = "complex_proto", .env = "GRPC_REQUEST_SCENARIO",
     .help = "The request: complex_proto, string_10B, string_100B, string_1kB, string_10kB, empty, "
             "or a JSON file."},
    {EDGE_OPT_STRING(struct edge_run_options, call), .name = "call", .argument = "METHOD",
     .help =
         "The method: SayHello, SayHellos, SayHelloCS, SayHelloBidi, or package.Service/Method. "
         "Without it, the scenario's own."},
    {EDGE_OPT_COUNT(struct edge_run_options, messages), .name = "messages", .argument = "N",
     .fallback = "10", .min = 1, .max = 1000000, .help = "Messages per streaming call."},
    {EDGE_OPT_DURATION(struct edge_run_options, timeout_ns), .name = "timeout", .letter = 't',
     .argument = "DURATION", .fallback = "20s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Deadline of each call; 0: none."},
    {EDGE_OPT_COUNT(struct edge_run_options, server_cpus), .name = "server-cpus", .argument = "N",
     .fallback = "1", .env = "GRPC_SERVER_CPUS", .min = 1, .max = EDGE_CPUSET_MAX,
     .help = "CPUs that the server is pinned to."},
    {EDGE_OPT_BYTES(struct edge_run_options, server_ram), .name = "server-ram", .argument = "SIZE",
     .fallback = "512m", .env = "GRPC_SERVER_RAM", .max = INT64_MAX,
     .help = "RAM limit of the server: a cgroup where one can be made, else RLIMIT_DATA. 0: none."},
    {EDGE_OPT_COUNT(struct edge_run_options, client_cpus), .name = "client-cpus", .argument = "N",
     .fallback = "1", .env = "GRPC_CLIENT_CPUS", .min = 1, .max = EDGE_CPUSET_MAX,
     .help = "CPUs of the generator, one thread each; never the server's."},
    {EDGE_OPT_STRING(struct edge_run_options, target), .name = "target", .argument = "TARGET",
     .fallback = "local",
     .help = "Where the server runs: local; ssh://[user@]host[:port], a board that ssh can reach; "
             "or qemu:BOARD to count the instructions of a board's build under an emulator."},
    {EDGE_OPT_STRING(struct edge_run_options, board), .name = "board", .argument = "ID",
     .help = "Which board of the catalogue an ssh target is, where it is not recognised."},
    {EDGE_OPT_STRING(struct edge_run_options, board_dir), .name = "board-dir", .argument = "DIR",
     .fallback = ".cache/bench-edge",
     .help = "Where programs go on an ssh target, below the home folder unless it begins with /."},
    {EDGE_OPT_CHOICE(struct edge_run_options, profile), .name = "profile", .argument = "PROFILE",
     .fallback = "single", .choices = profiles,
     .help = "single: one window. graduated: then 100 %, 90 %, ... 10 % of the rate it gave, and "
             "idle, each as long as the window: the load-to-power curve."},
    {EDGE_OPT_STRING(struct edge_run_options, power), .name = "power", .argument = "SOURCES",
     .fallback = "auto",
     .help = "Where power is read: auto (the first source of the board that opens), none, or "
             "NAME[:ARGUMENT] with commas between; the first is shown in tables. docs/power.md "
             "lists them."},
    {EDGE_OPT_CHOICE(struct edge_run_options, power_scope), .name = "power-scope",
     .argument = "SCOPE", .fallback = "unstated", .choices = scopes,
     .help = "What lies behind a power source that cannot know it (hwmon, csv, cmd)."},
    {EDGE_OPT_DURATION(struct edge_run_options, idle_ns), .name = "idle", .argument = "DURATION",
     .fallback = "10s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Idle with connections open, before and after the load, where there is a power "
             "source."},
    {EDGE_OPT_BOOL(struct edge_run_options, tls), .name = "tls", .fallback = "false",
     .help = "Measure over TLS: servers are started with --tls-cert and --tls-key."},
    {EDGE_OPT_STRING(struct edge_run_options, tls_cert), .name = "tls-cert", .argument = "FILE",
     .help = "The servers' certificate, in PEM; without it one is made for this run."},
    {EDGE_OPT_STRING(struct edge_run_options, tls_key), .name = "tls-key", .argument = "FILE",
     .help = "Its private key."},
    {EDGE_OPT_STRING(struct edge_run_options, cacert), .name = "cacert", .argument = "FILE",
     .help = "Who has signed it; without it the certificate itself."},
    {EDGE_OPT_STRING(struct edge_run_options, cname), .name = "cname", .argument = "NAME",
     .help = "The name that it must have; without it the server's address."},
    {EDGE_OPT_DURATION(struct edge_run_options, handshakes_ns), .name = "handshakes",
     .argument = "DURATION", .fallback = "2s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "With --tls: how long handshakes are counted after the window, full ones and then "
             "resumed ones. 0s: not."},
    {EDGE_OPT_STRING(struct edge_run_options, root), .name = "root", .argument = "DIR",
     .help = "Look for what the board tells below this folder: for tests on recorded trees. Such "
             "a run is never valid."},
    {EDGE_OPT_DURATION(struct edge_run_options, ready_timeout_ns), .name = "ready-timeout",
     .argument = "DURATION", .fallback = "10s", .min = EDGE_NS_PER_MS, .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "How long a server may take from its start to its first verified call."},
    {EDGE_OPT_STRING(struct edge_run_options, results_dir), .name = "results-dir",
     .argument = "DIR", .fallback = "results",
     .help = "Where the folder with this run's results is made."},
    {.name = NULL},
};

const struct edge_command edge_run_command_options = {
    .name = "bench-edge run",
    .operands = "[SERVER...]",
    .summary = "Measure gRPC servers: start, warm up, load, sample, judge, repeat.",
    .epilog =
        "SERVER is a name in the folder servers/ beside bench-edge, or the path of any program\n"
        "that takes --port N. Without one, every server in that folder is measured.\n"
        "Results go to DIR/<utc>-<board>/<server>.<scenario>.<call>.jsonl.\n\n"
        "Exit codes: 0 all valid, 1 a server could not be measured, 2 usage, 3 a result is\n"
        "not valid.",
    .options = options,
};

#define OPEN UINT64_MAX // not given yet: above every maximum

void edge_run_options_begin(struct edge_run_options *config)
{
    edge_options_defaults(&edge_run_command_options, config);
    config->duration_ns = config->warmup_ns = OPEN;
    config->connections = config->concurrency = OPEN;
}

static void settle(uint64_t *value, uint64_t usual, bool emulated, uint64_t for_emulator)
{
    if (*value == OPEN)
        *value = emulated ? for_emulator : usual;
}

void edge_run_options_settle(struct edge_run_options *config)
{
    struct edge_run_options usual;
    bool emulated = edge_target_is_emulated(config->target);
    edge_options_defaults(&edge_run_command_options, &usual);
    settle(&config->duration_ns, usual.duration_ns, emulated, 3 * EDGE_NS_PER_S);
    settle(&config->warmup_ns, usual.warmup_ns, emulated, EDGE_NS_PER_S);
    settle(&config->connections, usual.connections, emulated, 4);
    settle(&config->concurrency, usual.concurrency, emulated, 32);
}

int edge_run_options_check(const struct edge_run_options *config, struct edge_message *message)
{
    if (config->concurrency < config->connections)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--concurrency %" PRIu64 " is below --connections %" PRIu64
                         ": each connection needs at least one call; raise one or lower the other",
                         config->concurrency, config->connections);
    if (config->profile == EDGE_PROFILE_GRADUATED && config->rate > 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--profile graduated finds the rate by itself: leave --rps out");
    if (edge_target_is_emulated(config->target) &&
        (config->profile == EDGE_PROFILE_GRADUATED || config->root ||
         (strcmp(config->power, "auto") != 0 && strcmp(config->power, "none") != 0)))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--target %s: an emulator has no speed and no power of a board: leave "
                         "--profile, --power and --root out",
                         config->target);
    if (!config->tls && (config->tls_cert || config->tls_key || config->cacert || config->cname))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--tls-cert, --tls-key, --cacert and --cname need --tls");
    if ((config->tls_cert != NULL) != (config->tls_key != NULL) ||
        (config->cacert && !config->tls_cert))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected --tls-cert and --tls-key together, and --cacert only with them");
    if (edge_target_is_remote(config->target) && config->root)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--target %s: a real board has no recorded tree: leave --root out",
                         config->target);
    if (config->board && !edge_target_is_remote(config->target))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--board %s: expected with --target ssh://..., found --target %s",
                         config->board, config->target);
    return edge_meters_check(config->power, message);
}
