#include "report/block.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void print_board(const struct edge_result *result, FILE *out)
{
    const struct edge_record_board *board = &result->board;
    fprintf(out, "Board %s", board->id[0] != '\0' ? board->id : "not recorded");
    if (board->model[0] != '\0')
        fprintf(out, ": %s", board->model);
    fputc('\n', out);
    if (board->cpu[0] != '\0' && strcmp(board->cpu, board->model) != 0)
        fprintf(out, "  CPU: %s\n", board->cpu);
    if (board->cpus != EDGE_UNMEASURED)
        fprintf(out, "  CPUs: %" PRIu64 "\n", board->cpus);
    if (board->ram_bytes != EDGE_UNMEASURED)
        fprintf(out, "  RAM: %.0f MiB\n", (double)board->ram_bytes / (1 << 20));
    if (board->cap_hz != EDGE_UNMEASURED && board->max_hz != EDGE_UNMEASURED &&
        board->cap_hz < board->max_hz)
        fprintf(out, "  clock capped at: %.0f MHz\n", (double)board->cap_hz / 1e6);
    const struct {
        const char *label;
        const char *text;
    } lines[] = {{"arch", board->arch},    {"kernel", board->kernel},
                 {"system", board->os},    {"governor", board->governor},
                 {"network", board->link}, {"server RAM limit", board->ram_limit}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].text[0] != '\0')
            fprintf(out, "  %s: %s\n", lines[i].label, lines[i].text);
}

static const char *by_env(const struct edge_result *result, const char *env)
{
    for (size_t i = 0; i < result->opt_count; i++)
        if (strcmp(result->opts[i].env, env) == 0)
            return result->opts[i].value;
    return NULL;
}

// As grpc_bench prints them: NAME=value.
static void print_parameters(const struct edge_result *result, FILE *out)
{
    fputs("Benchmark parameters\n", out);
    for (size_t i = 0; i < result->opt_count; i++)
        if (result->opts[i].env[0] != '\0')
            fprintf(out, "  %s=%s\n", result->opts[i].env, result->opts[i].value);
    if (result->run.repeats != EDGE_UNMEASURED)
        fprintf(out, "  repeats=%" PRIu64 "\n", result->run.repeats);
    fprintf(out, "  target=%s%s\n", result->run.target,
            result->run.emulated == EDGE_YES ? " (emulated)" : "");
    if (by_env(result, "GRPC_REQUEST_SCENARIO") == NULL)
        fprintf(out, "  scenario=%s\n", result->run.scenario);
    fprintf(out, "  call=%s\n", result->run.call);
}

// The flags that change what the compiler does to the code; all of them are in the build record.
static void print_flags(const char *flags, FILE *out)
{
    static const char *const telling[] = {"-O", "-m", "-flto", "-fsanitize", "-static"};
    while (*flags != '\0') {
        size_t len = strcspn(flags, " ");
        for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
            if (strncmp(flags, telling[i], strlen(telling[i])) == 0)
                fprintf(out, " %.*s", (int)len, flags);
        flags += len;
        flags += strspn(flags, " ");
    }
}

static void print_counts(const struct edge_row *row, FILE *out)
{
    if (isnan(row->instructions_per_call))
        fputs("instructions not counted", out);
    else
        fprintf(out, "%.0f instructions/req", row->instructions_per_call);
    if (!isnan(row->system_calls_per_call))
        fprintf(out, ", %.3f system calls/req", row->system_calls_per_call);
    if (!isnan(row->size_bytes))
        fprintf(out, ", %.0f KiB", row->size_bytes / 1024);
    fprintf(out, " (%zu repeats)", row->repeats);
}

static void print_figure(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    if (isnan(row->rate)) {
        fputs("not measured", out);
        return;
    }
    const char *duration = by_env(result, "GRPC_BENCHMARK_DURATION");
    fprintf(out, "%.*f req/s", row->rate < 100 ? 2 : 0, row->rate);
    if (!isnan(row->rate_ci) && row->rate > 0)
        fprintf(out, " ± %.1f %%", 100 * row->rate_ci / row->rate);
    fprintf(out, " (%zu x %s)", row->repeats, duration != NULL ? duration : "?");
}

// A reason without what to do about it, where the figures say enough.
static void print_reason(const char *reason, FILE *out)
{
    const char *figures = strstr(reason, "(must be ");
    const char *advice = figures != NULL ? strstr(figures, ": ") : NULL;
    fprintf(out, "%.*s", advice != NULL ? (int)(advice - reason) : (int)strlen(reason), reason);
}

static void print_verdict(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    const struct edge_texts *reasons = &result->end.reasons;
    if (row->group == EDGE_ROW_CALIBRATION)
        fputs("CALIBRATION, not ranked", out);
    else if (row->group == EDGE_ROW_RANKED)
        fputs("VALID", out);
    else if (reasons->count == 0)
        fprintf(out, "NOT VALID: %s", row->emulated ? "emulated" : "not judged");
    else {
        fputs("NOT VALID: ", out);
        for (unsigned i = 0; i < reasons->count; i++) {
            fputs(i == 0 ? "" : "; ", out);
            print_reason(reasons->at[i], out);
        }
    }
}

static const char *known(const char *text)
{
    return text[0] != '\0' ? text : "not recorded";
}

static void print_quote(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    const struct edge_record_board *board = &result->board;
    const struct edge_record_build *server = &result->server;
    fprintf(out, "bench-edge %s | %s | %s: %s", known(result->run.tool_version), result->run.server,
            known(board->id), known(board->model[0] != '\0' ? board->model : board->cpu));
    if (board->cpus != EDGE_UNMEASURED)
        fprintf(out, ", %" PRIu64 " CPUs", board->cpus);
    fprintf(out, ", %s%s | ", known(board->kernel), row->emulated ? ", emulated" : "");
    if (server->compiler[0] != '\0') {
        fputs(server->compiler, out);
        print_flags(server->flags, out);
    } else {
        fprintf(out, "build %s", known(server->version));
    }
    const char *tls = known(row->facts.at[EDGE_FACT_TLS]);
    fprintf(out, " | codec %s | %s%s | ", known(server->codec),
            strncmp(tls, "TLS", 3) == 0 ? "" : "TLS ", tls);
    char load[160];
    fputs(edge_facts_load(&row->facts, load, sizeof(load)), out);
    fprintf(out, " | %s %s | ", result->run.scenario, result->run.call);
    if (row->emulated)
        print_counts(row, out);
    else
        print_figure(row, result, out);
    fputs(" | ", out);
    print_verdict(row, result, out);
}

// Closes a stream of memory: its text, or NULL if something failed.
static char *finish(FILE *out, char **text)
{
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(*text);
        return NULL;
    }
    return *text;
}

char *edge_block_text(const struct edge_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print_board(result, out);
    print_parameters(result, out);
    return finish(out, &text);
}

char *edge_block_quote(const struct edge_row *row, const struct edge_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print_quote(row, result, out);
    return finish(out, &text);
}
