"""bench-edge run as a whole: results, bad input, servers that misbehave, and endings."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

from programs import EMULATED, PROGRAMS, SANITIZED, SERVERS

PROGRAM = PROGRAMS / "bench-edge"
LIAR = PROGRAMS / "tests" / "lying_server"
SHORT = ["--duration", "600ms", "--warmup", "100ms", "--connections", "4", "--concurrency", "16"]
PATIENCE = 30  # seconds for what must happen, however slow the machine


def runs(pid, program):
    """Whether a process runs this program; under an emulator that is one of its arguments."""
    arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return any(argument.endswith("/" + program) for argument in arguments)


class Run:
    """One start of bench-edge run in a folder of its own. Its processes carry a tag."""

    def __init__(self, folder, *arguments, env=None, program=PROGRAM, **popen):
        self.results = pathlib.Path(folder) / "results"
        self.tag = f"EDGE_TEST_TAG={uuid.uuid4()}"
        name, value = self.tag.split("=")
        self.env = {**os.environ, name: value, **(env or {})}
        ram = ["--server-ram", "0"] if SANITIZED else []  # shadow memory is above any limit
        self.process = subprocess.Popen(
            [str(program), "run", "--results-dir", str(self.results), *ram, *map(str, arguments)],
            env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, **popen)

    def finish(self):
        self.out, self.err = self.process.communicate(timeout=180)
        self.code = self.process.returncode
        return self

    def files(self):
        return {path.name.split(".")[0]: path for path in sorted(self.results.glob("*/*.jsonl"))}

    def records(self, server, kind=None):
        """All whole lines of a server's file."""
        lines = self.files()[server].read_text().splitlines()
        records = [json.loads(line) for line in lines]
        return [r for r in records if kind is None or r["type"] == kind]

    def left_behind(self):
        """Processes that carry the tag, bench-edge itself apart."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            pid = int(path.parent.name)
            try:
                if pid != self.process.pid and self.tag.encode() in path.read_bytes():
                    found.append(pid)
            except OSError:
                continue
        return found

    def wait_for_samples(self, server, count=3):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            path = self.files().get(server)
            if path and path.read_text().count('"type":"sample"') >= count:
                return
            time.sleep(0.02)
        raise AssertionError("the load never began")


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_it(self, *arguments, **more):
        return Run(self.folder, *arguments, **more).finish()

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def assert_nothing_left(self, run):
        deadline = time.monotonic() + PATIENCE
        while run.left_behind() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(run.left_behind(), [])

    def assert_measured(self, value, least=0):
        """More than `least`; of an emulated server nothing, for it would be the emulator's."""
        if EMULATED:
            self.assertIsNone(value)
        else:
            self.assertGreater(value, least)

    def assert_complete(self, run, server):
        records = run.records(server)
        self.assertEqual(records[0]["type"], "run")
        self.assertEqual(records[0]["format"], "bench-edge-result")
        self.assertEqual(records[-1]["type"], "end")
        return records


