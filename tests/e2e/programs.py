"""The programs under test, and servers that go away again."""
import os
import pathlib
import re
import signal
import subprocess
import time

BUILD = pathlib.Path(os.environ["EDGE_BUILD_DIR"])
PROGRAMS = pathlib.Path(os.environ["EDGE_PROGRAM_DIR"])
SOURCE = pathlib.Path(os.environ["EDGE_SOURCE_DIR"])
EMULATED = "EDGE_EMULATED" in os.environ  # the programs are a board's, under QEMU
ANY_SERVICE = bool(os.environ["EDGE_SCHEMA"])  # bench-edge has libprotobuf
PLUGS = bool(os.environ["EDGE_CURL"])  # bench-edge has libcurl and can ask plugs
SANITIZED = "EDGE_SANITIZE:STRING=\n" not in (BUILD / "CMakeCache.txt").read_text()
SERVERS = ("c_nghttp2_nanopb", "c_nghttp2_protobufc")


class Server:
    """A server of ours on a free port, for the length of a `with`. It prints where it listens."""

    def __init__(self, path, *arguments):
        self.argv = [str(PROGRAMS / path), "--port", "0", *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stderr=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, text=True)
        line = self.process.stderr.readline()
        match = re.search(r"listening on (127\.0\.0\.1:\d+)", line)
        if not match:
            self.__exit__()
            raise AssertionError(f"{self.argv[0]} does not say where it listens: {line!r}")
        self.address = match.group(1)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stderr.close()

    def wait_busy(self, cpu_ns=10_000_000):
        """Until it has served for some milliseconds of CPU time: a load is under way."""
        schedstat = pathlib.Path(f"/proc/{self.process.pid}/schedstat")
        idle = int(schedstat.read_text().split()[0])
        deadline = time.monotonic() + 30
        while int(schedstat.read_text().split()[0]) < idle + cpu_ns:
            if time.monotonic() > deadline:
                raise AssertionError(f"no load arrives at {self.argv[0]}")
            time.sleep(0.01)

    def wait_connected(self):
        """Until a client has a connection."""
        port = f":{int(self.address.rsplit(':', 1)[1]):04X}"
        deadline = time.monotonic() + 30
        while not any(fields[1].endswith(port) and fields[3] == "01" for fields in
                      map(str.split, pathlib.Path("/proc/net/tcp").read_text().splitlines())):
            if time.monotonic() > deadline:
                raise AssertionError(f"nobody connects to {self.argv[0]}")
            time.sleep(0.01)
