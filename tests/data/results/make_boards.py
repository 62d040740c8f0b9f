"""Writes the folder fixture_boards: results that nobody measured, for tests of reports.

Every board, server and compiler is called "fixture". The figures are drawn from a seeded generator
around round numbers, so that a report of them has something to show and a test knows what to find.
usage: make_boards.py OUT_FOLDER
"""
import json
import math
import pathlib
import random
import sys

S = 1_000_000_000
HALF = 1024


def bin_low(value):
    """The lowest value of the histogram bin of a value (docs/result-format.md)."""
    if value < 2 * HALF:
        return value
    shift = value.bit_length() - 11
    return value >> shift << shift


def histogram(rng, count, median_ns, spread):
    """A log-normal latency, by its quantiles: 60 bins."""
    bins, total, done = {}, 0, 0
    steps = 60
    for i in range(steps):
        share = 1 - 10 ** (-6 * (i + 0.5) / steps)
        upto = count if i == steps - 1 else int(count * (1 - 10 ** (-6 * (i + 1) / steps)))
        if upto <= done:
            continue
        z = math.sqrt(2) * inverse_erf(2 * share - 1)
        value = int(median_ns * math.exp(spread * z) * (1 + rng.uniform(-0.01, 0.01)))
        low = bin_low(value)
        bins[low] = bins.get(low, 0) + upto - done
        total += low * (upto - done)
        done = upto
    lows = sorted(bins)
    return {"count": count, "sum_ns": total, "min_ns": lows[0], "max_ns": lows[-1], "clamped": 0,
            "bins": [[low, bins[low]] for low in lows]}


def inverse_erf(x):
    a = 0.147
    log = math.log(1 - x * x)
    root = 2 / (math.pi * a) + log / 2
    return math.copysign(math.sqrt(math.sqrt(root * root - log / a) - root), x)


class Board:
    def __init__(self, name, cores, ram, clock_mhz, scope, idle_w, busy_w, warm_c):
        self.name, self.cores, self.ram, self.clock_mhz = name, cores, ram, clock_mhz
        self.scope, self.idle_w, self.busy_w, self.warm_c = scope, idle_w, busy_w, warm_c


BOARDS = {
    "rpi4": Board("fixture: rpi4-like", 4, 4 << 30, 1500, "dc_input", 2.9, 4.6, 58),
    "rpi5": Board("fixture: rpi5-like", 4, 8 << 30, 2400, "dc_input", 3.4, 7.1, 61),
    "rock5b": Board("fixture: rock5b-like", 8, 16 << 30, 2256, "dc_input", 3.1, 6.0, 49),
    "n100": Board("fixture: n100-like", 4, 16 << 30, 3400, "cpu_package", 4.0, 9.5, 63),
    "rpizero": Board("fixture: rpizero-like", 1, 512 << 20, 1000, None, None, None, None),
}