class Results(Case):
    def test_two_servers_two_repeats(self):
        run = self.run_it(*SHORT, "--repeat", "2", *SERVERS)
        self.assertEqual(run.code, 0 if EMULATED else 3, run.err)  # too short to be valid
        self.assertEqual(sorted(run.files()), sorted(SERVERS))
        for server in SERVERS:
            self.assert_complete(run, server)
            windows = [r for r in run.records(server, "interval") if r["name"] == "window"]
            self.assertEqual([w["repeat"] for w in windows], [1, 2])
            for window in windows:
                self.assertEqual(window["stop_ns"] - window["start_ns"], 600_000_000)
                self.assertGreater(window["ok"], 0)
                self.assertGreater(window["client_cpu_ns"], 0)
                for key in ("server_cpu_ns", "rss_bytes", "pss_bytes", "peak_bytes"):
                    self.assert_measured(window[key])
            for count in run.records(server, "count"):
                self.assertEqual(list(count["outcomes"]), ["ok"])
                self.assertTrue(count["balanced"])
            samples = run.records(server, "sample")
            self.assertGreater(len([s for s in samples if s["pss_bytes"] is None]), 3)
            # Idle and the end of the window, in each repeat.
            self.assertEqual(len([s for s in samples if s["pss_bytes"]]), 0 if EMULATED else 4)
            self.assertEqual(len(run.records(server, "sync")), 4)
            self.assertIn(server, run.out)
        order = [line.split("] ")[1].split(":")[0] for line in run.err.splitlines()
                 if line.startswith("[")]
        self.assertEqual(order, [SERVERS[0], SERVERS[1], SERVERS[1], SERVERS[0]])
        self.assert_nothing_left(run)

    def test_environment_variables_are_honoured_and_printed(self):
        values = {"GRPC_BENCHMARK_DURATION": "500ms", "GRPC_BENCHMARK_WARMUP": "50ms",
                  "GRPC_CLIENT_CONNECTIONS": "5", "GRPC_CLIENT_CONCURRENCY": "50",
                  "GRPC_CLIENT_QPS": "2000", "GRPC_REQUEST_SCENARIO": "string_100B"}
        run = self.run_it("--repeat", "1", SERVERS[0], env=values)
        options = {r["env"]: r["value"] for r in run.records(SERVERS[0], "opt")}
        for name, value in values.items():
            self.assertEqual(options[name], value)
            self.assertIn(f"{name}={value}", run.out)
        count = run.records(SERVERS[0], "count")[0]
        self.assertEqual(count["due"], 1000)  # half a second at 2000/s
        self.assertIn("response", [r["name"] for r in run.records(SERVERS[0], "hist")])
        self.assertIn("string_100B", run.files()[SERVERS[0]].name)

    def test_an_option_beats_the_environment(self):
        run = self.run_it(*SHORT, "--repeat", "1", SERVERS[0],
                          env={"GRPC_CLIENT_CONNECTIONS": "7"})
        options = {r["name"]: r["value"] for r in run.records(SERVERS[0], "opt")}
        self.assertEqual(options["connections"], "4")
        self.assertEqual(options["call"], "SayHello")

    def test_streaming_calls(self):
        for call in ("SayHellos", "SayHelloCS", "SayHelloBidi"):
            run = self.run_it(*SHORT, "--repeat", "1", "--call", call, "--messages", "3",
                              SERVERS[0])
            count = run.records(SERVERS[0], "count")[0]
            self.assertEqual(list(count["outcomes"]), ["ok"], call)
            self.assertIn(call, run.files()[SERVERS[0]].name)

    def test_a_payload_of_ones_own(self):
        path = self.folder / "mine.json"
        path.write_text('{"request": {"name": "a name of mine"}}')
        run = self.run_it(*SHORT, "--repeat", "1", "--scenario", path, SERVERS[0])
        record = run.records(SERVERS[0], "run")[0]
        self.assertEqual(record["scenario"], "mine.json")
        self.assertEqual(run.files()[SERVERS[0]].name, f"{SERVERS[0]}.mine.json.SayHello.jsonl")
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0, run.err)

    def test_a_wrapper_script_is_measured_with_its_server(self):
        path = self.script("wrapped", f'"{PROGRAMS}/servers/{SERVERS[0]}" "$@" &\nwait\n')
        run = self.run_it(*SHORT, "--repeat", "1", path)
        window = [r for r in run.records("wrapped", "interval") if r["name"] == "window"][0]
        self.assertGreater(window["ok"], 0, run.err)
        self.assert_measured(window["server_cpu_ns"], window["ok"] * 100)  # ns: not the shell's
        self.assert_nothing_left(run)


