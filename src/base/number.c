#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 15 // as many as a double keeps

const char *edge_number_parse(const char *text, double *value)
{
    size_t len = strspn(text, "0123456789");
    size_t whole = len;
    if (text[len] == '.' && isdigit((unsigned char)text[len + 1]))
        len += 1 + strspn(text + len + 1, "0123456789");
    if (whole == 0 || len - (len > whole) > DIGITS_MAX)
        return NULL;
    char digits[DIGITS_MAX + 2];
    memcpy(digits, text, len);
    digits[len] = '\0';
    *value = strtod(digits, NULL);
    return text + len;
}
