// The part of QEMU's plugin interface that the plugins here use, written down here because Debian
// ships no header for it. docs/devel/tcg-plugins in QEMU's sources is the reference.
//
// One binary speaks two versions of it: functions that only one version has are weak, so that the
// loader leaves them NULL where the emulator lacks them.
#ifndef EDGE_QEMU_QEMU_PLUGIN_H
#define EDGE_QEMU_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;

typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
    int smp_vcpus; // system emulation only, as the next
    int max_vcpus;
} qemu_info_t;

struct qemu_plugin_tb; // a translation block
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_op {
    QEMU_PLUGIN_INLINE_ADD_U64,
};

typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu_index);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu_index,
                                              int64_t num, uint64_t a1, uint64_t a2, uint64_t a3,
                                              uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                                              uint64_t a8);

typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *userdata);

// Every version.
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);

// Version 1 (QEMU <= 8.2): adds to a plain variable.
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
                                              void *ptr, uint64_t imm) __attribute__((weak));

// Version 2 (QEMU >= 9.0): adds to the running thread's own entry.
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size)
    __attribute__((weak));
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
                                                       enum qemu_plugin_op op,
                                                       qemu_plugin_u64 entry, uint64_t imm)
    __attribute__((weak));
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned int vcpu_index) __attribute__((weak));
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry) __attribute__((weak)); // over all threads

// What the plugin exports.
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
