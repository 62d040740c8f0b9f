// The parsers of text from the command line and the environment: numbers with units, CPU lists,
// addresses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/units.h"
#include "net/socket.h"

// What a formatter writes, its parser must read back to the same value.
static void check_round_trip(uint64_t value)
{
    char text[32];
    uint64_t again;
    if (edge_parse_duration(edge_format_duration(value, text, sizeof(text)), &again) < 0 ||
        again != value)
        abort();
    if (edge_parse_bytes(edge_format_bytes(value, text, sizeof(text)), &again) < 0 ||
        again != value)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    if (text == NULL)
        return 0;
    memcpy(text, bytes, len);
    text[len] = '\0';

    uint64_t value;
    if (edge_parse_count(text, &value) == 0)
        check_round_trip(value);
    if (edge_parse_bytes(text, &value) == 0)
        check_round_trip(value);
    if (edge_parse_duration(text, &value) == 0)
        check_round_trip(value);

    struct edge_cpuset set;
    if (edge_cpuset_parse(text, &set) == 0) {
        char list[2048];
        struct edge_cpuset again;
        edge_cpuset_text(&set, list, sizeof(list));
        if (edge_cpuset_parse(list, &again) < 0 || again.count != set.count)
            abort();
    }
    struct edge_address address;
    struct edge_message message;
    if (edge_address_parse(text, &address, &message) == 0 &&
        edge_address_parse(address.text, &address, &message) < 0)
        abort();
    free(text);
    return 0;
}
