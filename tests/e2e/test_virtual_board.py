"""The whole ssh path with ARM programs at its other end, of qemu/virtual_board.sh."""
import os
import pathlib
import subprocess
import sys
import time

import unittest

from programs import PROGRAMS, SERVERS, SOURCE
from test_run import PATIENCE, Case, Run

SHORT = ["--duration", "1s", "--warmup", "200ms", "--repeat", "1", "--connections", "4",
         "--concurrency", "16"]
BUILD = PROGRAMS.parent / "rpizero"


def board_processes(program):
    """Those of the board are seen from here, as of another namespace; QEMU is their program."""
    here = os.readlink("/proc/self/ns/pid")
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_text().replace("\0", " ")
            elsewhere = os.readlink(path / "ns/pid") != here
        except OSError:
            continue
        if elsewhere and "qemu-arm" in line.split(" ")[0] and program in line:
            found.append(line)
    return found


class VirtualBoard(Case):
    def run_there(self, *arguments, **more):
        return Run(self.folder, "--target", "ssh://board", *arguments, **more)

    def test_1_from_an_empty_board_to_a_table(self):
        run = self.run_there(*SHORT, *SERVERS).finish()
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("Raspberry Pi Zero", run.err)
        self.assertIn("device tree: raspberrypi,model-zero-w", run.err)
        self.assertIn("copied 3 files", run.err)
        self.assertIn("emulated", run.out)
        for server in SERVERS:
            records = self.assert_complete(run, server)
            self.assertTrue(records[0]["emulated"])  # the agent has found out
            self.assertIn("arm1176jzf-s", records[2]["flags"])
            board = run.records(server, "board")[0]
            self.assertEqual((board["id"], board["arch"]), ("rpizero", "armv6l"))
            window = [r for r in records if r.get("name") == "window"][0]
            self.assertGreater(window["ok"], 0)
            self.assertIsNone(window["server_cpu_ns"])
            self.assertFalse(records[-1]["valid"])
            self.assertIn("emulated", records[-1]["reasons"][0])
        self.assert_nothing_left(run)

    def test_2_the_second_time_nothing_is_copied(self):
        run = self.run_there(*SHORT, *SERVERS).finish()
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("nothing to copy", run.err)

    def test_3_the_cable_is_pulled(self):
        run = self.run_there("--duration", "100s", "--warmup", "0", "--connections", "4",
                             "--concurrency", "16", "--rps", "100", SERVERS[0])
        run.wait_for_samples(SERVERS[0], 10)
        self.assertTrue(board_processes("servers/" + SERVERS[0]))
        subprocess.run(["ip", "link", "set", "edge0", "down"], check=True)
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        self.assertIn("connection to ssh://board is lost", run.err)
        end = self.assert_complete(run, SERVERS[0])[-1]
        self.assertFalse(end["valid"])
        self.assertIn("finished", end["reasons"][0])
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)
        self.assertIn(SERVERS[0], run.out)
        self.assert_nothing_left(run)
        deadline = time.monotonic() + PATIENCE  # nobody tells the agent
        while board_processes("bench-edge") and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(board_processes("bench-edge"), [])


if __name__ == "__main__":
    if not (BUILD / "bench-edge").exists():
        print(f"skipped: nothing is built in {BUILD}: scripts/build.sh rpizero")
        sys.exit(77)
    if "inside" not in sys.argv:
        script = SOURCE / "qemu" / "virtual_board.sh"
        os.execv(script, [script, sys.executable, __file__, "inside"])
    unittest.main(argv=sys.argv[:1], failfast=True)