class BadInput(Case):
    def expect(self, code, words, *arguments, **more):
        run = self.run_it(*arguments, **more)
        self.assertEqual(run.code, code, run.err)
        for word in words:
            self.assertIn(word, run.err)
        self.assertEqual(run.out, "")

    def test_usage(self):
        self.expect(2, ["--connecions", "--connections"], "--connecions", "5")
        self.expect(2, ["--duration", "10 seconds"], "--duration", "10 seconds")
        self.expect(2, ["GRPC_CLIENT_QPS", "fast"], env={"GRPC_CLIENT_QPS": "fast"})
        self.expect(2, ["--concurrency 4", "--connections 5"], "--concurrency", "4",
                    "--connections", "5")
        self.expect(2, ["nonsense", "complex_proto", "string_10kB"], "--scenario", "nonsense")
        self.expect(2, ["SayGoodbye"], "--call", "SayGoodbye")
        self.expect(2, ["--target", "mars", "local"], "--target", "mars")
        self.expect(2, ["--server-cpus", "200"], "--server-cpus", "200")
        self.expect(2, [SERVERS[0], "two servers"], SERVERS[0], SERVERS[0])

    def test_malformed_payload(self):
        path = self.folder / "broken.json"
        path.write_text('{\n  "request": {"n": }\n}\n')
        self.expect(2, ["broken.json:2"], "--scenario", path)

    def test_servers_that_cannot_be_started(self):
        self.expect(1, ["c_nghttp2_nanobp", f"did you mean {SERVERS[0]}"], "c_nghttp2_nanobp")
        self.expect(1, ["absent", "No such file"], self.folder / "absent")
        plain = self.folder / "plain"
        plain.write_text("no program")
        self.expect(1, ["plain", "executable"], plain)

    def test_the_others_are_still_measured(self):
        run = self.run_it(*SHORT, "--repeat", "1", self.folder / "absent", SERVERS[0])
        self.assertEqual(run.code, 1)
        self.assertIn("absent", run.err)
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)

    def test_results_folder_that_cannot_be_made(self):
        (self.folder / "results").write_text("a file")
        self.expect(1, ["results", "--results-dir"], *SHORT, SERVERS[0])

    def test_results_that_cannot_be_written(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        # Python ignores SIGXFSZ; so does then what it starts, and write() fails instead.
        run = self.run_it(*SHORT, "--repeat", "2", SERVERS[0], preexec_fn=limit,
                          restore_signals=False)
        self.assertEqual(run.code, 1)
        self.assertIn("File too large", run.err)
        self.assertEqual(run.records(SERVERS[0])[0]["type"], "run")  # whole lines
        self.assert_nothing_left(run)


class Misbehaviour(Case):
    def test_a_server_that_exits(self):
        path = self.script("dying", "echo cannot bind >&2\nexit 3\n")
        run = self.run_it(*SHORT, "--repeat", "2", path, SERVERS[0])
        self.assertEqual(run.code, 1)
        self.assertIn("exited with code 3", run.err)
        self.assertIn("cannot bind", run.err)
        self.assertFalse(self.assert_complete(run, "dying")[-1]["valid"])
        self.assertEqual(len(run.records(SERVERS[0], "count")), 2)

    def test_a_server_that_never_gets_ready(self):
        path = self.script("sleeper", '[ "$1" = --version ] && exit\nexec sleep 1000\n')
        run = self.run_it(*SHORT, "--ready-timeout", "300ms", path)
        self.assertEqual(run.code, 1)
        self.assertIn("not ready within 0.3 s", run.err)
        self.assert_complete(run, "sleeper")
        self.assert_nothing_left(run)

    def test_a_server_that_dies_under_load(self):
        run = Run(self.folder, "--duration", "60s", "--warmup", "0", "--repeat", "1", SERVERS[0])
        run.wait_for_samples(SERVERS[0])
        victims = [pid for pid in run.left_behind()
                   if runs(pid, SERVERS[0])]
        self.assertEqual(len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)
        run.finish()
        self.assertEqual(run.code, 3, run.err)
        self.assertIn("killed by SIGKILL", run.err)
        self.assert_complete(run, SERVERS[0])
        rules = {r["id"]: r["verdict"] for r in run.records(SERVERS[0], "rule")}
        self.assertEqual(rules["server_alive"], "fail")

    def test_lies_are_named(self):
        for lie, kind in (("wrong_reply", "wrong_reply"), ("status_13", "grpc_status"),
                          ("no_trailers", "no_status")):
            with self.subTest(lie):
                run = Run(self.folder / lie, *SHORT, "--repeat", "1", LIAR,
                          env={"LIE": lie}).finish()
                self.assertEqual(run.code, 1, run.err)
                count = run.records("lying_server", "count")[0]
                self.assertEqual(count["ok_in_window"], 0)
                self.assertGreater(count["outcomes"][kind], 0)
                self.assertIn(kind, run.out)
                self.assert_nothing_left(run)


class Endings(Case):
    LONG = ["--duration", "100s", "--warmup", "0", "--repeat", "3", "--connections", "4",
            "--concurrency", "16", SERVERS[0]]

    def test_kill_leaves_whole_lines_and_no_server(self):
        run = Run(self.folder, *self.LONG)
        run.wait_for_samples(SERVERS[0])
        run.process.kill()
        run.finish()
        self.assert_nothing_left(run)
        text = run.files()[SERVERS[0]].read_text()
        self.assertTrue(text.endswith("\n"))
        records = run.records(SERVERS[0])
        self.assertEqual(records[0]["type"], "run")
        self.assertNotIn("end", [r["type"] for r in records])
        report = subprocess.run([PROGRAM, "report", run.files()[SERVERS[0]].parent], text=True,
                                stdout=subprocess.PIPE, check=False)
        self.assertIn("interrupted", report.stdout)

    def interrupt(self, run, send):
        run.wait_for_samples(SERVERS[0], 10)
        send()
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        end = self.assert_complete(run, SERVERS[0])[-1]
        self.assertFalse(end["valid"])
        self.assertIn("interrupted", " ".join(end["reasons"]))
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)
        window = [r for r in run.records(SERVERS[0], "interval") if r["name"] == "window"][0]
        self.assert_measured(window["server_cpu_ns"])
        self.assertLess(window["stop_ns"] - window["start_ns"], 100_000_000_000)
        self.assertIn(SERVERS[0], run.out)
        self.assert_nothing_left(run)

    def test_ctrl_c_keeps_what_was_measured(self):
        run = Run(self.folder, *self.LONG)
        self.interrupt(run, lambda: os.killpg(run.process.pid, signal.SIGINT))

    def test_sigterm_keeps_what_was_measured(self):
        run = Run(self.folder, *self.LONG)
        self.interrupt(run, run.process.terminate)

    def test_ctrl_c_before_the_window(self):
        path = self.script("sleeper", '[ "$1" = --version ] && exit\nexec sleep 1000\n')
        run = Run(self.folder, "--ready-timeout", "100s", path)
        deadline = time.monotonic() + PATIENCE
        while len(run.left_behind()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)  # agent and server
        run.process.send_signal(signal.SIGINT)
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        self.assert_complete(run, "sleeper")
        self.assert_nothing_left(run)

    def test_ctrl_c_while_warming_up(self):
        run = Run(self.folder, "--warmup", "100s", SERVERS[0])
        run.wait_for_samples(SERVERS[0])
        run.process.send_signal(signal.SIGINT)
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        self.assert_complete(run, SERVERS[0])
        self.assertEqual(run.records(SERVERS[0], "interval"), [])
        self.assertIn("interrupted", run.out)
        self.assertIn("before the window began", run.err)

    def test_the_agent_is_killed(self):
        run = Run(self.folder, *self.LONG)
        run.wait_for_samples(SERVERS[0])
        agents = [pid for pid in run.left_behind()
                  if runs(pid, "bench-edge")]
        self.assertEqual(len(agents), 1)
        os.kill(agents[0], signal.SIGKILL)
        run.finish()
        self.assertEqual(run.code, 1)
        self.assertIn("the agent is gone: killed by SIGKILL", run.err)
        self.assert_complete(run, SERVERS[0])
        self.assert_nothing_left(run)


if __name__ == "__main__":
    unittest.main()
