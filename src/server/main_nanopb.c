#include "server/server.h"

int main(int argc, char **argv)
{
    const struct edge_server_program program = {.name = "c_nghttp2_nanopb",
                                                .codec = &edge_greeter_nanopb};
    return edge_server_command(&program, argc, argv);
}
