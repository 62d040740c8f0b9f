#include "load/command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/progress.h"
#include "load/load.h"
#include "load/schedule.h"
#include "load/source.h"
#include "load/summary.h"

#define DURATION_DEFAULT (10 * EDGE_NS_PER_S)
#define DURATION_MAX                                                                               \
    (UINT64_C(8784) * 3600 * EDGE_NS_PER_S) // a year: sums of times stay far below 2^64
#define CALLS_MAX 1000000u                  // in flight; each takes a record of about 100 bytes

enum format { FORMAT_SUMMARY, FORMAT_JSON };

struct options {
    uint64_t concurrency, connections, total, duration, warmup, rps, timeout;
    uint64_t connect_timeout, drain;
    const char *cpus, *authority, *output, *cacert, *cert, *key, *cname;
    struct edge_source_options source;
    bool skip_verify;
    unsigned format;
};

static const char *const formats[] = {"summary", "json", NULL};

static const struct edge_option rows[] = {
    {EDGE_OPT_COUNT(struct options, concurrency), .name = "concurrency", .letter = 'c',
     .argument = "N", .fallback = "50", .min = 1, .max = CALLS_MAX,
     .help = "Calls in flight, over all connections."},
    {EDGE_OPT_COUNT(struct options, connections), .name = "connections", .argument = "N",
     .fallback = "1", .min = 1, .max = 65535, .help = "Connections."},
    {EDGE_OPT_COUNT(struct options, total), .name = "total", .letter = 'n', .argument = "N",
     .fallback = "0", .help = "Stop after so many calls; 0: by --duration."},
    {EDGE_OPT_DURATION(struct options, duration), .name = "duration", .letter = 'z',
     .argument = "TIME", .fallback = "0s", .max = DURATION_MAX,
     .help = "Measure for so long; 0s: 10s, unless --total is given."},
    {EDGE_OPT_DURATION(struct options, warmup), .name = "warmup", .argument = "TIME",
     .fallback = "0s", .max = DURATION_MAX, .help = "Load, not counted, before that."},
    {EDGE_OPT_COUNT(struct options, rps), .name = "rps", .letter = 'r', .argument = "N",
     .fallback = "0", .max = EDGE_SCHEDULE_RATE_MAX,
     .help = "Open loop: so many calls due per second, in total; 0: closed loop."},
    {EDGE_OPT_DURATION(struct options, timeout), .name = "timeout", .letter = 't',
     .argument = "TIME", .fallback = "20s", .max = DURATION_MAX,
     .help = "Per call, sent to the server as grpc-timeout; 0s: none."},
    {EDGE_OPT_STRING(struct options, cpus), .name = "cpus", .argument = "LIST",
     .help = "One thread on each of these CPUs, as 1 or 1-3; without it one thread, not pinned."},
    EDGE_SOURCE_ROWS(struct options, source),
    {EDGE_OPT_DURATION(struct options, connect_timeout), .name = "connect-timeout",
     .argument = "TIME", .fallback = "10s", .max = DURATION_MAX, .min = 1,
     .help = "How long a connection may take to open."},
    {EDGE_OPT_DURATION(struct options, drain), .name = "drain", .argument = "TIME",
     .fallback = "5s", .max = DURATION_MAX,
     .help = "How long to wait at the end for calls in flight."},
    {EDGE_OPT_STRING(struct options, authority), .name = "authority", .argument = "NAME",
     .help = "The :authority header; without it --cname, or HOST:PORT."},
    {EDGE_OPT_STRING(struct options, cacert), .name = "cacert", .argument = "FILE",
     .help = "Use TLS, and trust what the certificates in this PEM file have signed."},
    {EDGE_OPT_BOOL(struct options, skip_verify), .name = "skip-verify", .fallback = "false",
     .help = "Use TLS, with any certificate."},
    {EDGE_OPT_STRING(struct options, cname), .name = "cname", .argument = "NAME",
     .help = "The name or address that the server's certificate must have; without it HOST."},
    {EDGE_OPT_STRING(struct options, cert), .name = "cert", .argument = "FILE",
     .help = "Our own certificate, in PEM, for a TLS server that asks for one."},
    {EDGE_OPT_STRING(struct options, key), .name = "key", .argument = "FILE",
     .help = "Its private key, in PEM, not encrypted."},
    {EDGE_OPT_CHOICE(struct options, format), .name = "format", .letter = 'O', .argument = "FORMAT",
     .fallback = "summary", .choices = formats, .help = "What to print."},
    {EDGE_OPT_STRING(struct options, output), .name = "output", .letter = 'o', .argument = "FILE",
     .help = "Where to; without it standard output."},
    {.name = NULL},
};

