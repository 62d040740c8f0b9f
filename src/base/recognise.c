#include "base/recognise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/procfs.h"

#define ARM 0x41u // implementer

// What a core can run, each with all before it.
enum level {
    LEVEL_NONE,
    LEVEL_V6,
    LEVEL_V7,      // NEON is optional there
    LEVEL_V7_NEON, // VFPv3
    LEVEL_V7VE,    // integer division, VFPv4
    LEVEL_V8,
    LEVEL_V82,
};

static const struct core {
    unsigned part;
    const char *name; // as -mcpu= takes it
    enum level level;
} cores[] = {
    {0xb76, "arm1176jzf-s", LEVEL_V6},  {0xc05, "cortex-a5", LEVEL_V7},
    {0xc09, "cortex-a9", LEVEL_V7},     {0xc08, "cortex-a8", LEVEL_V7_NEON},
    {0xc07, "cortex-a7", LEVEL_V7VE},   {0xc0d, "cortex-a12", LEVEL_V7VE},
    {0xc0e, "cortex-a17", LEVEL_V7VE},  {0xc0f, "cortex-a15", LEVEL_V7VE},
    {0xd01, "cortex-a32", LEVEL_V7VE}, // ARMv8, but of 32 bits only
    {0xd02, "cortex-a34", LEVEL_V8},    {0xd03, "cortex-a53", LEVEL_V8},
    {0xd04, "cortex-a35", LEVEL_V8},    {0xd07, "cortex-a57", LEVEL_V8},
    {0xd08, "cortex-a72", LEVEL_V8},    {0xd09, "cortex-a73", LEVEL_V8},
    {0xd05, "cortex-a55", LEVEL_V82},   {0xd0a, "cortex-a75", LEVEL_V82},
    {0xd0b, "cortex-a76", LEVEL_V82},   {0xd0c, "neoverse-n1", LEVEL_V82},
    {0xd0d, "cortex-a77", LEVEL_V82},   {0xd41, "cortex-a78", LEVEL_V82},
    {0xd42, "cortex-a78ae", LEVEL_V82},
};

static const struct core *core_of(const struct edge_recognise_core *core)
{
    for (size_t i = 0; core->implementer == ARM && i < sizeof cores / sizeof cores[0]; i++)
        if (cores[i].part == core->part)
            return &cores[i];
    return NULL;
}

// --- Facts ---

static void add_core(struct edge_recognise_facts *facts, unsigned implementer, unsigned part)
{
    for (unsigned i = 0; i < facts->core_kinds; i++)
        if (facts->cores[i].implementer == implementer && facts->cores[i].part == part)
            return;
    if (facts->core_kinds < EDGE_RECOGNISE_CORES)
        facts->cores[facts->core_kinds++] = (struct edge_recognise_core){implementer, part};
}

// The hexadecimal number of a line "key : value".
static bool line_number(const char *line, const char *key, uint32_t *value)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0)
        return false;
    line += len + strspn(line + len, " \t");
    if (*line != ':')
        return false;
    *value = (uint32_t)strtoul(line + 1, NULL, 16);
    return true;
}

void edge_recognise_cpuinfo(struct edge_recognise_facts *facts, const char *text)
{
    uint32_t implementer = ARM, number; // old kernels leave the implementer out
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line_number(line, "CPU implementer", &number))
            implementer = number;
        else if (line_number(line, "CPU part", &number))
            add_core(facts, implementer, number);
        else if (line_number(line, "Revision", &number))
            facts->revision = number;
    }
}

void edge_recognise_read(const char *root, struct edge_recognise_facts *facts)
{
    char text[32768];
    *facts = (struct edge_recognise_facts){.revision = 0};
    int length = edge_procfs_read(root, "/proc/device-tree/compatible", facts->compatible,
                                  sizeof facts->compatible);
    for (int i = 0; i + 1 < length; i++)
        if (facts->compatible[i] == '\0')
            facts->compatible[i] = '\n';
    edge_procfs_line(root, "/proc/device-tree/model", facts->model, sizeof facts->model);
    struct utsname name;
    if (root[0] == '\0' && uname(&name) == 0)
        snprintf(facts->machine, sizeof facts->machine, "%.31s", name.machine);
    if (edge_procfs_read(root, "/proc/cpuinfo", text, sizeof text) > 0)
        edge_recognise_cpuinfo(facts, text);
}

// --- What runs where ---

