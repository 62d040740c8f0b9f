"""bench-edge probe: boards that are trees of files, this machine, and what cannot be probed."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from programs import BUILD, EMULATED, PROGRAMS, SOURCE

PROGRAM = PROGRAMS / "bench-edge"
BOARDS = SOURCE / "tests/data/boards"
TREES = sorted(path.name for path in BOARDS.iterdir() if path.is_dir())

TEXT, NUMBER, BOOL, NULL = (str,), (int, float), (bool,), (type(None),)
# The form of --format json, docs/probe.md: a type, a list of one form, or members by name.
SHAPE = {
    "format": TEXT, "major": NUMBER, "minor": NUMBER, "version": TEXT, "target": TEXT,
    "root": TEXT + NULL, "emulated_board": TEXT + NULL, "valid": BOOL, "rules_of_a_run": TEXT,
    "rules": [{"id": TEXT, "reads": TEXT, "verdict": TEXT, "reading": TEXT, "limit": TEXT,
               "words": TEXT}],
    "facts": {
        "missing": dict, "permissions": [TEXT], "model": TEXT + NULL, "model_source": TEXT + NULL,
        "kernel": TEXT + NULL, "machine": TEXT + NULL, "page_bytes": NUMBER + NULL,
        "os": TEXT + NULL, "userland_bits": NUMBER + NULL, "libc": TEXT + NULL,
        "compatible": [TEXT], "revision": TEXT + NULL, "build": TEXT + NULL,
        "catalogue": {"id": TEXT, "name": TEXT, "soc": TEXT, "by": TEXT, "traps": [TEXT]},
        "cores": [{"name": TEXT, "count": NUMBER}],
        "cpus_online": TEXT + NULL, "cpus_present": TEXT + NULL, "ram_bytes": NUMBER + NULL,
        "ram_available_bytes": NUMBER + NULL, "swap_bytes": NUMBER + NULL,
        "swap_used_bytes": NUMBER + NULL,
        "policies": [{"cpus": TEXT, "driver": TEXT, "governor": TEXT, "min_hz": NUMBER + NULL,
                      "max_hz": NUMBER + NULL, "cap_hz": NUMBER + NULL,
                      "requested_hz": NUMBER + NULL}],
        "zones": [{"type": TEXT, "millicelsius": NUMBER + NULL, "cpu": BOOL}],
        "temperature_millicelsius": NUMBER + NULL,
        "coolers": [{"type": TEXT, "state": NUMBER + NULL, "max": NUMBER + NULL}],
        "rpi_volt": BOOL, "measured_hz": NUMBER + NULL, "throttle_bits": NUMBER + NULL,
        "throttle_source": TEXT + NULL,
        "links": [{"name": TEXT, "kind": TEXT, "driver": TEXT, "mbit": NUMBER + NULL}],
        "pressure": BOOL, "time_in_state": BOOL, "virtual_machine": TEXT, "emulator": TEXT,
        "ram_limit": TEXT + NULL, "clock_synchronised": BOOL + NULL,
        "background": {"interval_ns": NUMBER, "cpu_ns": NUMBER, "steal_ns": NUMBER,
                       "clock_step_ns": NUMBER, "load": NUMBER + NULL,
                       "busiest": [{"name": TEXT, "pid": NUMBER, "cpu_ns": NUMBER}]},
        "power": list,  # either form: see check_power
    },
}
SOURCE_READ = {"name": TEXT, "scope": TEXT, "detail": TEXT, "interval_ns": NUMBER,
               "correction": TEXT, "warning": TEXT, "power_uw": NUMBER + NULL}
SOURCE_REFUSED = {"name": TEXT, "why": TEXT, "permission": BOOL}


class Case(unittest.TestCase):
    def probe(self, *arguments, **more):
        return subprocess.run([str(PROGRAM), "probe", *map(str, arguments)], text=True,
                              capture_output=True, timeout=60, cwd=SOURCE, **more)

    def json(self, *arguments):
        run = self.probe("--format", "json", *arguments)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        probe = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0 if probe["valid"] else 3)
        self.check(probe, SHAPE, "probe")
        self.check_power(probe["facts"]["power"])
        self.check_reasons(probe["facts"])
        return probe

    def check(self, value, shape, name):
        if isinstance(shape, tuple):
            self.assertIsInstance(value, shape, name)
            self.assertTrue(bool in shape or not isinstance(value, bool), name)
        elif isinstance(shape, list):
            for i, one in enumerate(value or []):
                self.check(one, shape[0], f"{name}[{i}]")
        elif isinstance(shape, dict) and value is not None:
            self.assertEqual(set(value), set(shape), name)
            for key, one in shape.items():
                self.check(value[key], one, f"{name}.{key}")

    def check_power(self, sources):
        for source in sources:
            shape = SOURCE_REFUSED if "why" in source else SOURCE_READ
            self.check(source, shape, source["name"])
            if "why" in source:
                self.assertTrue(source["why"])

    def check_reasons(self, facts):
        """Each fact that cannot be had has a reason, and no other has."""
        unknown = {key for key, value in facts.items() if value is None}
        self.assertEqual(unknown, set(facts["missing"]))
        for why in facts["missing"].values():
            self.assertGreater(len(why), 10)


class Trees(Case):
    maxDiff = None

    def test_each_board_in_words(self):
        for tree in TREES:
            with self.subTest(tree):
                run = self.probe("--root", f"tests/data/boards/{tree}")
                self.assertEqual(run.returncode, 3)  # a tree is no board
                self.assertEqual(run.stderr, "")
                self.assertEqual(run.stdout, (SOURCE / f"tests/data/probe/{tree}.txt").read_text())

    def test_each_board_in_json(self):
        # Written down from what the trees are meant to show, not from what was printed.
        expected = {
            "pi-zero-w": ("rpizero", "1 ARM1176JZF-S", 32, "armv6l", 38470, 0, "wifi", None),
            "pi-4": ("rpi4", "4 Cortex-A72", 64, "aarch64", 48200, 0, "ethernet", None),
            "pi-4-throttled": ("rpi4", "4 Cortex-A72", 32, "aarch64", 83700, 0x50005, "ethernet",
                               None),
            "pi-5": ("rpi5", "4 Cortex-A76", 64, "aarch64", 52850, 0, "ethernet",
                     ("pmic", "soc_rails", 3010369)),
            "jetson-nano": ("jetson-nano", "4 Cortex-A57", 64, None, 36500, None, "ethernet",
                            ("ina3221", "dc_input", 2089664)),
            "jetson-orin-nano": ("jetson-orin-nano", "6 Cortex-A78AE", 64, None, 47343, None,
                                 "ethernet", ("ina3221", "module", 2191104)),
            "ina219-wrong-shunt": ("rpi4", "4 Cortex-A72", 64, "aarch64", 45300, 0, "ethernet",
                                   ("hwmon", "dc_input", 30720000)),
            "n100": (None, "4 Intel(R) N100", 64, "x86_64", 46000, 0, "ethernet",
                     ("rapl", "cpu_package", None)),
            "ucsi-only": ("orangepi5", "4 Cortex-A55, 4 Cortex-A76", 64, "aarch64", 43461, 0,
                          "ethernet", None),
        }
        self.assertEqual(sorted(expected), TREES)
        for tree, facts in expected.items():
            with self.subTest(tree):
                probe = self.json("--root", BOARDS / tree)
                found = probe["facts"]
                cores = ", ".join(f"{kind['count']} {kind['name']}" for kind in found["cores"])
                power = [(s["name"], s["scope"], s["power_uw"]) for s in found["power"]
                         if "scope" in s]
                self.assertEqual(facts, (
                    found["catalogue"] and found["catalogue"]["id"], cores, found["userland_bits"],
                    found["machine"], found["temperature_millicelsius"], found["throttle_bits"],
                    found["links"][0]["kind"], power[0] if power else None))
                self.assertFalse(probe["valid"])
                self.assertEqual(found["permissions"], [])

    def test_each_member_is_documented(self):
        documented = (SOURCE / "docs/probe.md").read_text()
        for member in [*SHAPE, *SHAPE["facts"]]:
            self.assertIn(f"`{member}`", documented)

    def test_the_same_rules_as_a_run(self):
        rules = {r["id"]: r for r in self.json("--root", BOARDS / "pi-4-throttled")["rules"]}
        for rule in ("undervoltage", "throttled", "recorded"):
            self.assertEqual(rules[rule]["verdict"], "fail")
        documented = (SOURCE / "docs/run-rules.md").read_text()
        for rule in rules:
            self.assertIn(f"| `{rule}` |", documented)
        doubt = {r["id"]: r for r in self.json("--root", BOARDS / "ina219-wrong-shunt")["rules"]}
        self.assertIn("10 times too high", doubt["power_doubt"]["words"])


class ThisMachine(Case):
    def test_what_is_here(self):
        probe = self.json()
        facts = probe["facts"]
        self.assertEqual(facts["kernel"], os.uname().release)
        self.assertEqual(sum(kind["count"] for kind in facts["cores"]), os.cpu_count())
        self.assertGreater(facts["ram_bytes"], facts["ram_available_bytes"])
        self.assertGreaterEqual(facts["background"]["interval_ns"], 10**9)
        self.assertTrue(facts["ram_limit"])
        self.assertEqual(probe["root"], None)
        rules = {r["id"]: r for r in probe["rules"]}
        self.assertEqual(rules["recorded"]["verdict"], "pass")
        self.assertEqual(rules["emulated"]["verdict"], "fail" if EMULATED else "pass")
        self.assertEqual(len(facts["power"]), 5)

    def test_in_words(self):
        run = self.probe()
        self.assertIn(run.returncode, (0, 3))
        self.assertEqual(run.stderr, "")
        for label in ("board", "cores", "kernel", "power", "background", "RAM limit"):
            self.assertIn(f"\n  {label} ", run.stdout)
        facts = self.json()["facts"]
        if not any("scope" in source for source in facts["power"]):
            self.assertIn("power         -  no source of this board can be read", run.stdout)

    def test_what_may_not_be_read_is_named_with_the_cure(self):
        if os.geteuid() != 0 or EMULATED:
            self.skipTest("needs root, to become someone who may less, and a program to copy")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            tree = pathlib.Path(folder) / "n100"
            shutil.copytree(BOARDS / "n100", tree)
            (tree / "sys/class/powercap/intel-rapl:0/energy_uj").chmod(0o600)
            program = pathlib.Path(folder) / "bench-edge"
            shutil.copy(PROGRAM, program)
            run = subprocess.run([str(program), "probe", "--root", str(tree)], text=True, user=65534,
                                 capture_output=True, timeout=60, cwd="/")
        self.assertEqual(run.returncode, 3, run.stderr)
        words = " ".join(run.stdout.split())
        self.assertRegex(words, "Permissions that are missing: rapl: .*sudo chmod a[+]r")
        self.assertIn("power - no source of this board can be read", words)


class Emulated(Case):
    @unittest.skipIf(EMULATED, "an emulated program emulates no other")
    @unittest.skipUnless((BUILD.parent / "rpizero/servers").is_dir(), "rpizero is not built")
    def test_a_board_that_is_emulated(self):
        probe = self.json("--target", "qemu:rpizero")
        self.assertEqual(probe["emulated_board"], "Raspberry Pi Zero and Zero W")
        rules = {r["id"]: r for r in probe["rules"]}
        self.assertEqual(rules["emulated"]["verdict"], "fail")
        self.assertIn("no power of a board", rules["power"]["words"])
        self.assertEqual(rules["throttled"]["verdict"], "not_judged")
        self.assertIn("the machine that emulates it", self.probe("--target", "qemu:rpizero").stdout)


class Refusals(Case):
    def refused(self, code, words, *arguments):
        run = self.probe(*arguments)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertIn(words, run.stderr)

    def test_a_root_that_is_none(self):
        self.refused(2, "expected a folder", "--root", "/nowhere")
        self.refused(2, "expected a folder", "--root", __file__)

    def test_an_empty_root_names_everything_that_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            probe = self.json("--root", folder)
            self.assertGreater(len(probe["facts"]["missing"]), 15)
            run = self.probe("--root", folder)
        self.assertIn("A machine without a name", run.stdout)

    def test_a_full_disk_is_told(self):
        for form in ("text", "json"):
            with self.subTest(form), open("/dev/full", "w") as full:
                done = subprocess.run([str(PROGRAM), "probe", "--root", "tests/data/boards/pi-4",
                                       "--format", form], cwd=SOURCE, stdout=full, text=True,
                                      stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1)
                self.assertIn("cannot write what was found (is the disk full?)", done.stderr)

    def test_a_target_that_is_none(self):
        self.refused(2, "local", "--target", "moon")
        self.refused(2, "rpi4", "--target", "qemu:rpi44")
        self.refused(2, "--root", "--target", "qemu:rpi4", "--root", "tests/data/boards/pi-4")
        self.refused(2, "--format", "--format", "xml")

    def test_help(self):
        run = self.probe("--help")
        self.assertEqual(run.returncode, 0)
        self.assertIn("--root DIR", run.stdout)


if __name__ == "__main__":
    unittest.main()
