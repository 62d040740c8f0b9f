#include "report/compare_command.h"

#include <errno.h>

#include "report/command.h"
#include "report/compare.h"

struct config {
    unsigned format;
    struct edge_option_list allow;
    struct edge_option_list prices;
};

// In the order of enum edge_grid_style.
static const char *const formats[] = {"table", "markdown", NULL};

static const struct edge_option options[] = {
    {.name = "format",
     .letter = 'f',
     EDGE_OPT_CHOICE(struct config, format),
     .argument = "FORMAT",
     .fallback = "table",
     .choices = formats,
     .help = "What to print."},
    {.name = "allow",
     EDGE_OPT_LIST(struct config, allow),
     .argument = "NAME,...",
     .help = "Compare although the sides differ in this; may be given several times."},
    {.name = "price",
     EDGE_OPT_LIST(struct config, prices),
     .argument = "BOARD=AMOUNT",
     .help = "What a board costs, for req/s per price unit; may be given several times."},
    {.name = NULL},
};

const struct edge_command edge_compare_command_options = {
    .name = "bench-edge compare",
    .operands = "A B...",
    .summary = "Compare boards, or servers, side by side: ratios with confidence intervals.",
    .epilog =
        "A, B, ... are result files, or folders of them; all are measured by A. Of folders, the\n"
        "results of the same server, scenario and call are compared. Sides that did not do the\n"
        "same work are refused, unless --allow names each difference.\n"
        "Example:\n"
        "  bench-edge compare results/*-rpi4 results/*-rpi5 --price rpi4=35 --price rpi5=60",
    .options = options,
};

static int run(struct edge_compare *compare, const char *const *paths, size_t count)
{
    size_t failures = 0;
    for (size_t i = 0; i < count; i++)
        failures +=
            edge_measured_list_read(&compare->sides[compare->side_count++], &paths[i], 1, stderr);
    size_t refused = 0;
    int printed = edge_compare_print(compare, &refused, stdout, stderr);
    if (printed < 0)
        fputs("out of memory\n", stderr);
    else if (printed == 0 && refused == 0)
        fputs("there is nothing to compare\n", stderr);
    if (!edge_report_written(stdout, "the comparison", stderr))
        failures++;
    for (size_t i = 0; i < compare->side_count; i++)
        edge_measured_list_free(&compare->sides[i]);
    return failures > 0 || printed <= 0 || refused > 0 ? EDGE_EXIT_FAILED : EDGE_EXIT_OK;
}

int edge_compare_command(int argc, char **argv)
{
    const char *name = edge_compare_command_options.name;
    struct config config;
    struct edge_message message;
    int operands = 0;
    int exit_code =
        edge_report_arguments(&edge_compare_command_options, &config, argc, argv, &operands);
    if (exit_code >= 0)
        return exit_code;
    struct edge_compare compare = {.style = (enum edge_grid_style)config.format};
    int rv = 0;
    if (operands < 2 || operands > EDGE_COMPARE_SIDES)
        rv = edge_fail(&message, EDGE_ERR_USAGE,
                       "expected 2 to %d result files or folders, found %d", EDGE_COMPARE_SIDES,
                       operands);
    if (rv == 0)
        rv = edge_identity_parse(&config.allow, &compare.allowed, &message);
    if (rv == 0)
        rv = edge_compare_prices(&compare, &config.prices, &message);
    if (rv != 0) {
        fprintf(stderr, "%s: %s\n", name, message.text);
        return EDGE_EXIT_USAGE;
    }
    return run(&compare, (const char *const *)argv, (size_t)operands);
}
