"""bench-edge report, compare and check, read by parsers and computed by code that is not ours."""
import csv
import io
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from parsers import Page, parse_influx
from programs import PROGRAMS, SANITIZED, SOURCE
from reckoning import DATA, percentile, rates, ratio_interval, records, t95

PROGRAM = PROGRAMS / "bench-edge"


def run(*arguments, code=0, cwd=DATA):
    done = subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, timeout=240)
    out, err = done.stdout.decode(), done.stderr.decode(errors="surrogateescape")
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit code {done.returncode}, not {code}\n{out}\n{err}")
    return out, err


class Formats(unittest.TestCase):
    def csv(self, *arguments, code=0):
        return list(csv.DictReader(io.StringIO(run("report", "-f", "csv", *arguments,
                                                   code=code)[0], newline="")))

    def test_csv_has_every_result_and_exact_figures(self):
        rows = self.csv("fixture_boards")
        self.assertEqual(len(rows), 18)
        row = next(r for r in rows if "/rpi4/fixture_nanopb" in r["file"])
        expected = rates("rpi4")
        self.assertAlmostEqual(float(row["req_per_s"]), statistics.median(expected), places=6)
        half = t95(2) * statistics.stdev(expected) / math.sqrt(3)
        self.assertAlmostEqual(float(row["req_per_s_ci95"]) / half, 1, places=4)
        for name, percent in (("p50_ns", 50), ("p90_ns", 90), ("p95_ns", 95), ("p99_ns", 99),
                              ("p99.9_ns", 99.9)):
            self.assertEqual(int(row[name]), percentile("rpi4", percent), name)
        # req/s per W and J/req are the same figure, and both fit the power.
        self.assertAlmostEqual(float(row["req_per_s_per_w"]) * float(row["energy_per_req_j"]), 1,
                               places=9)
        self.assertEqual(row["syscalls_per_req"], "")  # not measured: empty, not 0

    def test_json_says_the_same_as_csv(self):
        document = json.loads(run("report", "-f", "json", "fixture_boards")[0])
        self.assertEqual((document["format"], document["major"]), ("bench-edge-report", 1))
        by_file = {row["file"]: row for row in self.csv("fixture_boards")}
        for row in document["rows"]:
            flat = by_file[row["facts"]["file"]]
            for key, value in row["figures"].items():
                self.assertEqual(flat[key] == "", value is None, key)
                if value is not None:
                    self.assertAlmostEqual(float(flat[key]), value, places=9)
            self.assertEqual(row["valid"], row["verdict"] == "VALID")
            self.assertEqual(row["valid"], row["reasons"] == [])

    def test_hostile_text_survives_csv_and_json(self):
        row = self.csv("fixture_hostile")[0]
        facts = json.loads(run("report", "-f", "json", "fixture_hostile")[0])["rows"][0]["facts"]
        source = [json.loads(line)
                  for line in (DATA / "fixture_hostile" / "hostile.jsonl").read_text().splitlines()]
        board = next(r for r in source if r["type"] == "board")
        for found in (row, facts):
            self.assertEqual(found["server"], source[0]["server"])
            self.assertEqual(found["board"], board["id"])
            self.assertEqual(found["model"], board["model"])

    def test_markdown_rows_have_as_many_cells_as_their_header(self):
        out = run("report", "-f", "markdown", "fixture_boards", "fixture_hostile")[0]
        tables = [t for t in re.split(r"\n\n|```", out) if t.strip().startswith("|")]
        self.assertGreaterEqual(len(tables), 12)
        for table in tables:
            counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().splitlines()}
            self.assertEqual(len(counts), 1, table)
        for table in re.split(r"```text.*?```", out, flags=re.S):
            self.assertIsNone(re.search(r"(?<!\\)<", table))

    def test_filters_sort_and_columns(self):
        rows = self.csv("fixture_boards", "--board", "*rpi5*", "--columns", "server,p99",
                        "--sort", "p99")
        self.assertEqual([list(r) for r in rows], [["server", "p99_ns"]] * 2)
        self.assertLess(int(rows[0]["p99_ns"]), int(rows[1]["p99_ns"]))
        back = self.csv("fixture_boards", "--board", "*rpi5*", "--columns", "p99", "--sort=-p99")
        self.assertEqual([r["p99_ns"] for r in back], [r["p99_ns"] for r in reversed(rows)])
        for option, value in (("--server", "fixture_proto*"), ("--scenario", "none"),
                              ("--call", "none")):
            code = 0 if option == "--server" else 1
            out, err = run("report", "fixture_boards", option, value, code=code)
            self.assertEqual("no result matches" in err, code == 1)
        err = run("report", "fixture_boards", "--columns", "p98", code=2)[1]
        self.assertIn('no column "p98"; did you mean p9', err)

    def test_openmetrics_by_its_reference_parser(self):
        out = run("report", "-f", "openmetrics", "fixture_boards", "fixture_hostile",
                  "fixture_board")[0]
        families = {f.name: f for f in text_string_to_metric_families(out)}
        rows = self.csv("fixture_boards", "fixture_hostile", "fixture_board")
        latest = {}  # the hot run of a board came later than its good one, and hides it
        for row in sorted(rows, key=lambda r: r["started_utc"]):
            latest[tuple(row[k] for k in ("board", "server", "rps", "codec", "emulated"))] = row
        valid = {r["file"]: r for r in latest.values() if r["verdict"] == "VALID"}
        rate = families["bench_edge_req_per_s"]
        self.assertEqual(sorted(s.value for s in rate.samples),
                         sorted(float(r["req_per_s"]) for r in valid.values()))
        p99 = families["bench_edge_p99_seconds"]
        self.assertEqual(p99.unit, "seconds")
        for sample in p99.samples:
            self.assertTrue(any(math.isclose(float(r["p99_ns"]) / 1e9, sample.value)
                                for r in valid.values()))
        states = families["bench_edge_valid"].samples
        labels = [tuple(sorted(s.labels.items())) for s in states]
        self.assertEqual(len(labels), len(set(labels)))  # a series stands once
        self.assertEqual({s.value for s in states}, {0, 1})
        # An emulator's instructions stand, its speed does not; the latest of three runs counts.
        emulated = [s for s in rate.samples if s.labels["emulated"] == "yes"]
        self.assertEqual(emulated, [])
        counts = families["bench_edge_instr_per_req"].samples
        self.assertEqual([s.value for s in counts], [28_900])
        board = next(s for s in states if "alert(1)" in s.labels["board"])
        self.assertIn("</title><script>alert(1)</script>&\"q\"'a'<!--", board.labels["board"])
        self.assertEqual(board.labels["codec"], "a\\b,c d=e\\")

    def test_influx_by_its_specification(self):
        out, err = run("report", "-f", "influx", "fixture_boards", "fixture_hostile")
        rows = self.csv("fixture_boards", "fixture_hostile")
        points = [parse_influx(line) for line in out.splitlines()]
        self.assertEqual(len(points), len(rows))
        for name, tags, fields, time in points:
            self.assertEqual(name, "bench_edge")
            self.assertGreaterEqual(time, 946_684_800 * 10**9)
            row = next(r for r in rows if r["server"] == tags["server"]
                       and r["board"] == tags["board"] and r["rps"] == tags["rps"]
                       and r["verdict"] == fields["verdict"]
                       and math.isclose(float(r["req_per_s"]),
                                        fields.get("req_per_s", float(r["req_per_s"])))
                       and (r["instr_per_req"] == ""
                            or float(r["instr_per_req"]) == fields["instr_per_req"]))
            self.assertEqual(fields["valid"], row["verdict"] == "VALID")
            self.assertEqual("req_per_s" in fields, fields["valid"])
            if fields["valid"]:
                self.assertAlmostEqual(fields["p99_ns"], float(row["p99_ns"]))


