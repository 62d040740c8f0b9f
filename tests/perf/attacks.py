#!/usr/bin/env python3
"""What attacks cost a client that means no harm: calls per second that it keeps, and the server's peak
memory, for each attack of tests/raw/attacks.c and each server.

The server has one CPU. The healthy client and the attacker share the other: the attacker is
SCHED_IDLE, so it takes no time from the client, and what the client loses the server spent. The
attacker sends as fast as the server reads; thrown out, it is back at most CONNECTS times a second.
The client is a closed loop of 8 connections x 10 streams. It runs without and with the attack in
turn; a ratio is taken within each round, and the median of those counts.

Exits 0 if everything was measured and kept what it must, 1 if not.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time
from statistics import median

from measure import SERVERS, CannotMeasure, Bench, others_busy

LOAD = ("--connections", "8", "-c", "80", "--warmup", "100ms")
CONNECTS = 10
KEEP = 0.8
CAP_MIB = 256  # the default of --max-memory


class Attack:
    """Attackers at work, for the length of a `with`."""

    def __init__(self, bench, port, name, seconds):
        self.argv = ["taskset", "-c", str(bench.client_cpu), "chrt", "--idle", "0",
                     str(bench.build / "tests" / "raw_client"), "--table", "attacks", "--only", name,
                     "--duration", f"{seconds}s", "--connects", str(CONNECTS), f"127.0.0.1:{port}"]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, text=True)
        time.sleep(0.2)
        if self.process.poll() is not None:
            raise CannotMeasure(self.process.stdout.read().strip() or " ".join(self.argv))
        return self

    def __exit__(self, *_):
        self.lines, _ = self.process.communicate(timeout=60)


def reset_peak(pid):
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+)", status, re.M).group(1)) / 1024


def measure(bench, name, attack, arguments):
    """Calls/s without and with the attack, their ratio, peak memory, and the attacker's words."""
    alone, beside = [], []
    seconds = arguments.seconds
    with bench.server(name) as server:
        reset_peak(server.process.pid)
        for _ in range(arguments.rounds):
            alone.append(bench.load(server.port, *LOAD, "-z", f"{seconds}s")["ok_per_s"])
            with Attack(bench, server.port, attack, seconds + 1) as attacker:
                beside.append(bench.load(server.port, *LOAD, "-z", f"{seconds}s")["ok_per_s"])
        peak = peak_mib(server.process.pid)
    words = re.search(r"\): (.*)", attacker.lines)
    return median(alone), median(b / a for a, b in zip(alone, beside)), peak, \
        words.group(1) if words else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", action="append", help="one of them only")
    parser.add_argument("attack", nargs="*", help="those of this name")
    arguments = parser.parse_args()
    arguments.yardsticks = None
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("attacks: two CPUs are needed, one for the server and one for its clients; "
              f"allowed here: {cpus}", file=sys.stderr)
        return 1
    listing = subprocess.run([str(arguments.build / "tests" / "raw_client"), "--list"],
                             capture_output=True, text=True, check=True).stdout
    attacks = [row.split("\t")[1] for row in listing.splitlines() if row.startswith("attacks\t")]
    attacks = [name for name in attacks
               if not arguments.attack or name in arguments.attack]
    busy = others_busy()
    print(f"Server on CPU {cpus[0]}, healthy client and attacker on CPU {cpus[1]}; "
          f"{arguments.rounds} rounds of {arguments.seconds:g} s. Others used {busy:.0%} of the "
          f"machine before{'  NOISY MACHINE' if busy > 0.05 else '.'}")
    print(f"{'attack':<30}{'server':<22}{'calls/s':>9}{'kept':>7}{'peak':>10}  connection")
    bench = Bench(arguments, cpus[:2])
    missed = 0
    for attack in attacks:
        for name in arguments.server or SERVERS:
            try:
                calls, kept, peak, words = measure(bench, name, attack, arguments)
            except CannotMeasure as why:
                print(f"{attack:<30}{name:<22}  not measured: {why}", flush=True)
                missed += 1
                continue
            passed = kept >= KEEP and peak <= CAP_MIB
            missed += not passed
            print(f"{attack:<30}{name:<22}{calls:>9.0f}{kept:>7.0%}{peak:>6.1f} MiB  "
                  f"{words}{'' if passed else '  MISS'}", flush=True)
    print(f"{len(attacks)} attacks: need {KEEP:.0%} of the calls/s, at most {CAP_MIB} MiB; "
          f"{missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
