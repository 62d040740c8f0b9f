// What every HTML report carries: style, script, and the plotting library with its licence. The
// definitions are made from files at build time, by cmake/embed_files.cmake.
#ifndef EDGE_REPORT_PAGE_ASSETS_H
#define EDGE_REPORT_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char edge_page_css[];
extern const size_t edge_page_css_size;
extern const unsigned char edge_page_js[];
extern const size_t edge_page_js_size;
extern const unsigned char edge_page_chart_js[]; // Chart.js, minified, of the distribution
extern const size_t edge_page_chart_js_size;
extern const unsigned char edge_page_chart_licence[];
extern const size_t edge_page_chart_licence_size;

#endif
