#!/usr/bin/env python3
"""bench-edge load measures time rightly: against a server that knows how long it took itself, one
that stands still for a second, and by the clock at which its own calls were due.

No test here depends on how fast the machine is. A call cannot be shorter for the client than it was
for the server; how much longer it may be is bounded by gaps far wider than any scheduling delay, as
long as nothing else wants the CPUs: ctest runs nothing beside it.
"""
import fractions
import math
import signal
import subprocess
import threading
import time
import unittest

from programs import EMULATED, PROGRAMS, Server
from test_load import LYING_SERVER, LoadTest, run_load

MS = 1_000_000
PRECISION = 1 + 1 / 1024  # of a bin
PERCENTS = {"p50_ns": 50, "p75_ns": 75, "p90_ns": 90, "p95_ns": 95, "p99_ns": 99, "p99_9_ns": 99.9}


def nearest_rank(values, percent):
    """Of sorted values."""
    return values[max(math.ceil(fractions.Fraction(str(percent)) * len(values) / 100), 1) - 1]


def values_of(histogram):
    return [low for low, count in histogram["bins_ns"] for _ in range(count)]


def above(histogram, ns):
    """How many values of a histogram are at or above `ns`."""
    return sum(count for low, count in histogram["bins_ns"] if low >= ns)


