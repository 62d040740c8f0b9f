#!/usr/bin/env python3
"""The shapes of a load of bench-edge, its connections, and the search for the highest rate."""
import concurrent.futures
import json
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import grpc

from programs import PROGRAMS, Server

LOAD = [str(PROGRAMS / "bench-edge"), "load", "-O", "json"]
SILENT = ("tests/lying_server", "--lie", "silent")
NULL = "servers/null_server"


class ShapesTest(unittest.TestCase):
    def load(self, address, *arguments, code=0):
        done = subprocess.run([*LOAD, *map(str, arguments), address], capture_output=True, text=True,
                              timeout=100, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        books = result["books"]
        self.assertTrue(books["balanced"])
        self.assertEqual(books["due"], books["sent"] + books["unsent"])
        self.assertEqual(books["sent"], sum(books["outcomes"].values()))
        return result


class Rates(ShapesTest):
    def test_steps(self):
        with Server(NULL) as server:
            # 200 ms each of 100, 200 and 300 per second; it ends with the last step.
            result = self.load(server.address, "--load-schedule", "step", "--load-start", 100,
                               "--load-end", 300, "--load-step", 100, "--load-step-duration",
                               "200ms")
            self.assertEqual(result["window_ns"], 600_000_000)
            self.assertEqual(result["books"]["due"], 20 + 40 + 60)
            self.assertEqual(result["options"]["load_schedule"]["kind"], "step")
            # Downwards, then constant at the end's rate.
            result = self.load(server.address, "--load-schedule", "step", "--load-start", 300,
                               "--load-end", 100, "--load-step=-100", "--load-step-duration",
                               "100ms", "-z", "500ms")
            self.assertEqual(result["books"]["due"], 30 + 20 + 30)

    def test_a_line(self):
        with Server(NULL) as server:
            result = self.load(server.address, "--load-schedule", "line", "--load-start", 100,
                               "--load-end", 500, "--load-step", 800, "-c", 20)
        # Half a second from 100 to 500 and a tenth more: the area below it, to a step's coarseness.
        self.assertEqual(result["window_ns"], 600_000_000)
        self.assertAlmostEqual(result["books"]["due"], 300 * 0.5 + 500 * 0.1, delta=25)

    def test_warm_up_comes_before_the_schedule(self):
        with Server(NULL) as server:
            result = self.load(server.address, "--load-schedule", "step", "--load-start", 100,
                               "--load-end", 200, "--load-step", 100, "--load-step-duration",
                               "200ms", "--warmup", "300ms")
        self.assertEqual(result["books"]["due"], 20 + 40)

    def test_poisson_is_made_by_its_seed(self):
        due = {}
        with Server(NULL) as server:
            for seed in (1, 1, 2, 3, 4):
                result = self.load(server.address, "-r", 2000, "-z", "300ms", "--arrivals",
                                   "poisson", "--seed", seed)
                due.setdefault(seed, set()).add(result["books"]["due"])
        self.assertEqual(len(due[1]), 1, "the same seed, the same arrivals")
        counts = set().union(*due.values())
        self.assertGreater(len(counts), 1, "other seeds, others")
        for count in counts: # 600 on average, with a standard deviation of 25
            self.assertTrue(450 < count < 750, counts)

    def test_calls_in_flight_are_capped(self):
        with Server(*SILENT) as server:
            result = self.load(server.address, "-r", 1000, "-z", "200ms", "--max-inflight", 7, "-t",
                               "0s", "--drain", "100ms", code=1)
        self.assertEqual((result["books"]["due"], result["books"]["sent"]), (200, 7))


class Concurrency(ShapesTest):
    """The server never answers, so what was sent is what was in flight at the highest."""

    def sent(self, start, end, step, *more):
        with Server(*SILENT) as server:
            result = self.load(server.address, "--concurrency-schedule", "step",
                               "--concurrency-start", start, "--concurrency-end", end,
                               f"--concurrency-step={step}", "--concurrency-step-duration", "300ms",
                               "-t", "0s", "--duration-stop", "close", *more, code=1)
        return result["books"]["outcomes"]["unfinished"]

    def test_up(self):
        self.assertEqual(self.sent(1, 9, 4), 9)
        self.assertEqual(self.sent(2, 9, 4, "--connections", 2, "--cpus", "0-1"), 9)

    def test_down(self):
        self.assertEqual(self.sent(9, 1, -4), 9)

    def test_down_is_obeyed(self):
        """Where calls end, no more than the last step's are in flight at the end."""
        with Server("tests/lying_server", "--lie", "honest") as server:
            result = self.load(server.address, "--concurrency-schedule", "step",
                               "--concurrency-start", 50, "--concurrency-end", 1,
                               "--concurrency-step=-49", "--concurrency-step-duration", "50ms", "-z",
                               "1s", "--duration-stop", "close")
        self.assertLessEqual(result["books"]["outcomes"]["unfinished"], 1)


class Amounts(ShapesTest):
    def test_total_or_the_longest_duration(self):
        with Server(NULL) as server:
            result = self.load(server.address, "-n", 500, "-x", "60s")
            self.assertEqual(result["books"]["outcomes"]["ok"], 500)
            self.assertFalse(result["stopped_early"])
            result = self.load(server.address, "-n", "1G", "-x", "200ms")
            self.assertGreater(result["books"]["outcomes"]["ok"], 0)
            result = self.load(server.address, "-n", "1G", "-x", "200ms", "-r", 1000)
            self.assertEqual(result["books"]["due"], 200)
            result = self.load(server.address, "-x", "200ms")
            self.assertEqual(result["window_ns"], 200_000_000)

    def test_the_first_calls_are_skipped(self):
        with Server(NULL) as server:
            for more in ((), ("-r", 5000), ("--cpus", "0-1", "--connections", 2)):
                with self.subTest(more=more):
                    result = self.load(server.address, "-n", 1000, "--skip-first", 100, *more)
                    self.assertEqual(result["books"]["outcomes"]["ok"], 900)
                    self.assertEqual(result["service"]["count"], 900)
            result = self.load(server.address, "-r", 1000, "-z", "300ms", "--skip-first", 100)
            self.assertEqual(result["books"]["due"], 200)
            self.assertEqual(result["window_ns"], 200_000_000)

    def test_closing_at_the_end(self):
        with Server(*SILENT) as server:
            begin = time.monotonic()
            result = self.load(server.address, "-z", "100ms", "-c", 5, "-t", "0s",
                               "--duration-stop", "close", "--drain", "60s", code=1)
        self.assertEqual(result["books"]["outcomes"]["unfinished"], 5)
        self.assertLess(time.monotonic() - begin, 50)


class EchoServer:
    """A grpcio server whose SayHello sends the request's bytes back, on any kind of address."""

    def __init__(self, address):
        self.address = address

    def __enter__(self):
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
        method = grpc.unary_unary_rpc_method_handler(lambda request, _: request)
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
            "helloworld.Greeter", {"SayHello": method}),))
        self.port = self.server.add_insecure_port(self.address)
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()


