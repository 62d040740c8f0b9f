// A line that is scanned gives what the JSON parser gives; every other line is left to that.
#include "cmocka_headers.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "result/hist_json.h"
#include "result/record_json.h"
#include "result/record_scan.h"

union any {
    struct edge_record_board board;
    struct edge_record_sample sample;
    struct edge_record_hist hist;
    struct edge_record_rule rule;
    struct edge_record_end end;
    struct edge_record_interval interval;
};

static bool scan(const char *line, enum edge_record_type *type, union any *any)
{
    // Exactly as long: a byte read past the end is seen.
    size_t len = strlen(line);
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, line, len);
    *type = edge_record_scan_type(copy, len);
    bool taken = *type != EDGE_RECORD_TYPES && edge_record_scan(*type, copy, len, any);
    free(copy);
    return taken;
}

static void equal_to_json(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"type\":\"sample\",\"repeat\":1,\"agent_time_ns\":5}",
        "{\"type\":\"sample\",\"agent_time_ns\":123456789012345678,\"repeat\":0,\"cpu_ns\":null}",
        "{\"type\":\"rule\",\"repeat\":2,\"id\":\"errors\",\"verdict\":\"pass\",\"reading\":\"<= 5 "
        "%\"}",
        "{\"type\":\"interval\",\"repeat\":1,\"name\":\"window\",\"start_ns\":1,\"stop_ns\":2,"
        "\"power_scope\":null,\"energy_uj\":7}",
        "{\"type\":\"board\",\"id\":\"\"}",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        union any scanned;
        union any decoded;
        enum edge_record_type type;
        struct edge_message message;
        if (!scan(lines[i], &type, &scanned))
            fail_msg("not taken: %s", lines[i]);
        json_t *object = json_loads(lines[i], JSON_REJECT_DUPLICATES, NULL);
        assert_int_equal(edge_record_decode(type, object, &decoded, "x", &message), 0);
        json_decref(object);
        assert_memory_equal(&scanned, &decoded, edge_record_describe(type)->size);
    }
}

static void histogram(void **state)
{
    (void)state;
    static const char line[] = "{\"type\":\"hist\",\"repeat\":1,\"name\":\"service\",\"count\":6,"
                               "\"sum_ns\":14,\"min_ns\":1,"
                               "\"max_ns\":5,\"clamped\":0,\"bins\":[[1,3],[3,2],[5,1]]}";
    union any scanned;
    struct edge_record_hist decoded;
    enum edge_record_type type;
    struct edge_message message;
    assert_true(scan(line, &type, &scanned));
    json_t *object = json_loads(line, 0, NULL);
    assert_int_equal(edge_hist_decode(object, &decoded, "x", &message), 0);
    json_decref(object);
    assert_int_equal(scanned.hist.bin_count, decoded.bin_count);
    assert_memory_equal(scanned.hist.bins, decoded.bins, 3 * sizeof(*decoded.bins));
    assert_int_equal(edge_hist_check(&scanned.hist, "x", &message), 0);
    free(scanned.hist.bins);
    free(decoded.bins);
}

static void left_to_the_parser(void **state)
{
    (void)state;
#define SAMPLE "{\"type\":\"sample\",\"repeat\":1"
#define HIST                                                                                       \
    "{\"type\":\"hist\",\"repeat\":1,\"name\":\"a\",\"count\":1,\"sum_ns\":1,\"clamped\":0,"       \
    "\"bins\":"
    static const char *const lines[] = {
        "",
        "{}",
        "{\"type\":\"sample\"",
        "{\"type\":\"weather\"}",
        "{ \"type\":\"sample\",\"repeat\":1,\"agent_time_ns\":5}",
        SAMPLE "}",                                         // a required key is missing
        SAMPLE ",\"agent_time_ns\":null}",                  // or null
        SAMPLE ",\"agent_time_ns\":5,\"repeat\":1}",        // a key twice
        SAMPLE ",\"agent_time_ns\":5,\"type\":\"sample\"}", // the type, too
        SAMPLE ",\"agent_time_ns\":5,\"novelty\":1}",       // not known
        SAMPLE ",\"agent_time_ns\":5} ",
        SAMPLE ",\"agent_time_ns\":5}}",
        SAMPLE ",\"agent_time_ns\":5,}",
        SAMPLE ",\"agent_time_ns\":05}",
        SAMPLE ",\"agent_time_ns\":-5}",
        SAMPLE ",\"agent_time_ns\":5.0}",
        SAMPLE ",\"agent_time_ns\":5e1}",
        SAMPLE ",\"agent_time_ns\":1234567890123456789}", // 19 digits
        SAMPLE ",\"agent_time_ns\":\"5\"}",
        SAMPLE ",\"agent_time_ns\":true}",
        "{\"type\":\"board\",\"id\":\"a\\\"b\"}",   // an escape
        "{\"type\":\"board\",\"id\":\"\xc3\xa4\"}", // not ASCII
        "{\"type\":\"board\",\"id\":\"\x01\"}",
        "{\"type\":\"board\",\"id\":\"0123456789012345678901234567890123456789012345678901234567890"
        "1234567\"}", // too long
        "{\"type\":\"end\",\"valid\":true,\"reasons\":[]}",
        HIST "[[1,1]}",
        HIST "[[1,1],]}",
        HIST "[[1]]}",
        HIST "[[1,1,1]]}",
        HIST "[[1,-1]]}",
        HIST "[[1, 1]]}",
        HIST "[1,1]}",
        HIST "null}",
        HIST "[[1,1]],\"bins\":[[1,1]]}",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        union any any;
        enum edge_record_type type;
        if (scan(lines[i], &type, &any))
            fail_msg("taken: %s", lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_json),
        cmocka_unit_test(histogram),
        cmocka_unit_test(left_to_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
