// The printers of verdicts.
#include "report/check.h"

#include <string.h>

#include "base/text.h"
#include "report/grid.h"

static const char *const verdicts[] = {
    [EDGE_CHECK_KEPT] = "ok",
    [EDGE_CHECK_MISSED] = "MISSED",
    [EDGE_CHECK_NOT_MEASURED] = "NOT MEASURED",
    [EDGE_CHECK_NOT_VALID] = "NOT VALID",
};

int edge_check_print_table(const struct edge_checks *checks, FILE *out)
{
    static const char *const head[] = {"server", "board", "scenario", "goal", "found", "verdict"};
    struct edge_grid grid = {.columns = 6};
    char name[64];
    for (size_t i = 0; i < 6; i++)
        edge_grid_add(&grid, head[i]);
    for (size_t i = 0; i < checks->count; i++) {
        const struct edge_check *check = &checks->at[i];
        edge_grid_add(&grid, edge_row_name(check->row, name, sizeof(name)));
        edge_grid_add(&grid, check->row->facts.at[EDGE_FACT_BOARD]);
        edge_grid_add(&grid, check->row->facts.at[EDGE_FACT_SCENARIO]);
        edge_grid_add(&grid, check->goal);
        edge_grid_add(&grid, check->found);
        edge_grid_add(&grid, verdicts[check->verdict]);
    }
    int rv = edge_grid_print(&grid, EDGE_GRID_TEXT, out);
    edge_grid_free(&grid);
    return rv;
}

// What would end a message or a property of a workflow command.
static void print_escaped(const char *text, const char *special, FILE *out)
{
    for (; *text != '\0'; text++)
        if (strchr(special, *text) != NULL)
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
}

int edge_check_print_github(const struct edge_checks *checks, FILE *out)
{
    for (size_t i = 0; i < checks->count; i++) {
        const struct edge_check *check = &checks->at[i];
        char line[1024];
        snprintf(line, sizeof(line), "%s on %s, %s: %s: %s: %s",
                 check->row->facts.at[EDGE_FACT_SERVER], check->row->facts.at[EDGE_FACT_BOARD],
                 check->row->facts.at[EDGE_FACT_SCENARIO], check->goal, check->found,
                 verdicts[check->verdict]);
        if (check->verdict != EDGE_CHECK_KEPT) {
            fputs("::error file=", out);
            print_escaped(check->row->facts.at[EDGE_FACT_FILE], "%\r\n:,", out);
            fputs(",title=bench-edge check::", out);
        } else {
            fputs("::notice title=bench-edge check::", out);
        }
        print_escaped(line, "%\r\n", out);
        fputc('\n', out);
    }
    return 0;
}

static void print_attribute(const char *name, const char *text, FILE *out)
{
    fprintf(out, " %s=\"", name);
    edge_text_html(text, out);
    fputc('"', out);
}

static void print_case(const struct edge_check *check, FILE *out)
{
    char name[512];
    const struct edge_facts *facts = &check->row->facts;
    snprintf(name, sizeof(name), "%s.%s.%s.%s", facts->at[EDGE_FACT_BOARD],
             facts->at[EDGE_FACT_SERVER], facts->at[EDGE_FACT_SCENARIO], facts->at[EDGE_FACT_CALL]);
    fputs("    <testcase", out);
    print_attribute("classname", name, out);
    print_attribute("name", check->goal, out);
    print_attribute("file", facts->at[EDGE_FACT_FILE], out);
    if (check->verdict == EDGE_CHECK_KEPT) {
        fputs("/>\n", out);
        return;
    }
    const char *element = check->verdict == EDGE_CHECK_NOT_VALID ? "error" : "failure";
    fprintf(out, ">\n      <%s", element);
    print_attribute("type", verdicts[check->verdict], out);
    print_attribute("message", check->found, out);
    fputs("/>\n    </testcase>\n", out);
}

int edge_check_print_junit(const struct edge_checks *checks, FILE *out)
{
    size_t failures = 0;
    size_t errors = 0;
    for (size_t i = 0; i < checks->count; i++) {
        errors += checks->at[i].verdict == EDGE_CHECK_NOT_VALID;
        failures += checks->at[i].verdict == EDGE_CHECK_MISSED ||
                    checks->at[i].verdict == EDGE_CHECK_NOT_MEASURED;
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"bench-edge check\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"%zu\">\n",
            checks->count, failures, errors);
    for (size_t i = 0; i < checks->count; i++)
        print_case(&checks->at[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return 0;
}
