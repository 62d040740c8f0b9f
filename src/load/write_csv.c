#include <string.h>

#include "base/text.h"
#include "load/figures.h"
#include "load/write.h"

static void print_field(const char *text, FILE *out)
{
    edge_text_csv(text != NULL ? text : "", out);
    fputc(',', out);
}

int edge_write_csv(const struct edge_sheet *sheet, FILE *out)
{
    struct edge_figure figures[EDGE_FIGURES_MAX];
    size_t count = edge_figures_collect(sheet, figures);
    const struct edge_payload *payload = sheet->config->payload;
    char text[32];
    fputs("name,address,call,scenario,", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s,", figures[i].name);
    fputs("first_error\r\n", out);
    print_field(sheet->config->name, out);
    print_field(sheet->config->address.text, out);
    print_field(payload->path + 1, out);
    print_field(payload->scenario, out);
    for (size_t i = 0; i < count; i++)
        print_field(edge_figures_text(&figures[i], text, sizeof(text)), out);
    edge_text_csv(sheet->result->first_error, out);
    fputs("\r\n", out);
    return 0;
}