// The cores that a board's flags name: "cortex-a76.cortex-a55".
static const char *flagged_cores(const struct edge_catalogue_board *board, size_t *len)
{
    const char *at = strstr(board->cpu_flags, "-mcpu=");
    at = at ? at + strlen("-mcpu=") : "";
    *len = strcspn(at, " ");
    return at;
}

static bool flags_name(const struct edge_catalogue_board *board, const char *core)
{
    size_t len, part;
    const char *at = flagged_cores(board, &len);
    for (const char *end = at + len; at < end; at += part + 1) {
        part = strcspn(at, ". ");
        if (strlen(core) == part && strncmp(at, core, part) == 0)
            return true;
    }
    return false;
}

// What the board's programs need: the least of the cores that their flags name.
static enum level needed(const struct edge_catalogue_board *board)
{
    enum level level = LEVEL_NONE;
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (flags_name(board, cores[i].name) && (!level || cores[i].level < level))
            level = cores[i].level;
    return level;
}

// What every core there is can run. Of one that is not known, only what the kernel's name says.
static enum level offered(const struct edge_recognise_facts *facts)
{
    enum level level = LEVEL_NONE;
    for (unsigned i = 0; i < facts->core_kinds; i++) {
        const struct core *core = core_of(&facts->cores[i]);
        enum level one = core ? core->level : LEVEL_V6;
        if (!level || one < level)
            level = one;
    }
    if (strcmp(facts->machine, "aarch64") == 0)
        return level > LEVEL_V8 ? level : LEVEL_V8;
    if (facts->machine[0] == '\0')
        return level;
    if (strncmp(facts->machine, "armv6", 5) != 0 && strncmp(facts->machine, "armv7", 5) != 0 &&
        strncmp(facts->machine, "armv8", 5) != 0)
        return LEVEL_NONE;
    if (!level)
        return LEVEL_V6;
    return level < LEVEL_V8 ? level : LEVEL_V7VE; // a kernel of 32 bits
}

static bool is(const struct edge_catalogue_board *board, const char *triple)
{
    return strncmp(board->toolchain, triple, strlen(triple)) == 0;
}

bool edge_recognise_runs(const struct edge_recognise_facts *facts,
                         const struct edge_catalogue_board *board)
{
    enum level level = offered(facts);
    if (strcmp(facts->machine, "riscv64") == 0)
        return is(board, "riscv64");
    if (level >= LEVEL_V8)
        return is(board, "aarch64") && needed(board) <= level;
    return is(board, "arm-") && needed(board) <= level;
}

// How many of the cores there are a board's flags name: tuned for the same.
static unsigned same_cores(const struct edge_recognise_facts *facts,
                           const struct edge_catalogue_board *board)
{
    unsigned count = 0;
    for (unsigned i = 0; i < facts->core_kinds; i++) {
        const struct core *core = core_of(&facts->cores[i]);
        count += core && flags_name(board, core->name);
    }
    return count;
}

// Of all that run: tuned for most of its cores, then the newest instructions, then the first.
static const struct edge_catalogue_board *nearest(const struct edge_recognise_facts *facts)
{
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count), *best = NULL;
    unsigned best_rank = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned rank = 1 + 16 * same_cores(facts, &boards[i]) + (unsigned)needed(&boards[i]);
        if (rank > best_rank && edge_recognise_runs(facts, &boards[i])) {
            best = &boards[i];
            best_rank = rank;
        }
    }
    return best;
}

// --- Recognition ---

static bool has(const char *const *list, const char *text, size_t len)
{
    for (; list && *list; list++)
        if (strlen(*list) == len && strncmp(*list, text, len) == 0)
            return true;
    return false;
}

static const struct edge_catalogue_board *by_compatible(const struct edge_recognise_facts *facts,
                                                        char *why, size_t size)
{
    size_t count, len;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    for (const char *line = facts->compatible; *line; line += len + (line[len] == '\n')) {
        len = strcspn(line, "\n");
        for (size_t i = 0; i < count; i++)
            if (has(boards[i].compatible, line, len)) {
                snprintf(why, size, "device tree: %.*s", (int)len, line);
                return &boards[i];
            }
    }
    return NULL;
}

