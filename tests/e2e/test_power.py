"""Power in whole runs: closed forms, and boards that are trees of files."""
import os
import re
import sys
import time
import unittest

from programs import EMULATED, SERVERS
from test_run import Case

SOURCE = os.environ["EDGE_SOURCE_DIR"]
BOARDS = SOURCE + "/tests/data/boards"
# At a rate: it is the power that is looked at, and other tests want the CPUs.
SHORT = ["--duration", "2s", "--warmup", "100ms", "--repeat", "1", "--connections", "4",
         "--concurrency", "16", "--rps", "1000", "--idle", "0"]


class PowerCase(Case):
    @classmethod
    def setUpClass(cls):
        if EMULATED and cls is not Emulated:
            raise unittest.SkipTest("an emulator has no power of a board: it is not read")

    def measure(self, *arguments, **more):
        return self.run_it(*SHORT, *arguments, SERVERS[0], **more)

    def window(self, run):
        return [r for r in run.records(SERVERS[0], "interval") if r["name"] == "window"][0]

    def rules(self, run):
        return {r["id"]: r for r in run.records(SERVERS[0], "rule")}

    def cells(self, run):
        """The row of the second table, by title."""
        lines = [line for line in run.out.splitlines() if line.startswith("| ")]
        header = next(i for i, line in enumerate(lines) if "mJ/req" in line)
        titles, values = ([cell.strip() for cell in lines[i].strip("|").split("|")]
                          for i in (header, header + 1))
        return dict(zip(titles, values))


class ClosedForms(PowerCase):
    # 3 W at the start of the test, and 0.2 W more each second.
    SLOPE, FIRST = 0.2, 3.0

    def check(self, run, start):
        window = self.window(run)
        sync = run.records(SERVERS[0], "sync")[0]
        offset = sync["wall_ns"] - sync["time_ns"]
        a, b = ((window[key] + offset) / 1e9 - start for key in ("start_ns", "stop_ns"))
        joule = self.FIRST * (b - a) + self.SLOPE * (b * b - a * a) / 2
        self.assertAlmostEqual(window["energy_uj"] / 1e6, joule, delta=joule * 1e-3)
        self.assertEqual(window["power_scope"], "wall")
        # Table and file: power, req/s per W and mJ/req are all of one (N, E).
        calls = run.records(SERVERS[0], "count")[0]["ok_in_window"]
        energy = window["energy_uj"] / 1e6
        cells = self.cells(run)
        self.assertAlmostEqual(float(cells["power"].split(" W")[0]), energy / (b - a), delta=0.006)
        self.assertIn("wall", cells["power"])
        self.assertAlmostEqual(float(cells["req/s per W"]), calls / energy, delta=0.51)
        self.assertAlmostEqual(float(cells["mJ/req"]), 1e3 * energy / calls, delta=6e-5)
        record = [r for r in run.records(SERVERS[0], "energy") if r["name"] == "window"][0]
        self.assertEqual(record["energy_uj"], window["energy_uj"])
        self.assertEqual(record["method"], "trapezoid")
        self.assertEqual(self.rules(run)["power"]["verdict"], "pass")

    def test_a_ramp_from_a_file(self):
        start = time.time()
        path = self.folder / "watts.csv"
        steps = [0.25 * i for i in range(400)]  # the file holds the future already
        path.write_text("time,watts\n" + "".join(
            f"{start + s:.6f},{self.FIRST + self.SLOPE * s:.6f}\n" for s in steps))
        run = self.measure("--power", f"csv:{path}", "--power-scope", "wall")
        self.check(run, start)
        self.assertEqual(self.rules(run)["power_gaps"]["reading"], "1 periods")

    def test_a_ramp_from_a_command(self):
        start = time.time()
        program = self.folder / "ramp.py"
        program.write_text(
            "import time\n"
            "while True:\n"
            "    t = time.time()\n"
            f"    print(f'{{t:.6f}},{{{self.FIRST} + {self.SLOPE} * (t - {start}):.6f}}', flush=True)\n"
            "    time.sleep(0.05)\n")
        run = self.measure("--power", f"cmd:{sys.executable} {program}", "--power-scope", "wall")
        self.check(run, start)
        self.assert_nothing_left(run)

    def test_idle_gives_net(self):
        run = self.measure("--power", "cmd:while :; do echo 2.5; sleep 0.05; done", "--idle", "1s")
        names = [r["name"] for r in run.records(SERVERS[0], "energy")]
        self.assertEqual(names, ["window", "idle_before", "idle_after"])
        record = run.records(SERVERS[0], "energy")[0]
        self.assertAlmostEqual(record["energy_uj"] / 1e6, 5.0, delta=0.001)
        self.assertAlmostEqual(record["idle_uj"] / 1e6, 5.0, delta=0.001)
        for idle in [r for r in run.records(SERVERS[0], "interval") if "idle" in r["name"]]:
            self.assertEqual(idle["stop_ns"] - idle["start_ns"], 10**9)
            self.assertEqual(idle["ok"], 0)
        self.assertIn("unstated", self.cells(run)["power"])
        self.assertIn("net 0.00 W", run.out)

    def test_the_graduated_profile(self):
        run = self.run_it("--profile", "graduated", "--duration", "400ms", "--warmup", "50ms",
                          "--repeat", "1", "--connections", "4", "--concurrency", "16", "--power",
                          "cmd:while :; do echo 4; sleep 0.05; done", "--idle", "0", SERVERS[0])
        levels = [r for r in run.records(SERVERS[0], "interval") if r["name"] == "level"]
        self.assertEqual([level["load_percent"] for level in levels], list(range(100, -1, -10)))
        found = self.window(run)["ok"] / 0.4
        for level in levels[:-1]:
            self.assertAlmostEqual(level["target_rate"], found * level["load_percent"] / 100,
                                   delta=1.5)
            self.assertGreater(level["ok"], 0)
        self.assertEqual(levels[-1]["ok"], 0)
        for level in levels:
            self.assertAlmostEqual(level["energy_uj"] / 1e6, 1.6, delta=0.001)
        score = sum(level["ok"] for level in levels) / 0.4 / (11 * 4)
        printed = re.search(r"sum of watts: (\d+) req/s per W", run.out)
        self.assertAlmostEqual(float(printed.group(1)), score, delta=0.51)


