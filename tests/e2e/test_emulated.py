#!/usr/bin/env python3
"""Counting under an emulator: the plugin with small guests, and `run --target qemu:BOARD`."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

from programs import BUILD, SERVERS, SOURCE

PLUGIN = BUILD / "qemu/insn_count.so"
GUESTS = (("aarch64-linux-gnu-gcc", "qemu-aarch64", "cortex-a72"),
          ("arm-linux-gnueabi-gcc", "qemu-arm", "arm1176"))
BOARDS = ("rpizero", "rpi4")


def takes_plugins(qemu):
    """Debian 13's qemu-user is built without."""
    done = subprocess.run([qemu, "-help"], capture_output=True, text=True, check=False)
    return "-plugin" in done.stdout


class Agent:
    """`bench-edge agent`, spoken to in its own language."""

    def __enter__(self):
        self.process = subprocess.Popen([BUILD / "bench-edge", "agent"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.ids = 0
        self.call(op="hello", protocol=2)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)

    def call(self, **request):
        self.ids += 1
        self.process.stdin.write(json.dumps(request | {"id": self.ids}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("re") == self.ids:
                assert "event" not in answer, answer
                return answer

    def look(self):
        sample = self.call(op="mark", label="look")["sample"]
        return sample["guest_insns"], sample["guest_syscalls"]

    def look_at_rest(self):
        """Waits until the guest does nothing any more, and not only has no CPU."""
        before, now, state = None, (None, None), ""
        while now[0] is None or now != before or state != "S":
            time.sleep(0.1)
            state = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1][0]
            before, now = now, self.look()
        return now


@unittest.skipUnless(PLUGIN.exists(), "no plugin in this build")
class PluginTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def guests(self):
        for compiler, qemu, cpu in GUESTS:
            with self.subTest(qemu):
                if not shutil.which(compiler) or not shutil.which(qemu):
                    self.skipTest(f"{compiler} or {qemu} is not on this machine")
                if not takes_plugins(qemu):
                    self.skipTest(f"this {qemu} takes no plugins")
                guest = f"{self.folder}/{qemu}.guest"
                subprocess.run([compiler, "-O1", "-static", "-pthread", "-o", guest,
                                SOURCE / "tests/e2e/guest.c"], check=True)
                yield [qemu, "-cpu", cpu, "-plugin", f"{PLUGIN},counters={self.folder}/counters",
                       guest]

    def spawn(self, agent, argv):
        pathlib.Path(f"{self.folder}/counters").unlink(missing_ok=True)  # of the guest before
        agent.pid = agent.call(op="spawn", argv=argv,
                               guest_counters=f"{self.folder}/counters")["pid"]

    def count(self, argv):
        with Agent() as agent:
            self.spawn(agent, argv)
            counted = agent.look_at_rest()
            agent.call(op="stop", grace_ns=10 ** 9)
            return counted

    def header(self):
        """(the plugin's interface, threads so far), zeros before the plugin has written them."""
        counters = pathlib.Path(f"{self.folder}/counters")
        written = counters.read_bytes() if counters.exists() else b""
        return struct.unpack_from("=II", written.ljust(24, b"\0"), 16)

    def test_counts_repeat_to_the_digit(self):
        for argv in self.guests():
            insns, syscalls = self.count([*argv, "1000"])
            self.assertEqual(self.count([*argv, "1000"]), (insns, syscalls))
            more_insns, more_syscalls = self.count([*argv, "3000"])
            self.assertEqual(more_syscalls, syscalls + 2000)
            self.assertGreater(more_insns, insns + 2000)
            self.assertLess(more_insns, insns + 2000 * 100)

    def test_counts_only_grow(self):
        for argv in self.guests():
            with Agent() as agent:
                self.spawn(agent, [*argv, "spin"])
                deadline = time.monotonic() + 20
                while agent.look()[0] is None and time.monotonic() < deadline:
                    time.sleep(0.02)
                looks = [agent.look()[0]]
                while len(set(looks)) < 10 and time.monotonic() < deadline:
                    time.sleep(0.02)
                    looks.append(agent.look()[0])
                self.assertEqual(looks, sorted(looks))
                self.assertEqual(len(set(looks)), 10)

    def test_threads_are_counted_where_that_is_exact(self):
        for argv in self.guests():
            with Agent() as agent:
                self.spawn(agent, [*argv, "thread"])
                deadline = time.monotonic() + 20
                while self.header()[1] < 2 and time.monotonic() < deadline:
                    time.sleep(0.02)
                interface, threads = self.header()
                self.assertEqual(threads, 2)
                insns, syscalls = agent.look()
                self.assertGreater(syscalls, 0)
                self.assertEqual(insns is None, interface == 1)

    def test_a_guest_that_is_not_counted_has_no_counts(self):
        for argv in self.guests():
            with Agent() as agent:
                self.spawn(agent, [*argv[:3], argv[-1], "10"])
                time.sleep(0.2)
                self.assertEqual(agent.look(), (None, None))


@unittest.skipUnless(PLUGIN.exists(), "no plugin in this build")
class RunTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "host/qemu").mkdir(parents=True)
        shutil.copy(BUILD / "bench-edge", self.folder / "host")
        shutil.copy(PLUGIN, self.folder / "host/qemu")

    def bench(self, *arguments, code=0, program=None, path=None):
        done = subprocess.run(
            [program or self.folder / "host/bench-edge", "run", "--results-dir",
             self.folder / "results", "--duration", "1s", "--warmup", "200ms", *arguments],
            capture_output=True, text=True, timeout=120, check=False,
            env=os.environ | ({"PATH": path} if path else {}))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_boards_that_cannot_be_emulated(self):
        self.assertIn("rpizero", self.bench("--target", "qemu:rpizro", code=2).stderr)
        if not shutil.which("qemu-aarch64"):
            self.skipTest("qemu-aarch64 is not on this machine")
        self.assertIn("scripts/build.sh rpi4", self.bench("--target", "qemu:rpi4", code=1).stderr)
        self.assertIn("qemu-user",
                      self.bench("--target", "qemu:rpi4", code=1, path="/nowhere").stderr)
        servers = self.folder / "rpi4/servers"
        servers.mkdir(parents=True)
        shutil.copy(BUILD / "servers/null_server", servers)
        self.assertIn("expected a program for aarch64, found one for x86_64",
                      self.bench("--target", "qemu:rpi4", code=1).stderr)

    def counts(self, board, *arguments):
        """(instructions, system calls) per call by server, of a run."""
        self.bench("--target", f"qemu:{board}", "--repeat", "1", *arguments)
        newest = max((self.folder / "results").iterdir(), key=lambda p: p.stat().st_mtime_ns)
        counts = {}
        for file in newest.iterdir():
            records = [json.loads(line) for line in file.read_text().splitlines()]
            self.assertIs(records[0]["emulated"], True)
            self.assertIs(records[-1]["valid"], False)
            self.assertEqual([r["id"] for r in records if r["type"] == "board"], [board])
            for record in records:
                if record["type"] == "build" and record["program"] == "server":
                    self.assertGreater(record["size_bytes"], 100_000)
                if record["type"] == "sample" or record.get("name") == "window":
                    self.assertIsNone(record["rss_bytes"])
                    self.assertIsNone(record["peak_bytes"])
                if record.get("name") == "load":
                    counts[records[0]["server"]] = (record["instructions"], record["system_calls"],
                                                    record["ok"])
        return counts

    def test_two_runs_agree(self):
        built = [b for b in BOARDS if (BUILD.parent / b / "servers").exists()]
        if not built:
            self.skipTest("no board is built: scripts/build.sh " + " ".join(BOARDS))
        if not takes_plugins("qemu-arm"):
            self.skipTest("this qemu-arm takes no plugins")
        for board in built:
            (self.folder / board).symlink_to(BUILD.parent / board)
            first, second = self.counts(board, *SERVERS), self.counts(board, *SERVERS)
            self.assertEqual(set(first), set(SERVERS))
            for server, (insns, syscalls, calls) in first.items():
                again = second[server][0] / second[server][2]
                self.assertLess(abs(insns / calls / again - 1), 0.005, (board, server))
                self.assertGreater(syscalls, 0)

    def test_without_the_plugin_the_rest_works(self):
        built = [b for b in BOARDS if (BUILD.parent / b / "servers").exists()]
        if not built:
            self.skipTest("no board is built: scripts/build.sh " + " ".join(BOARDS))
        (self.folder / built[0]).symlink_to(BUILD.parent / built[0])
        (self.folder / "host/qemu/insn_count.so").write_text("no shared object")
        done = self.bench("--target", f"qemu:{built[0]}", "--repeat", "1", SERVERS[0])
        self.assertIn("instructions are not counted", done.stderr)
        self.assertRegex(done.stdout, rf"{SERVERS[0]} \(emulated\) +\| +- \| +- \|")
        self.assertIn("Instructions were not counted: ", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
