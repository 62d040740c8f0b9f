#!/usr/bin/env python3
"""Measures what scripts/perf.sh promises: ratios to yardsticks, all taken in one run.

What is compared runs in turn, A B A B, several rounds; a ratio is taken within each round, and the
median of those is judged. So a machine that gets slower meanwhile slows both sides.

Exits 0 if everything was measured, whatever the verdicts: this is a benchmark, not a test.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from statistics import median, quantiles

import tls
from cannot import CannotMeasure

SERVERS = ("c_nghttp2_nanopb", "c_nghttp2_protobufc")
LOAD = ("--connections", "50", "-c", "1000")  # 50 connections x 20 streams
PATH = "/helloworld.Greeter/SayHello"
COMPLEX_PROTO = """request { name: "a name" d: 4.55332 f: 232.3 b: true n: 32 l: 444325235223
c1: "ofcouse" pets { name: "Bof the dog" color: BLUE } pets { name: "Kim the cat" color: RED } }"""
NOISY = 0.1  # spread of the ratios: their interquartile range / median


def free_port():
    with contextlib.closing(socket.socket()) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Server:
    """A server pinned to a CPU, for the length of a `with`."""

    def __init__(self, cpu, path, *arguments):
        self.port = free_port()
        self.name = pathlib.Path(path).name
        self.argv = ["taskset", "-c", str(cpu), str(path), *arguments, str(self.port)]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while True:
            with contextlib.closing(socket.socket()) as sock:
                if sock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise CannotMeasure(f"{self.name} did not start; by hand: {' '.join(self.argv)}")
            time.sleep(0.01)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_s(self):
        """CPU time of all its threads, in the scheduler's own nanoseconds."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def pss_mib(self):
        rollup = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return next(int(line.split()[1]) for line in rollup.splitlines()
                    if line.startswith("Pss:")) / 1024


class Bench:
    def __init__(self, arguments, cpus):
        self.build = arguments.build
        self.yardsticks = arguments.yardsticks
        self.rounds = arguments.rounds
        self.server_cpu, self.client_cpu = cpus

    def server(self, name, certificates=None):
        tls = ("--tls-cert", str(certificates / "server.pem"), "--tls-key",
               str(certificates / "server.key")) if certificates else ()
        return Server(self.server_cpu, self.build / "servers" / name, *tls, "--port")

    def load_argv(self, port, *arguments):
        return [str(self.build / "bench-edge"), "load", "-O", "json", "--cpus",
                str(self.client_cpu), *arguments, f"127.0.0.1:{port}"]

    def load(self, port, *arguments, whole=True):
        """The result of `bench-edge load`, of which every call must have been verified; those sent,
        if not every call due has to be."""
        argv = self.load_argv(port, *arguments)
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            raise CannotMeasure(f"{' '.join(argv)}: {done.stderr.strip()}") from None
        ok, due = result["books"]["outcomes"]["ok"], result["books"]["due" if whole else "sent"]
        if ok == 0 or ok != due:
            raise CannotMeasure(f"{' '.join(argv)}: {ok} of {due} calls were right: "
                                f"{result['first_error']}")
        return result


    def most_pss_mib(self, server, *arguments):
        """The most that a server holds while `bench-edge load` runs against it."""
        argv = self.load_argv(server.port, *arguments)
        most = server.pss_mib()
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as load:
            while load.poll() is None:
                most = max(most, server.pss_mib())
                time.sleep(0.05)
            if load.returncode != 0:
                raise CannotMeasure(f"{' '.join(argv)}: {load.stderr.read().decode().strip()}")
        return most


def others_busy():
    """The share of all CPUs that is in use while this program sleeps for a second."""
    def read():
        fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        return int(fields[3]) + int(fields[4]), sum(map(int, fields[:8]))  # idle and iowait; all
    idle, total = read()
    time.sleep(1)
    idle_after, total_after = read()
    return 1 - (idle_after - idle) / (total_after - total)


