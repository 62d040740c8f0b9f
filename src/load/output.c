#include "load/output.h"

#include <errno.h>
#include <string.h>

#include "load/summary.h"
#include "load/write.h"

static const struct {
    const char *name;
    const char *suffix; // of the file's name
    int (*write)(const struct edge_sheet *sheet, FILE *out);
} formats[EDGE_OUTPUT_FORMATS] = {
    [EDGE_OUTPUT_SUMMARY] = {"summary", "txt", edge_write_summary},
    [EDGE_OUTPUT_JSON] = {"json", "json", edge_summary_json},
    [EDGE_OUTPUT_CSV] = {"csv", "csv", edge_write_csv},
    [EDGE_OUTPUT_HTML] = {"html", "html", edge_write_html},
    [EDGE_OUTPUT_HGRM] = {"hgrm", "hgrm", edge_write_hgrm},
    [EDGE_OUTPUT_INFLUX] = {"influx", "influx", edge_write_influx},
    [EDGE_OUTPUT_PROMETHEUS] = {"prometheus", "prom", edge_write_prometheus},
};

static int add_format(struct edge_output *output, const char *name, struct edge_message *message)
{
    char known[128] = "";
    for (unsigned i = 0; i < EDGE_OUTPUT_FORMATS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "", formats[i].name);
        if (strcmp(formats[i].name, name) != 0)
            continue;
        for (unsigned k = 0; k < output->count; k++)
            if (output->formats[k] == i)
                return edge_fail(message, EDGE_ERR_USAGE, "-O names %s twice", name);
        output->formats[output->count++] = i;
        return 0;
    }
    return edge_fail(message, EDGE_ERR_USAGE, "-O: expected some of %s; found \"%.40s\"", known,
                     name);
}

int edge_output_init(struct edge_output *output, const char *names, const char *path,
                     struct edge_message *message)
{
    *output = (struct edge_output){.path = path};
    for (const char *at = names; at != NULL;
         at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        char name[48];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
        int error = add_format(output, name, message);
        if (error < 0)
            return error;
    }
    if (output->count > 1 && path == NULL)
        return edge_fail(message, EDGE_ERR_USAGE,
                         "-O %.80s: several formats need --output, the base of the files' names",
                         names);
    return 0;
}

static int write_file(enum edge_output_format format, const char *name,
                      const struct edge_sheet *sheet, struct edge_message *message)
{
    FILE *out = name != NULL ? fopen(name, "we") : stdout;
    if (name == NULL)
        name = "standard output";
    if (out == NULL)
        return edge_fail(message, -errno, "cannot write %s: %s", name, strerror(errno));
    int error = formats[format].write(sheet, out);
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        error = errno != 0 ? -errno : -EIO;
    if (out != stdout && fclose(out) != 0 && error == 0)
        error = -errno;
    return error == 0
               ? 0
               : edge_fail(message, error, "cannot write %s: %s", name, edge_error_text(error));
}

int edge_output_write(const struct edge_output *output, const struct edge_sheet *sheet,
                      struct edge_message *message)
{
    int first_error = 0;
    for (unsigned i = 0; i < output->count; i++) {
        enum edge_output_format format = output->formats[i];
        char name[4200];
        const char *path = output->path;
        if (output->count > 1) {
            snprintf(name, sizeof(name), "%s.%s", path, formats[format].suffix);
            path = name; // cut short it is still too long for open(2)
        }
        struct edge_message why = {""};
        int error = write_file(format, path, sheet, &why);
        if (error < 0 && first_error == 0)
            first_error = edge_fail(message, error, "%s", why.text);
    }
    if (first_error < 0 && output->path != NULL)
        write_file(EDGE_OUTPUT_SUMMARY, NULL, sheet, NULL);
    return first_error;
}
