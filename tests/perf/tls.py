"""What TLS costs, beside the same without it: CPU per request, handshakes, memory of connections."""
import json
import pathlib
import subprocess
import tempfile
from statistics import median

from cannot import CannotMeasure

CERTS = pathlib.Path(__file__).resolve().parents[2] / "scripts/certs.sh"
LOAD = ("--connections", "50", "-c", "1000")
CONNECTIONS = 200
INVALID = 3  # the exit code of a run too short to be valid, as these are


def show(name, raw, shown):
    print(f"  {name:<29} {raw:<27} {shown}", flush=True)


def throughput(bench, name, certificates):
    """Requests per second of server CPU, over TLS / in the clear."""
    trust = ("--cacert", str(certificates / "ca.pem"))
    costs = {"tls": [], "clear": []}
    with bench.server(name) as clear, bench.server(name, certificates) as tls:
        for _ in range(bench.rounds + 1):  # the first one warms up
            for key, server, options in (("clear", clear, ()), ("tls", tls, trust)):
                before = server.cpu_s()
                result = bench.load(server.port, *LOAD, "-z", "1s", *options)
                costs[key].append((server.cpu_s() - before) / result["books"]["due"] * 1e6)
    ratios = [a / b for a, b in zip(costs["clear"][1:], costs["tls"][1:])]
    agreed = result["tls"]
    show(name, f"{median(costs['clear'][1:]):.2f} us / "
         f"{median(costs['tls'][1:]):.2f} us", f"{median(ratios):.2f}x  {agreed['suite']}")


def idle_kib(bench, name, certificates):
    """What a connection without calls adds to the server's PSS, once all are there."""
    trust = ("--cacert", str(certificates / "ca.pem")) if certificates else ()
    with bench.server(name, certificates) as server:
        bench.load(server.port, "-n", "1", "-c", "1", *trust)
        before = server.pss_mib()
        most = bench.most_pss_mib(server, "--connections", str(CONNECTIONS), "-c",
                                  str(CONNECTIONS), "-r", "1", "-z", "3s", *trust)
    return (most - before) * 1024 / CONNECTIONS


def handshakes(bench, name):
    """Per second of server CPU, as `bench-edge run --tls` counts them."""
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run([bench.build / "bench-edge", "run", "--tls", "-z", "500ms", "--warmup",
                               "100ms", "--repeat", "1", "--results-dir", results, name],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, INVALID):
            raise CannotMeasure(f"bench-edge run --tls {name}: {done.stderr.strip()}")
        lines = [line for file in pathlib.Path(results).glob("*/*.jsonl")
                 for line in file.read_text().splitlines()]
    for record in map(json.loads, lines):
        if record["type"] == "interval" and record["name"].startswith("handshakes_"):
            kind = record["name"].removeprefix("handshakes_")
            cpu_s = record["server_cpu_ns"] / 1e9
            wall_s = (record["stop_ns"] - record["start_ns"]) / 1e9
            show(f"{name} {kind}", f"{cpu_s / record['ok'] * 1e3:.3f} ms CPU each",
                 f"{record['ok'] / cpu_s:.0f}/s of one core; {record['ok'] / wall_s:.0f}/s with "
                 "the generator beside")


def measure(bench, servers):
    with tempfile.TemporaryDirectory() as folder:
        certificates = pathlib.Path(folder)
        subprocess.run([CERTS, folder], check=True)
        print("TLS / h2c: requests per second of server CPU, 50 connections x 20 streams, "
              "complex_proto")
        for name in servers:
            throughput(bench, name, certificates)
        print("TLS handshakes: connections opened and closed")
        for name in servers:
            handshakes(bench, name)
        print(f"Memory of one connection (PSS) without calls, over {CONNECTIONS}: TLS, h2c")
        for name in servers:
            show(name, "", f"{idle_kib(bench, name, certificates):.1f} KiB, "
                 f"{idle_kib(bench, name, None):.1f} KiB")
