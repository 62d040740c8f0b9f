#!/usr/bin/env python3
"""The raw-frame suite (tests/raw) against our servers: bugs that others had, broken frames, attacks.

Meanwhile a healthy client makes calls, of which none may fail. How many calls it still gets through
is measured by scripts/attacks.sh.
"""
import json
import pathlib
import resource
import signal
import socket
import subprocess
import unittest

from programs import EMULATED, PROGRAMS, SERVERS, Server

RAW_CLIENT = str(PROGRAMS / "tests" / "raw_client")
STREAMS = "100"  # --max-streams


class Healthy:
    """A client that calls at a steady pace for the length of a `with`; every reply is verified."""

    def __init__(self, address, *arguments):
        self.argv = [str(PROGRAMS / "bench-edge"), "load", "-O", "json", "-z", "1h", "--rps", "100",
                     "--connections", "2", *arguments, address]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        self.result = json.loads(out) if out else None
        self.words = err


class RawTest:
    def setUp(self):
        self.running = Server(f"servers/{self.server}", "--max-streams", STREAMS).__enter__()
        self.addCleanup(self.running.__exit__)

    def play(self, *arguments):
        """Runs raw_client beside a healthy client. Its lines."""
        with Healthy(self.running.address) as healthy:
            done = subprocess.run([RAW_CLIENT, *arguments, self.running.address],
                                  capture_output=True, text=True, timeout=280, check=False)
        bad = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
        self.assertEqual(done.returncode, 0, "\n".join(bad) + done.stderr)
        self.assertIsNotNone(healthy.result, healthy.words)
        books = healthy.result["books"]
        self.assertGreater(books["outcomes"]["ok"], 0)
        self.assertEqual(books["outcomes"]["ok"], books["sent"], healthy.result["first_error"])
        self.assertEqual(healthy.result["connections_lost"], 0)
        return done.stdout.splitlines()

    def test_requests(self):
        self.play("--table", "requests")

    def test_bugs_of_others(self):
        self.play("--table", "bugs")

    def test_broken_frames(self):
        self.play("--table", "frames")

    def test_attacks(self):
        self.play("--table", "attacks")
        self.check_memory()

    def check_memory(self):
        if EMULATED:
            return  # the peak is the emulator's
        status = pathlib.Path(f"/proc/{self.running.process.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in status.splitlines()
                    if line.startswith("VmHWM:"))
        self.assertLess(peak, 64 << 10, "KiB at the most")


class Names(unittest.TestCase):
    def test_each_case_has_a_name_of_its_own(self):
        done = subprocess.run([RAW_CLIENT, "--list"], capture_output=True, text=True, check=True)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        names = [tuple(row[:2]) for row in rows]
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(len(row) == 4 and all(row) for row in rows))

    def test_nothing_there_is_noticed(self):
        done = subprocess.run([RAW_CLIENT, "--only", "a call", "127.0.0.1:1"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("BAD requests: a call", done.stdout)


for _server in SERVERS:
    globals()[_server] = type(_server, (RawTest, unittest.TestCase), {"server": _server})

if __name__ == "__main__":
    unittest.main()
