#include "server/server.h"

int main(int argc, char **argv)
{
    return edge_server_command("c_nghttp2_nanopb", &edge_greeter_nanopb, argc, argv);
}