class Boards(PowerCase):
    def test_a_throttled_board_is_shown_and_not_ranked(self):
        run = self.measure("--root", f"{BOARDS}/pi-4-throttled")
        self.assertEqual(run.code, 3, run.err)
        rules = self.rules(run)
        self.assertEqual(rules["undervoltage"]["verdict"], "fail")
        self.assertEqual(rules["throttled"]["verdict"], "fail")
        end = run.records(SERVERS[0], "end")[0]
        self.assertFalse(end["valid"])
        self.assertTrue(any(reason.startswith("throttled") for reason in end["reasons"]))
        self.assertIn("not ranked", run.out)
        self.assertRegex(run.out, r"83\.7 degrees, 1800 MHz asked for, 600 MHz measured")
        window = self.window(run)
        self.assertEqual(window["throttle_bits"], 5)  # what was set since boot has not risen
        self.assertGreater(window["ok"], 0)

    def test_a_healthy_board_is_still_no_board(self):
        run = self.measure("--root", f"{BOARDS}/pi-4")
        self.assertEqual(run.code, 3)
        rules = self.rules(run)
        self.assertEqual(rules["throttled"]["verdict"], "pass")
        self.assertEqual(rules["undervoltage"]["verdict"], "pass")
        self.assertEqual(rules["recorded"]["verdict"], "fail")
        board = run.records(SERVERS[0], "board")[0]
        self.assertEqual(board["thermal_zone"], "cpu-thermal")
        self.assertEqual(board["governor"], "performance")

    def test_without_a_source_there_are_dashes(self):
        for root in ("pi-zero-w", "ucsi-only"):
            with self.subTest(root):
                run = self.measure("--root", f"{BOARDS}/{root}")
                cells = self.cells(run)
                self.assertEqual((cells["power"], cells["req/s per W"], cells["mJ/req"]),
                                 ("-", "-", "-"))
                self.assertIsNone(self.window(run)["energy_uj"])
                rule = self.rules(run)["power"]
                self.assertEqual(rule["verdict"], "not_judged")
                self.assertIn("hwmon", rule["words"])
                self.assertEqual(run.records(SERVERS[0], "energy"), [])

    def test_the_regulator_of_a_pi_5(self):
        run = self.measure("--root", f"{BOARDS}/pi-5", "--power", "pmic")
        window = self.window(run)
        self.assertAlmostEqual(window["energy_uj"] / 1e6, 2 * 3.010369, delta=1e-4)
        self.assertEqual(window["power_scope"], "soc_rails")
        self.assertIn("soc_rails", self.cells(run)["power"])
        self.assertGreater(len(run.records(SERVERS[0], "power")), 3)
        self.assertEqual(self.rules(run)["power_updates"]["verdict"], "warn")  # a tree stands still

    def test_a_wrong_shunt_is_told(self):
        run = self.measure("--root", f"{BOARDS}/ina219-wrong-shunt")
        self.assertIn("WARNING", run.err)
        self.assertIn("10 times too high", self.rules(run)["power_doubt"]["words"])

    def test_a_source_that_was_named_must_be_there(self):
        run = self.measure("--root", f"{BOARDS}/pi-4", "--power", "pmic")
        self.assertEqual(run.code, 1)
        self.assertIn("only a Pi 5", run.err)
        for power, words in (("watts", "expected auto"), ("csv", "csv:FILE")):
            run = self.measure("--power", power)
            self.assertEqual(run.code, 2)
            self.assertIn(words, run.err)


class Emulated(PowerCase):
    @unittest.skipUnless(EMULATED, "of a board's programs under an emulator")
    def test_what_runs_below_an_emulator_has_no_watts(self):
        path = self.folder / "watts.csv"
        path.write_text("".join(f"{time.time() + s},3\n" for s in range(100)))
        run = self.measure("--power", f"csv:{path}", "--power-scope", "wall")
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("nothing here is a board's speed", run.err)
        self.assertIsNone(self.window(run)["energy_uj"])
        self.assertEqual(run.records(SERVERS[0], "power"), [])


if __name__ == "__main__":
    unittest.main()