// Bit 23 tells the codes with fields from the older ones.
static bool revision_fits(uint32_t revision, const struct edge_catalogue_board *board)
{
    char type[3];
    snprintf(type, sizeof type, "%02x", (unsigned)(revision >> 4 & 0xff));
    return has(board->revision_type, type, 2) && board->revision_soc &&
           strtoul(board->revision_soc, NULL, 16) == (revision >> 12 & 0xf);
}

#define HAS_FIELDS(revision) ((revision) >> 23 & 1)

static const struct edge_catalogue_board *by_revision(const struct edge_recognise_facts *facts,
                                                      char *why, size_t size)
{
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    for (size_t i = 0; HAS_FIELDS(facts->revision) && i < count; i++)
        if (revision_fits(facts->revision, &boards[i])) {
            snprintf(why, size, "revision code %06" PRIx32, facts->revision);
            return &boards[i];
        }
    return NULL;
}

// "NAME", "NAME Rev 1.4", "NAME Developer Kit". With other words it is another board.
static const struct edge_catalogue_board *by_model(const struct edge_recognise_facts *facts,
                                                   char *why, size_t size)
{
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(boards[i].name);
        const char *rest = facts->model + len;
        if (strncmp(facts->model, boards[i].name, len) == 0 &&
            (*rest == '\0' || strncmp(rest, " Rev ", 5) == 0 ||
             strcmp(rest, " Developer Kit") == 0)) {
            snprintf(why, size, "model: %s", facts->model);
            return &boards[i];
        }
    }
    return NULL;
}

// Whether something speaks against a board that the machine calls itself.
static bool is_another(const struct edge_recognise_facts *facts,
                       const struct edge_catalogue_board *board, char *why, size_t size)
{
    char claim[160];
    snprintf(claim, sizeof claim, "%.159s", why);
    if (board->revision_type && HAS_FIELDS(facts->revision) &&
        !revision_fits(facts->revision, board)) {
        snprintf(why, size, "%s, but revision code %06" PRIx32 " is not of %s", claim,
                 facts->revision, board->id);
        return true;
    }
    const struct core *core = facts->core_kinds > 0 ? core_of(&facts->cores[0]) : NULL;
    if (core && needed(board) && same_cores(facts, board) == 0) {
        snprintf(why, size, "%s, but its cores are %s, not those of %s", claim, core->name,
                 board->id);
        return true;
    }
    if (board->bits == 32 && strcmp(facts->machine, "aarch64") == 0) {
        snprintf(why, size, "%s, but the kernel has 64 bits, which %s cannot have", claim,
                 board->id);
        return true;
    }
    return false;
}

static void explain_unknown(const struct edge_recognise_facts *facts, char *why, size_t size)
{
    if (facts->model[0])
        snprintf(why, size, "no board of the catalogue calls itself \"%s\"", facts->model);
    else if (facts->compatible[0])
        snprintf(why, size, "no board of the catalogue has the device tree %.*s",
                 (int)strcspn(facts->compatible, "\n"), facts->compatible);
    else
        snprintf(why, size, "it has no device tree");
}

static void choose_build(const struct edge_recognise_facts *facts, struct edge_recognised *result)
{
    char *why = result->build_why;
    const size_t size = sizeof result->build_why;
    const char *machine = facts->machine[0] ? facts->machine : "not known";
    // A recorded tree may tell nothing that could speak against it.
    if (result->board && ((!facts->machine[0] && facts->core_kinds == 0) ||
                          edge_recognise_runs(facts, result->board))) {
        result->build = result->board;
        return;
    }
    result->build = nearest(facts);
    if (!result->build)
        snprintf(why, size, "no build of the catalogue is sure to run there (machine %s)", machine);
    else if (same_cores(facts, result->build) > 0)
        snprintf(why, size, "%s has the same cores", result->build->id);
    else
        snprintf(why, size, "%s is the nearest build that is sure to run there (machine %s, %s)",
                 result->build->id, machine, result->build->isa);
}

void edge_recognise(const struct edge_recognise_facts *facts, struct edge_recognised *result)
{
    *result = (struct edge_recognised){.board = NULL};
    result->board = by_compatible(facts, result->why, sizeof result->why);
    if (!result->board)
        result->board = by_revision(facts, result->why, sizeof result->why);
    if (!result->board)
        result->board = by_model(facts, result->why, sizeof result->why);
    if (!result->board)
        explain_unknown(facts, result->why, sizeof result->why);
    else if (is_another(facts, result->board, result->why, sizeof result->why))
        result->board = NULL;
    choose_build(facts, result);
}
