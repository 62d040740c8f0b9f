#include "echo.h"
#include "server/server.h"
#include "service.h"

int main(int argc, char **argv)
{
    const struct edge_server_program program = {.name = "interop_server_nanopb",
                                                .codec = &edge_greeter_nanopb,
                                                .more = {edge_interop_methods, edge_echo_methods},
                                                .compress = edge_gzip_deflate};
    return edge_server_command(&program, argc, argv);
}
