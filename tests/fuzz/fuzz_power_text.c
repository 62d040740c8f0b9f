// What plugs answer and what commands print: any text is a reading, or an error with a message. The
// first byte says what it is.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "power/lines.h"
#include "power/plug.h"

static void check_plug(const struct edge_plug_dialect *dialect, const char *text, size_t len)
{
    struct edge_reading reading = {0, EDGE_READING_NONE, EDGE_READING_NONE};
    struct edge_message message = {""};
    int result = edge_plug_parse(dialect, text, len, &reading, &message);
    if (result < 0 && message.text[0] == '\0')
        abort();
    if (result == 0 && ((double)reading.power_uw < EDGE_PLUG_FLOOR_W * 1e6 ||
                        (double)reading.power_uw > EDGE_PLUG_CEILING_W * 1e6))
        abort();
}

static void check_lines(bool timed, const char *text, size_t len)
{
    struct edge_lines lines = {.timed = timed};
    struct edge_reading reading;
    struct edge_message message;
    uint64_t before_ns = 0;
    edge_lines_init(&lines);
    if (edge_buffer_append(&lines.input, text, len) != 0)
        return;
    for (int result; (result = edge_lines_next(&lines, &reading, &message)) != -EAGAIN;) {
        if (result == 0 && reading.t_ns < before_ns)
            abort();
        if (result == 0)
            before_ns = reading.t_ns;
        else if (message.text[0] == '\0' || lines.input.len >= 256)
            break; // a line that is too long is not passed
    }
    edge_lines_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct edge_plug_dialect *const dialects[] = {
        &edge_plug_tasmota, &edge_plug_shelly1, &edge_plug_shelly2};
    if (len == 0)
        return 0;
    const char *text = (const char *)bytes + 1;
    if (bytes[0] % 5 < 3)
        check_plug(dialects[bytes[0] % 5], text, len - 1);
    else
        check_lines(bytes[0] % 5 == 3, text, len - 1);
    return 0;
}
