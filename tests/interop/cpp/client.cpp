#include "client.h"

#include <grpc/grpc.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// The library shows what came over the wire to whom it calls its test's inspector.
uint32_t grpc_call_test_only_get_message_flags(grpc_call *call);

namespace grpc
{
namespace testing
{
class InteropClientContextInspector
{
  public:
    explicit InteropClientContextInspector(const ClientContext &context) : context_(context) {}
    // Whether the message that was read last was compressed.
    bool WasCompressed() const
    {
        const uint32_t compressed = 0x40000000u; // ..._TEST_ONLY_WAS_COMPRESSED
        return (grpc_call_test_only_get_message_flags(context_.call_) & compressed) != 0;
    }

  private:
    const ClientContext &context_;
};
} // namespace testing
} // namespace grpc

namespace
{

using namespace grpc::testing;
using grpc::ClientContext;
using grpc::Status;
using grpc::StatusCode;
using grpc::WriteOptions;

const int kLargeReply = 314159;
const int kLargeRequest = 271828;
const std::vector<int> kSizesIn = {27182, 8, 1828, 45904};
const std::vector<int> kSizesOut = {31415, 9, 2653, 58979};
const char kInitial[] = "x-grpc-test-echo-initial";
const char kTrailing[] = "x-grpc-test-echo-trailing-bin";
const char kInitialValue[] = "test_initial_metadata_value";
const std::string kTrailingValue = "\xab\xab\xab";
const std::string kSpecial =
    "\t\ntest with whitespace\r\nand Unicode BMP \xe2\x98\xba and non-BMP \xf0\x9f\x98\x88\t\n";

void Expect(bool found, const std::string &what)
{
    if (!found)
        throw std::runtime_error("expected " + what);
}

void ExpectStatus(const Status &status, StatusCode code)
{
    Expect(status.error_code() == code, "status " + std::to_string(code) + ", found " +
                                            std::to_string(status.error_code()) + ": " +
                                            status.error_message());
}

void ExpectOk(const Status &status)
{
    ExpectStatus(status, StatusCode::OK);
}

void ExpectZeros(const Payload &payload, int size)
{
    Expect(payload.body() == std::string(static_cast<size_t>(size), '\0'),
           std::to_string(size) + " zero bytes, found " + std::to_string(payload.body().size()) +
               " bytes");
}

// A context whose call cannot hang.
struct Context : ClientContext {
    explicit Context(std::chrono::milliseconds timeout = std::chrono::seconds(30))
    {
        set_deadline(std::chrono::system_clock::now() + timeout);
    }
};

SimpleRequest LargeRequest()
{
    SimpleRequest request;
    request.set_response_size(kLargeReply);
    request.mutable_payload()->set_body(std::string(kLargeRequest, '\0'));
    return request;
}

StreamingOutputCallRequest Ask(const std::vector<int> &sizes, int payload = 0)
{
    StreamingOutputCallRequest request;
    for (int size : sizes)
        request.add_response_parameters()->set_size(size);
    request.mutable_payload()->set_body(std::string(static_cast<size_t>(payload), '\0'));
    return request;
}

bool WasCompressed(const ClientContext &context)
{
    return InteropClientContextInspector(context).WasCompressed();
}

void AddEcho(ClientContext &context)
{
    context.AddMetadata(kInitial, kInitialValue);
    context.AddMetadata(kTrailing, kTrailingValue);
}

void ExpectEcho(const ClientContext &context)
{
    const auto &initial = context.GetServerInitialMetadata();
    const auto found = initial.find(kInitial);
    Expect(found != initial.end() && found->second == kInitialValue, "the initial metadata");
    const auto &trailing = context.GetServerTrailingMetadata();
    const auto last = trailing.find(kTrailing);
    Expect(last != trailing.end() && last->second == kTrailingValue, "the trailing metadata");
}

} // namespace

Client::Client(const std::shared_ptr<grpc::Channel> &channel)
    : stub_(TestService::NewStub(channel)), none_(UnimplementedService::NewStub(channel))
{
}

void Client::EmptyUnary()
{
    Context context;
    Empty reply;
    ExpectOk(stub_->EmptyCall(&context, Empty(), &reply));
    Expect(reply.ByteSizeLong() == 0, "an empty reply");
}

void Client::LargeUnary()
{
    Context context;
    SimpleResponse reply;
    ExpectOk(stub_->UnaryCall(&context, LargeRequest(), &reply));
    ExpectZeros(reply.payload(), kLargeReply);
}

void Client::ClientCompressedUnary()
{
    Context context;
    SimpleRequest request = LargeRequest();
    SimpleResponse reply;
    request.mutable_expect_compressed()->set_value(true);
    ExpectStatus(stub_->UnaryCall(&context, request, &reply), StatusCode::INVALID_ARGUMENT);
    ClientCompressedUnaryNoprobe();
}

