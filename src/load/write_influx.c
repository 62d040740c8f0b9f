#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "load/figures.h"
#include "load/write.h"

static void print_tag(const char *key, const char *value, FILE *out)
{
    if (value == NULL || value[0] == '\0')
        return;
    fprintf(out, ",%s=", key);
    edge_text_influx_tag(value, out);
}

int edge_write_influx(const struct edge_sheet *sheet, FILE *out)
{
    struct edge_figure figures[EDGE_FIGURES_MAX];
    size_t count = edge_figures_collect(sheet, figures);
    const struct edge_payload *payload = sheet->config->payload;
    char text[32];
    fputs("bench_edge_load", out);
    print_tag("address", sheet->config->address.text, out);
    print_tag("call", payload->path + 1, out);
    print_tag("name", sheet->config->name, out);
    print_tag("scenario", payload->scenario, out);
    const char *separator = " ";
    for (size_t i = 0; i < count; i++) {
        if (isnan(figures[i].value))
            continue;
        fprintf(out, "%s%s=%s%s", separator, figures[i].name,
                edge_figures_text(&figures[i], text, sizeof(text)), figures[i].whole ? "i" : "");
        separator = ",";
    }
    fprintf(out, " %" PRIu64 "\n", sheet->unix_ns);
    return 0;
}