class KnownDelay(LoadTest):
    def measure(self, *server_arguments, load=()):
        process = subprocess.Popen([str(PROGRAMS / "tests/delay_server"), "--port", "0",
                                    *server_arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = process.stderr.readline().split()[-1]
            result = self.load(address, "-n", 600, "-c", 6, "--connections", 6, *load)
        finally:
            process.terminate()
            took, _ = process.communicate(timeout=20)
        took = sorted(map(int, took.split()))
        self.assertEqual(len(took), 600)
        self.assertEqual(result["books"]["outcomes"]["ok"], 600)
        return result["service"], took, result

    def check_against(self, service, took):
        """Rank by rank, no value is below the server's own by more than a bin's width."""
        for found, least in zip(values_of(service), took):
            self.assertGreaterEqual(found * PRECISION, least)
        for key, percent in PERCENTS.items():
            self.assertGreaterEqual(service[key] * PRECISION, nearest_rank(took, percent))
        self.assertGreaterEqual(service["min_ns"], took[0])
        self.assertGreaterEqual(service["max_ns"], took[-1])
        self.assertGreaterEqual(service["mean_ns"], sum(took) / len(took))

    def test_fixed(self):
        service, took, _ = self.measure("--delay", "20ms")
        self.check_against(service, took)
        # The client's own share is not twenty times what it is on a slow machine.
        self.assertLess(service["p50_ns"], took[300] + 20 * MS)

    def test_bimodal(self):
        service, took, _ = self.measure("--delay", "5ms", "--slow", "205ms", "--slow-every", "10")
        self.check_against(service, took)
        slow = sum(1 for ns in took if ns >= 205 * MS)
        self.assertEqual(slow, 60)
        # Each slow call is found as one, and no fast call as slow.
        self.assertGreaterEqual(above(service, 204 * MS), slow)
        self.assertLess(above(service, 105 * MS), slow + 12)
        self.assertLess(service["p75_ns"], 105 * MS)
        self.assertGreaterEqual(service["p95_ns"], 204 * MS)

    def test_percentiles_are_those_of_the_bins(self):
        """Recomputed from the raw bins, by nearest rank."""
        service, _, result = self.measure("--delay", "1ms", "--slow", "21ms", "--slow-every", "7")
        for histogram in (service, result["send_lag"], result["response"]):
            if histogram is None:
                continue
            values = values_of(histogram)
            self.assertEqual(len(values), histogram["count"])
            for key, percent in PERCENTS.items():
                low = nearest_rank(values, percent)
                self.assertGreaterEqual(histogram[key], low)
                self.assertLessEqual(histogram[key], max(low * PRECISION, low + 1))

    def test_open_loop_response_is_no_shorter_than_service(self):
        service, took, result = self.measure("--delay", "2ms", load=("-r", 1000, "-t", "0s"))
        response = result["response"]
        self.check_against(service, took)
        for found, least in zip(values_of(response), values_of(service)):
            self.assertGreaterEqual(found * PRECISION, least)


class StoppedServer(LoadTest):
    def test_a_second_of_standstill_is_in_response_time_only(self):
        rate = 1000
        with Server("servers/null_server") as server:
            paused = []

            def pause():
                server.wait_busy()
                begin = time.monotonic()
                server.process.send_signal(signal.SIGSTOP)
                time.sleep(1)
                server.process.send_signal(signal.SIGCONT)
                paused.append(time.monotonic() - begin)

            pauser = threading.Thread(target=pause)
            pauser.start()
            result = self.load(server.address, "-r", rate, "-n", 3000, "-c", 10)
            pauser.join()
        response, service = result["response"], result["service"]
        stood_still_ns = paused[0] * 1e9
        # Calls fell due evenly while it stood still, so each tenth of that time holds a tenth of
        # them. What was due and waited: at least the calls of nine tenths of a second.
        self.assertGreater(above(response, 0.1 * stood_still_ns), 0.85 * rate)
        for tenth in range(1, 9):
            waited = above(response, tenth / 10 * stood_still_ns) - \
                above(response, (tenth + 1) / 10 * stood_still_ns)
            self.assertGreater(waited, rate / 10 * 0.7, f"tenth {tenth}")
        self.assertGreater(above(result["send_lag"], 0.1 * stood_still_ns), 0.5 * rate)
        # Only what was in flight then was slow in service time.
        self.assertLessEqual(above(service, 0.5 * stood_still_ns), 10)


@unittest.skipIf(EMULATED, "an emulated generator's timing is the emulator's")
class OpenLoop(LoadTest):
    def test_rate_is_total_and_exact(self):
        with Server("servers/null_server") as server:
            for more in ((), ("--connections", 4), ("--connections", 4, "--cpus", "0-1")):
                with self.subTest(more=more):
                    result = self.load(server.address, "-r", 777, "-z", "1s", "-c", 50, *more)
                    books = result["books"]
                    self.assertEqual(books["due"], 777)
                    # A generator that lost its CPU at the very end says so.
                    self.assertLess(books["unsent"], 200)
                    self.assert_outcomes(result, ok=777 - books["unsent"])
            result = self.load(server.address, "-r", 5000, "-n", 1234, "-c", 50)
            self.assertEqual(result["books"]["due"], 1234)
            self.assert_outcomes(result, ok=1234)

    def test_what_was_due_and_never_sent_is_in_the_books(self):
        with Server(LYING_SERVER, "--lie", "silent") as server:
            result = self.load(server.address, "-r", 1000, "-z", "500ms", "-c", 10, "-t", "0s",
                               "--drain", "100ms", code=1)
        self.assertEqual(result["books"]["due"], 500)
        self.assertEqual(result["books"]["unsent"], 490)
        self.assert_outcomes(result, unfinished=10)
        # Due evenly over half a second, none was answered before its end.
        self.assertAlmostEqual(result["response"]["p50_ns"], 250e6, delta=15e6)
        self.assertGreater(result["response"]["p99_ns"], 490e6)

    def test_a_server_that_stops_for_good(self):
        """The calls that were never answered, most of them never sent, are the slowest of all."""
        with Server("servers/null_server") as server:
            def stop():
                server.wait_connected()
                time.sleep(0.5)  # the first replies of a sanitizer's server take their time
                server.process.send_signal(signal.SIGSTOP)

            stopper = threading.Thread(target=stop)
            stopper.start()
            result = self.load(server.address, "-r", 2000, "-z", "2s", "-c", 10, "--drain", "500ms")
            stopper.join()
        books = result["books"]
        self.assertEqual(books["due"], 4000)
        self.assertGreater(books["unsent"], 500)
        self.assert_outcomes(result, ok=books["sent"] - 10, unfinished=10)
        # By rank: of the calls that waited when the load ended, the one that 40 are slower than.
        waited_ns = (books["unsent"] + 10 - 40) / 2000 * 1e9
        self.assertAlmostEqual(result["response"]["p99_ns"], waited_ns, delta=100e6)
        self.assertEqual(above(result["service"], 500_000_000), 10)

    def test_above_capacity(self):
        """A server that cannot keep up: what stays unsent at the end has waited, and shows it."""
        with Server(LYING_SERVER, "--lie", "max_streams_1") as server:
            result = self.load(server.address, "-r", "1M", "-z", "1s", "-c", 10)
            books = result["books"]
            self.assertGreater(books["unsent"], 500_000)
            self.assert_outcomes(result, ok=books["sent"])
            # The due time of the first unsent call is `sent` microseconds after the start.
            self.assertAlmostEqual(result["response"]["max_ns"], 1e9 - books["sent"] * 1e3,
                                   delta=50e6)
            self.assertGreater(result["response"]["p90_ns"], 500e6)
            done = run_load("-r", "1M", "-z", "100ms", "-c", 10, server.address)
        self.assertRegex(done.stdout, r"of these 100000, \d+ are lower bounds: of calls that timed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
