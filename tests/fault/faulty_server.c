// faulty_server: a server whose system calls fail as it is told.
//
//   faulty_server INTERRUPT LONGEST RESET [server options]     see calls.h
#include <stdlib.h>

#include "calls.h"
#include "server/server.h"

int main(int argc, char **argv)
{
    if (argc < 4)
        return EDGE_EXIT_USAGE;
    calls_set(&(struct calls_faults){.interrupt = (uint32_t)strtoul(argv[1], NULL, 10),
                                     .longest = (uint32_t)strtoul(argv[2], NULL, 10),
                                     .reset = (uint32_t)strtoul(argv[3], NULL, 10)});
    const struct edge_server_program program = {.name = "faulty_server",
                                                .codec = &edge_greeter_nanopb};
    return edge_server_command(&program, argc - 3, argv + 3);
}
