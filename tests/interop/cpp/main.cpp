// Runs the cases and prints a line each, then a summary.
// usage: interop_cpp_client HOST:PORT [CA_FILE [NAME]]
//   CA_FILE  certificate of the authority: TLS
//   NAME     the name that the server's certificate must have

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "client.h"

namespace
{

struct Case {
    const char *name;
    void (Client::*run)();
};

const Case kCases[] = {
    {"empty_unary", &Client::EmptyUnary},
    {"large_unary", &Client::LargeUnary},
    {"client_compressed_unary", &Client::ClientCompressedUnary},
    {"client_compressed_unary_noprobe", &Client::ClientCompressedUnaryNoprobe},
    {"server_compressed_unary", &Client::ServerCompressedUnary},
    {"client_streaming", &Client::ClientStreaming},
    {"client_compressed_streaming", &Client::ClientCompressedStreaming},
    {"server_streaming", &Client::ServerStreaming},
    {"server_compressed_streaming", &Client::ServerCompressedStreaming},
    {"ping_pong", &Client::PingPong},
    {"half_duplex", &Client::HalfDuplex},
    {"slow_consumer", &Client::SlowConsumer},
    {"empty_stream", &Client::EmptyStream},
    {"custom_metadata", &Client::CustomMetadata},
    {"status_code_and_message", &Client::StatusCodeAndMessage},
    {"special_status_message", &Client::SpecialStatusMessage},
    {"unimplemented_method", &Client::UnimplementedMethod},
    {"unimplemented_service", &Client::UnimplementedServiceCall},
    {"cancel_after_begin", &Client::CancelAfterBegin},
    {"cancel_after_first_response", &Client::CancelAfterFirstResponse},
    {"timeout_on_sleeping_server", &Client::TimeoutOnSleepingServer},
    {"timeout_between_replies", &Client::TimeoutBetweenReplies},
    {"rpc_soak", &Client::RpcSoak},
};

int RunAll(Client &client)
{
    int passed = 0;
    int count = 0;
    for (const Case &one : kCases) {
        count++;
        try {
            (client.*one.run)();
            std::printf("ok     %s\n", one.name);
            passed++;
        } catch (const std::exception &error) {
            std::printf("FAILED %s: %s\n", one.name, error.what());
        }
        std::fflush(stdout);
    }
    std::printf("cpp-libgrpc++: %d of %d cases passed\n", passed, count);
    return passed == count ? 0 : 1;
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const char *ca_file)
{
    if (ca_file == nullptr)
        return grpc::InsecureChannelCredentials();
    std::ifstream file(ca_file);
    std::stringstream text;
    text << file.rdbuf();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = text.str();
    return grpc::SslCredentials(options);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: %s HOST:PORT [CA_FILE [NAME]]\n", argv[0]);
        return 2;
    }
    grpc::ChannelArguments arguments;
    if (argc == 4)
        arguments.SetSslTargetNameOverride(argv[3]);
    Client client(
        grpc::CreateCustomChannel(argv[1], Credentials(argc > 2 ? argv[2] : nullptr), arguments));
    return RunAll(client);
}
