#include "run/probe_print.h"

#include <stdbool.h>
#include <string.h>

#include "run/probe_facts.h"
#include "run/probe_member.h"
#include "run/probe_text.h"

static void print_rules(const json_t *probe, FILE *out)
{
    static const struct {
        const char *verdict, *words;
    } verdicts[] = {{"pass", "ok"}, {"warn", "WARN"}, {"fail", "FAIL"}, {"not_judged", "?"}};
    size_t i;
    const json_t *rule;
    fprintf(out, "\nWhat would make a run invalid here (docs/run-rules.md):\n\n");
    json_array_foreach(json_object_get(probe, "rules"), i, rule)
    {
        char label[48];
        const char *words = "?", *reading = edge_probe_member(rule, "reading"),
                   *more = edge_probe_member(rule, "words");
        bool unread = strcmp(reading, "not measured") == 0;
        bool yes_no = strcmp(reading, "yes") == 0 || strcmp(reading, "no") == 0;
        for (size_t j = 0; j < sizeof verdicts / sizeof verdicts[0]; j++)
            if (strcmp(verdicts[j].verdict, edge_probe_member(rule, "verdict")) == 0)
                words = verdicts[j].words;
        snprintf(label, sizeof label, "%-5s%s", words, edge_probe_member(rule, "id"));
        if (more[0] && (unread || yes_no))
            edge_probe_text_wide(out, label, "%s", more);
        else if (more[0])
            edge_probe_text_wide(out, label, "%s (must be %s): %s", reading,
                                 edge_probe_member(rule, "limit"), more);
        else
            edge_probe_text_wide(out, label, "%s: %s", edge_probe_member(rule, "reads"), reading);
    }
    edge_probe_text_wide(out, "in a run only", "%s", edge_probe_member(probe, "rules_of_a_run"));
}

static void print_permissions(const json_t *facts, FILE *out)
{
    const json_t *list = json_object_get(facts, "permissions");
    size_t i;
    const json_t *one;
    if (json_array_size(list) > 0)
        fprintf(out, "\nPermissions that are missing:\n\n");
    json_array_foreach(list, i, one)
    {
        edge_probe_text(out, "", "%s", json_string_value(one));
    }
}

static void print_title(const json_t *probe, FILE *out)
{
    const json_t *facts = json_object_get(probe, "facts");
    const char *model = edge_probe_member(facts, "model"),
               *emulated = edge_probe_member(probe, "emulated_board");
    if (emulated[0])
        fprintf(out, "%s, emulated: what follows is the machine that emulates it\n\n", emulated);
    fprintf(out, "%s", model[0] ? model : "A machine without a name");
    if (strcmp(edge_probe_member(facts, "model_source"), "cpuinfo") == 0)
        fprintf(out, " (the name of its CPU: it has no device tree and no DMI)");
    if (edge_probe_member(probe, "root")[0])
        fprintf(out, ", as recorded in %s", edge_probe_member(probe, "root"));
    fprintf(out, "\n\n");
}

void edge_probe_print(const json_t *probe, FILE *out)
{
    const json_t *facts = json_object_get(probe, "facts");
    print_title(probe, out);
    edge_probe_facts_board(facts, out);
    edge_probe_facts_sensors(facts, out);
    print_permissions(facts, out);
    print_rules(probe, out);
}