def report(name, raw, ratios, shown, need, passed):
    spread, noise = 0, ""
    if len(ratios) > 1:
        low, _, high = quantiles(ratios, n=4, method="inclusive")
        spread = (high - low) / median(ratios)
        noise = f"  spread {spread:.0%}"
    print(f"  {name:<25} {raw:<36} {shown:>9}  need {need:<10}{'PASS' if passed else 'MISS'}"
          f"{noise}{'  NOISY MACHINE' if spread > NOISY else ''}", flush=True)


def server_cpu(bench):
    print("Server CPU per verified request, 50 connections x 20 streams, complex_proto: "
          "C++ grpc / ours")
    cost = {}
    calls = {}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(bench.server(name)) for name in SERVERS]
        yardstick = Server(bench.server_cpu, bench.yardsticks / "cpp_grpc_server")
        servers.append(stack.enter_context(yardstick))
        for server in servers:  # warm up, and see how many calls take about a second
            start = time.monotonic()
            bench.load(server.port, *LOAD, "-n", "20000")
            calls[server.name] = str(int(20000 / (time.monotonic() - start)))
            cost[server.name] = []
        for _ in range(bench.rounds):
            for server in servers:
                before = server.cpu_s()
                result = bench.load(server.port, *LOAD, "-n", calls[server.name])
                ok = result["books"]["outcomes"]["ok"]
                cost[server.name].append((server.cpu_s() - before) / ok * 1e6)
    theirs = cost[yardstick.name]
    for name in SERVERS:
        ratios = [a / b for a, b in zip(theirs, cost[name])]
        report(name, f"{median(theirs):.2f} us / {median(cost[name]):.2f} us", ratios,
               f"{median(ratios):.2f}x", ">= 8x", median(ratios) >= 8)


def requests_per_cpu_s(argv, calls):
    """Runs a generator; requests per second of its CPU time, start and end included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise CannotMeasure(f"{' '.join(argv)}: {done.stderr.strip()}")
    return calls / (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def generator(bench):
    print("Generator, requests per client-CPU-second on null_server: bench-edge load / h2load")
    calls = 500000
    proto = pathlib.Path(__file__).resolve().parents[2] / "proto"
    message = subprocess.run(["protoc", "--encode=helloworld.HelloRequest", f"-I{proto}",
                              "helloworld.proto"], input=COMPLEX_PROTO.encode(),
                             capture_output=True, check=True).stdout
    body = bench.yardsticks / "complex_proto.frame"
    body.write_bytes(b"\0" + struct.pack(">I", len(message)) + message)
    ours, theirs = [], []
    with bench.server("null_server") as server:
        h2load = ["taskset", "-c", str(bench.client_cpu), "h2load", "-c", "50", "-m", "20", "-n",
                  str(calls), "-d", str(body), "-H", "content-type: application/grpc", "-H",
                  "te: trailers", f"http://127.0.0.1:{server.port}{PATH}"]
        load = bench.load_argv(server.port, *LOAD, "-n", str(calls))
        bench.load(server.port, *LOAD, "-n", str(calls))  # every call is verified
        for _ in range(bench.rounds):
            ours.append(requests_per_cpu_s(load, calls))
            theirs.append(requests_per_cpu_s(h2load, calls))
    ratios = [a / b for a, b in zip(ours, theirs)]
    report("bench-edge load", f"{median(ours) / 1e6:.2f} M/s / {median(theirs) / 1e6:.2f} M/s",
           ratios, f"{median(ratios):.2f}x", ">= 3x", median(ratios) >= 3)
    against_ghz(bench)


def against_ghz(bench):
    """ghz learns the methods by reflection, which null_server has none of: one of our servers."""
    ghz = shutil.which("ghz") or shutil.which("ghz", path=str(bench.build.parent /
                                                              "conformance/ghz"))
    if ghz is None:
        print("  ghz is not to be had: not in PATH, nor in build/conformance/ghz, where "
              "scripts/conformance.sh puts it")
        return
    calls = 20000
    ours, theirs = [], []
    with bench.server(SERVERS[0]) as server:
        load = bench.load_argv(server.port, *LOAD, "-n", str(10 * calls))
        argv = ["taskset", "-c", str(bench.client_cpu), ghz, "--insecure", "--cpus", "1", "--call",
                "helloworld.Greeter.SayHello", "-d", '{"request": {"name": "a name"}}',
                "--connections", "50", "-c", "1000", "-n", str(calls), f"127.0.0.1:{server.port}"]
        for _ in range(bench.rounds):
            ours.append(requests_per_cpu_s(load, 10 * calls))
            theirs.append(requests_per_cpu_s(argv, calls))
    ratios = [a / b for a, b in zip(ours, theirs)]
    report(f"against ghz, {SERVERS[0]}",
           f"{median(ours) / 1e6:.2f} M/s / {median(theirs) / 1e6:.3f} M/s", ratios,
           f"{median(ratios):.0f}x", ">= 15x", median(ratios) >= 15)


def open_loop(bench):
    """At half of what a closed loop reaches, in turn with it, so that both see the same machine. So
    many calls may be in flight that none waits for another to end: that would be the server's lag."""
    print("Generator's send lag (p99) in an open loop at half of the closed loop's rate, null_server")
    lags, rates = [], []
    with bench.server("null_server") as server:
        for _ in range(bench.rounds):
            most = bench.load(server.port, *LOAD, "-z", "500ms", "--warmup", "100ms")["ok_per_s"]
            rates.append(int(most / 2))
            result = bench.load(server.port, *LOAD, "-r", str(rates[-1]), "--max-inflight", "20000",
                                "-z", "1s", "--warmup", "200ms", whole=False)
            lags.append(result["send_lag"]["p99_ns"] / 1e3)
    report("bench-edge load", f"{median(rates) / 1e3:.0f} k/s", lags, f"{median(lags):.1f} us",
           "< 100 us", median(lags) < 100)


