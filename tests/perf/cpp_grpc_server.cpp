// The yardstick for server CPU: SayHello on C++ grpc's async API, one completion queue, one thread.
//
// 1024 calls are kept waiting, so that a burst never finds the server without one (more than the
// load has in flight). The reply takes the request's Hello over by move: the cheapest honest way.
//
//   cpp_grpc_server PORT      listens on 127.0.0.1; ends by a signal

#include <grpcpp/grpcpp.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "helloworld.grpc.pb.h"

namespace
{

class Call
{
  public:
    Call(helloworld::Greeter::AsyncService &service, grpc::ServerCompletionQueue &queue)
        : service_(service), queue_(queue)
    {
        wait();
    }

    // The queue gave this call back: a request has come, or its reply has gone.
    void proceed(bool ok)
    {
        if (!replying_ && ok) {
            helloworld::HelloReply reply;
            *reply.mutable_response() = std::move(*slot_->request.mutable_request());
            replying_ = true;
            slot_->responder.Finish(reply, grpc::Status::OK, this);
        } else {
            wait();
        }
    }

  private:
    // What grpc wants fresh for every call.
    struct Slot {
        grpc::ServerContext context;
        helloworld::HelloRequest request;
        grpc::ServerAsyncResponseWriter<helloworld::HelloReply> responder{&context};
    };

    void wait()
    {
        replying_ = false;
        slot_ = std::make_unique<Slot>();
        service_.RequestSayHello(&slot_->context, &slot_->request, &slot_->responder, &queue_,
                                 &queue_, this);
    }

    helloworld::Greeter::AsyncService &service_;
    grpc::ServerCompletionQueue &queue_;
    std::unique_ptr<Slot> slot_;
    bool replying_ = false;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::cerr << "usage: cpp_grpc_server PORT\n";
        return 2;
    }
    std::string address = "127.0.0.1:" + std::string(argv[1]);
    helloworld::Greeter::AsyncService service;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) {
        std::cerr << "cpp_grpc_server: cannot listen on " << address << "; is the port taken?\n";
        return 1;
    }
    std::cerr << "cpp_grpc_server listening on " << address << "\n";

    std::vector<std::unique_ptr<Call>> calls;
    for (int i = 0; i < 1024; i++)
        calls.push_back(std::make_unique<Call>(service, *queue));
    void *tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok))
        static_cast<Call *>(tag)->proceed(ok);
    return 0;
}
