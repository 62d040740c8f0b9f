// The documents name what the code does: every key of every record, every rule with its limit.
// A test that fails prints the line that the document should have.
#include "cmocka_headers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/record.h"
#include "result/rules.h"

static char *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/docs/%s", EDGE_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0)
        fail_msg("%s is empty", path);
    fclose(file);
    return text;
}

static size_t missing;

static void want(const char *text, const char *line)
{
    if (strstr(text, line) != NULL)
        return;
    missing++;
    print_error("%s", line);
}

static size_t count(const char *text, const char *what)
{
    size_t found = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        found++;
    return found;
}

static const char *type_text(enum edge_field_type type)
{
    switch (type) {
    case EDGE_FIELD_TEXT:
        return "text";
    case EDGE_FIELD_UINT:
        return "whole number";
    case EDGE_FIELD_TRUTH:
        return "truth";
    case EDGE_FIELD_TALLY:
        return "object of counts";
    case EDGE_FIELD_TEXTS:
        return "array of texts";
    case EDGE_FIELD_BINS:
        return "array of pairs";
    }
    return "";
}

static void result_format(void **state)
{
    (void)state;
    char *text = load("result-format.md");
    size_t keys = 0;
    missing = 0;
    for (unsigned type = 0; type < EDGE_RECORD_TYPES; type++) {
        const struct edge_record_description *d = edge_record_describe((enum edge_record_type)type);
        char line[512];
        snprintf(line, sizeof(line), "\n### `%s`\n", d->name);
        want(text, line);
        for (const struct edge_field *f = d->fields; f->key != NULL; f++, keys++) {
            snprintf(line, sizeof(line), "| `%s` | %s | %s | %s |\n", f->key, type_text(f->type),
                     f->required ? "yes" : "", f->help);
            want(text, line);
        }
    }
    assert_int_equal(missing, 0);
    // Nothing more than that.
    assert_int_equal(count(text, "\n| `"), keys);
    assert_int_equal(count(text, "\n### `"), EDGE_RECORD_TYPES);
    free(text);
}

static const char *verdict_text(enum edge_verdict verdict)
{
    return verdict == EDGE_VERDICT_NOT_JUDGED ? "not judged" : edge_verdict_name(verdict);
}

static void run_rules(void **state)
{
    (void)state;
    char *text = load("run-rules.md");
    size_t rules = 0;
    missing = 0;
    for (const struct edge_rule *rule = edge_rules_table(); rule->id != NULL; rule++, rules++) {
        char line[1024];
        char limit[64];
        snprintf(line, sizeof(line), "| `%s` | %s | %s | %s | %s | %s | %s |\n", rule->id,
                 rule->scope == EDGE_RULE_EACH_REPEAT ? "each repeat" : "all repeats", rule->reads,
                 edge_rule_limit_text(rule, limit, sizeof(limit)), verdict_text(rule->broken),
                 verdict_text(rule->missing), rule->words);
        want(text, line);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(count(text, "\n| `"), rules);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_format),
        cmocka_unit_test(run_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
