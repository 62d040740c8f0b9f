// Numbers that people type: plain decimals. No sign, no exponent, no "nan" and no "inf".
#ifndef EDGE_BASE_NUMBER_H
#define EDGE_BASE_NUMBER_H

// Parses the decimal at the beginning of `text`, of at most 15 digits. Returns what follows it;
// NULL if there is none.
const char *edge_number_parse(const char *text, double *value);

#endif
