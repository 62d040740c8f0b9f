// Lines between host and agent. Each side must survive what the other says; the facts that a line
// brings must come back unchanged when they are said again.
#include <stdlib.h>
#include <string.h>

#include "agent/agent_json.h"

static void check(int condition)
{
    if (!condition)
        abort();
}

// What the agent reads from a request.
static void read_request(const json_t *object)
{
    struct edge_message message = {""};
    uint64_t number;
    const char *text;
    const char **list = NULL;
    static const char *const keys[] = {"op", "argv", "env", "period_ns", "at_ns", "label"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (edge_agent_json_number(object, keys[i], 7, &number, &message) == 0)
            check(number <= INT64_MAX);
        if (edge_agent_json_text(object, keys[i], "", &text, &message) == 0)
            check(text != NULL);
        if (edge_agent_json_texts(object, keys[i], &list, &message) == 0) {
            for (const char **at = list; *at != NULL; at++)
                check(strlen(*at) < EDGE_AGENT_LINE_MAX);
            free((void *)list);
        }
    }
}

static void check_same(json_t *said, json_t *again)
{
    check(said != NULL && again != NULL && json_equal(said, again));
    json_decref(said);
    json_decref(again);
}

// What the host reads from an answer or an event.
static void read_facts(const json_t *object)
{
    struct edge_board board, board_again;
    edge_agent_json_to_board(object, &board);
    json_t *said = edge_agent_json_from_board(&board);
    edge_agent_json_to_board(said, &board_again);
    check_same(said, edge_agent_json_from_board(&board_again));

    struct edge_agent_sample sample, sample_again;
    edge_agent_json_to_sample(object, &sample);
    said = edge_agent_json_from_sample(&sample);
    edge_agent_json_to_sample(said, &sample_again);
    check_same(said, edge_agent_json_from_sample(&sample_again));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    json_t *text = edge_agent_json_from_bytes((const char *)bytes, len);
    check(text != NULL && json_string_length(text) == len);
    json_decref(text);

    struct edge_message message = {""};
    json_t *object;
    if (edge_agent_json_line((const char *)bytes, len, &object, &message) < 0) {
        check(object == NULL && message.text[0] != '\0');
        return 0;
    }
    read_request(object);
    read_facts(object);
    json_decref(object);
    return 0;
}