void Client::ClientCompressedUnaryNoprobe()
{
    for (bool compressed : {true, false}) {
        Context context;
        SimpleRequest request = LargeRequest();
        SimpleResponse reply;
        request.mutable_expect_compressed()->set_value(compressed);
        context.set_compression_algorithm(compressed ? GRPC_COMPRESS_GZIP : GRPC_COMPRESS_NONE);
        ExpectOk(stub_->UnaryCall(&context, request, &reply));
        ExpectZeros(reply.payload(), kLargeReply);
    }
}

void Client::ServerCompressedUnary()
{
    for (bool compressed : {true, false}) {
        Context context;
        SimpleRequest request = LargeRequest();
        SimpleResponse reply;
        request.mutable_response_compressed()->set_value(compressed);
        ExpectOk(stub_->UnaryCall(&context, request, &reply));
        ExpectZeros(reply.payload(), kLargeReply);
        Expect(WasCompressed(context) == compressed, "the compressed flag as asked for");
    }
}

void Client::ClientStreaming()
{
    Context context;
    StreamingInputCallResponse reply;
    auto stream = stub_->StreamingInputCall(&context, &reply);
    int sum = 0;
    for (int size : kSizesIn) {
        StreamingInputCallRequest request;
        request.mutable_payload()->set_body(std::string(static_cast<size_t>(size), '\0'));
        Expect(stream->Write(request), "an open stream");
        sum += size;
    }
    stream->WritesDone();
    ExpectOk(stream->Finish());
    Expect(reply.aggregated_payload_size() == sum, "the sum of the sizes");
}

void Client::ClientCompressedStreaming()
{
    StreamingInputCallRequest request;
    request.mutable_expect_compressed()->set_value(true);
    request.mutable_payload()->set_body(std::string(27182, '\0'));
    {
        Context context; // not compressed, against the request's word
        StreamingInputCallResponse reply;
        auto stream = stub_->StreamingInputCall(&context, &reply);
        stream->Write(request);
        stream->WritesDone();
        ExpectStatus(stream->Finish(), StatusCode::INVALID_ARGUMENT);
    }
    Context context;
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    StreamingInputCallResponse reply;
    auto stream = stub_->StreamingInputCall(&context, &reply);
    Expect(stream->Write(request), "an open stream");
    request.mutable_expect_compressed()->set_value(false);
    request.mutable_payload()->set_body(std::string(45904, '\0'));
    Expect(stream->Write(request, WriteOptions().set_no_compression()), "an open stream");
    stream->WritesDone();
    ExpectOk(stream->Finish());
    Expect(reply.aggregated_payload_size() == 73086, "73086 bytes in all");
}

void Client::ServerStreaming()
{
    Context context;
    auto stream = stub_->StreamingOutputCall(&context, Ask(kSizesOut));
    StreamingOutputCallResponse reply;
    for (int size : kSizesOut) {
        Expect(stream->Read(&reply), "a reply");
        ExpectZeros(reply.payload(), size);
    }
    Expect(!stream->Read(&reply), "no more replies");
    ExpectOk(stream->Finish());
}

void Client::ServerCompressedStreaming()
{
    Context context;
    StreamingOutputCallRequest request = Ask({31415, 92653});
    request.mutable_response_parameters(0)->mutable_compressed()->set_value(true);
    request.mutable_response_parameters(1)->mutable_compressed()->set_value(false);
    auto stream = stub_->StreamingOutputCall(&context, request);
    for (const ResponseParameters &asked : request.response_parameters()) {
        StreamingOutputCallResponse reply;
        Expect(stream->Read(&reply), "a reply");
        ExpectZeros(reply.payload(), asked.size());
        Expect(WasCompressed(context) == asked.compressed().value(),
               "the compressed flag as asked for");
    }
    ExpectOk(stream->Finish());
}

void Client::PingPong()
{
    Context context;
    auto stream = stub_->FullDuplexCall(&context);
    for (size_t i = 0; i < kSizesOut.size(); i++) {
        Expect(stream->Write(Ask({kSizesOut[i]}, kSizesIn[i])), "an open stream");
        StreamingOutputCallResponse reply;
        Expect(stream->Read(&reply), "a reply");
        ExpectZeros(reply.payload(), kSizesOut[i]);
    }
    stream->WritesDone();
    StreamingOutputCallResponse reply;
    Expect(!stream->Read(&reply), "no more replies");
    ExpectOk(stream->Finish());
}

void Client::HalfDuplex()
{
    Context context;
    auto stream = stub_->HalfDuplexCall(&context);
    for (int size : kSizesOut)
        Expect(stream->Write(Ask({size})), "an open stream");
    stream->WritesDone();
    StreamingOutputCallResponse reply;
    for (int size : kSizesOut) {
        Expect(stream->Read(&reply), "a reply");
        ExpectZeros(reply.payload(), size);
    }
    Expect(!stream->Read(&reply), "no more replies");
    ExpectOk(stream->Finish());
}

