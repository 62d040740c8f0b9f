"""The clients of the conformance runs: how each is called, and how it says what passed.

A client is a class with a `name`, the `server` it talks to ("interop" or "greeter"), `missing()`,
which says why it cannot run here or returns None, and `run(peer)`, which returns {case: why it
failed, or None}. One that starts its servers itself has `run_with(program, tls)` instead.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).parent
LIMIT = 240  # seconds: far beyond what a client takes, also with an emulated server


class Peer:
    """A running server: where it is, and what its certificate is checked with."""

    def __init__(self, address, ca):
        self.address = address
        self.host, self.port = address.rsplit(":", 1)
        self.ca = ca  # None: in the clear


def call(argv, **more):
    return subprocess.run([str(part) for part in argv], text=True, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]


class OurClient:
    """A program of this folder on somebody's gRPC library: it prints a line per case."""

    server = "interop"

    def __init__(self, name, argv, needs, environment=None):
        self.name = name
        self.argv = argv
        self.needs = needs
        self.environment = environment

    def missing(self):
        return next((why for path, why in self.needs if not path.exists()), None)

    def run(self, peer):
        tls = [peer.ca, "localhost"] if peer.ca else []
        done = call([*self.argv, peer.address, *tls], env=self.environment)
        cases = {}
        for line in done.stdout.splitlines():
            verdict, _, rest = line.partition(" ")
            name, _, why = rest.strip().partition(": ")
            if verdict == "ok":
                cases[name] = None
            elif verdict == "FAILED":
                cases[name] = why or "it does not say why"
        summary = f"{sum(why is None for why in cases.values())} of {len(cases)} cases passed"
        if summary not in last_line(done.stdout):
            cases["to the end"] = f"exit {done.returncode}: {last_line(done.stdout)}"
        return cases


class Tool:
    """A program from a registry: tools/<name>/."""

    def __init__(self, tools, name, program):
        self.name = name
        self.program = tools / name / program

    def missing(self):
        return None if self.program.exists() else "could not be had from its registry"


class GrpcGo(Tool):
    """grpc-go's own interop client: one case per call."""

    server = "interop"
    cases = ("empty_unary large_unary client_streaming server_streaming ping_pong empty_stream "
             "timeout_on_sleeping_server cancel_after_begin cancel_after_first_response "
             "status_code_and_message special_status_message custom_metadata "
             "unimplemented_method unimplemented_service rpc_soak channel_soak").split()

    def run(self, peer):
        argv = [self.program, "--server_host", peer.host, "--server_port", peer.port,
                "--soak_iterations=100", "--soak_overall_timeout_seconds=200",
                "--soak_min_time_ms_between_rpcs=0"]
        if peer.ca:
            argv += ["--use_tls", "--use_test_ca", "--ca_file", peer.ca,
                     "--server_host_override", "localhost"]
        done = {case: call([*argv, f"--test_case={case}"]) for case in self.cases}
        return {case: last_line(one.stdout) if one.returncode else None
                for case, one in done.items()}


class H2spec(Tool):
    """HTTP/2 alone."""

    server = "interop"
    page = "/edge.testing.Page/Get"

    def run(self, peer):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.xml")
            argv = [self.program, "-h", peer.host, "-p", peer.port, "-P", self.page,
                    "-o", "2", "-j", report]
            done = call(argv + (["-t", "-k"] if peer.ca else []))
            if not report.exists():
                return {"to the end": last_line(done.stdout)}
            # What a server sent stands in it as it came, with bytes that XML does not allow.
            text = re.sub(rb"[^\t\n -~]", b"?", report.read_bytes())
            suites = xml.etree.ElementTree.fromstring(text)
        cases = {}
        for suite in suites:
            for number, case in enumerate(suite.findall("testcase"), 1):
                wrong = [*case.findall("error"), *case.findall("failure"),
                         *case.findall("skipped")]
                name = f"{case.get('package')}/{number}"
                cases[name] = case.get("classname") if wrong else None
        return cases


class Connect(Tool):
    """connectrpc's conformance runner, its part for gRPC: it starts the server as it needs it."""

    server = "interop"

    def run_with(self, program, tls):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("features:\n"
                         "  versions: [HTTP_VERSION_2]\n"
                         "  protocols: [PROTOCOL_GRPC]\n"
                         "  codecs: [CODEC_PROTO]\n"
                         "  compressions: [COMPRESSION_IDENTITY, COMPRESSION_GZIP]\n"
                         f"  supportsH2c: {str(not tls).lower()}\n"
                         f"  supportsTls: {str(tls).lower()}\n"
                         "  supportsMessageReceiveLimit: true\n")
            config.flush()
            done = call([self.program, "--conf", config.name, "--mode", "server", "--",
                         HERE / "connect_server.py", program])
        passed = re.search(r"^(\d+) passed, (\d+) failed", done.stdout, re.MULTILINE)
        if not passed:
            return {"to the end": last_line(done.stdout)}
        cases = {f"passed {number}": None for number in range(int(passed.group(1)))}
        failed = re.findall(r"^FAILED: (.*):\n((?:\s.*\n)*)", done.stdout, re.MULTILINE)
        cases.update((case, " ".join(why.split())) for case, why in failed)
        if len(failed) != int(passed.group(2)) or (done.returncode != 0 and not failed):
            cases["to the end"] = last_line(done.stdout)
        return cases