const struct edge_command edge_load_command_options = {
    .name = "bench-edge load",
    .operands = "HOST:PORT",
    .summary = "Load a gRPC server, verify every reply, and say how fast it was.",
    .epilog = "Only verified replies count. Options have ghz's names where they mean the same.\n\n"
              "  bench-edge load -c 1000 --connections 50 -z 20s 127.0.0.1:50051\n"
              "  bench-edge load -r 10k -z 30s --call SayHelloBidi --messages 5 [::1]:50051\n"
              "  bench-edge load --cacert ca.pem --cname edge.example 192.0.2.7:50051\n"
              "  bench-edge load --proto shop.proto --call shop.Shop/Buy -d "
              "'{\"n\":\"{{counter}}\"}' 127.0.0.1:80\n",
    .options = rows,
};

static int usage(struct edge_message *message, const char *text)
{
    return edge_fail(message, EDGE_ERR_USAGE, "%s", text);
}

static int check(struct options *options, struct edge_message *message)
{
    if (options->concurrency < options->connections)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--concurrency %" PRIu64 " is below --connections %" PRIu64
                         ": expected at least one call in flight per connection",
                         options->concurrency, options->connections);
    if (options->total > 0 && options->duration > 0)
        return usage(message, "expected --total or --duration, found both");
    if (options->total == 0 && options->duration == 0)
        options->duration = DURATION_DEFAULT;
    bool tls = options->cacert != NULL || options->skip_verify;
    if (options->cacert != NULL && options->skip_verify)
        return usage(message, "expected --cacert or --skip-verify, found both");
    if ((options->cert != NULL) != (options->key != NULL))
        return usage(message, "expected both --cert and --key, found one");
    if (!tls && (options->cert != NULL || options->cname != NULL))
        return usage(message, "--cert, --key and --cname are of TLS: expected --cacert or "
                              "--skip-verify with them");
    return edge_source_check(&options->source, options->timeout, message);
}

// TLS as asked for; `name` is what the certificate must have without --cname.
static void configure_tls(const struct options *options, const char *name,
                          struct edge_tls_client_config *tls)
{
    *tls = (struct edge_tls_client_config){
        .ca_file = options->cacert,
        .cert_file = options->cert,
        .key_file = options->key,
        .server_name = options->cname != NULL ? options->cname : name,
        .skip_verify = options->skip_verify,
    };
}

static int configure(const struct options *options, const char *target,
                     struct edge_load_config *config, struct edge_message *message)
{
    *config = (struct edge_load_config){
        .authority = options->authority != NULL ? options->authority : options->cname,
        .connections = options->connections,
        .concurrency = options->concurrency,
        .rate = options->rps,
        .total = options->total,
        .duration_ns = options->duration,
        .warmup_ns = options->warmup,
        .timeout_ns = options->timeout,
        .connect_timeout_ns = options->connect_timeout,
        .drain_ns = options->drain,
    };
    if (options->cpus != NULL && edge_cpuset_parse(options->cpus, &config->cpus) < 0)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--cpus: expected a list of CPUs as 0 or 1-3,5; found \"%s\"",
                         options->cpus);
    return edge_address_parse(target, &config->address, message);
}

static void show_progress(struct edge_progress *progress, const struct edge_load *load,
                          uint64_t begin_ns, const struct edge_load_snapshot *now)
{
    uint64_t start_ns, stop_ns;
    edge_load_window(load, &start_ns, &stop_ns);
    uint64_t at_ns = edge_clock_ns();
    double elapsed_s = (double)(at_ns - begin_ns) / 1e9;
    const char *phase = at_ns < start_ns ? "warm-up" : at_ns < stop_ns ? "measuring" : "draining";
    edge_progress_update(progress, "%s  %.1f s  %" PRIu64 " calls, %" PRIu64 " ok, %.0f/s", phase,
                         elapsed_s, now->ended, now->ok,
                         elapsed_s > 0 ? (double)now->ok / elapsed_s : 0);
}

