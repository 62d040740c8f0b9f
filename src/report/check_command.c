#include "report/check_command.h"

#include <errno.h>
#include <string.h>

#include "report/check.h"
#include "report/command.h"

struct config {
    unsigned format;
    struct edge_option_list slos;
    const char *baseline;
    const char *tolerance;
    struct edge_option_list allow;
};

static const char *const formats[] = {"table", "github", "junit", NULL};

static int (*const printers[])(const struct edge_checks *checks, FILE *out) = {
    edge_check_print_table, edge_check_print_github, edge_check_print_junit};

static const struct edge_option options[] = {
    {.name = "slo",
     EDGE_OPT_LIST(struct config, slos),
     .argument = "GOAL",
     .help = "A goal such as 'p99<5ms' or 'req_per_s>10k'; may be given several times."},
    {.name = "baseline",
     EDGE_OPT_STRING(struct config, baseline),
     .argument = "RESULTS",
     .help = "Results of before: nothing may be worse than they are, beyond the tolerance."},
    {.name = "tolerance",
     EDGE_OPT_STRING(struct config, tolerance),
     .argument = "PERCENT",
     .fallback = "5%",
     .help = "How much worse than the baseline a figure may be."},
    {.name = "allow",
     EDGE_OPT_LIST(struct config, allow),
     .argument = "NAME,...",
     .help = "Take a baseline that differs in this; may be given several times."},
    {.name = "format",
     .letter = 'f',
     EDGE_OPT_CHOICE(struct config, format),
     .argument = "FORMAT",
     .fallback = "table",
     .choices = formats,
     .help = "What to print; github is for its workflows, junit for other CI."},
    {.name = NULL},
};

const struct edge_command edge_check_command_options = {
    .name = "bench-edge check",
    .operands = "RESULTS...",
    .summary = "Check results against goals and a baseline. Exit code 4: missed, 3: not valid.",
    .epilog = "Example:\n"
              "  bench-edge check results/today --slo 'p99<5ms' --baseline results/release",
    .options = options,
};

struct check {
    struct edge_slo slos[EDGE_OPTION_LIST_MAX];
    unsigned slo_count;
    double tolerance;
    edge_identity allowed;
    struct edge_measured_list results, baselines;
    bool failed;
};

// The latest baseline that is of the same board, server and work.
static const struct edge_measured *baseline_of(const struct check *check,
                                               const struct edge_row *row, edge_identity *nearest)
{
    const struct edge_measured *found = NULL;
    for (size_t i = 0; i < check->baselines.count; i++) {
        const struct edge_measured *candidate = &check->baselines.at[i];
        // Whether the result itself is valid is judged by each goal.
        edge_identity set = edge_identity_differences(&candidate->row, row, true);
        if (candidate->row.group == EDGE_ROW_RANKED || candidate->row.only_emulated)
            set &= ~EDGE_IDENTITY_INVALID;
        set &= ~check->allowed;
        if (i == 0 || __builtin_popcountll(set) < __builtin_popcountll(*nearest))
            *nearest = set;
        if (set == 0 && (found == NULL || strcmp(found->row.facts.at[EDGE_FACT_STARTED],
                                                 candidate->row.facts.at[EDGE_FACT_STARTED]) < 0))
            found = candidate;
    }
    return found;
}

static void check_one(struct check *check, struct edge_checks *checks,
                      const struct edge_measured *measured)
{
    if (measured->row.group == EDGE_ROW_CALIBRATION)
        return; // it is no result
    edge_check_valid(checks, &measured->row);
    for (unsigned i = 0; i < check->slo_count; i++)
        edge_check_slo(checks, &measured->row, &check->slos[i]);
    if (check->baselines.count == 0)
        return;
    edge_identity nearest = 0;
    const struct edge_measured *baseline = baseline_of(check, &measured->row, &nearest);
    if (baseline != NULL) {
        edge_check_baseline(checks, measured, baseline, check->tolerance);
        return;
    }
    check->failed = true;
    fprintf(stderr, "%s: no baseline: the nearest one differs in ",
            measured->row.facts.at[EDGE_FACT_FILE]);
    edge_identity_print(nearest, NULL, NULL, stderr);
    fputs(" (--allow takes it all the same)\n", stderr);
}

static int run(struct check *check, const struct config *config)
{
    struct edge_checks checks = {0};
    for (size_t i = 0; i < check->results.count; i++)
        check_one(check, &checks, &check->results.at[i]);
    int rv = printers[config->format](&checks, stdout);
    if (rv != 0 || checks.failed) {
        fputs("out of memory\n", stderr);
        check->failed = true;
    }
    if (!edge_report_written(stdout, "the verdicts", stderr))
        check->failed = true;
    int exit_code = (int)edge_checks_exit(&checks);
    edge_checks_free(&checks);
    return exit_code == EDGE_EXIT_MISSED || !check->failed ? exit_code : EDGE_EXIT_FAILED;
}

static int parse(struct check *check, const struct config *config, int operands,
                 struct edge_message *message)
{
    if (operands == 0)
        return edge_fail(message, EDGE_ERR_USAGE, "expected result files or folders, found none");
    for (unsigned i = 0; i < config->slos.count; i++) {
        int rv = edge_slo_parse(config->slos.at[i], &check->slos[check->slo_count++], message);
        if (rv != 0)
            return rv;
    }
    int rv = edge_slo_percent(config->tolerance, &check->tolerance, message);
    return rv != 0 ? rv : edge_identity_parse(&config->allow, &check->allowed, message);
}

int edge_check_command(int argc, char **argv)
{
    struct config config;
    struct edge_message message;
    int operands = 0;
    int exit_code =
        edge_report_arguments(&edge_check_command_options, &config, argc, argv, &operands);
    if (exit_code >= 0)
        return exit_code;
    struct check check = {.slo_count = 0};
    if (parse(&check, &config, operands, &message) != 0) {
        fprintf(stderr, "%s: %s\n", edge_check_command_options.name, message.text);
        return EDGE_EXIT_USAGE;
    }
    size_t failures = edge_measured_list_read(&check.results, (const char *const *)argv,
                                              (size_t)operands, stderr);
    if (config.baseline != NULL)
        failures += edge_measured_list_read(&check.baselines, &config.baseline, 1, stderr);
    check.failed = failures > 0;
    exit_code = check.results.count > 0 ? run(&check, &config) : EDGE_EXIT_FAILED;
    edge_measured_list_free(&check.results);
    edge_measured_list_free(&check.baselines);
    return exit_code;
}
