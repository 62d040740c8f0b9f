#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/probe_text.h"

static char *written;

static void expect(const char *text)
{
    assert_string_equal(written, text);
    free(written);
}

static FILE *begin(void)
{
    static size_t size;
    return open_memstream(&written, &size);
}

static void a_label_stands_beside_its_text(void **state)
{
    (void)state;
    FILE *out = begin();
    edge_probe_text(out, "kernel", "Linux %s", "6.6");
    edge_probe_text(out, "", "more");
    edge_probe_text_wide(out, "FAIL throttled", "yes");
    fclose(out);
    expect("  kernel        Linux 6.6\n"
           "                more\n"
           "  FAIL throttled      yes\n");
}

static void long_texts_are_wrapped_at_blanks(void **state)
{
    (void)state;
    char words[400] = "";
    for (int i = 0; i < 40; i++)
        strcat(words, i ? " 12345678" : "12345678");
    FILE *out = begin();
    edge_probe_text(out, "words", "%s", words);
    fclose(out);
    unsigned count = 0;
    char *rest = written;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        assert_true(strlen(line) <= 110);
        for (const char *at = line; (at = strstr(at, "12345678")); at++)
            count++;
    }
    assert_int_equal(count, 40);
    free(written);
}

static void a_word_that_is_too_long_is_not_cut(void **state)
{
    (void)state;
    char word[201] = "";
    memset(word, 'x', 200);
    FILE *out = begin();
    edge_probe_text(out, "a", "%s b", word);
    fclose(out);
    assert_non_null(strstr(written, word));
    assert_non_null(strstr(written, " b\n"));
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_stands_beside_its_text),
        cmocka_unit_test(long_texts_are_wrapped_at_blanks),
        cmocka_unit_test(a_word_that_is_too_long_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