// Until the load is over. The first Ctrl-C ends it in order, a second one at once.
static void wait_for_end(struct edge_load *load)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before);

    struct edge_progress progress;
    struct edge_load_snapshot now;
    uint64_t begin_ns = edge_clock_ns();
    bool stopping = false;
    edge_progress_init(&progress);
    for (edge_load_snapshot(load, &now); now.running; edge_load_snapshot(load, &now)) {
        show_progress(&progress, load, begin_ns, &now);
        struct timespec pause = {.tv_nsec = 50000000};
        int signal_number = sigtimedwait(&signals, NULL, &pause);
        if (signal_number <= 0)
            continue;
        if (stopping) {
            signal(signal_number, SIG_DFL);
            raise(signal_number);
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        stopping = true;
        edge_progress_say(&progress, "stopping: waiting for calls in flight");
        edge_load_stop(load);
    }
    edge_progress_end(&progress);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int print_result(const struct options *options, const struct edge_load_config *config,
                        const struct edge_load_result *result, struct edge_message *message)
{
    const char *name = options->output != NULL ? options->output : "standard output";
    FILE *out = options->output != NULL ? fopen(options->output, "we") : stdout;
    if (out == NULL)
        return edge_fail(message, -errno, "cannot write %s: %s", name, strerror(errno));
    int error = 0;
    if (options->format == FORMAT_JSON)
        error = edge_summary_json(config, result, out);
    else
        edge_summary_print(config, result, out);
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        error = errno != 0 ? -errno : -EIO;
    if (out != stdout)
        fclose(out);
    return error == 0
               ? 0
               : edge_fail(message, error, "cannot write %s: %s", name, edge_error_text(error));
}

static int measure(const struct options *options, const struct edge_load_config *config,
                   struct edge_message *message)
{
    struct edge_load *load;
    int error = edge_load_start(config, &load, message);
    if (error < 0)
        return error;
    wait_for_end(load);
    struct edge_load_result *result = malloc(sizeof(*result));
    if (result == NULL)
        return edge_fail(message, -ENOMEM, "out of memory");
    error = edge_load_finish(load, result);
    if (error == 0)
        error = print_result(options, config, result, message);
    else
        edge_fail(message, error, "%s", edge_error_text(error));
    if (error == 0 && !result->balanced)
        error = edge_fail(message, EDGE_ERR_FAILED,
                          "the books do not balance: this is a fault of the generator");
    else if (error == 0 && result->outcomes[EDGE_OUTCOME_OK] == 0)
        error = edge_fail(message, EDGE_ERR_FAILED, "no reply was right; first: %s",
                          result->first_error[0] != '\0' ? result->first_error : "no call ended");
    edge_load_result_free(result);
    free(result);
    return error;
}

static int run_command(struct options *options, int operands, char **argv,
                       struct edge_message *message)
{
    if (operands != 1)
        return edge_fail(message, EDGE_ERR_USAGE, "expected one HOST:PORT, found %d operands",
                         operands);
    int error = check(options, message);
    if (error < 0)
        return error;
    struct edge_load_config config;
    struct edge_source source;
    struct edge_tls_client_config tls;
    char host[sizeof(config.address.text)];
    error = configure(options, argv[0], &config, message);
    if (error < 0)
        return error == EDGE_ERR_FORMAT ? EDGE_ERR_USAGE : error;
    if (options->cacert != NULL || options->skip_verify) {
        configure_tls(options, edge_address_host(&config.address, host, sizeof(host)), &tls);
        config.tls = &tls;
    }
    error = edge_source_init(&source, &options->source, &config, message);
    if (error == 0)
        error = measure(options, &config, message);
    else if (error != -ENOMEM && error != EDGE_ERR_FAILED)
        error = EDGE_ERR_USAGE; // what was asked for is wrong
    edge_source_free(&source);
    return error;
}

int edge_load_command(int argc, char **argv)
{
    const struct edge_command *command = &edge_load_command_options;
    struct options options;
    struct edge_message message = {""};
    int operands = 0;
    edge_options_defaults(command, &options);
    int error = edge_options_env(command, &options, &message);
    if (error == 0)
        error = edge_options_argv(command, &options, argc, argv, &operands, &message);
    switch (error) {
    case EDGE_ARGV_GO:
        break;
    case EDGE_ARGV_HELP:
        edge_options_help(command, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(command, &options, stdout);
        return EDGE_EXIT_OK;
    default:
        fprintf(stderr, "%s: %s\n", command->name, message.text);
        return EDGE_EXIT_USAGE;
    }
    error = run_command(&options, operands, argv, &message);
    if (error == 0)
        return EDGE_EXIT_OK;
    fprintf(stderr, "%s: %s\n", command->name, message.text);
    return error == EDGE_ERR_USAGE ? EDGE_EXIT_USAGE : EDGE_EXIT_FAILED;
}
