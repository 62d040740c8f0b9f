#include "run/probe_text.h"

#include <stdarg.h>
#include <string.h>

#define COLUMNS      110
#define LABEL        14
#define LABEL_WIDE   20
#define INDENT       2
#define CONTINUATION 3 // further in

// How much of `text` fits in `room` columns: up to a blank, or all of a word that is longer.
static size_t fitting(const char *text, size_t room)
{
    size_t len = strlen(text), end;
    if (len <= room)
        return len;
    for (end = room; end > 0 && text[end] != ' ';)
        end--;
    return end > 0 ? end : strcspn(text, " ");
}

static void wrap(FILE *out, const char *label, int width, const char *text)
{
    size_t room = (size_t)(COLUMNS - INDENT - width);
    fprintf(out, "%*s%-*s", INDENT, "", width, label);
    for (size_t len; *text; text += len, text += strspn(text, " ")) {
        len = fitting(text, room);
        fprintf(out, "%.*s\n", (int)len, text);
        if (text[len])
            fprintf(out, "%*s", INDENT + width + CONTINUATION, "");
        room = (size_t)(COLUMNS - INDENT - width - CONTINUATION);
    }
}

void edge_probe_text(FILE *out, const char *label, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wrap(out, label, LABEL, text);
}

void edge_probe_text_wide(FILE *out, const char *label, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wrap(out, label, LABEL_WIDE, text);
}