class File:
    """One result file."""

    def __init__(self, out, folder, board, server, started, seed, rate, repeats=3, rps=0,
                 connections=50, codec="fixturepb", scenario="fixture_payload", emulated=False,
                 instructions=None, noise=0.004, busy=1.0, throttle=False, memory=2 << 20,
                 median_ns=400_000, git="f1", graduated=False):
        self.rng = random.Random(seed)
        self.board = BOARDS[board]
        self.rate, self.repeats, self.noise, self.busy = rate, repeats, noise, busy
        self.throttle, self.memory, self.median_ns = throttle, memory, median_ns
        self.instructions, self.rps, self.emulated = instructions, rps, emulated
        target = f"qemu:{board}" if emulated else f"ssh://fixture@{board}"
        self.lines = []
        self.put("run", format="bench-edge-result", major=1, minor=1, tool_version="0.0.0-fixture",
                 started_utc=started, server=server, scenario=scenario, call="FixtureCall",
                 target=target, emulated=emulated, calibration=False, repeats=repeats)
        self.put("build", program="server", version="0.0.0-fixture", git=git,
                 compiler="FIXTURE 1.0", flags="-O2 -flto", build="Release",
                 target="fixture-machine", codec=codec, tls="off", size_bytes=300_000)
        self.put("board", id=self.board.name, model=f"Fixture of a {board}", cpu="Fixture CPU",
                 cpus=self.board.cores, ram_bytes=self.board.ram, kernel="Fixture 1.0",
                 os="Fixture OS", arch="fixture", ram_limit="none: fixture")
        for name, env, value in (("duration", "GRPC_BENCHMARK_DURATION", "10s"),
                                 ("connections", "GRPC_CLIENT_CONNECTIONS", str(connections)),
                                 ("concurrency", "GRPC_CLIENT_CONCURRENCY", str(20 * connections)),
                                 ("rps", "GRPC_CLIENT_QPS", str(rps)),
                                 ("server-cpus", "GRPC_SERVER_CPUS", "1"),
                                 ("messages", None, "10")):
            self.put("opt", name=name, env=env, value=value)
        if self.board.scope:
            self.put("power_source", source=1, name="fixture", place="host",
                     scope=self.board.scope, detail="fixture")
        for repeat in range(1, repeats + 1):
            self.repeat(repeat)
            if graduated:
                self.levels(repeat)
        reasons = []
        if throttle:
            reasons = ["throttled yes (must be no) in 1 of 3 repeats: the board was too hot"]
        if emulated:
            reasons = ["emulated: an emulator's speed says nothing about the board"]
        self.put("end", valid=not reasons, reasons=reasons, finished_utc=started,
                 elapsed_ns=40 * S)
        path = out / folder
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{server}.{scenario}.FixtureCall.jsonl").write_text(
            "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n"
                    for line in self.lines))

    def put(self, kind, **keys):
        self.lines.append({"type": kind, **keys})

    def repeat(self, number):
        start = number * 100 * S
        ok = round(self.rate * 10 * (1 + self.rng.gauss(0, self.noise)))
        self.put("sync", repeat=number, time_ns=start, agent_time_ns=start - 7 * S,
                 round_trip_ns=80_000, wall_ns=946_684_800 * S + start)
        watts = self.samples(number, start)
        for slice_ in range(10):
            share = round(ok / 10 * (1 + self.rng.gauss(0, 0.01)))
            self.put("interval", repeat=number, name="slice", start_ns=start + (2 + slice_) * S,
                     stop_ns=start + (3 + slice_) * S, ended=share, ok=share)
        self.put("interval", repeat=number, name="warmup", start_ns=start, stop_ns=start + 2 * S)
        energy = None if self.board.scope is None else round(watts * 10 * 1e6)
        self.put("interval", repeat=number, name="window", start_ns=start + 2 * S,
                 stop_ns=start + 12 * S, ended=ok, ok=ok,
                 server_cpu_ns=round(9.6 * S * self.busy), client_cpu_ns=4 * S,
                 background_cpu_ns=S // 20, cpus=self.board.cores, rss_bytes=self.memory,
                 peak_bytes=self.memory + (1 << 19), energy_uj=energy,
                 power_scope=self.board.scope if energy else None)
        if self.emulated:
            self.put("interval", repeat=number, name="load", start_ns=start, stop_ns=start + 13 * S,
                     ended=ok + 2000, ok=ok + 2000, instructions=self.instructions * (ok + 2000),
                     system_calls=(ok + 2000) // 4)
        self.put("hist", repeat=number, name="response" if self.rps else "service",
                 **histogram(self.rng, ok, self.median_ns, 0.35))
        self.put("count", repeat=number, due=ok, sent=ok, unsent=0, outcomes={"ok": ok},
                 balanced=True, ok_in_window=ok)
        self.put("rule", repeat=number, id="errors", verdict="pass", reading="0 %",
                 limit="<= 0.1 %")

    def levels(self, number):
        """Steps of 20 % from all of the rate to none."""
        start = number * 100 * S + 20 * S
        for step, percent in enumerate((100, 80, 60, 40, 20, 0)):
            span = {"start_ns": start + step * 5 * S, "stop_ns": start + (step + 1) * 5 * S}
            ok = round(self.rate * percent / 100 * 5 * (1 + self.rng.gauss(0, 0.002)))
            watts = self.board.idle_w + percent / 100 * (self.board.busy_w - self.board.idle_w)
            self.put("interval", repeat=number, name="level", **span, ended=ok, ok=ok,
                     load_percent=percent, target_rate=round(self.rate * percent / 100))
            self.put("energy", repeat=number, source=1, name="level", load_percent=percent, **span,
                     energy_uj=round(watts * 5 * 1e6), method="trapezoid")

    def samples(self, number, start):
        """A sample a second, 13 of them; returns the mean power in the window."""
        board, window = self.board, []
        for i in range(13):
            loaded = 1 if i >= 1 else 0
            keys = {"agent_time_ns": start - 7 * S + i * S, "cpu_ns": round(0.96e9 * i * self.busy),
                    "rss_bytes": self.memory, "peak_bytes": self.memory + (1 << 19)}
            if board.scope is not None:
                watts = board.idle_w + loaded * self.busy * (board.busy_w - board.idle_w)
                watts *= 1 + self.rng.gauss(0, 0.01)
                hot = self.throttle and i >= 9
                self.put("power", repeat=number, source=1, time_ns=start + i * S,
                         power_uw=round(watts * 1e6))
                keys.update(temperature_millicelsius=round(
                                1000 * (board.warm_c - 12 * math.exp(-i / 4)))
                            + (22_000 if self.throttle else 0),
                            measured_hz=board.clock_mhz * (600_000 if hot else 1_000_000),
                            throttle_bits=6 if hot else 0)
                if 2 <= i < 12:
                    window.append(watts)
            self.put("sample", repeat=number, **keys)
        return sum(window) / len(window) if window else 0


def main(out):
    day = "2000-01-0%dT00:00:00Z"
    for seed, (board, rate, median, memory) in enumerate((("rpi4", 41_000, 900_000, 2 << 20),
                                                          ("rpi5", 98_000, 420_000, 2 << 20),
                                                          ("rock5b", 97_800, 430_000, 3 << 20),
                                                          ("n100", 160_000, 250_000, 3 << 20))):
        File(out, board, board, "fixture_nanopb", day % 1, seed, rate, median_ns=median,
             memory=memory)
        File(out, board, board, "fixture_protobufc", day % 2, 10 + seed, rate * 0.93,
             codec="fixturepb-c", median_ns=median * 1.07, memory=memory + (1 << 19))
    File(out, "rpi4-hot", "rpi4", "fixture_nanopb", day % 3, 20, 33_000, throttle=True,
         noise=0.05, median_ns=1_200_000)
    for step in range(1, 6):
        File(out, f"rpi4-load{step}", "rpi4", "fixture_nanopb", day % 4, 30 + step, 8_000 * step,
             repeats=1, rps=8_000 * step, busy=step / 5, median_ns=200_000 + 60_000 * step)
    File(out, "rock5b-graduated", "rock5b", "fixture_nanopb", day % 5, 25, 97_500, repeats=2,
         median_ns=430_000, memory=3 << 20, graduated=True)
    for run, instructions in enumerate((30_500, 30_450, 28_900), 1):
        File(out, f"rpizero-{run}", "rpizero", "fixture_nanopb", day % run, 40 + run, 900,
             repeats=2, emulated=True, instructions=instructions, git=f"f{run}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
