#!/usr/bin/env python3
"""TLS as peers that nobody here wrote see it: openssl, curl, grpcio; and the generator over TLS."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import grpc

import test_grpcio
import test_limits
from programs import EMULATED, PROGRAMS, SANITIZED, SERVERS, Server
from tls import Certificates

# RFC 9113 appendix A prohibits all others of TLS 1.2.
SUITES = {"TLSv1.2": {f"ECDHE-{kind}-{cipher}" for kind in ("ECDSA", "RSA") for cipher in (
              "AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305")},
          "TLSv1.3": {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
                      "TLS_CHACHA20_POLY1305_SHA256"}}
RAM = ["--server-ram", "0"] if SANITIZED else []  # shadow memory is above any limit
ANY = "ALL:COMPLEMENTOFALL:@SECLEVEL=0"
HANDSHAKES = "3s" if EMULATED else "300ms"  # long enough for some, beside other tests
WAIT = 60

certificates = None


def setUpModule():
    global certificates
    certificates = Certificates()
    # An RSA certificate, one that is over, and an encrypted key.
    certificates.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                         "/CN=localhost", "-keyout", "rsa.key", "-out", "rsa.pem")
    certificates.openssl("req", "-new", "-key", "server.key", "-subj", "/CN=localhost", "-out",
                         "old.csr")
    (certificates.folder / "index").touch()
    (certificates.folder / "ca.ini").write_text("[ca]\ndefault_ca=d\n[d]\ndatabase=index\npolicy=p\n"
                                                "new_certs_dir=.\ndefault_md=sha256\nserial=serial\n"
                                                "[p]\ncommonName=supplied\n")
    certificates.openssl("ca", "-batch", "-notext", "-selfsign", "-config", "ca.ini", "-keyfile",
                         "server.key", "-in", "old.csr", "-out", "old.pem", "-rand_serial",
                         "-startdate", "20200101000000Z", "-enddate", "20200201000000Z")
    certificates.openssl("pkey", "-in", "server.key", "-aes128", "-passout", "pass:word", "-out",
                         "locked.key")


def tearDownModule():
    certificates.close()


def s_client(address, *arguments, words=""):
    """What openssl's client says of a connection: its output, errors included."""
    done = subprocess.run(["openssl", "s_client", "-connect", address, *arguments], input=words,
                          capture_output=True, text=True, timeout=WAIT, errors="replace")
    return done.stdout + done.stderr


def agreed(output):
    """The version and suite that were agreed on, or None."""
    match = re.search(r"^New, (TLSv\S+), Cipher is (\S+)$", output, re.M)
    return match.groups() if match else None


def h2_context():
    context = ssl.create_default_context(cafile=certificates["ca.pem"])
    context.set_alpn_protocols(["h2"])
    return context


def connect(address):
    host, port = address.split(":")
    return socket.create_connection((host, int(port)), WAIT)


def load(address, *arguments, call="SayHello"):
    return subprocess.run([PROGRAMS / "bench-edge", "load", "-n", "200", "-c", "20",
                           "--connections", "2", "--call", call, *arguments, address],
                          capture_output=True, text=True, timeout=WAIT)


