// Text that is safe where it is shown: on a terminal, in HTML, Markdown, CSV, XML and the rest.
// Each printer writes `text` to `out` so that a reader of that language gets it back unchanged.
#ifndef EDGE_BASE_TEXT_H
#define EDGE_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

// The length of the UTF-8 character at `at`; 0 if it is none, or a control character.
size_t edge_text_character(const char *at);

// Replaces each byte that is no UTF-8, and control characters, by '?', in place. Returns text.
char *edge_text_clean(char *text);

// HTML and XML, in content and in quoted attributes.
void edge_text_html(const char *text, FILE *out);
// A cell of a Markdown table.
void edge_text_markdown(const char *text, FILE *out);
// A field of CSV (RFC 4180): quoted where it must be.
void edge_text_csv(const char *text, FILE *out);
// In double quotes, with backslashes before those and before backslashes: a string field of
// InfluxDB lines, the value of a Prometheus label. No control characters.
void edge_text_quoted(const char *text, FILE *out);
// A tag's key or value in InfluxDB lines.
void edge_text_influx_tag(const char *text, FILE *out);

#endif
