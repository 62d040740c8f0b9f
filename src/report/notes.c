#include "report/notes.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/consumption.h"

static void write_reasons(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    const struct edge_texts *reasons = &result->end.reasons;
    if (row->group != EDGE_ROW_NOT_RANKED)
        return;
    for (unsigned i = 0; i < reasons->count; i++)
        fprintf(out, "%s\n", reasons->at[i]);
}

// A verdict in the first repeat that has it stands for all of them.
static bool is_first(const struct edge_record_rule *rule, const char *verdict)
{
    return rule->repeat <= 1 && strcmp(rule->verdict, verdict) == 0;
}

// Of a valid run: what it was warned of, then, in one line, what could not be judged and why.
static void write_doubts(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    const char *comma = NULL;
    if (row->group != EDGE_ROW_RANKED)
        return;
    for (size_t i = 0; i < result->rule_count; i++) {
        const struct edge_record_rule *rule = &result->rules[i];
        if (is_first(rule, "warn"))
            fprintf(out, "%s warn%s%s\n", rule->id, rule->words[0] != '\0' ? ": " : "",
                    rule->words);
    }
    for (size_t i = 0; i < result->rule_count; i++) {
        const struct edge_record_rule *rule = &result->rules[i];
        if (!is_first(rule, "not_judged"))
            continue;
        fprintf(out, "%s%s (%.*s)", comma == NULL ? "not judged: " : comma, rule->id,
                (int)strcspn(rule->words, ";"), rule->words);
        comma = ", ";
    }
    fputs(comma == NULL ? "" : "\n", out);
}

// Calls that were given up on would have taken longer than the histogram says.
static void write_bounds(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    (void)result;
    if (!isnan(row->bounds_from))
        fprintf(out, "latency above %.6g %% is a lower bound: these calls were given up on\n",
                row->bounds_from);
}

static void add_failures(struct edge_tally *sum, const struct edge_tally *tally,
                         const char *success)
{
    for (unsigned i = 0; i < tally->count; i++)
        if (tally->at[i].value > 0 && strcmp(tally->at[i].name, success) != 0)
            edge_tally_add(sum, tally->at[i].name, tally->at[i].value);
}

struct failures {
    struct edge_tally outcomes;
    struct edge_tally grpc_status;
    struct edge_tally reset_code;
    const char *first; // error in words
};

static void collect(const struct edge_result *result, struct failures *failures)
{
    memset(failures, 0, sizeof(*failures));
    failures->first = "";
    for (size_t i = 0; i < result->repeat_count; i++) {
        const struct edge_record_count *count = &result->repeats[i].count;
        add_failures(&failures->outcomes, &count->outcomes, "ok");
        add_failures(&failures->grpc_status, &count->grpc_status, "0");
        add_failures(&failures->reset_code, &count->reset_code, "");
        if (failures->first[0] == '\0')
            failures->first = count->first_error;
    }
}

// "wrong_reply 12", or by code where codes are known: "grpc_status 13: 20, grpc_status 4: 1".
static void write_outcome(const struct edge_tally_entry *outcome, const struct edge_tally *codes,
                          FILE *out)
{
    if (codes == NULL || codes->count == 0) {
        fprintf(out, "%s %" PRIu64, outcome->name, outcome->value);
        return;
    }
    for (unsigned i = 0; i < codes->count; i++)
        fprintf(out, "%s%s %s: %" PRIu64, i == 0 ? "" : ", ", outcome->name, codes->at[i].name,
                codes->at[i].value);
}

static void write_failures(const struct edge_row *row, const struct edge_result *result, FILE *out)
{
    (void)row;
    struct failures failures;
    collect(result, &failures);
    if (failures.outcomes.count == 0)
        return;
    for (unsigned i = 0; i < failures.outcomes.count; i++) {
        const struct edge_tally_entry *outcome = &failures.outcomes.at[i];
        const struct edge_tally *codes = NULL;
        if (strcmp(outcome->name, "grpc_status") == 0)
            codes = &failures.grpc_status;
        else if (strcmp(outcome->name, "reset") == 0)
            codes = &failures.reset_code;
        fputs(i == 0 ? "" : ", ", out);
        write_outcome(outcome, codes, out);
    }
    fprintf(out, "%s%s\n", failures.first[0] != '\0' ? "; first: " : "", failures.first);
}

// What `write` writes, as a string; NULL: out of memory.
static char *text_of(void (*write)(const struct edge_row *, const struct edge_result *, FILE *),
                     const struct edge_row *row, const struct edge_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    write(row, result, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int edge_notes_init(struct edge_row *row, const struct edge_result *result)
{
    row->reasons = text_of(write_reasons, row, result);
    row->doubts = text_of(write_doubts, row, result);
    row->bounds = text_of(write_bounds, row, result);
    row->failures = text_of(write_failures, row, result);
    row->power = text_of(edge_consumption_write_power, row, result);
    row->heat = text_of(edge_consumption_write_heat, row, result);
    return row->reasons == NULL || row->doubts == NULL || row->bounds == NULL ||
                   row->failures == NULL || row->power == NULL || row->heat == NULL
               ? -ENOMEM
               : 0;
}

void edge_notes_each(const char *lines, void (*print)(const char *line, void *context),
                     void *context)
{
    char line[2048];
    while (*lines != '\0') {
        size_t len = strcspn(lines, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)len, lines);
        print(line, context);
        lines += len + (lines[len] == '\n');
    }
}

// A section under the table: its title is printed before its first line.
struct section {
    const char *title; // NULL once printed
    const struct edge_row *row;
    FILE *out;
};

static void print_line(const char *line, void *context)
{
    struct section *section = context;
    char name[64];
    if (section->row->emulated && strncmp(line, "emulated:", strlen("emulated:")) == 0)
        return; // said under the table, for all of it
    if (section->title != NULL)
        fprintf(section->out, "\n%s\n", section->title);
    section->title = NULL;
    fprintf(section->out, "  %s: %s\n", edge_row_name(section->row, name, sizeof(name)), line);
}

static const char *reasons(const struct edge_row *row)
{
    return row->reasons;
}

static const char *doubts(const struct edge_row *row)
{
    return row->doubts;
}

static const char *bounds(const struct edge_row *row)
{
    return row->bounds;
}

static const char *failures(const struct edge_row *row)
{
    return row->failures;
}

static const char *power(const struct edge_row *row)
{
    return row->power;
}

static const char *heat(const struct edge_row *row)
{
    return row->heat;
}

static const char *file(const struct edge_row *row)
{
    return row->ordinal > 0 ? row->facts.at[EDGE_FACT_FILE] : "";
}

void edge_notes_print(const struct edge_row *rows, size_t count, FILE *out)
{
    static const struct {
        const char *title;
        const char *(*lines)(const struct edge_row *row);
    } sections[] = {{"Power by source (different scopes cannot be compared)", power},
                    {"Temperature and clock", heat},
                    {"Not ranked, because", reasons},
                    {"Worth knowing", doubts},
                    {"Lower bounds", bounds},
                    {"Failed calls, by kind", failures},
                    {"Files of rows with the same name", file}};
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
        struct section section = {sections[s].title, NULL, out};
        for (size_t i = 0; i < count; i++) {
            section.row = &rows[i];
            edge_notes_each(sections[s].lines(&rows[i]), print_line, &section);
        }
    }
}