class ServerTest:
    """What each server has of its own: options, and the way from the socket to a call."""

    def setUp(self):
        self.running = certificates.server(f"servers/{self.server}").__enter__()
        self.addCleanup(self.running.__exit__)
        self.address = self.running.address

    def test_curl(self):
        for name in ("localhost", "127.0.0.1"):
            url = f"https://{name}:{self.address.split(':')[1]}/a.B/C"
            done = subprocess.run(["curl", "-sS", "--http2", "--cacert", certificates["ca.pem"],
                                   "-X", "POST", "-H", "content-type: application/grpc", "-w",
                                   "%{http_version} %{http_code}", url], capture_output=True,
                                  text=True, timeout=WAIT)
            self.assertEqual(done.stdout, "2 200", done.stderr)

    def test_load(self):
        for call in ("SayHello", "SayHellos", "SayHelloCS", "SayHelloBidi"):
            for name in ([], ["--cname", "localhost"]):
                done = load(self.address, "--cacert", certificates["ca.pem"], *name, call=call)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"TLS:\s+TLSv1\.[23], \S*ECDHE|TLS1-3\S*, 2 full")
                self.assertIn("ok 200: BALANCED", done.stdout)

    def test_large_messages(self):
        done = load(self.address, "--cacert", certificates["ca.pem"], "--scenario", "string_10kB",
                    "-n", "50")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_handshake_that_does_not_come_holds_nothing_up(self):
        with connect(self.address) as idle:
            load(self.address, "--cacert", certificates["ca.pem"])
            self.running.process.terminate()
            self.assertEqual(self.running.process.wait(8), 0)  # without it: ten seconds
            self.assertEqual(idle.recv(1), b"")

    def test_memory_counts_what_tls_takes(self):
        limits = test_limits.ServerTest()
        with certificates.server(f"servers/{self.server}", "--max-memory", "4m") as server:
            served = []
            while len(served) < 60 and (client := self.shake_hands(server.address)):
                served.append(client)
            self.assertTrue(15 < len(served) < 45, len(served))  # in the clear there is room for 57
            for client in served:
                self.assertTrue(limits.is_served(client, test_limits.OPENING))
            for client in served[1:]:
                client.close()
            deadline = time.monotonic() + WAIT
            while not (client := self.shake_hands(server.address)):  # it counts once a second
                self.assertLess(time.monotonic(), deadline)
            self.assertTrue(limits.is_served(client, test_limits.OPENING))

    def shake_hands(self, address):
        """A connection, or None if it is refused."""
        plain = connect(address)
        try:
            client = h2_context().wrap_socket(plain, server_hostname="localhost")
        except OSError:
            plain.close()
            return None
        self.addCleanup(client.close)
        return client

    def test_files_at_the_start(self):
        good = certificates["server.pem"], certificates["server.key"]
        cases = (((good[0], None), 2, "found only the certificate"),
                 ((None, good[1]), 2, "found only the key"),
                 ((certificates["no.pem"], good[1]), 1, "No such file"),
                 ((certificates["rsa.pem"], good[1]), 2, "is not the key of"),
                 ((good[1], good[1]), 2, "expected a certificate in PEM"),
                 ((good[0], good[0]), 2, "expected a private key in PEM"),
                 ((good[0], certificates["locked.key"]), 2, "not encrypted"),
                 ((certificates["old.pem"], good[1]), 2, "expired on 20"))
        for (cert, key), code, words in cases:
            argv = [PROGRAMS / "servers" / self.server, "--port", "0"]
            argv += ["--tls-cert", cert] if cert else []
            argv += ["--tls-key", key] if key else []
            done = subprocess.run(argv, capture_output=True, text=True, timeout=WAIT)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)


class NanopbTest(ServerTest, unittest.TestCase):
    server = SERVERS[0]


class ProtobufcTest(ServerTest, unittest.TestCase):
    server = SERVERS[1]


class SlowHandshakeTest(unittest.TestCase):
    """The time for a handshake is that of all that comes before SETTINGS: a second, in this server.
    """

    def hello(self):
        outgoing = ssl.MemoryBIO()
        client = h2_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
        with contextlib.suppress(ssl.SSLWantReadError):
            client.do_handshake()
        return outgoing.read()

    def wait_closed(self, peer):
        """Until the server has closed the connection. If it does not, recv() times out."""
        try:
            while peer.recv(4096):
                pass
        except ConnectionResetError:
            pass

    def dribble(self, peer, words):
        peer.settimeout(0.05)
        for i in range(WAIT * 20):
            with contextlib.suppress(TimeoutError):
                peer.send(words[i:i + 1])
                if not peer.recv(4096):
                    return
        self.fail(f"open after {WAIT} s")

    def test_peers_that_do_not_finish(self):
        hello = self.hello()
        with certificates.server("tests/short_server") as server:
            beginnings = b"", hello[:1], hello[:-1], hello
            peers = [connect(server.address) for _ in beginnings]
            for peer, beginning in zip(peers, beginnings):
                self.addCleanup(peer.close)
                peer.sendall(beginning)
            done = load(server.address, "--cacert", certificates["ca.pem"])
            self.assertEqual(done.returncode, 0, done.stderr)
            for peer in peers:
                self.wait_closed(peer)
            with connect(server.address) as peer, contextlib.suppress(ConnectionError):
                self.dribble(peer, hello)


