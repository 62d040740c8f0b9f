#!/usr/bin/env python3
"""gRPC's interoperability cases, called with grpcio: a client that nobody here wrote.

grpcio compresses whole calls and does not show whether a reply was compressed: the cases that need
more are left to the C++ client.
"""
import argparse
import queue
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from cases import expect, run

WAIT = 30  # seconds: far beyond what any case takes
SERVICE = "/grpc.testing.TestService/"
INITIAL = ("x-grpc-test-echo-initial", "test_initial_metadata_value")
TRAILING = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")
SIZES_IN = (27182, 8, 1828, 45904)
SIZES_OUT = (31415, 9, 2653, 58979)
SPECIAL = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"


def messages(path):
    """The classes of a descriptor set: messages(path)("Empty")."""
    pool = descriptor_pool.DescriptorPool()
    with open(path, "rb") as file:
        for proto in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
            pool.Add(proto)
    factory = message_factory.MessageFactory(pool)
    return lambda name: factory.GetPrototype(
        pool.FindMessageTypeByName(f"grpc.testing.{name}"))


class Requests:
    """A request stream that is fed while replies are read."""

    def __init__(self):
        self.queue = queue.Queue()

    def send(self, request):
        self.queue.put(request)

    def close(self):
        self.queue.put(None)

    def __iter__(self):
        return self

    def __next__(self):
        request = self.queue.get()
        if request is None:
            raise StopIteration
        return request