def peak_rss_mib(pid):
    """Since its exec; getrusage's would be that of the shell or Python before it, if larger."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")),
                0) / 1024


def generator_memory(bench):
    print("Generator memory (peak RSS) with 1000 calls in flight, over a short and a long run")
    with bench.server("null_server") as server:
        peaks = []
        for duration in ("1s", "8s"):
            peak = 0
            with subprocess.Popen(bench.load_argv(server.port, *LOAD, "-z", duration),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
                while load.poll() is None:
                    peak = peak_rss_mib(load.pid) or peak
                    time.sleep(0.02)
            if load.returncode != 0:
                raise CannotMeasure("bench-edge load failed")
            peaks.append(peak)
    report("peak", f"{peaks[0]:.1f} MiB, {peaks[1]:.1f} MiB", [peaks[1]], f"{peaks[1]:.1f} MiB",
           "< 20 MiB", max(peaks) < 20)
    report("growth, 1 s to 8 s", "", [peaks[1]], f"{peaks[1] - peaks[0]:.2f} MiB", "< 1 MiB",
           peaks[1] - peaks[0] < 1)


def pingpong_ns(bench, request, reply):
    """Mean round trip of that many bytes to and fro, with nothing but epoll and TCP."""
    program = str(bench.yardsticks / "tcp_pingpong")
    sizes = [str(request), str(reply)]
    with subprocess.Popen(["taskset", "-c", str(bench.server_cpu), program, "server", *sizes],
                          stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip()
        client = subprocess.run(["taskset", "-c", str(bench.client_cpu), program, "client", port,
                                 *sizes, "300"], capture_output=True, text=True, check=False)
        if client.returncode != 0:
            server.kill()
            raise CannotMeasure(f"tcp_pingpong: {client.stderr.strip()}")
    return float(client.stdout.split()[1])


def latency(bench):
    print("Mean latency of one call at a time on one connection: ours / TCP ping-pong of the same "
          "bytes")
    for name in SERVERS:
        ours, floor = [], []
        with bench.server(name) as server:
            for _ in range(4 * bench.rounds):  # short ones: a mean is at the mercy of its worst
                result = bench.load(server.port, "-c", "1", "--connections", "1", "-z", "300ms",
                                    "--warmup", "20ms")
                calls = result["books"]["due"]
                request, reply = (round(result[way] / calls) for way in ("bytes_out", "bytes_in"))
                ours.append(result["service"]["mean_ns"])
                floor.append(pingpong_ns(bench, request, reply))
        ratios = [a / b for a, b in zip(ours, floor)]
        report(name, f"{median(ours) / 1e3:.1f} us / {median(floor) / 1e3:.1f} us, {request} and "
               f"{reply} B", ratios, f"{median(ratios):.3f}x", "<= 1.25x", median(ratios) <= 1.25)


def memory(bench):
    print("Server memory (PSS): idle, and the most seen at 50 connections x 20 streams")
    for name in SERVERS:
        with bench.server(name) as server:
            idle = server.pss_mib()
            busy = bench.most_pss_mib(server, *LOAD, "-z", "2s")
        report(f"{name} idle", "", [idle], f"{idle:.2f} MiB", "< 1.5 MiB", idle < 1.5)
        report(f"{name} 50x20", "", [busy], f"{busy:.2f} MiB", "< 3 MiB", busy < 3)


def over_tls(bench):
    tls.measure(bench, SERVERS)


COUNTED_CALLS = 2000
TOP = 12
# A line of callgrind_annotate: the count, the name without what stands for recursion or a part.
FUNCTION = re.compile(r"\s*([\d,]+) \([ \d.]+%\)\s+\S*?:([^\s.']+)")


def instructions(bench):
    """Counts, so the load of the machine does not matter: twice the same to the digit."""
    print(f"Instructions per complex_proto call, in the session and below, without kernel and "
          f"sockets; the {TOP} dearest functions")
    for codec in ("nanopb", "protobuf-c"):
        with tempfile.TemporaryDirectory() as folder:
            counts = pathlib.Path(folder) / "callgrind.out"
            argv = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}",
                    "--toggle-collect=serve", str(bench.build / "tests" / "session_cost"), codec,
                    str(COUNTED_CALLS)]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise CannotMeasure(f"{' '.join(argv)}: {done.stderr.strip()}")
            listing = subprocess.run(["callgrind_annotate", "--threshold=100", str(counts)],
                                     capture_output=True, text=True, check=True).stdout
        cost = collections.Counter()
        for count, name in FUNCTION.findall(listing):
            cost[name] += int(count.replace(",", "")) / COUNTED_CALLS
        print(f"  {codec:<25} {sum(cost.values()):.0f}")
        for name, count in cost.most_common(TOP):
            print(f"    {count:>28.0f}  {name}")


PARTS = {"server": server_cpu, "generator": generator, "open-loop": open_loop, "latency": latency,
         "memory": memory, "generator-memory": generator_memory, "tls": over_tls,
         "instructions": instructions}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--yardsticks", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("part", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    arguments = parser.parse_args()
    unknown = set(arguments.part) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("perf: two CPUs are needed, one for the server and one for the generator; "
              f"allowed here: {cpus}", file=sys.stderr)
        return 1
    busy = others_busy()
    print(f"Server on CPU {cpus[0]}, generator on CPU {cpus[1]}; {arguments.rounds} rounds. Others "
          f"used {busy:.0%} of the machine before{'  NOISY MACHINE' if busy > 0.05 else '.'}")
    bench = Bench(arguments, cpus[:2])
    failed = False
    for part in arguments.part:
        try:
            PARTS[part](bench)
        except CannotMeasure as why:
            print(f"  not measured: {why}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
