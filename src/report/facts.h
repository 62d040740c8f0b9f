// What is known about a result in words: who ran, where, with what. One table names each fact, and
// says whether two results that differ in it can be compared.
#ifndef EDGE_REPORT_FACTS_H
#define EDGE_REPORT_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

enum edge_fact {
    EDGE_FACT_SERVER,
    EDGE_FACT_BOARD,
    EDGE_FACT_SCENARIO,
    EDGE_FACT_CALL,
    EDGE_FACT_MESSAGES,
    EDGE_FACT_CONNECTIONS,
    EDGE_FACT_CONCURRENCY,
    EDGE_FACT_RPS,
    EDGE_FACT_SERVER_CPUS,
    EDGE_FACT_TLS,
    EDGE_FACT_CODEC,
    EDGE_FACT_EMULATED,
    EDGE_FACT_GENERATOR,
    EDGE_FACT_POWER_SCOPE,
    EDGE_FACT_MODEL,
    EDGE_FACT_CPU,
    EDGE_FACT_CPUS,
    EDGE_FACT_RAM,
    EDGE_FACT_ARCH,
    EDGE_FACT_KERNEL,
    EDGE_FACT_OS,
    EDGE_FACT_RAM_LIMIT,
    EDGE_FACT_DURATION,
    EDGE_FACT_SERVER_RAM,
    EDGE_FACT_CLIENT_CPUS,
    EDGE_FACT_TARGET,
    EDGE_FACT_COMPILER,
    EDGE_FACT_FLAGS,
    EDGE_FACT_SERVER_VERSION,
    EDGE_FACT_SERVER_GIT,
    EDGE_FACT_TOOL_VERSION,
    EDGE_FACT_STARTED,
    EDGE_FACT_COUNTERS,
    EDGE_FACT_FILE,
    EDGE_FACTS
};

enum edge_fact_role {
    EDGE_FACT_SUBJECT,    // what is compared: the one or the other may differ
    EDGE_FACT_WORK,       // what was asked for: must be the same
    EDGE_FACT_CONDITION,  // how it was measured: must be the same, too
    EDGE_FACT_BACKGROUND, // good to know
};

struct edge_fact_description {
    const char *name; // "server_cpus": in files, --columns and --allow
    const char *title;
    enum edge_fact_role role;
};

// The table's row. Static storage.
const struct edge_fact_description *edge_fact_describe(enum edge_fact fact);
// The fact of a name; EDGE_FACTS if there is none.
enum edge_fact edge_fact_find(const char *name);

struct edge_facts {
    char *at[EDGE_FACTS]; // UTF-8 without control characters; "" is not recorded
};

// Takes the facts of a result; the caller frees them, after an error too. 0 or -ENOMEM.
int edge_facts_init(struct edge_facts *facts, const struct edge_result *result);
// Frees the texts. Safe twice.
void edge_facts_free(struct edge_facts *facts);

// Orders by what was asked for: 0 if two results did the same work, on whatever board.
int edge_facts_compare_work(const struct edge_facts *a, const struct edge_facts *b);

// The work in words: "complex_proto SayHello, 50 connections x 20, closed loop, ...". Returns text.
const char *edge_facts_work(const struct edge_facts *facts, char *text, size_t size);

// Connections, calls in flight and rate in words. Returns text.
const char *edge_facts_load(const struct edge_facts *facts, char *text, size_t size);

#endif
