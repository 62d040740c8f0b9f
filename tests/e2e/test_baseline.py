#!/usr/bin/env python3
"""The checker of qemu/baseline must notice: it is fed with results made here."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(os.environ["EDGE_SOURCE_DIR"]) / "qemu/baseline.py"


class BaselineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.baseline = self.folder / "baseline"
        self.results = []
        for board in ("fixture_a", "fixture_b"):
            for call in ("CallOne", "CallTwo"):
                self.result(board, "server_x", call, 20000)
        self.run_checker("renew", code=0)

    def result(self, board, server, call, per_call, compiler="FIXTURE 1.0", ended=True):
        records = [
            {"type": "run", "server": server, "scenario": "fixture", "call": call,
             "emulated": True},
            {"type": "build", "program": "bench-edge", "compiler": "another"},
            {"type": "build", "program": "server", "compiler": compiler},
            {"type": "board", "id": board},
            {"type": "interval", "name": "load", "ok": 1000,
             "instructions": per_call and per_call * 1000},
            {"type": "interval", "name": "window", "ok": 1, "instructions": None}]
        records += [{"type": "end"}] if ended else []
        path = self.folder / f"{board}.{server}.{call}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        if path not in self.results:
            self.results.append(path)

    def run_checker(self, do, code):
        done = subprocess.run([sys.executable, CHECKER, do, self.baseline, *self.results],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_the_same_counts_pass(self):
        self.assertEqual(self.run_checker("check", code=0).count("+0.00 %"), 4)
        self.result("fixture_a", "server_x", "CallOne", 20080)  # 0.4 %
        self.run_checker("check", code=0)

    def test_more_instructions_fail_and_are_named(self):
        self.result("fixture_b", "server_x", "CallTwo", 21000)
        said = self.run_checker("check", code=4)
        self.assertRegex(said, r"fixture_b +server_x +fixture +CallTwo +21000 \+5\.00 % BEYOND")
        self.assertEqual(said.count("BEYOND"), 1)

    def test_fewer_instructions_fail_too(self):
        self.result("fixture_b", "server_x", "CallTwo", 19000)
        self.assertIn("-5.00 % BEYOND", self.run_checker("check", code=4))

    def test_an_edited_baseline_is_noticed(self):
        text = self.baseline.read_text()
        self.baseline.write_text(text.replace("fixture_a server_x fixture CallOne 20000",
                                              "fixture_a server_x fixture CallOne 19048"))
        self.assertRegex(self.run_checker("check", code=4), r"fixture_a .*CallOne .*\+5\.00 %")

    def test_what_is_new_or_gone_fails(self):
        self.result("fixture_a", "server_y", "CallOne", 100)
        self.assertIn("not in the baseline", self.run_checker("check", code=4))
        self.run_checker("renew", code=0)
        self.results = [path for path in self.results if "server_y" not in path.name]
        self.assertRegex(self.run_checker("check", code=4), "server_y .*not measured")

    def test_one_board_alone(self):
        self.results = [path for path in self.results if "fixture_a" in path.name]
        self.run_checker("check", code=0)
        self.result("fixture_a", "server_x", "CallOne", 300)
        self.run_checker("renew", code=0)
        self.assertTrue(re.search("fixture_b server_x fixture CallTwo 20000",
                                  self.baseline.read_text()))

    def test_counts_that_cannot_be_compared(self):
        self.result("fixture_a", "server_x", "CallOne", 20000, compiler="FIXTURE 2.0")
        self.assertIn("different compilers", self.run_checker("check", code=1))
        self.result("fixture_a", "server_x", "CallTwo", 20000, compiler="FIXTURE 2.0")
        self.assertIn("different compilers", self.run_checker("check", code=77))
        self.result("fixture_a", "server_x", "CallOne", None)
        self.assertIn("were not counted", self.run_checker("check", code=77))
        self.result("fixture_a", "server_x", "CallOne", 20000, ended=False)
        self.assertIn("expected a whole emulated run", self.run_checker("check", code=1))

    def test_a_broken_baseline(self):
        with self.baseline.open("a") as file:
            file.write("fixture_a server_x CallOne\n")
        self.assertIn("baseline:9: expected", self.run_checker("check", code=1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
