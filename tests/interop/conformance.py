#!/usr/bin/env python3
"""Runs clients that nobody here wrote against our servers, for each transport and each protobuf
library, and prints one table. Exits 0 if all that failed is a known exception, 1 if not."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import clients
from known import KNOWN

SERVERS = {"interop": "tests/interop_server_{codec}", "greeter": "servers/c_nghttp2_{codec}"}
CODECS = ("nanopb", "protobufc")
TRANSPORTS = ("h2c", "tls")
SOURCE = pathlib.Path(__file__).parents[2]


class Server:
    """A server on a free port, for the length of a `with`."""

    def __init__(self, program, certificates):
        self.argv = [str(program), "--port", "0"]
        self.ca = None
        if certificates:
            self.ca = certificates / "ca.pem"
            self.argv += ["--tls-cert", str(certificates / "server.pem"),
                          "--tls-key", str(certificates / "server.key")]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.search(r"listening on (127\.0\.0\.1:\d+)", line)
        if not match:
            self.__exit__()
            raise RuntimeError(f"{self.argv[0]} does not say where it listens: {line!r}")
        return clients.Peer(match.group(1), self.ca)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stderr.close()
        self.status = status


def run_one(client, transport, codec, programs, certificates):
    """The cases of one row of the table: {case: why it failed, or None}."""
    program = programs / SERVERS[client.server].format(codec=codec)
    tls = transport == "tls"
    if hasattr(client, "run_with"):
        return client.run_with(program, tls)
    server = Server(program, certificates if tls else None)
    try:
        with server as peer:
            cases = client.run(peer)
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        return {"to the end": str(error)}
    if server.status != 0:
        cases["the server's end"] = f"exit {server.status}"
    return cases


def without_tls(programs):
    """Why the servers there speak no TLS, or None."""
    program = programs / SERVERS["interop"].format(codec=CODECS[0])
    version = subprocess.run([str(program), "--version"], text=True, capture_output=True,
                             check=True).stdout
    return None if re.search('tls="(?!none)', version) else "the servers are built without mbedTLS"


def choose(arguments, every):
    """The rows to run, and what is not run: (client, transport, why)."""
    transports = arguments.transport or TRANSPORTS
    no_tls = without_tls(arguments.programs)
    rows, left_out = [], []
    for client in every:
        if arguments.client and client.name not in arguments.client:
            continue
        why = client.missing()
        if why:
            left_out.append((client.name, "all", why))
            continue
        for transport in transports:
            if transport == "tls" and no_tls:
                left_out.append((client.name, transport, no_tls))
                continue
            rows += [(client, transport, codec) for codec in CODECS]
    return rows, left_out


def report(rows, results):
    """Prints the table and what failed; True if nothing did that is not known."""
    print(f"{'client':<11} {'transport':<10} {'codec':<10} {'passed':>6} {'failed':>6} {'known':>6}")
    failures, known = [], {}
    for (client, transport, codec), cases in zip(rows, results):
        wrong = {case: why for case, why in cases.items() if why is not None}
        here = {case for case in wrong if (client.name, case) in KNOWN}
        known.update({(client.name, case): wrong[case] for case in here})
        failures += [f"{client.name} {transport} {codec} {case}: {why}"
                     for case, why in wrong.items() if case not in here]
        print(f"{client.name:<11} {transport:<10} {codec:<10} {len(cases) - len(wrong):>6} "
              f"{len(wrong) - len(here):>6} {len(here):>6}")
    for client, case in sorted(known):
        print(f"known: {client} {case} ({known[client, case]}): {KNOWN[client, case]}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="this machine's build")
    parser.add_argument("--programs", type=pathlib.Path,
                        help="where servers/ and tests/ are; default: the build")
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("/nonexistent"),
                        help="what scripts/conformance.sh got from registries")
    parser.add_argument("--client", action="append", help="only this one; may be repeated")
    parser.add_argument("--transport", action="append", choices=TRANSPORTS, help="only this one")
    arguments = parser.parse_args()
    arguments.programs = arguments.programs or arguments.build
    rows, left_out = choose(arguments, clients.all_clients(arguments.build, arguments.tools))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:  # h2spec waits
        certificates = pathlib.Path(folder)
        subprocess.run([str(SOURCE / "scripts/certs.sh"), folder], check=True)
        results = list(pool.map(
            lambda row: run_one(*row, arguments.programs, certificates), rows))
    good = report(rows, results)
    for name, transport, why in left_out:
        print(f"not run: {name}, {transport}: {why}")
    if arguments.client and not rows:
        return 77
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
