#include "agent/probe_cpus.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define ARM    0x41u // implementers
#define NVIDIA 0x4eu

// Parts that boards carry.
static const struct {
    unsigned implementer, part;
    const char *name;
} parts[] = {
    {ARM, 0xb36, "ARM1136"},          {ARM, 0xb76, "ARM1176JZF-S"},     {ARM, 0xc05, "Cortex-A5"},
    {ARM, 0xc07, "Cortex-A7"},        {ARM, 0xc08, "Cortex-A8"},        {ARM, 0xc09, "Cortex-A9"},
    {ARM, 0xc0d, "Cortex-A17"},       {ARM, 0xc0e, "Cortex-A17"},       {ARM, 0xc0f, "Cortex-A15"},
    {ARM, 0xd01, "Cortex-A32"},       {ARM, 0xd02, "Cortex-A34"},       {ARM, 0xd03, "Cortex-A53"},
    {ARM, 0xd04, "Cortex-A35"},       {ARM, 0xd05, "Cortex-A55"},       {ARM, 0xd07, "Cortex-A57"},
    {ARM, 0xd08, "Cortex-A72"},       {ARM, 0xd09, "Cortex-A73"},       {ARM, 0xd0a, "Cortex-A75"},
    {ARM, 0xd0b, "Cortex-A76"},       {ARM, 0xd0c, "Neoverse-N1"},      {ARM, 0xd0d, "Cortex-A77"},
    {ARM, 0xd41, "Cortex-A78"},       {ARM, 0xd42, "Cortex-A78AE"},     {ARM, 0xd46, "Cortex-A510"},
    {ARM, 0xd47, "Cortex-A710"},      {ARM, 0xd80, "Cortex-A520"},      {ARM, 0xd81, "Cortex-A720"},
    {NVIDIA, 0x003, "NVIDIA Denver"}, {NVIDIA, 0x004, "NVIDIA Carmel"},
};

// One "processor" paragraph.
struct core {
    bool begun;
    unsigned implementer, part; // part 0: none
    char model[96], riscv[96];
};

static bool value_of(const char *line, const char *key, const char **value)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0)
        return false;
    line += len + strspn(line + len, " \t");
    if (*line != ':')
        return false;
    *value = line + 1 + strspn(line + 1, " \t");
    return true;
}

static void name_of(const struct core *core, char *name, size_t size)
{
    size_t i = 0;
    while (i < sizeof parts / sizeof parts[0] &&
           (parts[i].implementer != core->implementer || parts[i].part != core->part))
        i++;
    if (core->part && i < sizeof parts / sizeof parts[0])
        snprintf(name, size, "%s", parts[i].name);
    else if (core->part)
        snprintf(name, size, "core of implementer 0x%02x, part 0x%03x", core->implementer,
                 core->part);
    else
        snprintf(name, size, "%s", core->model[0] ? core->model : core->riscv);
}

static void add(struct edge_probe_cpus *cpus, const char *name, unsigned count)
{
    unsigned i = 0;
    while (i < cpus->kind_count && strcmp(cpus->kinds[i].name, name) != 0)
        i++;
    if (i == EDGE_PROBE_CPUS_KINDS)
        return;
    snprintf(cpus->kinds[i].name, sizeof cpus->kinds[i].name, "%s", name);
    cpus->kinds[i].count += count;
    if (i == cpus->kind_count)
        cpus->kind_count++;
}

// Old 32-bit kernels name the cores once, after the last of them: those before wait in *unnamed.
static void end_core(struct edge_probe_cpus *cpus, struct core *core, unsigned *unnamed)
{
    char name[96];
    name_of(core, name, sizeof name);
    if (name[0]) {
        add(cpus, name, *unnamed + 1);
        *unnamed = 0;
    } else {
        *unnamed += core->begun;
    }
    *core = (struct core){.implementer = ARM}; // old kernels leave the implementer out
}

static void take_line(const char *line, struct core *core)
{
    const char *value;
    if (value_of(line, "CPU implementer", &value))
        core->implementer = (unsigned)strtoul(value, NULL, 16);
    else if (value_of(line, "CPU part", &value))
        core->part = (unsigned)strtoul(value, NULL, 16);
    else if (value_of(line, "model name", &value))
        snprintf(core->model, sizeof core->model, "%s", value);
    else if (value_of(line, "uarch", &value) || (!core->riscv[0] && value_of(line, "isa", &value)))
        snprintf(core->riscv, sizeof core->riscv, "%s", value);
}

int edge_probe_cpus_read(const char *root, struct edge_probe_cpus *cpus)
{
    char path[PATH_MAX];
    *cpus = (struct edge_probe_cpus){.kind_count = 0};
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    struct core core = {.implementer = ARM};
    unsigned unnamed = 0;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) >= 0) {
        const char *number;
        line[strcspn(line, "\n")] = '\0';
        if (value_of(line, "processor", &number)) {
            end_core(cpus, &core, &unnamed);
            core.begun = true;
        } else {
            take_line(line, &core);
        }
    }
    end_core(cpus, &core, &unnamed);
    free(line);
    fclose(file);
    return cpus->kind_count > 0 ? 0 : EDGE_ERR_FORMAT;
}

const char *edge_probe_cpus_text(const struct edge_probe_cpus *cpus, char *text, size_t size)
{
    text[0] = '\0';
    if (cpus->kind_count == 1)
        snprintf(text, size, "%s", cpus->kinds[0].name);
    for (unsigned i = 0; cpus->kind_count > 1 && i < cpus->kind_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%u x %s", i ? ", " : "", cpus->kinds[i].count,
                 cpus->kinds[i].name);
    }
    return text;
}
