// A plugin for QEMU's user-mode emulators: how many instructions each function of the guest has
// executed, written when it ends. Needs a program that is not stripped.
//
//   qemu-aarch64 -plugin insn_profile.so,output=FILE PROGRAM
//
// A translation block counts for the function that its first instruction is in. QEMU before 9
// counts one thread exactly, later ones all.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define EXPORT    __attribute__((visibility("default")))
#define FUNCTIONS 4096

struct function {
    char name[96];
    uint64_t executed;
};

static struct function functions[FUNCTIONS]; // [0]: what has no name, or came when it was full
static size_t function_count = 1;
static const char *output;
static struct qemu_plugin_scoreboard *executed; // API 2: a thread's counts, in order of functions[]

EXPORT int qemu_plugin_version = 1;

// QEMU looks at the version after the loader has run this.
__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu && qemu_plugin_scoreboard_new &&
        qemu_plugin_u64_sum)
        qemu_plugin_version = 2;
}

static qemu_plugin_u64 entry_of(const struct function *function)
{
    return (qemu_plugin_u64){executed, (size_t)(function - functions) * sizeof(uint64_t)};
}

static struct function *find(const char *name)
{
    size_t i = 1;
    while (i < function_count && strcmp(functions[i].name, name) != 0)
        i++;
    if (i == FUNCTIONS)
        return &functions[0];
    if (i == function_count)
        snprintf(functions[function_count++].name, sizeof(functions[i].name), "%s", name);
    return &functions[i];
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));
    struct function *function = name && name[0] ? find(name) : &functions[0];
    uint64_t length = qemu_plugin_tb_n_insns(tb);
    if (qemu_plugin_version == 1)
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &function->executed, length);
    else
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                                          entry_of(function), length);
}

static int by_executed(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->executed < y->executed) - (x->executed > y->executed);
}

static void write_profile(qemu_plugin_id_t id, void *userdata)
{
    (void)id, (void)userdata;
    FILE *file = fopen(output, "w");
    if (!file) {
        perror(output);
        return;
    }
    for (size_t i = 0; qemu_plugin_version == 2 && i < function_count; i++)
        functions[i].executed = qemu_plugin_u64_sum(entry_of(&functions[i]));
    qsort(functions, function_count, sizeof(functions[0]), by_executed);
    for (size_t i = 0; i < function_count && functions[i].executed > 0; i++)
        fprintf(file, "%" PRIu64 " %s\n", functions[i].executed, functions[i].name);
    if (fclose(file) != 0)
        perror(output);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    static const char key[] = "output=";
    if (argc != 1 || strncmp(argv[0], key, strlen(key)) != 0) {
        fprintf(stderr, "insn_profile: expected one argument, output=FILE\n");
        return -1;
    }
    if (qemu_plugin_version == 2)
        executed = qemu_plugin_scoreboard_new(FUNCTIONS * sizeof(uint64_t));
    output = argv[0] + strlen(key);
    snprintf(functions[0].name, sizeof(functions[0].name), "(other)");
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    qemu_plugin_register_atexit_cb(id, write_profile, NULL);
    return 0;
}
