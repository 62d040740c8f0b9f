#!/usr/bin/env python3
"""bench-edge load against servers that lie, servers that do not, and no server at all."""
import contextlib
import json
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

from programs import PROGRAMS, SERVERS, SOURCE, Server

LOAD = [str(PROGRAMS / "bench-edge"), "load"]
LYING_SERVER = "tests/lying_server"
INTERNAL = 13  # grpc-status
OUTCOMES = {"ok", "wrong_reply", "wrong_count", "grpc_status", "no_status", "http_status",
            "bad_message", "reset", "refused", "connection", "timeout", "unfinished"}


def run_load(*arguments, timeout=60, stdin=""):
    return subprocess.run([*LOAD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, check=False, input=stdin)


class LoadTest(unittest.TestCase):
    def load(self, address, *arguments, code=0):
        """Runs a load and returns its result, once its books have been checked by hand."""
        done = run_load("-O", "json", *arguments, address)
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        self.check_books(result)
        return result

    def check_books(self, result):
        books = result["books"]
        outcomes = books["outcomes"]
        self.assertEqual(set(outcomes), OUTCOMES)
        self.assertEqual(books["due"], books["sent"] + books["unsent"])
        self.assertEqual(books["sent"], sum(outcomes.values()))
        self.assertTrue(books["balanced"])
        self.assertEqual(sum(books["grpc_status"][1:]), outcomes["grpc_status"])
        self.assertEqual(sum(books["reset_code"]), outcomes["reset"])
        # Latency is that of right calls, and a lower bound of that of calls without an end.
        endless = outcomes["timeout"] + outcomes["unfinished"]
        self.check_histogram(result["service"], outcomes["ok"], endless)
        if result["options"]["rate_per_s"] > 0:
            self.check_histogram(result["response"], outcomes["ok"], endless + books["unsent"])
        else:
            self.assertIsNone(result["response"])

    def check_histogram(self, histogram, right, endless):
        if right + endless == 0:
            self.assertIsNone(histogram)
            return
        self.assertEqual(histogram["count"], right + endless)
        self.assertEqual(histogram["censored"], endless)
        self.assertEqual(histogram["count"], sum(count for _, count in histogram["bins_ns"]))

    def assert_outcomes(self, result, **expected):
        """Every call ended in one of the named ways, so often, and in no other way."""
        found = {name: count for name, count in result["books"]["outcomes"].items() if count > 0}
        self.assertEqual(found, {name: count for name, count in expected.items() if count > 0},
                         result["first_error"])


class Lies(LoadTest):
    """Each lie is counted as just what it is."""

    def lie(self, name, *arguments, code=0):
        with Server(LYING_SERVER, "--lie", name) as server:
            return self.load(server.address, *arguments, code=code)

    def test_lies_about_every_call(self):
        for lie, outcome in (("wrong_reply", "wrong_reply"), ("status_13", "grpc_status"),
                             ("trailers_only_13", "grpc_status"), ("no_trailers", "no_status"),
                             ("http_500", "http_status"), ("bad_content_type", "bad_message"),
                             ("extra_reply", "wrong_count"), ("missing_reply", "wrong_count"),
                             ("cut_message", "bad_message"), ("early_data", "bad_message"),
                             ("open_trailers", "bad_message"), ("empty_headers", "http_status")):
            with self.subTest(lie=lie):
                result = self.lie(lie, "-n", 300, "-c", 20, "--connections", 3, code=1)
                self.assert_outcomes(result, **{outcome: 300})
                self.assertIsNone(result["service"])
                self.assertIsNotNone(result["first_error"])
                if outcome == "grpc_status":
                    self.assertEqual(result["books"]["grpc_status"][INTERNAL], 300)

    def test_a_mix_in_which_no_reply_is_right(self):
        result = self.lie("mix", "-n", 330, "-c", 20, "--connections", 3, code=1)
        self.assert_outcomes(result, wrong_reply=30, grpc_status=60, no_status=30, http_status=30,
                             reset=30, refused=30, wrong_count=60, bad_message=60)

    def test_the_same_reply_for_all(self):
        result = self.lie("canned_reply", "-n", 500, "-c", 10)
        self.assert_outcomes(result, ok=1, wrong_reply=499)

    def test_every_seventh_call_reset(self):
        result = self.lie("reset_every_K", "-n", 700, "-c", 20, "--connections", 3)
        self.assert_outcomes(result, ok=600, reset=100)
        self.assertEqual(result["books"]["reset_code"][2], 100)  # INTERNAL_ERROR
        self.assertEqual(result["connections_opened"], 3)

    def test_every_seventh_call_refused(self):
        result = self.lie("refused_every_K", "-n", 700, "-c", 20, "--connections", 3)
        self.assert_outcomes(result, ok=600, refused=100)

    def test_trailers_of_the_same_bytes_that_mean_another_status(self):
        result = self.lie("stale_status", "-n", 400, "-c", 8)
        self.assert_outcomes(result, ok=200, grpc_status=200)
        self.assertEqual(result["books"]["grpc_status"][INTERNAL], 200)

    def test_goaway_in_mid_run(self):
        for lie in ("goaway_midrun", "goaway_twice"):
            with self.subTest(lie=lie):
                result = self.lie(lie, "-n", 2000, "-c", 20, "--connections", 2)
                refused = result["books"]["outcomes"]["refused"]
                self.assertGreater(refused, 0)
                self.assert_outcomes(result, ok=2000 - refused, refused=refused)
                # A connection answers 100 calls and a few more before its GOAWAY; then it is
                # replaced.
                self.assertGreater(result["connections_opened"], 10)
                self.assertEqual(result["connections_lost"], 0)

    def test_connections_closed_in_mid_run(self):
        result = self.lie("close_midrun", "-n", 2000, "-c", 20, "--connections", 2)
        lost = result["books"]["outcomes"]["connection"]
        self.assertGreater(lost, 0)
        self.assert_outcomes(result, ok=2000 - lost, connection=lost)
        self.assertGreater(result["connections_lost"], 10)
        self.assertGreaterEqual(result["connections_opened"], result["connections_lost"])

    def test_a_server_that_never_answers(self):
        result = self.lie("silent", "-n", 40, "-c", 10, "-t", "100ms", code=1)
        self.assert_outcomes(result, timeout=40)
        # Closed loop or not, how long they were waited for is in the latency.
        self.assertGreaterEqual(result["service"]["min_ns"], 100_000_000)
        result = self.lie("silent", "-n", 10, "-c", 10, "-t", "0s", "--drain", "200ms", code=1)
        self.assert_outcomes(result, unfinished=10)
        self.assertGreaterEqual(result["service"]["min_ns"], 200_000_000)

    def test_no_stream_is_allowed(self):
        for more in ((), ("-r", 1000)):
            with self.subTest(more=more):
                result = self.lie("max_streams_0", "-n", 100, "--connect-timeout", "300ms", *more,
                                  code=1)
                self.assertEqual(result["books"]["sent"], 0)
                self.assertTrue(result["stopped_early"])
                self.assertIn("MAX_CONCURRENT_STREAMS of 0", result["first_error"])

    def test_a_stream_at_a_time_is_the_servers_limit(self):
        """All calls are due at once and wait for the one stream: that is no lag of ours."""
        result = self.lie("max_streams_1", "-r", "1G", "-n", 2000, "-c", 2000)
        self.assert_outcomes(result, ok=2000)
        self.assertGreater(result["books"]["waited"], 1000)
        self.assertNotIn("sent late", result["client_limited_why"] or "")

    def test_peers_that_are_hard_to_please(self):
        for lie in ("honest", "noncanonical", "padded", "interim", "reindexing", "max_streams_1",
                    "tiny_windows", "table_size_0", "table_size_dips"):
            with self.subTest(lie=lie):
                result = self.lie(lie, "-n", 3000, "-c", 20, "--connections", 2)
                self.assert_outcomes(result, ok=3000)
                self.assertEqual(result["connections_opened"], 2)
                self.assertEqual(result["connections_lost"], 0)

    def test_replies_right_in_meaning_only_are_told_apart(self):
        with Server(LYING_SERVER, "--lie", "noncanonical") as server:
            done = run_load("-n", 100, server.address)
        self.assertIn("100 replies were right in meaning, encoded differently", done.stdout)
        self.assertEqual(self.lie("noncanonical", "-n", 100)["noncanonical"], 100)
        self.assertEqual(self.lie("honest", "-n", 100)["noncanonical"], 0)

    def test_large_requests_through_tiny_windows(self):
        result = self.lie("tiny_windows", "-n", 20, "-c", 4, "--scenario", "string_10kB")
        self.assert_outcomes(result, ok=20)


class Servers(LoadTest):
    """Our servers tell the truth, whatever is asked."""

    def test_every_kind_of_call(self):
        messages = {"SayHello": 1, "SayHellos": 10, "SayHelloCS": 1, "SayHelloBidi": 10}
        for name in SERVERS:
            with Server(f"servers/{name}") as server:
                for call, replies in messages.items():
                    with self.subTest(server=name, call=call):
                        result = self.load(server.address, "-n", 500, "-c", 20, "--connections", 4,
                                           "--call", call)
                        self.assert_outcomes(result, ok=500)
                        self.assertEqual(result["options"]["call"], f"helloworld.Greeter/{call}")
                        self.assertEqual(result["ok_in_window"], 500)
                        self.assertGreaterEqual(result["messages_in_window"], 500 * replies)

    def test_every_scenario(self):
        scenarios = [path.stem for path in (SOURCE / "payload").glob("*.json")]
        self.assertGreaterEqual(len(scenarios), 6)
        for name in SERVERS:
            with Server(f"servers/{name}") as server:
                for scenario in scenarios:
                    with self.subTest(server=name, scenario=scenario):
                        result = self.load(server.address, "-n", 200, "-c", 10, "--scenario",
                                           scenario)
                        self.assert_outcomes(result, ok=200)

    def test_payloads_of_ones_own(self):
        message = bytes.fromhex("0a0a") + b"\x0a\x08abcdefgh"  # HelloRequest{request{name}}
        with tempfile.NamedTemporaryFile() as file, Server(f"servers/{SERVERS[0]}") as server:
            file.write(message)
            file.flush()
            for arguments in (("-B", file.name), ("-d", '{"request": {"name": "abcdefgh"}}'),
                              ("--scenario", SOURCE / "payload" / "string_10B.json")):
                with self.subTest(arguments=arguments):
                    result = self.load(server.address, "-n", 100, "-c", 10, *arguments)
                    self.assert_outcomes(result, ok=100)

    def test_total_is_exact(self):
        with Server("servers/null_server") as server:
            for total, more in ((1, ()), (1000, ("-c", 7)), (1001, ("-c", 32, "--connections", 3)),
                                (10007, ("-c", 64, "--connections", 8, "--cpus", "0-1")),
                                (2, ("-c", 100, "--connections", 50))):
                with self.subTest(total=total, more=more):
                    result = self.load(server.address, "-n", total, *more)
                    self.assertEqual(result["books"]["due"], total)
                    self.assert_outcomes(result, ok=total)
                    self.assertEqual(result["ok_in_window"], total)

    def test_by_time_what_is_sent_is_drained(self):
        with Server("servers/null_server") as server:
            result = self.load(server.address, "-z", "300ms", "--warmup", "100ms", "-c", 100,
                               "--connections", 4)
            self.assertEqual(result["window_ns"], 300_000_000)
            self.assert_outcomes(result, ok=result["books"]["sent"])
            rate = result["ok_in_window"] / (result["window_ns"] / 1e9)
            self.assertAlmostEqual(result["ok_per_s"], rate, delta=1)

    def test_h2load_counts_the_same(self):
        with Server(f"servers/{SERVERS[0]}") as server, tempfile.NamedTemporaryFile() as file:
            result = self.load(server.address, "-n", 600, "-c", 20, "--connections", 4)
            message = bytes.fromhex("0a0a") + b"\x0a\x08abcdefgh"
            file.write(b"\0" + struct.pack(">I", len(message)) + message)
            file.flush()
            done = subprocess.run(
                ["h2load", "-n", "600", "-c", "4", "-m", "5", "-d", file.name, "-H",
                 "content-type: application/grpc", "-H", "te: trailers",
                 f"http://{server.address}/helloworld.Greeter/SayHello"],
                capture_output=True, text=True, check=True, timeout=60)
            succeeded = int(re.search(r"(\d+) succeeded", done.stdout).group(1))
            self.assertEqual(result["books"]["outcomes"]["ok"], succeeded)

    def test_server_killed_in_mid_run(self):
        with Server("servers/null_server") as server:
            def kill():
                server.wait_busy()
                server.process.kill()

            killer = threading.Thread(target=kill)
            killer.start()
            # It never comes to its billion calls: without any connection there is no hope.
            result = self.load(server.address, "-n", "1G", "-c", 20, "--connections", 2,
                               "--connect-timeout", "1s")
            killer.join()
        outcomes = result["books"]["outcomes"]
        self.assertGreater(outcomes["ok"], 0)
        self.assertGreater(outcomes["connection"], 0)
        self.assert_outcomes(result, ok=outcomes["ok"], connection=outcomes["connection"])

    def test_interrupted(self):
        with Server("servers/null_server") as server:
            process = subprocess.Popen([*LOAD, "-O", "json", "-z", "60s", server.address],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            server.wait_busy()
            process.send_signal(signal.SIGINT)
            result = json.loads(process.communicate(timeout=30)[0])
            self.check_books(result)
            self.assertTrue(result["stopped_early"])
            self.assertGreater(result["books"]["outcomes"]["ok"], 0)
            self.assertEqual(process.returncode, 0)


class BadInput(unittest.TestCase):
    def assert_refused(self, code, words, *arguments, **more):
        done = run_load(*arguments, **more)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("\n", done.stderr.strip(), "one line, please")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_arguments(self):
        here = "127.0.0.1:1"
        for arguments, words in (
                ((), ["HOST:PORT"]),
                ((here, here), ["HOST:PORT"]),
                (("nonsense",), ["nonsense"]),
                (("127.0.0.1:99999",), ["127.0.0.1:99999"]),
                (("--concurency", "5", here), ["--concurency", "--concurrency"]),
                (("-c", "0", here), ["-c", "at least 1"]),
                (("-c", "many", here), ["-c", "many"]),
                (("-c", "5", "--connections", "6", here), ["--concurrency 5", "--connections 6"]),
                (("--total", "-5", here), ["--total", "-5"]),
                (("-n", "10", "-z", "1s", here), ["--total", "--duration"]),
                (("--slo", "p99<5", here), ["p99", "a time such as 5ms"]),
                (("--find-max", "speed>5", here), ["speed", "req_per_s"]),
                (("--load-schedule", "step", here), ["--load-start", "--load-end"]),
                (("--config", "/nonexistent.conf", here), ["/nonexistent.conf"]),
                (("-O", "json,csv", here), ["json,csv", "--output"]),
                (("-z", "5", here), ["-z", "\"5\"", "20s"]),
                (("-t", "1parsec", here), ["-t", "1parsec"]),
                (("-z", "5124095h", here), ["-z", "at most 31622400s"]),
                (("-r", "x", here), ["-r", "\"x\""]),
                (("--cpus", "one", here), ["cpus", "one"]),
                (("-O", "yaml", here), ["-O", "yaml", "json"]),
                (("--scenario", "nope", here), ["nope", "complex_proto"]),
                (("--call", "Nope", here), ["Nope", "SayHello"]),
                (("--scenario", "empty", "-d", "{}", here), ["--scenario", "--data"]),
                (("-D", "/nonexistent.json", here), ["/nonexistent.json"]),
                (("-d", '{"request": {"nome": 1}}', here), ["nome"]),
                (("-n",), ["-n"])):
            with self.subTest(arguments=arguments):
                self.assert_refused(2, words, *arguments)

    def test_malformed_json_names_the_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{\n "request": {\n  "n": "many"\n }\n}\n')
            file.flush()
            self.assert_refused(2, [f"{file.name}:3"], "-D", file.name, "127.0.0.1:1")

    def test_nothing_listens(self):
        with contextlib.closing(socket.socket()) as sock:
            sock.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{sock.getsockname()[1]}"
            self.assert_refused(1, [address, "refused"], address)

    def test_a_cpu_that_is_not_there(self):
        with Server("servers/null_server") as server:
            self.assert_refused(1, ["CPU 255"], "--cpus", "255", server.address)

    def test_something_else_listens(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            # It takes the connection and says nothing.
            self.assert_refused(1, [address], "--connect-timeout", "200ms", address)

            def answer():
                for _ in range(2):
                    peer, _ = listener.accept()
                    with contextlib.closing(peer):
                        peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                        peer.recv(65536)

            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            self.assert_refused(1, [address, "HTTP/2"], address)


if __name__ == "__main__":
    unittest.main(verbosity=2)