class Html(unittest.TestCase):
    def page(self, *arguments):
        text = run("report", "-f", "html", *arguments)[0]
        return text, Page(text)

    def test_nested_right_self_contained_and_nothing_injected(self):
        for folder in ("fixture_boards", "fixture_hostile", "fixture_board", "fixture_cut"):
            text, page = self.page(folder)
            self.assertEqual(page.open, [], folder)
            self.assertNotIn("img", page.tags)
            self.assertEqual([l for l in page.links if not l.startswith(("#", "data:"))], [])
            self.assertEqual(page.tags.count("script") - page.embedded, 2, folder)
            self.assertEqual(re.findall(r"<script>(?!\n)", text), [])

    def test_each_plot_has_its_table(self):
        text, _ = self.page("fixture_boards")
        figures = re.findall(r'<figure data-plot="(\w+)"(.*?)</figure>', text, re.S)
        self.assertEqual({kind for kind, _ in figures},
                         {"bars", "curve", "scatter", "history", "time"})
        for _, body in figures:
            self.assertIn("<table>", body)
            self.assertIn("data-v=", body)

    def test_the_embedded_file_is_the_file(self):
        for path in (DATA / "fixture_hostile" / "hostile.jsonl",
                     DATA / "fixture_boards" / "rpi4" /
                     "fixture_nanopb.fixture_payload.FixtureCall.jsonl"):
            _, page = self.page(str(path))
            lines = page.raw[path.name].splitlines()
            self.assertEqual([json.loads(line) for line in lines],
                             [json.loads(line) for line in path.read_text().splitlines()])
        self.assertEqual(self.page("fixture_boards", "--no-raw")[1].raw, {})

    def test_cards_name_the_best(self):
        _, page = self.page("fixture_boards", "--board", "*rpi*")
        best = statistics.median(rates("rpi5"))
        self.assertRegex(page.visible, rf"most req/s\s*{best:.0f}\s*fixture_nanopb on fixture: rpi5")


