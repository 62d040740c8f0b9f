#!/usr/bin/env python3
"""Our servers under nghttp, h2load and curl: HTTP/2 clients that know no gRPC."""
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from messages import complex_proto, message
from programs import SERVERS, Server

PATH = "/helloworld.Greeter/SayHello"
GRPC = ["-H", "content-type: application/grpc", "-H", "te: trailers"]


def framed(request):
    body = request.SerializeToString()
    return b"\0" + struct.pack(">I", len(body)) + body


def run(*argv):
    done = subprocess.run(argv, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode()


class ServerTest:
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.body = self.write("body", framed(complex_proto()))
        self.running = Server(f"servers/{self.server}").__enter__()
        self.addCleanup(self.running.__exit__)
        self.url = f"http://{self.running.address}"

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def need(self, tool):
        if shutil.which(tool) is None:
            self.skipTest(f"{tool} is not installed")

    def nghttp(self, path=PATH, *arguments):
        self.need("nghttp")
        code, out, err = run("nghttp", "-v", "-n", "--no-dep", *GRPC, "-d", self.body, *arguments,
                             self.url + path)
        self.assertEqual(code, 0, err)
        received = re.sub(r"\x1b\[[0-9;]*m", "", out)
        return dict(re.findall(r"recv \(stream_id=\d+\) (:?[\w-]+): (.*)", received)), received

    def test_nghttp_sees_headers_data_and_trailers(self):
        fields, log = self.nghttp()
        self.assertEqual(fields, {":status": "200", "content-type": "application/grpc",
                                  "grpc-status": "0"})
        frames = re.findall(r"recv (HEADERS|DATA) frame <length=(\d+), flags=0x(\d+)", log)
        self.assertEqual([frame[0] for frame in frames], ["HEADERS", "DATA", "HEADERS"])
        self.assertEqual(frames[1][1], str(5 + len(complex_proto().SerializeToString())))
        self.assertEqual([int(frame[2], 16) & 1 for frame in frames], [0, 0, 1])  # END_STREAM

    def test_nghttp_sees_trailers_only(self):
        fields, log = self.nghttp("/helloworld.Greeter/Nope")
        self.assertEqual(fields[":status"], "200")
        self.assertEqual(fields["grpc-status"], "12")
        self.assertEqual(len(re.findall(r"recv HEADERS frame", log)), 1)

    def test_nghttp_with_tiny_windows_and_padding(self):
        request = message("helloworld.HelloRequest")()
        request.request.name = "n" * 300000
        self.body = self.write("large", framed(request))
        # Windows of 2^10 - 1 bytes, padding on each frame.
        fields, log = self.nghttp(PATH, "-w", "10", "-W", "10", "-b", "255")
        self.assertEqual(fields["grpc-status"], "0")
        sizes = map(int, re.findall(r"recv DATA frame <length=(\d+)", log))
        self.assertEqual(sum(sizes), len(framed(request)))

    def h2load(self, path, *arguments, connections=8, streams=10, total=4000):
        self.need("h2load")
        code, out, err = run("h2load", "-c", str(connections), "-m", str(streams), "-n", str(total),
                             *GRPC, "-d", self.body, *arguments, self.url + path)
        self.assertEqual(code, 0, err)
        self.assertIn(f"{total} succeeded, 0 failed, 0 errored, 0 timeout", out)
        self.assertIn(f"status codes: {total} 2xx", out)
        data = re.search(r"\((\d+)\) data", out)
        self.assertIsNotNone(data, out)
        return int(data.group(1))

    def test_h2load(self):
        # h2load does not look at grpc-status: the bytes of the replies tell.
        reply = len(framed(complex_proto()))
        self.assertEqual(self.h2load(PATH), 4000 * reply)

    def test_h2load_with_small_windows(self):
        request = message("helloworld.HelloRequest")()
        request.request.name = "n" * 3000
        self.body = self.write("body", framed(request))
        reply = len(framed(request))
        for bits in ("10", "12", "16"):
            self.assertEqual(self.h2load(PATH, "-w", bits, "-W", bits, total=800), 800 * reply)

    def test_h2load_streams_many_replies(self):
        request = complex_proto()
        request.replies = 1000
        self.body = self.write("body", framed(request))
        reply = len(framed(complex_proto()))
        for bits in ("14", "30"):
            got = self.h2load("/helloworld.Greeter/SayHellos", "-w", bits, "-W", bits, total=80)
            self.assertEqual(got, 80 * 1000 * reply)

    def test_h2load_without_header_compression(self):
        reply = len(framed(complex_proto()))
        got = self.h2load(PATH, "--header-table-size=0", "--encoder-header-table-size=0")
        self.assertEqual(got, 4000 * reply)

    def test_h2load_up_to_the_stream_limit(self):
        reply = len(framed(complex_proto()))
        self.assertEqual(self.h2load(PATH, connections=1, streams=1000, total=5000), 5000 * reply)

    def curl(self, *arguments):
        self.need("curl")
        headers = self.folder / "headers"
        code, _, err = run("curl", "-sS", "--http2-prior-knowledge", "-D", str(headers), "-o",
                           str(self.folder / "out"), *arguments)
        self.assertEqual(code, 0, err)
        lines = headers.read_text().splitlines()
        return lines[0].strip(), dict(line.split(": ", 1) for line in lines if ": " in line)

    def test_curl(self):
        status, fields = self.curl(*GRPC, "--data-binary", "@" + self.body, self.url + PATH)
        self.assertEqual(status, "HTTP/2 200")
        self.assertEqual(fields["grpc-status"], "0")
        self.assertEqual((self.folder / "out").read_bytes(), framed(complex_proto()))

    def test_curl_is_no_grpc_client(self):
        # No body: curl takes it amiss when it is told, without an error, to stop sending one.
        status, fields = self.curl("--data", "", self.url + PATH)
        self.assertEqual(status, "HTTP/2 415")
        self.assertNotIn("grpc-status", fields)
        status, fields = self.curl(self.url + PATH)
        self.assertEqual(status, "HTTP/2 405")
        self.assertEqual(fields["grpc-status"], "13")

    def test_http1_is_turned_away(self):
        self.need("curl")
        code, _, _ = run("curl", "-sS", "--http1.1", self.url + PATH)
        self.assertNotEqual(code, 0)
        self.test_curl()  # and the server goes on


for _server in SERVERS:
    globals()[_server] = type(_server, (ServerTest, unittest.TestCase), {"server": _server})

if __name__ == "__main__":
    unittest.main()