class Connections(ShapesTest):
    def test_a_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder, EchoServer(f"unix:{folder}/sock"):
            for spelling in (f"unix:{folder}/sock", f"unix://{folder}/sock"):
                result = self.load(spelling, "-n", 100, "-c", 4, "--connections", 2)
                self.assertEqual(result["books"]["outcomes"]["ok"], 100)
                self.assertEqual(result["options"]["address"], f"unix:{folder}/sock")
                self.assertEqual(result["connections_opened"], 2)

    def test_no_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            with socket.socket(socket.AF_UNIX) as sock:
                sock.bind(f"{folder}/closed")
            for name, words in (("none", "No such file or directory"), ("closed", "refused")):
                done = subprocess.run([*LOAD, f"unix:{folder}/{name}"], capture_output=True,
                                      text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(words, done.stderr)

    def test_ipv6_in_brackets(self):
        with socket.socket(socket.AF_INET6) as sock:
            try:
                sock.bind(("::1", 0))
            except OSError:
                self.skipTest("this machine has no IPv6")
        with EchoServer("[::1]:0") as server:
            result = self.load(f"[::1]:{server.port}", "-n", 50, "-c", 4)
        self.assertEqual(result["books"]["outcomes"]["ok"], 50)

    def test_a_ramp(self):
        with Server(NULL) as server:
            begin = time.monotonic()
            result = self.load(server.address, "-n", 100, "-c", 20, "--connections", 20,
                               "--connection-ramp", "500ms")
            self.assertGreaterEqual(time.monotonic() - begin, 0.47)
        self.assertEqual(result["connections_opened"], 20)
        self.assertEqual(result["books"]["outcomes"]["ok"], 100)

    def test_a_ping_keeps_a_quiet_connection(self):
        with Server(NULL) as server:
            result = self.load(server.address, "-r", 2, "-n", 3, "--keepalive", "200ms")
        self.assertGreater(result["keepalive_pings"], 0)
        self.assertEqual((result["connections_opened"], result["connections_lost"]), (1, 0))
        self.assertEqual(result["books"]["outcomes"]["ok"], 3)

    def test_a_server_that_answers_no_ping_is_lost(self):
        with Server(NULL) as server:
            def stop():
                server.wait_busy()
                server.process.send_signal(signal.SIGSTOP)

            stopper = threading.Thread(target=stop)
            stopper.start()
            result = self.load(server.address, "-z", "3s", "-c", 4, "--keepalive", "200ms",
                               "--drain", "100ms")
            stopper.join()
        self.assertEqual(result["connections_lost"], 1)
        self.assertEqual(result["books"]["outcomes"]["connection"], 4)
        self.assertIn("timed out", result["first_error"])


class FindMax(ShapesTest):
    def test_what_a_server_can_do(self):
        """Four connections with one call of 10 ms each: no more than 400 calls per second."""
        with Server("tests/delay_server", "--delay", "10ms") as server:
            result = self.load(server.address, "--find-max", "p90<300ms", "-r", 50, "-z", "500ms",
                               "-c", 4, "--connections", 4)
        found = result["find_max"]
        probes = found["probes"]
        self.assertEqual(probes[0]["rate_per_s"], 50)
        self.assertTrue(20 <= found["rate_per_s"] <= 430, found)
        # The answer is the last rate that was measured anew, three times as long.
        self.assertTrue(probes[-1]["confirms"] and probes[-1]["kept"])
        self.assertEqual(probes[-1]["rate_per_s"], found["rate_per_s"])
        self.assertGreaterEqual(result["window_ns"], 1_500_000_000)
        self.assertEqual(probes[-1]["window_ns"], result["window_ns"])
        self.assertEqual(result["options"]["rate_per_s"], found["rate_per_s"])
        # A miss was measured twice.
        rates = [probe["rate_per_s"] for probe in probes if not probe["confirms"]]
        for probe in probes:
            if not probe["kept"] and not probe["confirms"]:
                self.assertEqual(rates.count(probe["rate_per_s"]), 2)
        # The rates just above were missed, or it would have gone on.
        self.assertTrue(any(not probe["kept"] for probe in probes))

    def test_nothing_keeps_it(self):
        with Server(NULL) as server:
            done = subprocess.run([*LOAD[:2], "--find-max", "p50<1ns", "-z", "50ms", "-r", "1600",
                                   server.address], capture_output=True, text=True, timeout=100,
                                  check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("No rate was found that keeps the goals", done.stdout)
        self.assertIn("p50<1ns", done.stderr)

    def test_interrupted(self):
        with Server(NULL) as server:
            process = subprocess.Popen([*LOAD[:2], "--find-max", "p50<1h", "-z", "60s",
                                        server.address], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            server.wait_busy()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        self.assertIn("Interrupted: no rate was found", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