HELLO = {"name": "conformance", "d": 0.5, "n": 7, "c1": "choice", "pets": [{"color": "RED"}]}


class Grpcurl(Tool):
    """A client that knows no .proto: it asks the server's reflection."""

    server = "greeter"
    services = ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                "grpc.reflection.v1alpha.ServerReflection", "hellobench.Greeter",
                "helloworld.Greeter"]

    def ask(self, peer, *arguments, request=None):
        argv = [self.program, *(["-cacert", peer.ca] if peer.ca else ["-plaintext"])]
        if request is not None:
            argv += ["-d", "".join(json.dumps(one) for one in request)]
        return call([*argv, peer.address, *arguments]).stdout

    def replies(self, peer, method, request):
        text = self.ask(peer, method, request=request)
        decoder = json.JSONDecoder()
        found = []
        while text.strip().startswith("{"):
            reply, end = decoder.raw_decode(text.strip())
            found.append(reply)
            text = text.strip()[end:]
        return found + ([text] if text.strip() else [])

    def run(self, peer):
        hello = {"request": HELLO}
        back = {"response": HELLO}
        greeter = "helloworld.Greeter/"
        wanted = {
            "list": (self.ask(peer, "list").split(), self.services),
            "unary": (self.replies(peer, greeter + "SayHello", [hello]), [back]),
            "server_stream": (self.replies(peer, greeter + "SayHellos",
                                           [{**hello, "replies": 3}]), [back] * 3),
            "client_stream": (self.replies(peer, greeter + "SayHelloCS", [hello] * 3),
                              [{"response": {**HELLO, "n": 3}}]),
            "bidi": (self.replies(peer, greeter + "SayHelloBidi", [hello] * 3), [back] * 3),
            "empty": (self.replies(peer, "hellobench.Greeter/SayEmpty", [{}]), [{}]),
            "text": (self.replies(peer, "hellobench.Greeter/SaySomething", [{"text": "☺"}]),
                     [{"text": "☺"}]),
            "health": (self.replies(peer, "grpc.health.v1.Health/Check", [{}]),
                       [{"status": "SERVING"}]),
        }
        for service in self.services:
            text = self.ask(peer, "describe", service)
            wanted[f"describe {service}"] = (last_line(text), "}")
        return {case: None if found == expected else f"expected {expected}, found {found}"
                for case, (found, expected) in wanted.items()}


class Ghz(Tool):
    """A load generator, also by reflection: what counts is that every call is OK."""

    server = "greeter"
    calls = 2000

    def run(self, peer):
        cases = {}
        for method, more in (("SayHello", {}), ("SayHellos", {"replies": 3}),
                             ("SayHelloCS", {}), ("SayHelloBidi", {})):
            argv = [self.program, "--call", f"helloworld.Greeter.{method}", "-O", "json",
                    "-n", self.calls, "-c", "20", "--connections", "4",
                    "-d", json.dumps({"request": HELLO, **more})]
            argv += ["--cacert", peer.ca] if peer.ca else ["--insecure"]
            done = call([*argv, peer.address])
            try:
                counts = json.loads(done.stdout)["statusCodeDistribution"]
            except ValueError:
                counts = last_line(done.stdout)
            good = counts == {"OK": self.calls}
            cases[method] = None if good else f"expected {self.calls} OK, found {counts}"
        return cases


def all_clients(build, tools):
    """Every client; `build` is this machine's build, `tools` what came from registries."""
    descriptors = build / "generated/interop.pb"
    modules = tools / "node/node_modules"
    cpp = build / "tests/interop_cpp_client"
    return [
        OurClient("libgrpc++", [cpp],
                  [(cpp, "needs libgrpc++-dev and protobuf-compiler-grpc when it is built")]),
        OurClient("grpcio", ["/usr/bin/python3", HERE / "client.py", descriptors],
                  [(descriptors, "needs a build")]),
        OurClient("grpc-js", ["node", HERE / "client.js", HERE / "interop.proto"],
                  [(modules / "@grpc/grpc-js", "could not be had from its registry")],
                  {**os.environ, "NODE_PATH": str(modules)}),
        GrpcGo(tools, "grpc-go", "client"),
        Connect(tools, "connectrpc", "connectconformance"),
        H2spec(tools, "h2spec", "h2spec"),
        Grpcurl(tools, "grpcurl", "grpcurl"),
        Ghz(tools, "ghz", "ghz"),
    ]
