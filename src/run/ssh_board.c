#include "run/ssh_board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define ASK_NS (30 * EDGE_NS_PER_S)
#define BEGIN  "== bench-edge ==\n"

// A POSIX shell and the smallest userland run it: no GNU options, no bash. One fact a line.
static const char script[] =
    "echo '== bench-edge =='\n"
    "echo \"machine=$(uname -m)\"\n"
    "echo \"connection=$SSH_CONNECTION\"\n"
    "echo \"boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)\"\n"
    "echo \"online=$(cat /sys/devices/system/cpu/online 2>/dev/null)\"\n"
    "sed -n 's/^Cpus_allowed_list:[^0-9]*/allowed=/p' /proc/self/status\n"
    "tree=/sys/firmware/devicetree/base\n"
    "[ -r $tree/model ] || tree=/proc/device-tree\n"
    "[ ! -r $tree/model ] || echo \"model=$(tr -d '\\000' <$tree/model)\"\n"
    "[ ! -r $tree/compatible ] ||\n"
    "    tr '\\000' '\\n' <$tree/compatible | sed 's/^/compatible=/'\n"
    "sed -n -e 's/^CPU implementer/cpuinfo=&/p' -e 's/^CPU part/cpuinfo=&/p' \\\n"
    "    -e 's/^Revision/cpuinfo=&/p' /proc/cpuinfo\n"
    "if why=$( { mkdir -p %s/servers && cd %s && : >.new && rm -f .new; } 2>&1 ); then\n"
    "    cd %s\n"
    "    if command -v sha256sum >/dev/null; then\n"
    "        echo compares=yes\n"
    "        sha256sum bench-edge servers/* 2>/dev/null | sed 's/^/sum=/'\n"
    "    fi\n"
    "else\n"
    "    echo \"folder=$why\" | head -n 1\n"
    "fi\n"
    "echo end=\n";

static void take_sum(struct edge_ssh_board *board, const char *value)
{
    struct edge_ssh_sum *sum = &board->sums[board->sum_count];
    // "SUM  NAME", or "SUM *NAME"
    if (board->sum_count < EDGE_SSH_SUMS && strspn(value, "0123456789abcdef") == 64 &&
        value[64] == ' ' && strlen(value) > 66 && strlen(value + 66) < sizeof(sum->name)) {
        snprintf(sum->sum, sizeof(sum->sum), "%.64s", value);
        snprintf(sum->name, sizeof(sum->name), "%s", value + 66);
        board->sum_count++;
    }
}

// "192.168.1.2 50022 192.168.1.7 22": from where, to where.
static void take_connection(struct edge_ssh_board *board, const char *value)
{
    if (sscanf(value, "%*s %*s %63s", board->address) != 1)
        board->address[0] = '\0';
}

static void take_compatible(struct edge_ssh_board *board, const char *value)
{
    char *list = board->facts.compatible;
    size_t used = strlen(list);
    if (*value && used + strlen(value) + 2 < sizeof(board->facts.compatible))
        snprintf(list + used, sizeof(board->facts.compatible) - used, "%s%s", used ? "\n" : "",
                 value);
}

struct lists {
    struct edge_cpuset online, allowed;
};

static void take_fact(struct edge_ssh_board *board, struct lists *lists, const char *key,
                      const char *value)
{
    struct edge_recognise_facts *facts = &board->facts;
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {
        {"machine", facts->machine, sizeof(facts->machine)},
        {"model", facts->model, sizeof(facts->model)},
        {"boot", board->boot_id, sizeof(board->boot_id)},
        {"folder", board->folder, sizeof(board->folder)},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(key, texts[i].key) == 0)
            snprintf(texts[i].text, texts[i].size, "%s", value);
    if (strcmp(key, "connection") == 0)
        take_connection(board, value);
    else if (strcmp(key, "compatible") == 0)
        take_compatible(board, value);
    else if (strcmp(key, "cpuinfo") == 0)
        edge_recognise_cpuinfo(facts, value);
    else if (strcmp(key, "sum") == 0)
        take_sum(board, value);
    else if (strcmp(key, "compares") == 0)
        board->compares = true;
    else if (strcmp(key, "online") == 0 && edge_cpuset_parse(value, &lists->online) != 0)
        lists->online.count = 0;
    else if (strcmp(key, "allowed") == 0 && edge_cpuset_parse(value, &lists->allowed) != 0)
        lists->allowed.count = 0;
}

// Both lists, or the one that is known.
static void intersect(const struct lists *lists, struct edge_cpuset *cpus)
{
    const struct edge_cpuset *a = &lists->online, *b = &lists->allowed;
    if (a->count == 0 || b->count == 0) {
        *cpus = a->count > 0 ? *a : *b;
        return;
    }
    for (unsigned i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->cpus[i] == b->cpus[j])
            cpus->cpus[cpus->count++] = a->cpus[i];
        if (a->cpus[i] < b->cpus[j])
            i++;
        else
            j++;
    }
}

int edge_ssh_board_parse(char *text, const char *words, struct edge_ssh_board *board,
                         struct edge_message *message)
{
    *board = (struct edge_ssh_board){.compares = false};
    struct lists lists = {.online = {.count = 0}};
    char *at = strstr(text, BEGIN);
    bool ended = false;
    if (!at)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "expected a POSIX shell at the other end, found: %.200s",
                         words[0] ? words : text);
    if (at != text)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "the board's login shell says \"%.*s\" before every command: make its "
                         "start-up files quiet for shells that are not interactive",
                         (int)strcspn(text, "\r\n"), text);
    for (char *line = at + strlen(BEGIN), *next; *line; line = next) {
        size_t len = strcspn(line, "\n");
        next = line + len + (line[len] == '\n');
        line[len] = '\0';
        if (len > 0 && line[len - 1] == '\r')
            line[len - 1] = '\0';
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        ended = ended || strcmp(line, "end") == 0;
        take_fact(board, &lists, line, value);
    }
    if (!ended)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "the board did not answer to the end; it said: %.200s", words);
    intersect(&lists, &board->cpus);
    return 0;
}

int edge_ssh_board_ask(struct edge_ssh *ssh, const char *dir, struct edge_ssh_board *board,
                       struct edge_message *message)
{
    char text[sizeof(script) + 384]; // three times the folder
    const size_t size = 65536;
    char *out = malloc(size);
    if (!out)
        return edge_fail(message, -ENOMEM, "out of memory");
    snprintf(text, sizeof(text), script, dir, dir, dir);
    struct edge_ssh_output output = {.out = out, .out_size = size};
    int error = edge_ssh_script(ssh, text, ASK_NS, &output, message);
    if (!error)
        error = edge_ssh_board_parse(out, output.words, board, message);
    free(out);
    return error;
}
