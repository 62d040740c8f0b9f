// One line of progress on stderr: rewritten in place on a terminal, left out elsewhere.
#ifndef EDGE_BASE_PROGRESS_H
#define EDGE_BASE_PROGRESS_H

#include <stdbool.h>

struct edge_progress {
    bool tty;
    bool shown; // a line is on the screen
};

// Looks whether stderr is a terminal.
void edge_progress_init(struct edge_progress *progress);
// Rewrites the line. Nothing happens where stderr is not a terminal.
void edge_progress_update(struct edge_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Clears the line, then prints a message that stays (on a terminal or not), with a newline.
void edge_progress_say(struct edge_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Clears the line. Safe twice.
void edge_progress_end(struct edge_progress *progress);

#endif
