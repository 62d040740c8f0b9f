#include "server/server.h"

int main(int argc, char **argv)
{
    return edge_server_command("c_nghttp2_protobufc", &edge_greeter_protobufc, argc, argv);
}
