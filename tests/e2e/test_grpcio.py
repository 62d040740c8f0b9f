#!/usr/bin/env python3
"""Our servers, called by grpcio: a client that nobody here wrote."""
import signal
import subprocess
import threading
import unittest

import grpc

from messages import complex_proto, message
from programs import PROGRAMS, SERVERS, Server

HelloRequest = message("helloworld.HelloRequest")
HelloReply = message("helloworld.HelloReply")
Something = message("hellobench.Something")
Empty = message("hellobench.Empty")
Check = message("grpc.health.v1.HealthCheckRequest")
Health = message("grpc.health.v1.HealthCheckResponse")
LIMIT = 4 * 1024 * 1024
WAIT = 30  # seconds: far beyond what anything here takes


def serialize(value):
    return value if isinstance(value, bytes) else value.SerializeToString()


class ServerTest:
    """Every test, against self.server. One subclass per server below."""

    def setUp(self):
        self.running = Server(f"servers/{self.server}").__enter__()
        self.addCleanup(self.running.__exit__)
        self.connect()

    def connect(self):
        self.channel = grpc.insecure_channel(self.running.address, options=[
            ("grpc.max_receive_message_length", 2 * LIMIT),
            ("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(self.channel.close)

    def method(self, kind, path, reply=HelloReply):
        return getattr(self.channel, kind)(path, serialize, reply.FromString)

    def hello(self, request, **more):
        call = self.method("unary_unary", "/helloworld.Greeter/SayHello")
        return call(request, timeout=WAIT, **more)

    def assert_fails(self, code, call):
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception.details()

    # The four kinds of call

    def test_unary(self):
        request = complex_proto()
        self.assertEqual(self.hello(request).response, request.request)
        self.assertEqual(self.hello(HelloRequest()), HelloReply())

    def test_server_stream(self):
        call = self.method("unary_stream", "/helloworld.Greeter/SayHellos")
        request = complex_proto()
        for replies, count in ((0, 10), (1, 1), (5000, 5000)):
            request.replies = replies
            got = list(call(request, timeout=WAIT))
            self.assertEqual(len(got), count)
            self.assertTrue(all(reply.response == request.request for reply in got))
        request.replies = -1
        details = self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT,
                                    lambda: list(call(request, timeout=WAIT)))
        self.assertIn("-1", details)

    def test_client_stream(self):
        call = self.method("stream_unary", "/helloworld.Greeter/SayHelloCS")
        request = complex_proto()
        reply = call(iter([HelloRequest(), request, request]), timeout=WAIT)
        request.request.n = 3
        self.assertEqual(reply.response, request.request)
        self.assertEqual(call(iter([]), timeout=WAIT), HelloReply())

    def test_bidi(self):
        call = self.method("stream_stream", "/helloworld.Greeter/SayHelloBidi")
        answered = threading.Semaphore(1)
        count = 20

        def ping_pong():
            for n in range(count):
                self.assertTrue(answered.acquire(timeout=WAIT))  # each answer before the next
                request = complex_proto()
                request.request.n = n
                yield request

        for n, reply in enumerate(call(ping_pong(), timeout=WAIT)):
            self.assertEqual(reply.response.n, n)
            answered.release()
        self.assertEqual(n, count - 1)
        self.assertEqual(list(call(iter([]), timeout=WAIT)), [])

    def test_hellobench(self):
        call = self.method("unary_unary", "/hellobench.Greeter/SayEmpty", Empty)
        self.assertEqual(call(Empty(), timeout=WAIT), Empty())
        call = self.method("unary_unary", "/hellobench.Greeter/SaySomething", Something)
        for text in ("", "text", "\u263a" * 1000):
            self.assertEqual(call(Something(text=text), timeout=WAIT).text, text)

    def test_many_calls_at_once(self):
        call = self.method("unary_unary", "/helloworld.Greeter/SayHello")
        requests = [complex_proto() for _ in range(500)]
        for n, request in enumerate(requests):
            request.request.n = n
        replies = [call.future(request, timeout=WAIT) for request in requests]
        for n, reply in enumerate(replies):
            self.assertEqual(reply.result().response.n, n)

    # Sizes

    def test_a_message_up_to_the_limit(self):
        request = HelloRequest()
        request.request.name = "n" * (LIMIT - 10)
        size = len(request.SerializeToString())
        request.request.name += "n" * (LIMIT - size)
        self.assertEqual(len(request.SerializeToString()), LIMIT)
        self.assertEqual(self.hello(request).response, request.request)
        request.request.name += "n"
        self.assert_fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.hello(request))
        self.assertEqual(self.hello(complex_proto()).response, complex_proto().request)

    def test_large_messages_in_a_stream(self):
        call = self.method("stream_stream", "/helloworld.Greeter/SayHelloBidi")
        request = HelloRequest()
        request.request.name = "n" * 1000000
        replies = list(call(iter([request] * 20), timeout=WAIT))
        self.assertEqual(len(replies), 20)
        self.assertTrue(all(reply.response == request.request for reply in replies))

    def test_max_message_option(self):
        with Server(f"servers/{self.server}", "--max-message", "1k") as small:
            with grpc.insecure_channel(small.address) as channel:
                call = channel.unary_unary("/helloworld.Greeter/SayHello", serialize, serialize)
                request = HelloRequest()
                request.request.name = "n" * 2000
                self.assert_fails(grpc.StatusCode.RESOURCE_EXHAUSTED,
                                  lambda: call(request, timeout=WAIT))

    # Errors

    def test_bad_messages(self):
        for bad in (b"\x0a\x05x", b"\x07", b"\x0a\x03\x0a\x01\xff"):
            self.assert_fails(grpc.StatusCode.INTERNAL, lambda: self.hello(bad))

    def test_unknown_methods(self):
        for path in ("/helloworld.Greeter/Nope", "/no.Such/Service", "/x"):
            call = self.method("unary_unary", path)
            self.assert_fails(grpc.StatusCode.UNIMPLEMENTED,
                              lambda: call(complex_proto(), timeout=WAIT))

    def test_number_of_requests(self):
        for count in (0, 2):
            call = self.method("stream_unary", "/helloworld.Greeter/SayHello")
            self.assert_fails(grpc.StatusCode.UNIMPLEMENTED,
                              lambda: call(iter([complex_proto()] * count), timeout=WAIT))

    def test_compression(self):
        request = complex_proto()
        request.request.name = "n" * 10000
        self.assertEqual(self.hello(request, compression=grpc.Compression.Gzip).response,
                         request.request)
        # A megabyte of zeros is a kilobyte on the wire, but not in the server.
        request.request.name = "\0" * (LIMIT + 1)
        self.assert_fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.hello(
            request, compression=grpc.Compression.Gzip))
        self.assert_fails(grpc.StatusCode.UNIMPLEMENTED, lambda: self.hello(
            complex_proto(), compression=grpc.Compression.Deflate))
        self.assertEqual(self.hello(complex_proto()).response, complex_proto().request)

    def test_deadline(self):
        # The client never ends its side: the deadline does.
        call = self.method("stream_unary", "/helloworld.Greeter/SayHelloCS")
        hold = threading.Event()
        self.addCleanup(hold.set)

        def requests():
            yield complex_proto()
            hold.wait(WAIT)

        self.assert_fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: call(requests(), timeout=0.2))
        self.assertEqual(self.hello(complex_proto()).response, complex_proto().request)

    def test_metadata(self):
        reply = self.hello(complex_proto(), metadata=[
            ("x-text", "value"), ("x-data-bin", bytes(range(256))), ("x-text", "again")])
        self.assertEqual(reply.response, complex_proto().request)
        self.assert_fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.hello(
            complex_proto(), metadata=[("x-big", "v" * 20000)]))
        self.assertEqual(self.hello(complex_proto()).response, complex_proto().request)

    def test_cancel(self):
        call = self.method("unary_stream", "/helloworld.Greeter/SayHellos")
        request = complex_proto()
        request.replies = 2000000000
        for _ in range(50):
            stream = call(request, timeout=WAIT)
            next(stream)
            stream.cancel()
        self.assertEqual(self.hello(complex_proto()).response, complex_proto().request)

    # Health and reflection

    def health(self, service=""):
        call = self.method("unary_unary", "/grpc.health.v1.Health/Check", Health)
        return call(Check(service=service), timeout=WAIT).status

    def test_health_check(self):
        for service in ("", "helloworld.Greeter", "hellobench.Greeter", "grpc.health.v1.Health"):
            self.assertEqual(self.health(service), Health.SERVING)
        self.assert_fails(grpc.StatusCode.NOT_FOUND, lambda: self.health("no.such.Service"))
        call = self.method("unary_unary", "/grpc.health.v1.Health/List",
                           message("grpc.health.v1.HealthListResponse"))
        statuses = call(b"", timeout=WAIT).statuses
        self.assertEqual(statuses[""].status, Health.SERVING)
        self.assertEqual(statuses["helloworld.Greeter"].status, Health.SERVING)

    def test_health_watch(self):
        call = self.method("unary_stream", "/grpc.health.v1.Health/Watch", Health)
        known = call(Check(service="helloworld.Greeter"), timeout=WAIT)
        unknown = call(Check(service="no.such.Service"), timeout=WAIT)
        self.assertEqual(next(known).status, Health.SERVING)
        self.assertEqual(next(unknown).status, Health.SERVICE_UNKNOWN)
        self.running.process.send_signal(signal.SIGTERM)
        self.assertEqual(next(known).status, Health.NOT_SERVING)
        self.assert_fails(grpc.StatusCode.UNAVAILABLE, lambda: next(known))
        self.assert_fails(grpc.StatusCode.UNAVAILABLE, lambda: next(unknown))
        self.assertEqual(self.running.process.wait(WAIT), 0)

    def test_reflection(self):
        for version in ("v1", "v1alpha"):
            package = f"grpc.reflection.{version}"
            ask = message(f"{package}.ServerReflectionRequest")
            call = self.method("stream_stream", f"/{package}.ServerReflection/ServerReflectionInfo",
                               message(f"{package}.ServerReflectionResponse"))
            questions = [ask(list_services=""),
                         ask(file_containing_symbol="helloworld.Greeter.SayHello"),
                         ask(file_by_filename="hellobench.proto"),
                         ask(file_containing_symbol="no.Such")]
            answers = list(call(iter(questions), timeout=WAIT))
            self.assertEqual([answer.original_request for answer in answers], questions)
            names = {service.name for service in answers[0].list_services_response.service}
            self.assertLessEqual({"helloworld.Greeter", "hellobench.Greeter",
                                  "grpc.health.v1.Health"}, names)
            for answer, name in zip(answers[1:3], (b"helloworld", b"hellobench")):
                self.assertIn(name, answer.file_descriptor_response.file_descriptor_proto[0])
            self.assertEqual(answers[3].error_response.error_code,
                             grpc.StatusCode.NOT_FOUND.value[0])

    # The end

    def test_sigterm_drains(self):
        call = self.method("stream_stream", "/helloworld.Greeter/SayHelloBidi")
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def requests():
            yield complex_proto()
            go_on.wait(WAIT)
            yield complex_proto()

        stream = call(requests(), timeout=WAIT)
        next(stream)
        self.running.process.send_signal(signal.SIGTERM)
        # No new connection is taken, and the call in flight goes on.
        with grpc.insecure_channel(self.running.address,
                                   [("grpc.use_local_subchannel_pool", 1)]) as late:
            refused = late.unary_unary("/helloworld.Greeter/SayHello", serialize, serialize)
            self.assert_fails(grpc.StatusCode.UNAVAILABLE,
                              lambda: refused(complex_proto(), timeout=WAIT))
        self.assertIsNone(self.running.process.poll())
        go_on.set()
        self.assertEqual(len(list(stream)), 1)
        self.assertEqual(stream.code(), grpc.StatusCode.OK)
        self.assertEqual(self.running.process.wait(WAIT), 0)

    def test_sigterm_in_a_long_answer(self):
        call = self.method("unary_stream", "/helloworld.Greeter/SayHellos")
        request = complex_proto()
        request.replies = 20000
        stream = call(request, timeout=WAIT)
        next(stream)
        self.running.process.send_signal(signal.SIGTERM)
        self.assertEqual(1 + sum(1 for _ in stream), 20000)
        self.assertEqual(self.running.process.wait(WAIT), 0)

    def test_sigterm_with_an_idle_client(self):
        self.assertEqual(self.health(), Health.SERVING)
        self.running.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.running.process.wait(WAIT), 0)

    def test_port_taken(self):
        port = self.running.address.rsplit(":", 1)[1]
        done = self.run_server("--port", port)
        self.assertEqual(done.returncode, 1)
        self.assertIn(port, done.stderr)
        self.assertEqual(done.stdout, "")

    def run_server(self, *arguments):
        return subprocess.run([PROGRAMS / "servers" / self.server, *arguments], capture_output=True,
                              text=True, timeout=WAIT, check=False)

    def test_bad_options(self):
        for arguments in (("--nope",), ("--port", "65536"), ("--port", "x"), ("operand",),
                          ("--host", "localhost."), ("--max-message", "1x"),
                          ("--max-streams", "0")):
            done = self.run_server(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertTrue(done.stderr.startswith(self.server), done.stderr)

    def test_help_and_version(self):
        done = self.run_server("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--port", "--host", "--max-message", "--max-streams"):
            self.assertIn(option, done.stdout)
        done = self.run_server("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rf'^{self.server} \S+ codec=\S+ nghttp2=\S+ tls="[^"]+" '
                                      r'git=\S+ compiler="[^"]+" flags="[^"]+"\n$')


for _server in SERVERS:
    globals()[_server] = type(_server, (ServerTest, unittest.TestCase), {"server": _server})

if __name__ == "__main__":
    unittest.main()