class Compare(unittest.TestCase):
    def table(self, out):
        rows = {}
        for line in out.splitlines():
            cells = [c.strip() for c in line.strip("|").split("|")]
            if line.startswith("|") and len(cells) == 6:
                rows.setdefault(cells[0], cells[1:])
        return rows

    def test_ratio_and_interval_by_another_way(self):
        for base, other in (("rpi4", "rpi5"), ("rpi5", "rock5b"), ("rpi4", "rock5b")):
            out = run("compare", f"fixture_boards/{base}", f"fixture_boards/{other}")[0]
            row = self.table(out)["req/s"]
            ratio, low, high = ratio_interval(rates(base), rates(other))
            self.assertEqual(row[2], f"{ratio:.3f}")
            self.assertEqual(row[3], f"{low:.3f} to {high:.3f}")
            self.assertEqual(row[4], "no difference shown" if low <= 1 <= high else "B is better")

    def test_no_difference_where_the_interval_covers_one(self):
        out = run("compare", "fixture_boards/rpi5", "fixture_boards/rock5b")[0]
        self.assertEqual(self.table(out)["req/s"][4], "no difference shown")

    def test_a_single_repeat_has_no_interval(self):
        out = run("compare", "fixture_boards/rpi4-load1", "fixture_boards/rpi4-load2",
                  "--allow", "rps")[0]
        row = self.table(out)["req/s"]
        self.assertEqual(row[3:], ["-", "no interval: needs 2 repeats"])
        self.assertIn("in spite of: rps (8000; 16000)", out)

    def test_each_difference_is_refused_by_name(self):
        base = records("rpi5")
        cases = {
            "scenario": ("run", None, {"scenario": "fixture_other"}),
            "call": ("run", None, {"call": "FixtureOther"}),
            "emulated": ("run", None, {"emulated": True}),
            "generator": ("run", None, {"target": "local"}),
            "connections": ("opt", "connections", {"value": "10"}),
            "concurrency": ("opt", "concurrency", {"value": "10"}),
            "rps": ("opt", "rps", {"value": "10"}),
            "messages": ("opt", "messages", {"value": "11"}),
            "server_cpus": ("opt", "server-cpus", {"value": "2"}),
            "tls": ("build", None, {"tls": "fixture-tls"}),
            "codec": ("build", None, {"codec": "fixture-other"}),
            "power_scope": ("interval", "window", {"power_scope": "wall"}),
            "invalid": ("end", None, {"valid": False}),
            "server": ("both", None, {}),
        }
        with tempfile.TemporaryDirectory() as folder:
            for name, (kind, which, keys) in cases.items():
                changed = [{**r, **keys} if r["type"] == kind and which in (None, r.get("name"))
                           else r for r in base]
                if kind == "both":
                    changed = [{**r, **({"server": "fixture_x"} if r["type"] == "run" else {}),
                                **({"id": "fixture: x"} if r["type"] == "board" else {})}
                               for r in base]
                path = pathlib.Path(folder) / f"{name}.jsonl"
                path.write_text("".join(json.dumps(r) + "\n" for r in changed))
                sides = ("fixture_boards/rpi5/fixture_nanopb.fixture_payload.FixtureCall.jsonl",
                         str(path))
                out, err = run("compare", *sides, code=1)
                self.assertEqual(out, "")
                self.assertRegex(err, rf"they differ in .*\b{name} \(.*give --allow .*\b{name}\b")
                allowed = re.search(r"--allow (\S+)", err).group(1)
                out, _ = run("compare", *sides, "--allow", allowed)
                if name == "power_scope":  # never set against each other
                    self.assertNotIn("req/s per W", self.table(out))
        err = run("compare", "a", "b", "--allow", "colour", code=2)[1]
        self.assertIn("--allow: expected one of server, board, scenario", err)

    def test_servers_on_one_board(self):
        files = [f"fixture_boards/rpi4/{s}.fixture_payload.FixtureCall.jsonl"
                 for s in ("fixture_nanopb", "fixture_protobufc")]
        self.assertIn("codec (fixturepb; fixturepb-c)", run("compare", *files, code=1)[1])
        out = run("compare", *files, "--allow", "codec")[0]
        self.assertEqual(self.table(out)["req/s"][4], "A is better")

    def test_prices(self):
        out = run("compare", "fixture_boards/rpi4", "fixture_boards/rpi5",
                  "--price", "fixture: rpi4-like=40", "--price", "fixture: rpi5-like=80.50")[0]
        self.assertIn(f"{statistics.median(rates('rpi4')) / 40:.1f}", out)
        self.assertIn(f"{statistics.median(rates('rpi5')) / 80.5:.1f}", out)
        for price in ("rpi4", "=5", "rpi4=", "rpi4=0", "rpi4=-1", "rpi4=nan", "rpi4=inf",
                      "rpi4=1e3", "rpi4=5x"):
            self.assertIn("--price: expected BOARD=AMOUNT",
                          run("compare", "a", "b", "--price", price, code=2)[1])

    def test_counterparts(self):
        out, err = run("compare", "fixture_boards/rpi4", "fixture_boards/rpi4-load1", code=1)
        self.assertIn("no counterpart in B", err)  # fixture_protobufc
        self.assertIn("expected 2 to 26", run("compare", "fixture_boards/rpi4", code=2)[1])
        out = run("compare", "fixture_boards/rpizero-1", "fixture_boards/rpizero-3")[0]
        self.assertEqual(list(self.table(out)), ["figure", "instr/req", "syscalls/req",
                                                 "binary size"])  # an emulator has no speed


