// `bench-edge agent`: see agent/agent.h.
#ifndef EDGE_AGENT_COMMAND_H
#define EDGE_AGENT_COMMAND_H

#include "base/option.h"

extern const struct edge_command edge_agent_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit.
int edge_agent_command(int argc, char **argv);

#endif
