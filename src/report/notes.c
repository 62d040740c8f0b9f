#include "report/notes.h"

#include <inttypes.h>
#include <string.h>

// Prints `title` before the first line of a section, then the row's name.
static void begin_line(const struct edge_row *row, const char **title, FILE *out)
{
    char name[64];
    if (*title != NULL)
        fprintf(out, "\n%s\n", *title);
    *title = NULL;
    fprintf(out, "  %s: ", edge_row_name(row, name, sizeof(name)));
}

static void print_reasons(const struct edge_row *row, const char **title, FILE *out)
{
    const struct edge_texts *reasons = &row->result->end.reasons;
    if (row->group != EDGE_ROW_NOT_RANKED)
        return;
    for (unsigned i = 0; i < reasons->count; i++) {
        if (row->emulated && strncmp(reasons->at[i], "emulated:", strlen("emulated:")) == 0)
            continue; // said under the table, for all of it
        begin_line(row, title, out);
        fprintf(out, "%s\n", reasons->at[i]);
    }
}

// Verdicts of a valid run that are not a pass: one line for a rule, though every repeat has it.
static void print_doubts(const struct edge_row *row, const char **title, FILE *out)
{
    const struct edge_result *result = row->result;
    if (row->group != EDGE_ROW_RANKED)
        return;
    for (size_t i = 0; i < result->rule_count; i++) {
        const struct edge_record_rule *rule = &result->rules[i];
        if (rule->repeat > 1 || strcmp(rule->verdict, "pass") == 0)
            continue;
        begin_line(row, title, out);
        fprintf(out, "%s %s%s%s\n", rule->id,
                strcmp(rule->verdict, "not_judged") == 0 ? "not judged" : rule->verdict,
                rule->words[0] != '\0' ? ": " : "", rule->words);
    }
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
static void print_outcome(const struct edge_tally_entry *outcome, const struct edge_tally *codes,
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

static void print_errors(const struct edge_row *row, const char **title, FILE *out)
{
    struct failures failures;
    collect(row->result, &failures);
    if (failures.outcomes.count == 0)
        return;
    begin_line(row, title, out);
    for (unsigned i = 0; i < failures.outcomes.count; i++) {
        const struct edge_tally_entry *outcome = &failures.outcomes.at[i];
        const struct edge_tally *codes = NULL;
        if (strcmp(outcome->name, "grpc_status") == 0)
            codes = &failures.grpc_status;
        else if (strcmp(outcome->name, "reset") == 0)
            codes = &failures.reset_code;
        fputs(i == 0 ? "" : ", ", out);
        print_outcome(outcome, codes, out);
    }
    fprintf(out, "%s%s\n", failures.first[0] != '\0' ? "; first: " : "", failures.first);
}

static void print_file(const struct edge_row *row, const char **title, FILE *out)
{
    if (row->ordinal == 0)
        return;
    begin_line(row, title, out);
    fprintf(out, "%s\n", row->result->path);
}

void edge_notes_print(const struct edge_row *rows, size_t count, FILE *out)
{
    static const struct {
        const char *title;
        void (*print)(const struct edge_row *row, const char **title, FILE *out);
    } sections[] = {{"Not ranked, because", print_reasons},
                    {"Worth knowing", print_doubts},
                    {"Failed calls, by kind", print_errors},
                    {"Files of rows with the same name", print_file}};
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
        const char *title = sections[s].title;
        for (size_t i = 0; i < count; i++)
            sections[s].print(&rows[i], &title, out);
    }
}
