#include "report/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

static void append(struct edge_grid *grid, char *cell)
{
    if ((grid->count & (grid->count - 1)) == 0) {
        size_t cap = grid->count == 0 ? 1 : 2 * grid->count;
        char **larger = reallocarray(grid->cells, cap, sizeof(char *));
        if (larger == NULL) {
            free(cell);
            grid->failed = true;
            return;
        }
        grid->cells = larger;
    }
    grid->cells[grid->count++] = cell;
}

void edge_grid_add(struct edge_grid *grid, const char *text)
{
    if (grid->failed)
        return;
    char *copy = strdup(text);
    grid->failed = copy == NULL;
    if (copy != NULL)
        append(grid, copy);
}

void edge_grid_section(struct edge_grid *grid, const char *word)
{
    if (!grid->failed)
        append(grid, NULL);
    edge_grid_add(grid, word);
    for (size_t i = 2; i < grid->columns; i++)
        edge_grid_add(grid, "");
}

void edge_grid_free(struct edge_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++)
        free(grid->cells[i]);
    free(grid->cells);
    grid->cells = NULL;
    grid->count = 0;
}

static void print_cells(char *const *row, const size_t *widths, size_t columns, FILE *out)
{
    for (size_t i = 0; i < columns; i++) {
        size_t pad = widths[i] - edge_grid_width(row[i]);
        fputs("| ", out);
        fill(' ', i > 0 ? pad : 0, out);
        fputs(row[i], out);
        fill(' ', i > 0 ? 1 : pad + 1, out);
    }
    fputs("|\n", out);
}

static void print_section(const char *word, size_t total, FILE *out)
{
    size_t used = edge_grid_width(word) + 4;
    fprintf(out, "-- %s ", word);
    fill('-', used < total ? total - used : 0, out);
    fputc('\n', out);
}

static int print_text(const struct edge_grid *grid, FILE *out)
{
    size_t *widths = calloc(grid->columns, sizeof(*widths));
    if (widths == NULL)
        return -ENOMEM;
    for (size_t at = 0; at + grid->columns <= grid->count; at += grid->columns)
        for (size_t i = 0; grid->cells[at] != NULL && i < grid->columns; i++) {
            size_t width = edge_grid_width(grid->cells[at + i]);
            if (width > widths[i])
                widths[i] = width;
        }
    size_t total = 1;
    for (size_t i = 0; i < grid->columns; i++)
        total += widths[i] + 3;
    fill('-', total, out);
    fputc('\n', out);
    for (size_t at = 0; at + grid->columns <= grid->count; at += grid->columns) {
        if (grid->cells[at] == NULL)
            print_section(grid->cells[at + 1], total, out);
        else
            print_cells(grid->cells + at, widths, grid->columns, out);
        if (at == 0) {
            fill('-', total, out);
            fputc('\n', out);
        }
    }
    fill('-', total, out);
    fputc('\n', out);
    free(widths);
    return 0;
}

static void print_markdown_row(char *const *row, size_t columns, FILE *out)
{
    bool section = row[0] == NULL;
    for (size_t i = 0; i < columns; i++) {
        fputs("| ", out);
        if (section && i == 0)
            fprintf(out, "**%s**", row[1]);
        else if (!section)
            edge_text_markdown(row[i], out);
        fputc(' ', out);
    }
    fputs("|\n", out);
}

int edge_grid_print(const struct edge_grid *grid, enum edge_grid_style style, FILE *out)
{
    if (grid->failed)
        return -ENOMEM;
    if (style == EDGE_GRID_TEXT)
        return print_text(grid, out);
    for (size_t at = 0; at + grid->columns <= grid->count; at += grid->columns) {
        print_markdown_row(grid->cells + at, grid->columns, out);
        for (size_t i = 0; at == 0 && i < grid->columns; i++)
            fprintf(out, "|%s%s", i == 0 ? ":--" : "--:", i + 1 == grid->columns ? "|\n" : "");
    }
    return 0;
}
