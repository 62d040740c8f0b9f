// docs/power.md shows the table of sources. A test that fails prints the line that it should have.
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "power/power.h"

static void each_source_has_its_line(void **state)
{
    (void)state;
    FILE *file = fopen(EDGE_SOURCE_DIR "/docs/power.md", "r");
    char *text = NULL;
    size_t size = 0, missing = 0, lines = 0, sources = 0;
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    for (const struct edge_power_source *const *row = edge_power_sources(); *row; row++) {
        const struct edge_power_source *source = *row;
        char name[64], interval[32] = "as it comes", line[1024];
        const char *argument = source->argument ? source->argument : "";
        if (argument[0] == '[')
            snprintf(name, sizeof name, "%s[:%s", source->name, argument + 1);
        else
            snprintf(name, sizeof name, "%s%s%s", source->name, argument[0] ? ":" : "", argument);
        if (source->interval_ns > 0)
            snprintf(interval, sizeof interval, "%g s", (double)source->interval_ns / 1e9);
        snprintf(line, sizeof line, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name,
                 source->place == EDGE_POWER_BOARD ? "board" : "host", source->scope, interval,
                 source->reads, source->includes, source->permission);
        sources++;
        if (!strstr(text, line)) {
            missing++;
            print_error("%s", line);
        }
    }
    for (const char *at = strstr(text, "\n| `"); at; at = strstr(at + 1, "\n| `"))
        lines++;
    free(text);
    assert_int_equal(missing, 0);
    assert_int_equal(lines, sources); // nothing more than that
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_source_has_its_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
