#!/usr/bin/env python3
"""The raw-frame suite (tests/raw) against our servers: bugs that others had, broken frames, attacks.

Meanwhile a healthy client makes calls, of which none may fail. How many calls it still gets through
is measured by scripts/attacks.sh.
"""
import collections
import json
import pathlib
import re
import resource
import signal
import socket
import subprocess
import unittest

from programs import EMULATED, PROGRAMS, SERVERS, SOURCE, Server
from tls import Certificates

RAW_CLIENT = str(PROGRAMS / "tests" / "raw_client")
STREAMS = "100"  # --max-streams
MEMORY_KIB = 256 << 10  # the default of --max-memory
TLS = 'tls="none"' not in subprocess.run([PROGRAMS / "servers" / SERVERS[0], "--version"],
                                         capture_output=True, text=True, check=True).stdout
WITHOUT_TLS = "the programs are built without TLS"
SLOW_TLS = "an emulated handshake takes as long as the limits that are tested"

certificates = None


def setUpModule():
    global certificates
    certificates = Certificates() if TLS else None


def tearDownModule():
    if certificates:
        certificates.close()


class Healthy:
    """A client that calls at a steady pace for the length of a `with`; every reply is verified."""

    def __init__(self, server, *arguments):
        self.server = server
        self.argv = [str(PROGRAMS / "bench-edge"), "load", "-O", "json", "-z", "1h", "--rps", "100",
                     "--connections", "2", *arguments, server.address]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.server.wait_connected()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        self.result = json.loads(out) if out else None
        self.words = err


def check_healthy(test, healthy):
    """None of its calls failed, and no connection was lost."""
    test.assertIsNotNone(healthy.result, healthy.words)
    books = healthy.result["books"]
    test.assertGreater(books["outcomes"]["ok"], 0)
    test.assertEqual(books["outcomes"]["ok"], books["sent"], healthy.result["first_error"])
    test.assertEqual(healthy.result["connections_lost"], 0)


def listing():
    return subprocess.run([RAW_CLIENT, "--list"], capture_output=True, text=True,
                          check=True).stdout.splitlines()


class Clear:
    """How to get at a server."""

    raw_options = ()

    def healthy(self, server):
        return Healthy(server)

    def start(self, path, *options):
        return Server(path, "--max-streams", STREAMS, *options)


class OverTls(Clear):
    raw_options = ("--tls",)

    def healthy(self, server):
        return Healthy(server, "--cacert", certificates["ca.pem"])

    def start(self, path, *options):
        return certificates.server(path, "--max-streams", STREAMS, *options)


class RawTest:
    def setUp(self):
        self.running = self.start(f"servers/{self.server}").__enter__()
        self.addCleanup(self.running.__exit__)

    def play(self, *arguments):
        """Runs raw_client beside a healthy client. Its lines."""
        with self.healthy(self.running) as healthy:
            done = subprocess.run([RAW_CLIENT, *self.raw_options, *arguments, self.running.address],
                                  capture_output=True, text=True, timeout=280, check=False)
        bad = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
        self.assertEqual(done.returncode, 0, "\n".join(bad) + done.stderr)
        check_healthy(self, healthy)
        return done.stdout.splitlines()

    def test_requests(self):
        self.play("--table", "requests")

    def test_bugs_of_others(self):
        self.play("--table", "bugs")

    def test_broken_frames(self):
        self.play("--table", "frames")

    def test_attacks(self):
        self.play("--table", "attacks", "--duration", "100ms")
        self.check_memory()

    def check_memory(self):
        if EMULATED:
            return  # the peak is the emulator's
        status = pathlib.Path(f"/proc/{self.running.process.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in status.splitlines()
                    if line.startswith("VmHWM:"))
        self.assertLess(peak, MEMORY_KIB)

    def test_without_descriptors_the_old_are_served_and_the_new_are_shed(self):
        with self.healthy(self.running) as healthy:
            self.running.wait_busy()
            used = len(list(pathlib.Path(f"/proc/{self.running.process.pid}/fd").iterdir()))
            resource.prlimit(self.running.process.pid, resource.RLIMIT_NOFILE, (used, used))
            host, port = self.running.address.rsplit(":", 1)
            for _ in range(50):
                with socket.create_connection((host, int(port)), timeout=30) as shed:
                    self.assertEqual(shed.recv(1), b"")
        check_healthy(self, healthy)


class SlowTest:
    """Each limit that is a time, with times that a test can wait for; all at once."""

    def test_slow_clients(self):
        names = [row.split("\t")[1] for row in listing() if row.startswith("slow\t")]
        with self.start("tests/short_server", "--max-idle", "3s") as server:
            with self.healthy(server) as healthy:
                players = {name: subprocess.Popen(
                    [RAW_CLIENT, *self.raw_options, "--table", "slow", "--only", name,
                     server.address], stdout=subprocess.PIPE, text=True) for name in names}
                said = {name: player.communicate(timeout=120)[0]
                        for name, player in players.items()}
        for name, player in players.items():
            with self.subTest(name):
                self.assertEqual(player.returncode, 0, said[name])
        self.assertGreater(len(names), 10)
        check_healthy(self, healthy)


class Names(unittest.TestCase):
    def test_each_case_has_a_name_of_its_own(self):
        rows = [line.split("\t") for line in listing()]
        names = [tuple(row[:2]) for row in rows]
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(len(row) == 4 and all(row) for row in rows))

    def test_the_docs_count_them(self):
        tables = collections.Counter(line.split("\t")[0] for line in listing())
        text = (SOURCE / "docs/raw-suite.md").read_text()
        told = {name: int(count) for name, count in re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.M)}
        self.assertEqual(told, dict(tables))

    def test_nothing_there_is_noticed(self):
        done = subprocess.run([RAW_CLIENT, "--only", "a call", "127.0.0.1:1"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("BAD requests: a call", done.stdout)


for _server in SERVERS:
    globals()[_server] = type(_server, (Clear, RawTest, unittest.TestCase), {"server": _server})


class Slow(Clear, SlowTest, unittest.TestCase):
    pass


@unittest.skipIf(EMULATED, SLOW_TLS)
@unittest.skipUnless(TLS, WITHOUT_TLS)
class SlowOverTls(OverTls, SlowTest, unittest.TestCase):
    pass


@unittest.skipIf(EMULATED, SLOW_TLS)
@unittest.skipUnless(TLS, WITHOUT_TLS)
class ServerOverTls(OverTls, RawTest, unittest.TestCase):
    """Behind TLS both servers are the same."""

    server = SERVERS[0]


if __name__ == "__main__":
    unittest.main()