class Check(unittest.TestCase):
    RESULT = "fixture_boards/rpi4/fixture_nanopb.fixture_payload.FixtureCall.jsonl"

    def test_goals(self):
        run("check", self.RESULT, "--slo", "p99<5ms", "--slo", "req_per_s > 10000")
        out = run("check", self.RESULT, "--slo", "p99<5ms", "--slo", "p50<=100us", code=4)[0]
        self.assertRegex(out, r"p99<5ms \| +2.05 ms \| +ok")
        self.assertRegex(out, r"p50<=100us \| +945.7 us \| +MISSED")
        out = run("check", self.RESULT, "--slo", "instr_per_req<1", code=4)[0]
        self.assertIn("NOT MEASURED", out)  # a goal without a figure is not kept

    def test_not_valid(self):
        out = run("check", "fixture_boards/rpi4-hot", "--slo", "req_per_s>1", code=3)[0]
        self.assertIn("throttled", out)
        run("check", "fixture_boards/rpizero-1", "--slo", "instr_per_req<31k")
        run("check", "fixture_boards/rpizero-1", "--slo", "req_per_s>1", code=3)

    def test_junit(self):
        out = run("check", "fixture_boards/rpi4", "fixture_boards/rpi4-hot", "fixture_hostile",
                  "--slo", "req_per_s>40k", "-f", "junit", code=4)[0]
        suite = xml.etree.ElementTree.fromstring(out).find("testsuite")
        cases = suite.findall("testcase")
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(len(cases), 8)
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertEqual(int(suite.get("errors")), len(suite.findall("testcase/error")))
        failure = suite.find("testcase/failure")
        self.assertEqual(failure.get("type"), "MISSED")
        self.assertRegex(failure.get("message"), r"^37984$")
        self.assertTrue(any("<script>alert(1)</script>" in c.get("classname") for c in cases))

    def test_github(self):
        out = run("check", "fixture_boards/rpi4", "--slo", "req_per_s>40k", "-f", "github",
                  code=4)[0]
        errors = [line for line in out.splitlines() if line.startswith("::error ")]
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], r"^::error file=fixture_boards/rpi4/fixture_protobufc\.\S+,"
                                    r"title=bench-edge check::fixture_protobufc on fixture: ")
        self.assertEqual(len(out.splitlines()), 4)

    def test_baseline(self):
        base = records("rpi5")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "now.jsonl"

            def write(share):
                path.write_text("".join(json.dumps(
                    {**r, "ok_in_window": round(r["ok_in_window"] * share)}
                    if r["type"] == "count" else r) + "\n" for r in base))

            arguments = ("check", str(path), "--baseline", "fixture_boards/rpi5")
            write(1.0)
            run(*arguments)
            write(0.90)
            out = run(*arguments, code=4)[0]
            self.assertRegex(out, r"req_per_s within 5% of the baseline \| .*-10.0 % .*MISSED")
            run(*arguments, "--tolerance", "15%")
            write(1.5)
            run(*arguments)  # better is no regression
            out, err = run("check", str(path), "--baseline", "fixture_boards/rpi4", code=1)
            self.assertIn("no baseline: the nearest one differs in board", err)
        for tolerance in ("5", "x%", "nan%", "-5%"):
            self.assertIn("--tolerance", run("check", "x", "--tolerance=" + tolerance, code=2)[1])
        run("check", "fixture_boards/rpizero-3", "--baseline", "fixture_boards/rpizero-1")
        out = run("check", "fixture_boards/rpizero-1", "--baseline", "fixture_boards/rpizero-3",
                  code=4)[0]
        self.assertRegex(out, r"instr_per_req within 5% of the baseline \| .*\+5.5 %")


