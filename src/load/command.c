#include "load/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/text.h"
#include "load/attend.h"
#include "load/output.h"
#include "load/shaping.h"
#include "load/source.h"

#define DURATION_DEFAULT (10 * EDGE_NS_PER_S)
#define PROBE_DEFAULT    EDGE_NS_PER_S // of --find-max

struct options {
    uint64_t concurrency, connections, total, duration, warmup, rps, timeout;
    uint64_t connect_timeout, drain;
    const char *cpus, *authority, *output, *cacert, *cert, *key, *cname;
    struct edge_source_options source;
    bool skip_verify;
    const char *format, *name, *config, *find_max;
    struct edge_option_list slos;
    struct edge_shaping shaping;
};

static const char *const shapes[] = {"const", "step", "line", NULL};
static const char *const arrivals[] = {"constant", "poisson", NULL};
static const char *const stops[] = {"wait", "close", NULL};

static const struct edge_option rows[] = {
    {EDGE_OPT_COUNT(struct options, concurrency), .name = "concurrency", .letter = 'c',
     .argument = "N", .fallback = "50", .min = 1, .max = EDGE_LOAD_CALLS_MAX,
     .help = "Calls in flight, over all connections."},
    {EDGE_OPT_COUNT(struct options, connections), .name = "connections", .argument = "N",
     .fallback = "1", .min = 1, .max = EDGE_LOAD_CONNECTIONS_MAX, .help = "Connections."},
    {EDGE_OPT_COUNT(struct options, total), .name = "total", .letter = 'n', .argument = "N",
     .fallback = "0", .help = "Stop after so many calls; 0: by --duration."},
    {EDGE_OPT_DURATION(struct options, duration), .name = "duration", .letter = 'z',
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Measure for so long; 0s: 10s, unless --total is given."},
    {EDGE_OPT_DURATION(struct options, warmup), .name = "warmup", .argument = "TIME",
     .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS, .help = "Load, not counted, before that."},
    {EDGE_OPT_COUNT(struct options, rps), .name = "rps", .letter = 'r', .argument = "N",
     .fallback = "0", .max = EDGE_SHAPE_VALUE_MAX,
     .help = "Open loop: so many calls due per second, in total; 0: closed loop."},
    {EDGE_OPT_DURATION(struct options, timeout), .name = "timeout", .letter = 't',
     .argument = "TIME", .fallback = "20s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Per call, sent to the server as grpc-timeout; 0s: none."},
    {EDGE_OPT_STRING(struct options, cpus), .name = "cpus", .argument = "LIST",
     .help = "One thread on each of these CPUs, as 1 or 1-3; without it one thread, not pinned."},
    EDGE_SOURCE_ROWS(struct options, source),
    {EDGE_OPT_DURATION(struct options, connect_timeout), .name = "connect-timeout",
     .argument = "TIME", .fallback = "10s", .max = EDGE_LOAD_TIME_MAX_NS, .min = 1,
     .help = "How long a connection may take to open."},
    {EDGE_OPT_DURATION(struct options, drain), .name = "drain", .argument = "TIME",
     .fallback = "5s", .max = EDGE_LOAD_TIME_MAX_NS,
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
    {EDGE_OPT_STRING(struct options, format), .name = "format", .letter = 'O',
     .argument = "FORMAT,...", .fallback = "summary",
     .help =
         "What to write: summary, json, csv, html, hgrm, influx, prometheus; several with commas "
         "between."},
    {EDGE_OPT_STRING(struct options, output), .name = "output", .letter = 'o', .argument = "FILE",
     .help =
         "Where to, without it standard output; of several formats each goes to FILE.EXTENSION."},
    {EDGE_OPT_STRING(struct options, name), .name = "name", .argument = "NAME",
     .help = "A name for this load, to be found again in its output."},
    {EDGE_OPT_LIST(struct options, slos), .name = "slo", .argument = "GOAL",
     .help = "A goal such as 'p99<5ms', 'errors<0.1%' or 'req_per_s>10k'; may be given several "
             "times. Exit code 4 if one is missed."},
    {EDGE_OPT_STRING(struct options, find_max), .name = "find-max", .argument = "GOAL,...",
     .help =
         "Search for the highest rate that keeps the goals, from --rps (or 1000) on; --duration "
         "is the least length of a probe (1s)."},
    {EDGE_OPT_CHOICE(struct options, shaping.arrivals), .name = "arrivals", .argument = "KIND",
     .fallback = "constant", .choices = arrivals,
     .help = "Open loop: calls are due evenly, or at random as independent users are."},
    {EDGE_OPT_COUNT(struct options, shaping.seed), .name = "seed", .argument = "N", .fallback = "1",
     .help = "Of what is random, data and Poisson arrivals: the same seed gives the same."},
    {EDGE_OPT_COUNT(struct options, shaping.max_inflight), .name = "max-inflight", .argument = "N",
     .fallback = "0", .max = EDGE_LOAD_CALLS_MAX,
     .help = "Open loop: calls in flight at most, the others wait; 0: --concurrency."},
    {EDGE_OPT_CHOICE(struct options, shaping.load.kind), .name = "load-schedule",
     .argument = "SHAPE", .fallback = "const", .choices = shapes,
     .help = "Open loop: the rate stays, changes in steps, or along a line."},
    {EDGE_OPT_COUNT(struct options, shaping.load.start), .name = "load-start", .argument = "N",
     .fallback = "0", .help = "Rate at the start."},
    {EDGE_OPT_COUNT(struct options, shaping.load.end), .name = "load-end", .argument = "N",
     .fallback = "0", .help = "Rate at the end; 0: until --load-max-duration."},
    {EDGE_OPT_STRING(struct options, shaping.load.step), .name = "load-step", .argument = "N",
     .help = "How much the rate changes with each step, or in a second of a line; may be negative "
             "(--load-step=-50)."},
    {EDGE_OPT_DURATION(struct options, shaping.load.step_duration), .name = "load-step-duration",
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Length of a step."},
    {EDGE_OPT_DURATION(struct options, shaping.load.max_duration), .name = "load-max-duration",
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "The rate changes for so long at most, then stays."},
    {EDGE_OPT_CHOICE(struct options, shaping.concurrency.kind), .name = "concurrency-schedule",
     .argument = "SHAPE", .fallback = "const", .choices = shapes,
     .help = "The same for the calls in flight."},
    {EDGE_OPT_COUNT(struct options, shaping.concurrency.start), .name = "concurrency-start",
     .argument = "N", .fallback = "0", .max = EDGE_LOAD_CALLS_MAX,
     .help = "Calls in flight at the start."},
    {EDGE_OPT_COUNT(struct options, shaping.concurrency.end), .name = "concurrency-end",
     .argument = "N", .fallback = "0", .max = EDGE_LOAD_CALLS_MAX,
     .help = "Calls in flight at the end; 0: until --concurrency-max-duration."},
    {EDGE_OPT_STRING(struct options, shaping.concurrency.step), .name = "concurrency-step",
     .argument = "N", .help = "How much they change with each step, or in a second of a line."},
    {EDGE_OPT_DURATION(struct options, shaping.concurrency.step_duration),
     .name = "concurrency-step-duration", .argument = "TIME", .fallback = "0s",
     .max = EDGE_LOAD_TIME_MAX_NS, .help = "Length of a step."},
    {EDGE_OPT_DURATION(struct options, shaping.concurrency.max_duration),
     .name = "concurrency-max-duration", .argument = "TIME", .fallback = "0s",
     .max = EDGE_LOAD_TIME_MAX_NS, .help = "They change for so long at most, then stay."},
    {EDGE_OPT_DURATION(struct options, shaping.max_duration), .name = "max-duration", .letter = 'x',
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "With --total: stop after so long even if not all calls have been made."},
    {EDGE_OPT_CHOICE(struct options, shaping.duration_stop), .name = "duration-stop",
     .argument = "HOW", .fallback = "wait", .choices = stops,
     .help = "At the end wait for calls in flight (see --drain), or close; either way they are "
             "counted."},
    {EDGE_OPT_COUNT(struct options, shaping.skip_first), .name = "skip-first", .argument = "N",
     .fallback = "0", .max = UINT32_MAX,
     .help = "Do not count the first N calls; the window begins after them."},
    {EDGE_OPT_DURATION(struct options, shaping.connection_ramp), .name = "connection-ramp",
     .argument = "TIME", .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help = "Open the connections evenly over this time, before the load; 0s: all at once."},
    {EDGE_OPT_DURATION(struct options, shaping.keepalive), .name = "keepalive", .argument = "TIME",
     .fallback = "0s", .max = EDGE_LOAD_TIME_MAX_NS,
     .help =
         "HTTP/2 PING after so long without a word from the server, which is lost after as long "
         "again; 0s: never."},
    {EDGE_OPT_STRING(struct options, config), .name = "config", .argument = "FILE",
     .help = "Options from a file, as --show-config prints them; the command line comes before "
             "it."},
    {.name = NULL},
};

const struct edge_command edge_load_command_options = {
    .name = "bench-edge load",
    .operands = "HOST:PORT | unix:PATH",
    .summary = "Load a gRPC server, verify every reply, and say how fast it was.",
    .epilog = "Only verified replies count. Options have ghz's names where they mean the same.\n\n"
              "  bench-edge load -c 1000 --connections 50 -z 20s 127.0.0.1:50051\n"
              "  bench-edge load -r 10k -z 30s --call SayHelloBidi --messages 5 [::1]:50051\n"
              "  bench-edge load --cacert ca.pem --cname edge.example 192.0.2.7:50051\n"
              "  bench-edge load -r 2000 -z 5s -O summary,json,hgrm -o out 127.0.0.1:50051\n"
              "  bench-edge load --find-max 'p99<10ms,errors<0.1%' 127.0.0.1:50051\n"
              "  bench-edge load --proto shop.proto --call shop.Shop/Buy -d "
              "'{\"n\":\"{{counter}}\"}' 127.0.0.1:80\n",
    .options = rows,
};

// What the options come to, apart from the load itself.
struct plan {
    const struct options *options;
    struct edge_output output;
    struct edge_goals goals; // of --slo, or --find-max and --slo
};

static int usage(struct edge_message *message, const char *text)
{
    return edge_fail(message, EDGE_ERR_USAGE, "%s", text);
}

static bool is_text(const char *text)
{
    for (size_t len; (len = edge_text_character(text)) > 0;)
        text += len;
    return *text == '\0';
}

static int check(struct options *options, struct edge_message *message)
{
    if (options->total > 0 && options->duration > 0)
        return usage(message, "expected --total or --duration, found both");
    if (options->find_max != NULL &&
        (options->total > 0 || options->shaping.load.kind != EDGE_SHAPE_CONST))
        return usage(message, "--find-max decides on rate and number of calls: expected it without "
                              "--total and --load-schedule");
    if (options->name != NULL && !is_text(options->name))
        return usage(message, "--name: expected UTF-8 without control characters");
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

static int read_goals(struct plan *plan, struct edge_message *message)
{
    const struct options *options = plan->options;
    int error = 0;
    if (options->find_max != NULL)
        error = edge_goals_add(&plan->goals, options->find_max, message);
    for (unsigned i = 0; i < options->slos.count && error == 0; i++)
        error = edge_goals_add(&plan->goals, options->slos.at[i], message);
    return error;
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
        .name = options->name,
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
    bool search = options->find_max != NULL;
    if (search && config->rate == 0)
        config->rate = EDGE_FIND_MAX_START;
    int error = edge_shaping_apply(&options->shaping, search ? PROBE_DEFAULT : DURATION_DEFAULT,
                                   config, message);
    if (error < 0)
        return error;
    error = edge_address_parse(target, &config->address, message);
    edge_text_clean(config->address.text); // the path of a socket may be any bytes
    return error;
}

static int fail_for(const struct edge_load_result *result, struct edge_message *message)
{
    if (!result->balanced)
        return edge_fail(message, EDGE_ERR_FAILED,
                         "the books do not balance: this is a fault of the generator");
    if (result->outcomes[EDGE_OUTCOME_OK] == 0)
        return edge_fail(message, EDGE_ERR_FAILED, "no reply was right; first: %s",
                         result->first_error[0] != '\0' ? result->first_error : "no call ended");
    return 0;
}

// What is left to say once the results are written. 0, EDGE_EXIT_MISSED or an error, with a
// message.
static int judge(const struct plan *plan, const struct edge_sheet *sheet,
                 struct edge_message *message)
{
    if (sheet->found != NULL && sheet->found->interrupted)
        return edge_fail(message, EDGE_EXIT_MISSED, "interrupted: no rate was found");
    int error = fail_for(sheet->result, message);
    if (error < 0)
        return error;
    if (sheet->found != NULL && sheet->found->rate == 0)
        return edge_fail(message, EDGE_EXIT_MISSED, "no rate was found that keeps %s",
                         plan->options->find_max);
    if (!edge_goals_kept(sheet->goals, sheet->config, sheet->result))
        return edge_fail(message, EDGE_EXIT_MISSED, "a goal was missed");
    return 0;
}

static int measure(struct plan *plan, struct edge_load_config *config, struct edge_message *message)
{
    struct edge_load_result *result = malloc(sizeof(*result));
    struct edge_find_max *found = malloc(sizeof(*found));
    bool search = plan->options->find_max != NULL, interrupted = false;
    struct edge_sheet sheet = {.unix_ns = edge_clock_wall_ns(),
                               .config = config,
                               .result = result,
                               .goals = &plan->goals,
                               .found = search ? found : NULL};
    int error = -ENOMEM;
    if (result == NULL || found == NULL)
        edge_fail(message, error, "out of memory");
    else if (search)
        error = edge_find_max(config, &plan->goals, found, result, message);
    else
        error = edge_attend(config, "", result, &interrupted, message);
    if (error == 0) {
        error = edge_output_write(&plan->output, &sheet, message);
        if (error == 0)
            error = judge(plan, &sheet, message);
        edge_load_result_free(result);
    }
    free(found);
    free(result);
    return error;
}

static int run_command(struct options *options, int operands, char **argv,
                       struct edge_message *message)
{
    struct plan plan = {.options = options};
    if (operands != 1)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "expected one HOST:PORT or unix:PATH, found %d operands", operands);
    int error = check(options, message);
    if (error == 0)
        error = edge_output_init(&plan.output, options->format, options->output, message);
    if (error == 0)
        error = read_goals(&plan, message);
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
        error = measure(&plan, &config, message);
    else if (error != -ENOMEM && error != EDGE_ERR_FAILED)
        error = EDGE_ERR_USAGE; // what was asked for is wrong
    edge_source_free(&source);
    return error;
}

int edge_load_command(int argc, char **argv)
{
    const struct edge_command *command = &edge_load_command_options;
    struct options options = {0};
    struct edge_message message = {""};
    int operands = 0;
    struct edge_buffer text = {0};
    int error = edge_options_all(command, &options, &options.config, argc, argv, &operands, &text,
                                 &message);
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
        edge_buffer_free(&text);
        return EDGE_EXIT_OK;
    default:
        edge_buffer_free(&text);
        fprintf(stderr, "%s: %s\n", command->name, message.text);
        return EDGE_EXIT_USAGE;
    }
    error = run_command(&options, operands, argv, &message);
    edge_buffer_free(&text);
    if (error == 0)
        return EDGE_EXIT_OK;
    fprintf(stderr, "%s: %s\n", command->name, message.text);
    if (error > 0)
        return error;
    return error == EDGE_ERR_USAGE ? EDGE_EXIT_USAGE : EDGE_EXIT_FAILED;
}