class Client:
    def __init__(self, channel, message):
        self.message = message
        reply = {name: message(name).FromString for name in (
            "Empty", "SimpleResponse", "StreamingInputCallResponse",
            "StreamingOutputCallResponse")}

        def method(kind, path, answer):
            return getattr(channel, kind)(path, lambda m: m.SerializeToString(), reply[answer])

        self.empty = method("unary_unary", SERVICE + "EmptyCall", "Empty")
        self.unary = method("unary_unary", SERVICE + "UnaryCall", "SimpleResponse")
        self.input = method("stream_unary", SERVICE + "StreamingInputCall",
                            "StreamingInputCallResponse")
        self.output = method("unary_stream", SERVICE + "StreamingOutputCall",
                             "StreamingOutputCallResponse")
        self.duplex = method("stream_stream", SERVICE + "FullDuplexCall",
                             "StreamingOutputCallResponse")
        self.half_duplex_call = method("stream_stream", SERVICE + "HalfDuplexCall",
                                       "StreamingOutputCallResponse")
        self.no_method = method("unary_unary", SERVICE + "UnimplementedCall", "Empty")
        self.no_service = method("unary_unary",
                                 "/grpc.testing.UnimplementedService/UnimplementedCall", "Empty")

    # --- Requests ---

    def payload(self, size):
        return self.message("Payload")(body=bytes(size))

    def simple(self, size=314159, payload=271828, **more):
        return self.message("SimpleRequest")(response_size=size, payload=self.payload(payload),
                                             **more)

    def ask(self, sizes, payload=0, interval_us=0, **more):
        parameters = [self.message("ResponseParameters")(size=size, interval_us=interval_us)
                      for size in sizes]
        return self.message("StreamingOutputCallRequest")(
            response_parameters=parameters, payload=self.payload(payload), **more)

    def status(self, code, text):
        return self.message("EchoStatus")(code=code, message=text)

    def yes(self, value=True):
        return self.message("BoolValue")(value=value)

    # --- Expectations ---

    def expect_fails(self, code, call, details=None):
        try:
            call()
        except grpc.RpcError as error:
            expect(error.code(), code, "status")
            if details is not None:
                expect(error.details(), details, "message")
        else:
            expect("OK", code, "status")

    def expect_zeros(self, replies, sizes):
        expect([reply.payload.body for reply in replies], [bytes(size) for size in sizes],
               "payloads")

    # --- Cases ---

    def empty_unary(self):
        Empty = self.message("Empty")
        expect(self.empty(Empty(), timeout=WAIT), Empty(), "reply")

    def large_unary(self):
        self.expect_zeros([self.unary(self.simple(), timeout=WAIT)], [314159])

    def client_compressed_unary_noprobe(self):
        for compressed in (True, False):
            how = grpc.Compression.Gzip if compressed else grpc.Compression.NoCompression
            request = self.simple(expect_compressed=self.yes(compressed))
            self.expect_zeros([self.unary(request, timeout=WAIT, compression=how)], [314159])

    def client_compressed_unary(self):
        request = self.simple(expect_compressed=self.yes())
        self.expect_fails(grpc.StatusCode.INVALID_ARGUMENT,
                          lambda: self.unary(request, timeout=WAIT))
        self.client_compressed_unary_noprobe()

    def server_compressed_unary(self):
        for compressed in (True, False):
            request = self.simple(response_compressed=self.yes(compressed))
            self.expect_zeros([self.unary(request, timeout=WAIT)], [314159])

    def client_streaming(self):
        request = self.message("StreamingInputCallRequest")
        reply = self.input(iter([request(payload=self.payload(size)) for size in SIZES_IN]),
                           timeout=WAIT)
        expect(reply.aggregated_payload_size, sum(SIZES_IN), "sum")

    def server_streaming(self):
        self.expect_zeros(self.output(self.ask(SIZES_OUT), timeout=WAIT), SIZES_OUT)

    def server_streaming_intervals(self):
        sizes = (1, 2, 3)
        self.expect_zeros(self.output(self.ask(sizes, interval_us=20000), timeout=WAIT), sizes)

    def ping_pong(self):
        requests = Requests()
        replies = self.duplex(requests, timeout=WAIT)
        for out, back in zip(SIZES_OUT, SIZES_IN):
            requests.send(self.ask([out], payload=back))
            self.expect_zeros([next(replies)], [out])
        requests.close()
        expect(list(replies), [], "replies after the last")

    def half_duplex(self):
        requests = Requests()
        replies = self.half_duplex_call(requests, timeout=WAIT)
        for size in SIZES_OUT:
            requests.send(self.ask([size]))
        requests.close()
        self.expect_zeros(replies, SIZES_OUT)

    def empty_stream(self):
        expect(list(self.duplex(iter([]), timeout=WAIT)), [], "replies")

    def expect_echo(self, call):
        expect(dict(call.initial_metadata()).get(INITIAL[0]), INITIAL[1], "initial metadata")
        expect(dict(call.trailing_metadata()).get(TRAILING[0]), TRAILING[1], "trailing metadata")

    def custom_metadata(self):
        sent = (INITIAL, TRAILING)
        _, call = self.unary.with_call(self.simple(), metadata=sent, timeout=WAIT)
        self.expect_echo(call)
        call = self.duplex(iter([self.ask([314159], payload=271828)]), metadata=sent, timeout=WAIT)
        self.expect_zeros(call, [314159])
        self.expect_echo(call)

    def status_code_and_message(self):
        text = "test status message"
        asked = self.status(2, text)
        self.expect_fails(grpc.StatusCode.UNKNOWN, lambda: self.unary(
            self.message("SimpleRequest")(response_status=asked), timeout=WAIT), text)
        requests = Requests()  # which stays open
        replies = self.duplex(requests, timeout=WAIT)
        requests.send(self.ask([], response_status=asked))
        self.expect_fails(grpc.StatusCode.UNKNOWN, lambda: list(replies), text)
        requests.close()

    def special_status_message(self):
        request = self.message("SimpleRequest")(response_status=self.status(2, SPECIAL))
        self.expect_fails(grpc.StatusCode.UNKNOWN, lambda: self.unary(request, timeout=WAIT),
                          SPECIAL)

    def unimplemented_method(self):
        self.expect_fails(grpc.StatusCode.UNIMPLEMENTED, lambda: self.no_method(
            self.message("Empty")(), timeout=WAIT))

    def unimplemented_service(self):
        self.expect_fails(grpc.StatusCode.UNIMPLEMENTED, lambda: self.no_service(
            self.message("Empty")(), timeout=WAIT))

    def cancel_after_begin(self):
        requests = Requests()
        call = self.input.future(requests, timeout=WAIT)
        call.cancel()
        expect(call.code(), grpc.StatusCode.CANCELLED, "status")
        requests.close()
        self.empty_unary()

    def cancel_after_first_response(self):
        requests = Requests()
        replies = self.duplex(requests, timeout=WAIT)
        requests.send(self.ask([31415], payload=27182))
        self.expect_zeros([next(replies)], [31415])
        replies.cancel()
        self.expect_fails(grpc.StatusCode.CANCELLED, lambda: list(replies))
        requests.close()
        self.empty_unary()

    def timeout_on_sleeping_server(self):
        requests = Requests()
        replies = self.duplex(requests, timeout=0.001)
        requests.send(self.ask([], payload=27182))
        self.expect_fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(replies))
        requests.close()

    def timeout_between_replies(self):
        replies = self.output(self.ask([1, 1], interval_us=600_000_000), timeout=0.2)
        self.expect_fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(replies))

    def rpc_soak(self):
        for _ in range(200):
            self.expect_zeros([self.unary(self.simple(), timeout=WAIT)], [314159])


CASES = ("empty_unary", "large_unary", "client_compressed_unary",
         "client_compressed_unary_noprobe", "server_compressed_unary", "client_streaming",
         "server_streaming", "server_streaming_intervals", "ping_pong", "half_duplex",
         "empty_stream", "custom_metadata", "status_code_and_message", "special_status_message",
         "unimplemented_method", "unimplemented_service", "cancel_after_begin",
         "cancel_after_first_response", "timeout_on_sleeping_server", "timeout_between_replies",
         "rpc_soak")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptors", help="the descriptor set of interop.proto")
    parser.add_argument("address", help="HOST:PORT")
    parser.add_argument("ca", nargs="?", help="certificate of the authority: TLS")
    parser.add_argument("name", nargs="?", help="the name that the server's certificate must have")
    arguments = parser.parse_args()
    options = [("grpc.use_local_subchannel_pool", 1)]
    if arguments.ca:
        with open(arguments.ca, "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        if arguments.name:
            options.append(("grpc.ssl_target_name_override", arguments.name))
        channel = grpc.secure_channel(arguments.address, credentials, options)
    else:
        channel = grpc.insecure_channel(arguments.address, options)
    with channel:
        client = Client(channel, messages(arguments.descriptors))
        return run("python-grpcio", [(name, getattr(client, name)) for name in CASES])


if __name__ == "__main__":
    sys.exit(main())
