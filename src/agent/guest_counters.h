// The file that qemu/insn_count.c keeps while an emulated server runs, mapped by writer and reader.
//
// Whole-file layout, in the byte order of the machine that emulates. The writer sizes and fills it
// before the guest's first instruction and stores `magic` last; then only counters change, each by
// aligned 64-bit stores, and they only grow.
#ifndef EDGE_AGENT_GUEST_COUNTERS_H
#define EDGE_AGENT_GUEST_COUNTERS_H

#include <stdint.h>

#define EDGE_GUEST_MAGIC    0x4e534e4945474445u // "EDGEINSN" on little-endian machines
#define EDGE_GUEST_VERSION  1                   // changes with the layout or a meaning
#define EDGE_GUEST_THREADS  64
#define EDGE_GUEST_SYSCALLS 512

struct edge_guest_counters {
    uint64_t magic;
    uint32_t version;
    uint32_t size;      // of this struct
    uint32_t api;       // the qemu plugin API spoken: 1, or 2 (scoreboards)
    uint32_t threads;   // guest threads so far
    char target[16];    // qemu's name of the guest: "aarch64", "arm"
    uint64_t syscalls;  // all
    uint64_t elsewhere; // of these, with a number outside by_number[] (ARM's private ones)
    // Instructions executed, by thread number. API 1 counts all threads in insns[0]: exact for one
    // thread only. API 2 counts each thread apart, as of its last system call; thread numbers from
    // EDGE_GUEST_THREADS on are not counted.
    uint64_t insns[EDGE_GUEST_THREADS];
    uint64_t by_number[EDGE_GUEST_SYSCALLS]; // system calls, by the guest's number
};

#endif