class BadInput(unittest.TestCase):
    """Told by name, with file and line; the rest is still reported."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        good = (DATA / "fixture_open" / "run1" /
                "fixture_twice.fixture_payload.FixtureCall.jsonl").read_bytes()
        self.good = good
        (self.folder / "good.jsonl").write_bytes(good)

    def expect(self, name, content, message):
        if content is not None:
            (self.folder / name).write_bytes(content)
        out, err = run("report", str(self.folder), code=1)
        self.assertRegex(err, message)
        self.assertIn("| fixture_twice ", out)
        for form in ("csv", "json", "markdown", "html", "influx", "openmetrics"):
            out, again = run("report", "-f", form, str(self.folder), code=1)
            self.assertEqual(again, err, form)
            self.assertIn("fixture", out)

    def test_not_a_result(self):
        self.expect("x.jsonl", b"GIF89a\x00\xff", r"x\.jsonl:1: expected one JSON object")

    def test_empty(self):
        self.expect("x.jsonl", b"", r"x\.jsonl: the file is empty")

    def test_json_of_another_kind(self):
        self.expect("x.jsonl", b'{"type":"sample"}\n', r"x\.jsonl:1: expected a \"run\" record")

    def test_newer_major(self):
        self.expect("x.jsonl", self.good.replace(b'"major":1', b'"major":2', 1),
                    r"x\.jsonl:1: this is version 2 of the result format, and this program reads")

    def test_damaged_line(self):
        lines = self.good.splitlines(keepends=True)
        self.expect("x.jsonl", b"".join(lines[:3]) + b'{"type":"opt"\n' + b"".join(lines[3:]),
                    r"x\.jsonl:4: expected one JSON object")

    def test_values_like_nan(self):
        for value in (b"NaN", b"Infinity", b"1e999", b"-1", b"0.5", b"99999999999999999999",
                      b'"7"'):
            damaged = re.sub(rb'"ok_in_window":\d+', b'"ok_in_window":' + value, self.good)
            self.assertNotEqual(damaged, self.good)
            self.expect("x.jsonl", damaged, r"x\.jsonl:\d+: ")

    def test_text_that_is_not_utf8(self):
        damaged = self.good.replace(b"fixture_twice", b"fixture_\xff\xfe", 1)
        self.expect("x.jsonl", damaged, r"x\.jsonl:1: expected one JSON object")

    def test_truncated_is_shown_apart(self):
        (self.folder / "good.jsonl").write_bytes(self.good[:-40])
        out, err = run("report", str(self.folder))
        self.assertEqual(err, "")
        self.assertRegex(out, r"-- not ranked -+\n\| fixture_twice ")
        self.assertIn("interrupted: the file has no end record", out)

    def test_empty_folder_and_nothing_there(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for command in (["report"], ["check"]):
            err = run(*command, str(empty), code=1)[1]
            self.assertIn("expected result files (*.jsonl)", err)
        self.assertIn("No such file", run("report", "nowhere", code=1)[1])
        self.assertIn("expected result files", run("compare", str(empty), str(empty), code=1)[1])

    def test_duplicates_are_told_and_shown_once(self):
        (self.folder / "copy.jsonl").write_bytes(self.good)
        out, err = run("report", str(self.folder), str(self.folder / "good.jsonl"))
        self.assertEqual(len(re.findall(r"^\| fixture_twice", out, re.M)), 2)  # a row in each table
        self.assertRegex(err, r"good\.jsonl: the same bytes as \S+copy\.jsonl: shown once\n"
                              r".*good\.jsonl: the same bytes as ")

    def test_file_names_of_any_bytes(self):
        os.rename(self.folder / "good.jsonl",
                  os.fsencode(self.folder) + b"/a\xff\x1b[31m<b>&.jsonl")
        bad = os.fsencode(self.folder) + b"/b\xff\x1b[31m.jsonl"
        with open(bad, "wb") as file:
            file.write(b"?")
        for form in ("table", "csv", "json", "markdown", "html", "influx", "openmetrics"):
            out, err = run("report", "-f", form, str(self.folder), code=1)
            self.assertNotIn("\x1b", out + err)
            self.assertIn("b??[31m.jsonl:1: ", err)
            if form == "json":
                name = json.loads(out)["rows"][0]["facts"]["file"]
                self.assertTrue(name.endswith("/a??[31m<b>&.jsonl"))
            if form == "html":
                self.assertEqual(list(Page(out).raw), ["a??[31m<b>&.jsonl"])
                self.assertNotIn("<b>", out)

    def test_all_invalid(self):
        run("report", "fixture_boards/rpi4-hot")
        text = run("report", "-f", "html", "fixture_boards/rpi4-hot")[0]
        self.assertIn("No valid result.", text)

    def test_a_full_disk_is_told(self):
        boards = ("fixture_boards/rpi4", "fixture_boards/rpi5")
        commands = [(("report", "-f", form, "fixture_boards"), "the report")
                    for form in ("table", "html", "json")]
        commands += [(("compare", *boards), "the comparison"), (("boards",), "the catalogue"),
                     (("check", boards[0]), "the verdicts")]
        with open("/dev/full", "w") as full:
            for command, what in commands:
                done = subprocess.run([PROGRAM, *command], cwd=DATA, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1, command)
                self.assertRegex(done.stderr, f"cannot write {what}: .*(No space left|disk full)")


class Documents(unittest.TestCase):
    PAGE = (SOURCE / "docs" / "reading-results.md").read_text()

    def test_each_example_prints_what_the_page_says(self):
        examples = re.findall(r"```console\n\$ bench-edge (.*?)\n(.*?)```", self.PAGE, re.S)
        self.assertGreaterEqual(len(examples), 7)
        for command, expected in examples:
            code = re.search(r"\$ echo \$\?\n(\d)\n$", expected)
            expected = expected[:code.start()] if code else expected
            out, err = run(*shlex.split(command), code=int(code.group(1)) if code else 0)
            self.assertEqual((out + err).replace("\r\n", "\n").rstrip("\n"),
                             expected.rstrip("\n"), command)

    def test_every_column_is_named(self):
        out = run("report", "-f", "csv", "fixture_cut")[0]
        for key in out.splitlines()[0].split(","):
            self.assertIn(f"`{key}`", self.PAGE)


class Fixtures(unittest.TestCase):
    def test_are_what_their_script_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, DATA / "make_boards.py", folder], check=True)
            for path in sorted(pathlib.Path(folder).glob("*/*")):
                there = DATA / "fixture_boards" / path.parent.name / path.name
                self.assertEqual(path.read_bytes(), there.read_bytes(), there)

    def test_say_that_they_are_fixtures(self):
        for path in sorted((DATA / "fixture_boards").glob("*/*")):
            for record in map(json.loads, path.read_text().splitlines()):
                for key in ("server", "compiler", "id", "codec", "scenario", "call"):
                    if record["type"] in ("run", "build", "board") and key in record:
                        self.assertIn("fixture", record[key].lower())

    def test_one_for_each_version_of_the_format(self):
        firsts = [path.read_text().split("\n")[0] for path in DATA.glob("*/**/*.jsonl")
                  if path.parent.name != "fixture_bad"]
        minors = {json.loads(first)["minor"] for first in firsts}
        header = (SOURCE / "src" / "result" / "record.h").read_text()
        current = int(re.search(r"EDGE_RESULT_MINOR\s+(\d+)", header).group(1))
        self.assertLessEqual(set(range(current + 1)), minors)


class Many(unittest.TestCase):
    def test_ten_thousand_files_in_200_mib(self):
        count = 500 if SANITIZED else 10_000
        text = (DATA / "fixture_board" /
                "fixture_a.fixture_payload.FixtureCall.jsonl").read_text()
        first, rest = text.split("\n", 1)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for number in range(count):
                (folder / f"{number}.jsonl").write_text(
                    f'{first}\n{{"type":"fixture","number":{number}}}\n{rest}')
            out = folder / "out"
            with out.open("w") as file:
                process = subprocess.Popen([PROGRAM, "report", name], stdout=file)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(out.read_text().count("| fixture_a #"), 2 * count)
            if not SANITIZED:
                self.assertLess(usage.ru_maxrss, 200 * 1024)


if __name__ == "__main__":
    unittest.main()