// Replies wait in the server until the client takes them.
void Client::SlowConsumer()
{
    Context context;
    const std::vector<int> sizes(30, 100000); // more than the windows
    auto stream = stub_->StreamingOutputCall(&context, Ask(sizes));
    StreamingOutputCallResponse reply;
    for (int size : sizes) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        Expect(stream->Read(&reply), "a reply");
        ExpectZeros(reply.payload(), size);
    }
    ExpectOk(stream->Finish());
}

void Client::EmptyStream()
{
    Context context;
    auto stream = stub_->FullDuplexCall(&context);
    stream->WritesDone();
    StreamingOutputCallResponse reply;
    Expect(!stream->Read(&reply), "no reply");
    ExpectOk(stream->Finish());
}

void Client::CustomMetadata()
{
    {
        Context context;
        AddEcho(context);
        SimpleResponse reply;
        ExpectOk(stub_->UnaryCall(&context, LargeRequest(), &reply));
        ExpectEcho(context);
    }
    Context context;
    AddEcho(context);
    auto stream = stub_->FullDuplexCall(&context);
    Expect(stream->Write(Ask({kLargeReply}, kLargeRequest)), "an open stream");
    StreamingOutputCallResponse reply;
    Expect(stream->Read(&reply), "a reply");
    stream->WritesDone();
    ExpectOk(stream->Finish());
    ExpectEcho(context);
}

void Client::StatusCodeAndMessage()
{
    const std::string text = "test status message";
    {
        Context context;
        SimpleRequest request;
        SimpleResponse reply;
        request.mutable_response_status()->set_code(StatusCode::UNKNOWN);
        request.mutable_response_status()->set_message(text);
        const Status status = stub_->UnaryCall(&context, request, &reply);
        ExpectStatus(status, StatusCode::UNKNOWN);
        Expect(status.error_message() == text, "the message that was asked for");
    }
    Context context;
    StreamingOutputCallRequest request;
    request.mutable_response_status()->set_code(StatusCode::UNKNOWN);
    request.mutable_response_status()->set_message(text);
    auto stream = stub_->FullDuplexCall(&context);
    Expect(stream->Write(request), "an open stream");
    StreamingOutputCallResponse reply;
    Expect(!stream->Read(&reply), "no reply"); // though the client's side is still open
    const Status status = stream->Finish();
    ExpectStatus(status, StatusCode::UNKNOWN);
    Expect(status.error_message() == text, "the message that was asked for");
}

void Client::SpecialStatusMessage()
{
    Context context;
    SimpleRequest request;
    SimpleResponse reply;
    request.mutable_response_status()->set_code(StatusCode::UNKNOWN);
    request.mutable_response_status()->set_message(kSpecial);
    const Status status = stub_->UnaryCall(&context, request, &reply);
    ExpectStatus(status, StatusCode::UNKNOWN);
    Expect(status.error_message() == kSpecial, "the message that was asked for");
}

void Client::UnimplementedMethod()
{
    Context context;
    Empty reply;
    ExpectStatus(stub_->UnimplementedCall(&context, Empty(), &reply), StatusCode::UNIMPLEMENTED);
}

void Client::UnimplementedServiceCall()
{
    Context context;
    Empty reply;
    ExpectStatus(none_->UnimplementedCall(&context, Empty(), &reply), StatusCode::UNIMPLEMENTED);
}

void Client::CancelAfterBegin()
{
    Context context;
    StreamingInputCallResponse reply;
    auto stream = stub_->StreamingInputCall(&context, &reply);
    context.TryCancel();
    ExpectStatus(stream->Finish(), StatusCode::CANCELLED);
    EmptyUnary();
}

void Client::CancelAfterFirstResponse()
{
    Context context;
    auto stream = stub_->FullDuplexCall(&context);
    Expect(stream->Write(Ask({31415}, 27182)), "an open stream");
    StreamingOutputCallResponse reply;
    Expect(stream->Read(&reply), "a reply");
    ExpectZeros(reply.payload(), 31415);
    context.TryCancel();
    ExpectStatus(stream->Finish(), StatusCode::CANCELLED);
    EmptyUnary();
}

void Client::TimeoutOnSleepingServer()
{
    Context context(std::chrono::milliseconds(1));
    auto stream = stub_->FullDuplexCall(&context);
    stream->Write(Ask({}, 27182));
    ExpectStatus(stream->Finish(), StatusCode::DEADLINE_EXCEEDED);
}

void Client::TimeoutBetweenReplies()
{
    Context context(std::chrono::milliseconds(200));
    StreamingOutputCallRequest request = Ask({1, 1});
    for (ResponseParameters &parameters : *request.mutable_response_parameters())
        parameters.set_interval_us(600000000);
    auto stream = stub_->StreamingOutputCall(&context, request);
    StreamingOutputCallResponse reply;
    Expect(!stream->Read(&reply), "no reply");
    ExpectStatus(stream->Finish(), StatusCode::DEADLINE_EXCEEDED);
}

void Client::RpcSoak()
{
    for (int i = 0; i < 200; i++)
        LargeUnary();
}
