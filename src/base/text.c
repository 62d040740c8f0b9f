#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t edge_text_character(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    if (b[0] < 0x80)
        return b[0] >= 0x20 && b[0] != 0x7f;
    size_t len = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    uint32_t code = b[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((b[i] & 0xc0) != 0x80) // the end of the text, too
            return 0;
        code = code << 6 | (b[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; // C1 controls are none
    if (b[0] < 0xc2 || b[0] > 0xf4 || code < least[len] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return len;
}

char *edge_text_clean(char *text)
{
    for (char *at = text; *at != '\0';) {
        size_t len = edge_text_character(at);
        if (len == 0)
            *at = '?';
        at += len > 0 ? len : 1;
    }
    return text;
}

void edge_text_html(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*text, out);
        }
}

void edge_text_markdown(const char *text, FILE *out)
{
    for (const char *at = text; *at != '\0'; at++) {
        // An underscore inside a word is only an underscore.
        bool inside = *at == '_' && at > text && isalnum((unsigned char)at[-1]) &&
                      isalnum((unsigned char)at[1]);
        if (!inside && strchr("\\`*_[]<>|~&", *at) != NULL)
            fputc('\\', out);
        fputc(*at, out);
    }
}

void edge_text_csv(const char *text, FILE *out)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void edge_text_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

// Commas, equals signs and spaces are escaped. A backslash at the end would escape what follows.
void edge_text_influx_tag(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (strchr(",= ", *text) != NULL)
            fputc('\\', out);
        fputc(text[0] == '\\' && text[1] == '\0' ? '/' : text[0], out);
    }
}
