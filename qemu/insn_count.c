// A plugin for QEMU's user-mode emulators: counts the guest's instructions and system calls into a
// file that others map (agent/guest_counters.h).
//
//   qemu-aarch64 -plugin insn_count.so,counters=FILE PROGRAM
//
// Each translation block adds its length when it is entered: one add, no call. A block that is left
// in its middle (a fault, a signal) counts whole; a server in steady state has neither.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/guest_counters.h"
#include "qemu_plugin.h"

#define EXPORT __attribute__((visibility("default")))

// The interface has no user data for most callbacks: a plugin keeps its state in globals.
static struct edge_guest_counters *counters;
static qemu_plugin_u64 executed; // API 2: a thread's instructions

EXPORT int qemu_plugin_version = 1;

// QEMU looks at the version after the loader has run this, and refuses what it does not speak.
__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu && qemu_plugin_scoreboard_new &&
        qemu_plugin_u64_get)
        qemu_plugin_version = 2;
}

static void add(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    uint64_t length = qemu_plugin_tb_n_insns(tb);
    if (qemu_plugin_version == 1)
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &counters->insns[0], length);
    else
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, executed,
                                                          length);
}

static void thread_started(qemu_plugin_id_t id, unsigned int thread)
{
    (void)id, (void)thread;
    __atomic_fetch_add(&counters->threads, 1, __ATOMIC_RELAXED);
}

static void system_call(qemu_plugin_id_t id, unsigned int thread, int64_t number, uint64_t a1,
                        uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                        uint64_t a7, uint64_t a8)
{
    (void)id, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    // A scoreboard is QEMU's own memory: its owner carries it over, so that no thread reads
    // another.
    if (qemu_plugin_version == 2 && thread < EDGE_GUEST_THREADS)
        __atomic_store_n(&counters->insns[thread], qemu_plugin_u64_get(executed, thread),
                         __ATOMIC_RELAXED);
    add(number >= 0 && number < EDGE_GUEST_SYSCALLS ? &counters->by_number[number]
                                                    : &counters->elsewhere);
    add(&counters->syscalls);
}

static int map_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int error = ftruncate(fd, sizeof(*counters)) != 0 ? -errno : 0;
    if (!error) {
        void *at = mmap(NULL, sizeof(*counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            error = -errno;
        else
            counters = at;
    }
    // Never cut shorter on the way: a reader may have it mapped already.
    if (!error)
        memset(counters, 0, sizeof(*counters));
    close(fd);
    return error;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const char key[] = "counters=";
    if (argc != 1 || strncmp(argv[0], key, strlen(key)) != 0) {
        fprintf(stderr, "insn_count: expected one argument, counters=FILE\n");
        return -1;
    }
    if (info->system_emulation) {
        fprintf(stderr, "insn_count: counts programs, not machines: use qemu-<arch>\n");
        return -1;
    }
    if (qemu_plugin_version == 1 && !qemu_plugin_register_vcpu_tb_exec_inline) {
        fprintf(stderr, "insn_count: this qemu can count neither way that is known here\n");
        return -1;
    }
    const char *path = argv[0] + strlen(key);
    int error = map_file(path);
    if (error) {
        fprintf(stderr, "insn_count: cannot keep counters in %s: %s\n", path, strerror(-error));
        return -1;
    }
    if (qemu_plugin_version == 2)
        executed.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    counters->version = EDGE_GUEST_VERSION;
    counters->size = sizeof(*counters);
    counters->api = (uint32_t)qemu_plugin_version;
    snprintf(counters->target, sizeof(counters->target), "%s", info->target_name);
    qemu_plugin_register_vcpu_init_cb(id, thread_started);
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call);
    __atomic_store_n(&counters->magic, EDGE_GUEST_MAGIC, __ATOMIC_RELEASE);
    return 0;
}
