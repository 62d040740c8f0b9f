// gRPC's interoperability cases, on Debian's libgrpc++. Each throws std::exception when it finds
// something other than it expected.
#ifndef EDGE_INTEROP_CLIENT_H
#define EDGE_INTEROP_CLIENT_H

#include <grpcpp/grpcpp.h>

#include <memory>

#include "interop.grpc.pb.h"

class Client
{
  public:
    explicit Client(const std::shared_ptr<grpc::Channel> &channel);

    void EmptyUnary();
    void LargeUnary();
    void ClientCompressedUnary();
    void ClientCompressedUnaryNoprobe();
    void ServerCompressedUnary();
    void ClientStreaming();
    void ClientCompressedStreaming();
    void ServerStreaming();
    void ServerCompressedStreaming();
    void PingPong();
    void HalfDuplex();
    void SlowConsumer();
    void EmptyStream();
    void CustomMetadata();
    void StatusCodeAndMessage();
    void SpecialStatusMessage();
    void UnimplementedMethod();
    void UnimplementedServiceCall();
    void CancelAfterBegin();
    void CancelAfterFirstResponse();
    void TimeoutOnSleepingServer();
    void TimeoutBetweenReplies();
    void RpcSoak();

  private:
    std::unique_ptr<grpc::testing::TestService::Stub> stub_;
    std::unique_ptr<grpc::testing::UnimplementedService::Stub> none_;
};

#endif
