"""How long, and in how much memory, bench-edge report shows many result files.

The files are fixtures of two sizes: those of tests/data/results (3 repeats, a sample a second), and
as large as a run writes them (3 repeats of 10 s, a sample every 100 ms, thousands of bins).
usage: report.py BENCH_EDGE [COUNT]
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = SOURCE / "tests" / "data" / "results" / "fixture_boards"


def small(lines):
    return lines


def large(lines):
    """Ten samples for each, and forty bins for each: as many as 10 s of load fill."""
    for line in lines:
        record = json.loads(line)
        if record["type"] == "sample":
            for step in range(10):
                yield json.dumps({**record, "agent_time_ns": record["agent_time_ns"] + step},
                                 separators=(",", ":"))
        elif record["type"] == "hist":
            bins = []
            for low, count in record["bins"]:
                width = 1 << max(0, low.bit_length() - 11)
                next_ = bins[-1][0] if bins else 0
                parts = min(40, count)
                for part in range(parts):
                    at = low + part * width
                    at -= at % (1 << max(0, at.bit_length() - 11))
                    if at > next_:
                        bins.append([at, count // parts])
                        next_ = at
            record.update(bins=bins, count=sum(c for _, c in bins),
                          sum_ns=sum(low * c for low, c in bins), min_ns=bins[0][0],
                          max_ns=bins[-1][0])
            yield json.dumps(record, separators=(",", ":"))
        else:
            yield line


def measure(program, count, shape, folder):
    templates = [list(shape(path.read_text().splitlines()))
                 for path in sorted(FIXTURES.glob("*/*.jsonl"))]
    size = 0
    for number in range(count):
        lines = templates[number % len(templates)]
        text = "\n".join([lines[0], f'{{"type":"fixture","number":{number}}}', *lines[1:]]) + "\n"
        path = folder / f"{number % 100:02}" / f"{number}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        size += len(text)
    begin = time.monotonic()
    with open(folder / "table.txt", "w") as out:
        subprocess.run([program, "report", folder], stdout=out, check=True)
    seconds = time.monotonic() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{count} files of {size / count / 1024:.0f} KiB: {seconds:.2f} s, "
          f"{size / seconds / 1e6:.0f} MB/s, at most {peak:.0f} MiB")


def main(program, count=10_000):
    for shape in (small, large):
        with tempfile.TemporaryDirectory() as folder:
            measure(program, int(count), shape, pathlib.Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
