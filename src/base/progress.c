#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

void edge_progress_init(struct edge_progress *progress)
{
    *progress = (struct edge_progress){.tty = isatty(STDERR_FILENO) == 1};
}

void edge_progress_update(struct edge_progress *progress, const char *format, ...)
{
    if (!progress->tty)
        return;
    va_list args;
    va_start(args, format);
    fputs(CLEAR_LINE, stderr);
    vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
    progress->shown = true;
}

void edge_progress_say(struct edge_progress *progress, const char *format, ...)
{
    edge_progress_end(progress);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void edge_progress_end(struct edge_progress *progress)
{
    if (progress->shown) {
        fputs(CLEAR_LINE, stderr);
        fflush(stderr);
        progress->shown = false;
    }
}
