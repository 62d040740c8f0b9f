#!/usr/bin/env python3
"""What bench-edge load writes, read back by readers that nobody here wrote for it: each format says
the same as the JSON, and the JSON's percentiles are those of its bins."""
import csv
import fractions
import html.parser
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from prometheus_client.parser import text_string_to_metric_families

from programs import BUILD, PROGRAMS, SERVERS, Server

LOAD = [str(PROGRAMS / "bench-edge"), "load"]
PERCENTS = {"p50_ns": 50, "p75_ns": 75, "p90_ns": 90, "p95_ns": 95, "p99_ns": 99, "p99_9_ns": 99.9}
FORMATS = {"summary": "txt", "json": "json", "csv": "csv", "html": "html", "hgrm": "hgrm",
           "influx": "influx", "prometheus": "prom"}
NAME = 'a name, with "quotes", <tags> & a back\\slash'


def run_load(*arguments, **more):
    return subprocess.run([*LOAD, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False, **more)


def width(low):
    """Of the bin that begins at `low`."""
    return 1 if low < 2048 else 1 << (low.bit_length() - 11)


def rank_value(histogram, percent):
    """The bin in which the nearest rank lies: its lowest and highest value."""
    rank = max(math.ceil(fractions.Fraction(str(percent)) * histogram["count"] / 100), 1)
    for low, count in histogram["bins_ns"]:
        rank -= count
        if rank <= 0:
            return low, low + width(low) - 1
    raise AssertionError("fewer values in the bins than counted")


class Page(html.parser.HTMLParser):
    """Collects the text of elements, and what the page would fetch."""

    def __init__(self):
        super().__init__()
        self.text, self.fetched, self.open, self.points = {}, [], [], {}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.fetched += [value for key, value in attrs.items()
                         if key in ("src", "href") or "url(" in (value or "")]
        if tag == "polyline":
            self.points[attrs["class"]] = [tuple(map(float, point.split(",")))
                                           for point in attrs["points"].split()]
        if tag not in ("meta", "line", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self.open:
            self.text[self.open[-1]] = self.text.get(self.open[-1], "") + data


class Formats(unittest.TestCase):
    """One open loop, written in every format at once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.base = pathlib.Path(cls.folder.name) / "out"
        with Server(f"servers/{SERVERS[0]}") as server:
            cls.address = server.address
            cls.done = run_load("-r", 2000, "-n", 3000, "-c", 20, "--connections", 2, "--name", NAME,
                                "--slo", "p99<60s", "-O", ",".join(FORMATS), "-o", cls.base,
                                server.address)
        if cls.done.returncode != 0:
            raise AssertionError(cls.done.stderr)
        cls.result = json.loads(cls.read("json"))

    @classmethod
    def read(cls, suffix):
        return (cls.base.parent / f"out.{suffix}").read_text(encoding="utf-8")

    def test_each_file_is_there_and_nothing_else(self):
        self.assertEqual({path.name for path in self.base.parent.iterdir()},
                         {f"out.{suffix}" for suffix in FORMATS.values()})
        self.assertEqual(self.done.stdout, "")

    def test_json_percentiles_are_those_of_its_bins(self):
        self.assertEqual(self.result["format"]["name"], "bench-edge load")
        self.assertEqual(self.result["format"]["major"], 1)
        self.assertEqual(self.result["options"]["name"], NAME)
        for name in ("response", "service", "send_lag"):
            histogram = self.result[name]
            bins = histogram["bins_ns"]
            self.assertEqual(histogram["count"], 3000)
            self.assertEqual(sum(count for _, count in bins), 3000)
            self.assertEqual(bins, sorted(bins))
            for key, percent in PERCENTS.items():
                low, high = rank_value(histogram, percent)
                self.assertTrue(low <= histogram[key] <= high, f"{name}.{key}")
            mean = sum(low * count for low, count in bins) / 3000
            self.assertTrue(mean <= histogram["mean_ns"] <= mean * 1.001 + 1)
            self.assertTrue(bins[0][0] <= histogram["min_ns"] <= bins[0][0] + width(bins[0][0]))
            self.assertTrue(bins[-1][0] <= histogram["max_ns"] <= bins[-1][0] + width(bins[-1][0]))

    def test_hgrm(self):
        """The four columns that HdrHistogram's plotters read: value, percentile, count, inverse."""
        response = self.result["response"]
        lines = self.read("hgrm").splitlines()
        self.assertEqual(lines[0].split(), ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
        rows = [line.split() for line in lines[1:] if line and not line.startswith("#")]
        self.assertGreater(len(rows), 20)
        before = (-1, -1, 0)
        for value, percentile, count, inverse in rows:
            row = (float(value), float(percentile), int(count))
            self.assertTrue(all(a >= b for a, b in zip(row, before)), rows)
            before = row
            if row[1] == 1:
                continue
            low, high = rank_value(response, fractions.Fraction(percentile) * 100)
            self.assertTrue(low - 1e3 <= row[0] * 1e6 <= high + 1e3, f"{row} {low} {high}")
            self.assertEqual(row[2], sum(n for at, n in response["bins_ns"] if at <= high))
            self.assertAlmostEqual(float(inverse), 1 / (1 - row[1]), delta=0.01 / (1 - row[1]))
        self.assertEqual(rows[-1][1:], ["1.000000000000", "3000", "inf"])
        self.assertAlmostEqual(float(rows[-1][0]), response["max_ns"] / 1e6, delta=0.001)
        footer = dict(re.findall(r"(\w+(?: \w+)?)\s*=\s*([\d.]+)", "\n".join(lines[-3:])))
        self.assertAlmostEqual(float(footer["Mean"]), response["mean_ns"] / 1e6, delta=0.001)
        mean = response["mean_ns"]
        variance = sum(count * (low + width(low) / 2 - mean) ** 2
                       for low, count in response["bins_ns"]) / 3000
        self.assertAlmostEqual(float(footer["StdDeviation"]), math.sqrt(variance) / 1e6, delta=0.002)
        self.assertEqual(int(footer["Total count"]), 3000)

    def test_csv(self):
        raw = (self.base.parent / "out.csv").read_bytes().decode()
        self.assertTrue(raw.endswith("\r\n"))
        self.assertNotIn("\n", raw.replace("\r\n", ""))
        rows = list(csv.DictReader(raw.splitlines(keepends=True), strict=True))
        self.assertEqual(len(rows), 1)
        row = rows[0]
        self.assertNotIn(None, row, "as many fields as names")
        self.assertEqual(row["name"], NAME)
        self.assertEqual(row["address"], self.address)
        self.assertEqual(int(row["ok"]), 3000)
        for key in ("due", "sent", "unsent"):
            self.assertEqual(int(row[key]), self.result["books"][key])
        for name in ("response", "service"):
            for key in (*PERCENTS, "min_ns", "max_ns"):
                self.assertEqual(int(row[f"{name}_{key}"]), self.result[name][key])
        self.assertAlmostEqual(float(row["req_per_s"]), self.result["ok_per_s"], places=6)
        self.assertEqual((row["goals_kept"], row["first_error"]), ("1", ""))

    def test_prometheus(self):
        text = self.read("prom")
        families = {family.name: family for family in text_string_to_metric_families(text)}
        for name, family in families.items():
            self.assertTrue(name.startswith("bench_edge_load_"))
            self.assertTrue(family.documentation)
            for sample in family.samples:
                self.assertEqual(sample.labels["name"], NAME)
                self.assertEqual(sample.labels["call"], "helloworld.Greeter/SayHello")
            if family.type == "counter": # the parser takes the suffix away
                self.assertIn(f"# TYPE {name}_total counter", text)
        # Base units only, and no metric twice.
        self.assertNotRegex(text, r"(?m)^\w+_(ns|ms|us|milliseconds|percent)\b")
        samples = [line.rsplit(" ", 1)[0] for line in text.splitlines() if line[0] != "#"]
        self.assertEqual(len(samples), len(set(samples)))
        for name in ("response", "service", "send_lag"):
            family = families[f"bench_edge_load_{name}_seconds"]
            self.assertEqual(family.type, "histogram")
            buckets = [(float(sample.labels["le"]), sample.value) for sample in family.samples
                       if sample.name.endswith("_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(buckets[-1], (math.inf, 3000))
            counts = [count for _, count in buckets]
            self.assertEqual(counts, sorted(counts), "cumulative")
            for bound, count in buckets[:-1]:
                self.assertEqual(count, sum(n for low, n in self.result[name]["bins_ns"]
                                            if low <= round(bound * 1e9)))
            rest = {sample.name.rsplit("_", 1)[1]: sample.value for sample in family.samples}
            self.assertEqual(rest["count"], 3000)
            self.assertAlmostEqual(rest["sum"], self.result[name]["mean_ns"] * 3000 / 1e9, places=6)
        outcomes = {sample.labels["outcome"]: sample.value
                    for sample in families["bench_edge_load_calls"].samples}
        self.assertEqual(outcomes, self.result["books"]["outcomes"])

    def test_influx(self):
        line = self.read("influx")
        self.assertEqual(line.count("\n"), 1)
        head, fields, stamp = re.fullmatch(r"((?:\\.|[^ ])+) ((?:\\.|[^ ])+) (\d{19})\n",
                                           line).groups()
        tags = dict(re.split(r"(?<!\\)=", part, maxsplit=1)
                    for part in re.split(r"(?<!\\),", head)[1:])
        self.assertEqual(re.sub(r"\\([,= ])", r"\1", tags["name"]), NAME)
        values = dict(part.split("=") for part in fields.split(","))
        self.assertEqual(values["ok"], "3000i")
        self.assertEqual(values["response_p99_ns"], f"{self.result['response']['p99_ns']}i")
        self.assertAlmostEqual(float(values["req_per_s"]), self.result["ok_per_s"], places=6)
        self.assertEqual(int(stamp), self.result["start_unix_ns"])

    def test_html_needs_nothing_else(self):
        page = Page()
        page.feed(self.read("html"))
        page.close()
        self.assertEqual(page.fetched, [])
        self.assertNotIn("http", page.text["style"])
        self.assertEqual(page.text["title"], NAME)
        self.assertEqual(json.loads(page.text["script"]), self.result)
        self.assertEqual(page.text["pre"], self.read("txt"))
        for curve in ("response", "service"):
            points = page.points[curve]
            self.assertGreater(len(points), 50)
            self.assertEqual(points, sorted(points, key=lambda point: (point[0], -point[1])))
            self.assertTrue(all(0 <= x <= 930 and 0 <= y <= 390 for x, y in points))

    def test_summary(self):
        text = self.read("txt")
        for part in ("\nSummary:\n", f"  Name:\t\t{NAME}\n", "  Count:\t3000\n", "  Total:\t",
                     "  Slowest:\t", "  Fastest:\t", "  Average:\t", "  Requests/sec:\t",
                     "  99.9 % in ", "  max in ", "  [OK]\t3000 responses\n", "  send lag: p50 ",
                     ": BALANCED\n", "\nGoals:\n  kept    p99<1m: found p99 "):
            self.assertIn(part, text)
        counts = [re.findall(r"\[(\d+)\]", line) for line in text.splitlines() if "<=" in line]
        for side in (0, 1):
            self.assertEqual(sum(int(row[side]) for row in counts), 3000)


class Files(unittest.TestCase):
    def test_one_format_is_the_file_itself_or_standard_output(self):
        with Server("servers/null_server") as server, tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result"
            done = run_load("-n", 10, "-O", "json", "-o", path, server.address)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(json.loads(path.read_text())["books"]["due"], 10)
            done = run_load("-n", 10, "-O", "csv", server.address)
            self.assertEqual(len(list(csv.reader(done.stdout.splitlines()))), 2)

    def test_a_file_that_cannot_be_written_costs_no_result(self):
        with Server("servers/null_server") as server, tempfile.TemporaryDirectory() as folder:
            blocked = pathlib.Path(folder) / "out.json"
            blocked.mkdir()
            for arguments, name in ((("-o", "/dev/full"), "/dev/full"),
                                    (("-O", "json", "-o", "/dev/full"), "/dev/full"),
                                    (("-O", "json", "-o", "/nowhere/x"), "/nowhere/x"),
                                    (("-O", "json,csv", "-o", f"{folder}/out"), blocked)):
                with self.subTest(arguments=arguments):
                    done = run_load("-n", 10, *arguments, server.address)
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stderr, f"cannot write {name}: ")
                    self.assertIn("  Count:\t10\n", done.stdout)
            self.assertIn("ok", (pathlib.Path(folder) / "out.csv").read_text())

    def test_no_room_on_standard_output(self):
        with Server("servers/null_server") as server, open("/dev/full", "w") as full:
            done = subprocess.run([*LOAD, "-n", "10", server.address], stdout=full, text=True,
                                  stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write standard output: No space left", done.stderr)

    def test_a_server_that_lies_is_written_too(self):
        with Server("tests/lying_server", "--lie", "status_13") as server:
            done = run_load("-n", 10, "-O", "csv", server.address)
        self.assertEqual(done.returncode, 1)
        row = next(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual((row["ok"], row["grpc_status"], row["service_p50_ns"]), ("0", "10", ""))
        self.assertIn("grpc-status 13", row["first_error"])


class Goals(unittest.TestCase):
    def exit_code(self, server, *goals):
        arguments = [part for goal in goals for part in ("--slo", goal)]
        done = run_load("-n", 200, *arguments, server.address)
        self.assertIn("Requests/sec", done.stdout)
        return done.returncode

    def test_exit_codes(self):
        with Server("servers/null_server") as server:
            self.assertEqual(self.exit_code(server, "p99<1h", "errors<=0", "req_per_s>1"), 0)
            self.assertEqual(self.exit_code(server, "p99<1h,max<1ns"), 4)
            self.assertEqual(self.exit_code(server, "p99<1h", "p50<1ns"), 4)
        with Server("tests/lying_server", "--lie", "reset_every_K") as server:
            self.assertEqual(self.exit_code(server, "errors<50%"), 0)
            self.assertEqual(self.exit_code(server, "errors<1%"), 4)
        with Server("tests/lying_server", "--lie", "status_13") as server:
            self.assertEqual(self.exit_code(server, "errors<=100%"), 1, "nothing was right")

    def test_verdicts_are_in_the_json(self):
        with Server("servers/null_server") as server:
            done = run_load("-n", 50, "--slo", "p50<1ns,errors<0.1%", "-O", "json", server.address)
        self.assertEqual(done.returncode, 4)
        p50, errors = json.loads(done.stdout)["goals"]
        self.assertEqual((p50["goal"], p50["kept"]), ("p50<1ns", False))
        self.assertGreater(p50["found_ns"], 1)
        self.assertEqual((errors["goal"], errors["kept"], errors["found_percent"]),
                         ("errors<0.1%", True, 0))


class Options(unittest.TestCase):
    def test_what_show_config_prints_is_a_config_file(self):
        shown = run_load("-c", 7, "-n", 31, "--slo", "p99<1h", "--slo", "errors<=0", "-d",
                         '{"request": {"name": "x = y # z"}}', "-O", "json", "--show-config").stdout
        self.assertIn("concurrency = 7\n", shown)
        with tempfile.NamedTemporaryFile("w") as file, Server("servers/null_server") as server:
            file.write("# made by a test\n" + shown)
            file.flush()
            again = run_load("--config", file.name, "--show-config").stdout
            self.assertEqual(again.replace(f"config = {file.name}", "config = "), shown)
            result = json.loads(run_load("--config", file.name, server.address).stdout)
            self.assertEqual(result["books"]["due"], 31)
            self.assertEqual(len(result["goals"]), 2)
            # The command line comes before the file.
            result = json.loads(run_load("-n", 9, "--config", file.name, server.address).stdout)
            self.assertEqual(result["books"]["due"], 9)
            file.write("concurency = 5\n")
            file.flush()
            done = run_load("--config", file.name, server.address)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"{file.name}:\d+: .*concurency.*did you mean concurrency")


GHZ = next(filter(None, (shutil.which("ghz"),
                         shutil.which("ghz", path=str(BUILD.parent / "conformance/ghz")))), None)


class Ghz(unittest.TestCase):
    @unittest.skipUnless(GHZ, "ghz is not in PATH or build/conformance/ghz")
    def test_counts_the_same(self):
        with Server(f"servers/{SERVERS[0]}") as server:
            ours = json.loads(run_load("-n", 600, "-c", 20, "--connections", 4, "-r", 1000, "-O",
                                       "json", server.address).stdout)
            done = subprocess.run(
                [GHZ, "--insecure", "--call", "helloworld.Greeter.SayHello", "-n", "600", "-c", "20",
                 "--connections", "4", "-r", "1000", "-d", '{"request": {"name": "abcdefgh"}}', "-O",
                 "json", server.address], capture_output=True, text=True, check=True, timeout=60)
            theirs = json.loads(done.stdout)
        self.assertEqual(theirs["statusCodeDistribution"],
                         {"OK": ours["books"]["outcomes"]["ok"]})
        self.assertEqual(theirs["count"], ours["books"]["sent"])


if __name__ == "__main__":
    os.environ.pop("LIE", None)
    unittest.main(verbosity=2)
