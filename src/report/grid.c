#include "report/grid.h"

static void fill(char c, size_t count, FILE *out)
{
    while (count-- > 0)
        fputc(c, out);
}

size_t edge_grid_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; // not a continuation byte
    return width;
}

static void print_cells(const struct edge_grid_row *row, const size_t *widths, size_t columns,
                        FILE *out)
{
    for (size_t i = 0; i < columns; i++) {
        size_t pad = widths[i] - edge_grid_width(row->cells[i]);
        fputs("| ", out);
        fill(' ', i > 0 ? pad : 0, out);
        fputs(row->cells[i], out);
        fill(' ', i > 0 ? 1 : pad + 1, out);
    }
    fputs("|\n", out);
}

void edge_grid_print(const struct edge_grid_row *rows, size_t count, size_t columns, FILE *out)
{
    size_t widths[EDGE_GRID_COLUMNS] = {0};
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; rows[r].section == NULL && i < columns; i++) {
            size_t width = edge_grid_width(rows[r].cells[i]);
            if (width > widths[i])
                widths[i] = width;
        }
    size_t total = 1;
    for (size_t i = 0; i < columns; i++)
        total += widths[i] + 3;

    fill('-', total, out);
    fputc('\n', out);
    for (size_t r = 0; r < count; r++) {
        if (rows[r].section != NULL) {
            size_t used = edge_grid_width(rows[r].section) + 4;
            fprintf(out, "-- %s ", rows[r].section);
            fill('-', total > used ? total - used : 0, out);
            fputc('\n', out);
            continue;
        }
        print_cells(&rows[r], widths, columns, out);
        if (r == 0) {
            fill('-', total, out);
            fputc('\n', out);
        }
    }
    fill('-', total, out);
    fputc('\n', out);
}