class SurfaceTest(unittest.TestCase):
    """What is offered is the same code in both servers."""

    def setUp(self):
        self.serve("server")

    def serve(self, name):
        running = Server(f"servers/{SERVERS[0]}", "--tls-cert", certificates[f"{name}.pem"],
                         "--tls-key", certificates[f"{name}.key"]).__enter__()
        self.addCleanup(running.__exit__)
        self.address = running.address

    def version(self):
        """The newest one: 1.3 where the library has it."""
        return agreed(s_client(self.address, "-alpn", "h2"))[0]

    def test_only_h2_is_spoken(self):
        output = s_client(self.address, "-alpn", "http/1.1,h2", "-CAfile", certificates["ca.pem"])
        self.assertIn("ALPN protocol: h2", output)
        self.assertIn("Verify return code: 0 (ok)", output)
        for arguments in (["-alpn", "http/1.1"], []):
            # With TLS 1.3 it comes when the client thinks that all is done.
            self.assertIn("SSL alert number 120", s_client(self.address, "-ign_eof", *arguments))

    def test_only_intended_versions(self):
        for flag in ("-tls1", "-tls1_1"):
            output = s_client(self.address, "-alpn", "h2", flag, "-cipher", ANY)
            self.assertIn("alert number 70", output)
            self.assertIsNone(agreed(output))
        self.assertEqual(agreed(s_client(self.address, "-alpn", "h2", "-tls1_2"))[0], "TLSv1.2")
        output = s_client(self.address, "-alpn", "h2", "-tls1_3")
        if self.version() == "TLSv1.3":
            self.assertEqual(agreed(output)[0], "TLSv1.3")
        else:
            self.assertRegex(output, "alert number [47]0")

    def check_suites(self, kind, expected):
        """Tries each suite that openssl knows by itself."""
        names = subprocess.run(["openssl", "ciphers", "-s", "-tls1_2", ANY], capture_output=True,
                               text=True, check=True).stdout.strip().split(":")
        names = [name for name in names if not name.startswith("TLS_")]
        self.assertGreater(len(names), 60)

        def accepted(name):
            return agreed(s_client(self.address, "-alpn", "h2", "-tls1_2", "-cipher",
                                   f"{name}:@SECLEVEL=0"))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = {suite for suite in pool.map(accepted, names) if suite}
        self.assertEqual(found, {("TLSv1.2", name) for name in expected if kind in name})

    def test_exactly_these_suites(self):
        self.check_suites("ECDSA", SUITES["TLSv1.2"])
        if self.version() == "TLSv1.3":
            for name in SUITES["TLSv1.3"]:
                output = s_client(self.address, "-alpn", "h2", "-tls1_3", "-ciphersuites", name)
                self.assertEqual(agreed(output), ("TLSv1.3", name))
            for name in ("TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"):
                self.assertIsNone(agreed(s_client(self.address, "-alpn", "h2", "-tls1_3",
                                                  "-ciphersuites", name)))

    def check_group(self, group, key):
        output = s_client(self.address, "-alpn", "h2", "-tls1_2", "-groups", group)
        self.assertRegex(output, f"Temp Key: .*{key}" if key else "alert number 40")

    def test_groups(self):
        self.check_group("P-256", "prime256v1")
        self.check_group("P-521", None)

    def test_tickets(self):
        session = certificates["session"]
        s_client(self.address, "-alpn", "h2", "-tls1_2", "-sess_out", session)
        output = s_client(self.address, "-alpn", "h2", "-tls1_2", "-sess_in", session)
        self.assertIn("Reused, TLSv1.2", output)
        self.assertIn("ALPN protocol: h2", output)

    def test_no_renegotiation(self):
        client = subprocess.Popen(["openssl", "s_client", "-connect", self.address, "-alpn", "h2",
                                   "-tls1_2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        output = b""
        while not output.endswith(b"\0\0"):  # the server's SETTINGS, or they would be in the way
            output += client.stdout.read(1)
        output = client.communicate(b"R\n", WAIT)[0].decode(errors="replace")
        self.assertIn("no renegotiation", output)

    def test_bytes_that_are_no_tls(self):
        for words in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", bytes(100)):
            with connect(self.address) as peer:
                peer.sendall(words)
                answer = b""
                while part := peer.recv(100):
                    answer += part
            self.assertEqual((answer[:2], len(answer)), (b"\x15\x03", 7))  # one alert, then the end
        self.assertEqual(load(self.address, "--cacert", certificates["ca.pem"]).returncode, 0)

    def test_rsa_certificate(self):
        self.serve("rsa")
        self.check_suites("RSA", SUITES["TLSv1.2"])
        self.check_group("X25519", "X25519")  # which the other certificate's key keeps out


class GrpcioTest(test_grpcio.ServerTest):
    """All that test_grpcio does, over TLS."""

    def setUp(self):
        self.running = certificates.server(f"servers/{self.server}").__enter__()
        self.addCleanup(self.running.__exit__)
        self.connect()

    def connect(self):
        with open(certificates["ca.pem"], "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        self.channel = grpc.secure_channel(self.running.address, credentials, options=[
            ("grpc.max_receive_message_length", 2 * test_grpcio.LIMIT),
            ("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(self.channel.close)


class NanopbGrpcioTest(GrpcioTest, unittest.TestCase):
    server = SERVERS[0]


class ProtobufcGrpcioTest(GrpcioTest, unittest.TestCase):
    server = SERVERS[1]


def echo(request, _context):
    return request


class GrpcioServer(grpc.GenericRpcHandler):
    """SayHello by grpcio, with the TLS of the library under it."""

    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(echo)


def read(name):
    with open(certificates[name], "rb") as file:
        return file.read()


class GeneratorTest(unittest.TestCase):
    def serve(self, *, with_clients=False):
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(4), handlers=[GrpcioServer()])
        credentials = grpc.ssl_server_credentials(
            [(read("server.key"), read("server.pem"))],
            root_certificates=read("ca.pem") if with_clients else None,
            require_client_auth=with_clients)
        port = server.add_secure_port("127.0.0.1:0", credentials)
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())
        return f"127.0.0.1:{port}"

    def load(self, address, *arguments):
        return load(address, *arguments)

    def refused(self, words, address, *arguments, code=1):
        done = self.load(address, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def test_a_server_of_another_make(self):
        address = self.serve()
        for arguments in (["--cacert", certificates["ca.pem"]], ["--skip-verify"],
                          ["--cacert", certificates["ca.pem"], "--cname", "localhost"]):
            done = self.load(address, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("ok 200: BALANCED", done.stdout)

    def test_a_server_that_asks_for_a_certificate(self):
        address = self.serve(with_clients=True)
        trust = ["--cacert", certificates["ca.pem"]]
        done = self.load(address, *trust, "--cert", certificates["client.pem"], "--key",
                         certificates["client.key"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused("TLS", address, *trust)

    def test_certificates_are_looked_at(self):
        address = self.serve()
        trust = ["--cacert", certificates["ca.pem"]]
        self.refused('not for "edge.example"', address, *trust, "--cname", "edge.example")
        self.refused('not for "127.0.0.9"', address, *trust, "--cname", "127.0.0.9")
        self.refused("no trusted authority", address, "--cacert", certificates["rsa.pem"])
        self.refused("cannot read", address, "--cacert", certificates["no.pem"])
        with self.openssl_server("old.pem", "server.key", "-alpn", "h2") as address:
            self.refused("has expired", address, "--cacert", certificates["old.pem"], "--cname",
                         "localhost")

    def openssl_server(self, cert, key, *arguments):
        return OpensslServer(cert, key, *arguments)

    def test_what_is_no_h2_over_tls(self):
        trust = ["--cacert", certificates["ca.pem"]]
        with self.openssl_server("server.pem", "server.key") as address:
            self.refused("no ALPN", address, *trust)
        with self.openssl_server("server.pem", "server.key", "-alpn", "http/1.1") as address:
            self.refused("expected HTTP/2 over TLS", address, *trust)
        with self.openssl_server("server.pem", "server.key", "-alpn", "h2", "-cipher",
                                 "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0", "-tls1_2") as address:
            self.refused("handshake_failure", address, *trust)

    def test_one_side_without_tls(self):
        with Server(f"servers/{SERVERS[0]}") as server:
            self.refused("not TLS", server.address, "--cacert", certificates["ca.pem"])
        with certificates.server(f"servers/{SERVERS[0]}") as server:
            self.refused("found TLS", server.address)
        self.refused("if it is a server with TLS", self.serve())
        listener = socket.create_server(("127.0.0.1", 0))
        closer = threading.Thread(target=lambda: listener.accept()[0].close())
        closer.start()
        self.refused("server without TLS?", f"127.0.0.1:{listener.getsockname()[1]}", "--cacert",
                     certificates["ca.pem"])
        closer.join()
        listener.close()

    def test_options_that_do_not_go_together(self):
        ca = certificates["ca.pem"]
        for arguments in (["--cname", "a"], ["--cert", ca, "--key", ca], ["--cacert", ca, "--cert",
                          ca], ["--cacert", ca, "--skip-verify"]):
            self.refused("expected", "127.0.0.1:1", *arguments, code=2)

    def test_null_server(self):
        with certificates.server("servers/null_server") as server:
            done = self.load(server.address, "--cacert", certificates["ca.pem"])
            self.assertEqual(done.returncode, 0, done.stderr)


FOREIGN = """#!/usr/bin/python3
import argparse, concurrent.futures, grpc
parser = argparse.ArgumentParser()
for name in ("port", "tls-cert", "tls-key"):
    parser.add_argument("--" + name)
asked = parser.parse_args()
class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)
server = grpc.server(concurrent.futures.ThreadPoolExecutor(4), handlers=[Echo()])
server.add_secure_port("127.0.0.1:" + asked.port, grpc.ssl_server_credentials(
    [(open(asked.tls_key, "rb").read(), open(asked.tls_cert, "rb").read())]))
server.start()
server.wait_for_termination()
"""


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.made = self.folder / "made"
        self.made.mkdir()

    def run_server(self, server, *arguments, name="results"):
        argv = [PROGRAMS / "bench-edge", "run", "-z", "300ms", "--warmup", "50ms", "--repeat", "1",
                "--connections", "4", "-c", "8", "--handshakes", HANDSHAKES, "--power", "none",
                "--results-dir", self.folder / name, *RAM, *arguments, server]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=WAIT,
                              env={**os.environ, "TMPDIR": str(self.made)})
        # Too short to be valid.
        self.assertEqual(done.returncode, 0 if EMULATED else 3, done.stdout + done.stderr)
        self.assertEqual(list(self.made.iterdir()), [])
        file, = (self.folder / name).glob("*/*.jsonl")
        records = [json.loads(line) for line in file.read_text().splitlines()]
        return done.stdout, file, records

    def check(self, text, records, full):
        count, = (record for record in records if record["type"] == "count")
        self.assertRegex(count["tls_version"], r"TLSv1\.[23]")
        self.assertEqual(count["outcomes"]["ok"], count["sent"])
        self.assertEqual(count["tls_full"], full)
        spans = {record["name"]: record for record in records if record["type"] == "interval"}
        self.assertIn("connection_bytes", spans["connected"])
        for name in ("handshakes_full", "handshakes_resumed"):
            self.assertGreater(spans[name]["ok"], 0)
            self.assertEqual(spans[name]["ended"], spans[name]["ok"])
            if not EMULATED:
                self.assertGreater(spans[name]["server_cpu_ns"], 0)
        self.assertIn(f"{count['tls_version']} {count['tls_suite']}", text)
        self.assertRegex(text, r"full/s \| +CPU/full")

    def test_a_run_makes_its_certificate(self):
        text, tls, records = self.run_server(SERVERS[0], "--tls")
        self.check(text, records, 4)
        builds = [record for record in records if record["type"] == "build"]
        self.assertRegex(builds[1]["tls"], "(?i)mbed TLS")
        # The same in the clear is another work.
        text, clear, records = self.run_server(SERVERS[0], name="clear")
        self.assertIn("TLS off", text)
        done = subprocess.run([PROGRAMS / "bench-edge", "compare", "--allow", "invalid", tls, clear],
                              capture_output=True, text=True, timeout=WAIT)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, r"tls \(TLSv1\.\d TLS\S+; off\)")

    def test_files_of_ones_own(self):
        files = ["--tls", "--tls-cert", certificates["server.pem"], "--tls-key",
                 certificates["server.key"], "--cacert", certificates["ca.pem"]]
        text, _, records = self.run_server(SERVERS[1], *files, "--cname", "localhost")
        self.check(text, records, 4)

    def test_a_server_of_another_make(self):
        server = self.folder / "grpcio_server"
        server.write_text(FOREIGN)
        server.chmod(0o755)
        text, _, records = self.run_server(server, "--tls")
        self.check(text, records, 4)

    def test_what_does_not_go_together(self):
        for arguments in (["--cacert", "a"], ["--tls", "--tls-cert", "a"], ["--tls", "--cacert", "a"],
                          ["--tls", "--tls-cert", certificates["server.pem"], "--tls-key",
                           certificates["rsa.key"]]):
            done = subprocess.run([PROGRAMS / "bench-edge", "run", *arguments, "null_server"],
                                  capture_output=True, text=True, timeout=WAIT)
            self.assertEqual(done.returncode, 2, done.stderr)


class OpensslServer:
    """openssl's own server, which speaks no HTTP/2: as far as the handshake."""

    def __init__(self, cert, key, *arguments):
        self.argv = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates[cert],
                     "-key", certificates[key], *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if match := re.match(r"ACCEPT (127\.0\.0\.1:\d+)", line):
                return match.group(1)
        raise AssertionError("openssl s_server does not say where it listens")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()


if __name__ == "__main__":
    unittest.main()
