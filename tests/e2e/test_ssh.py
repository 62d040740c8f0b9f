"""bench-edge run --target ssh://, against a real sshd on the loopback: this machine is the board."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid

import unittest

from programs import BUILD, EMULATED, PROGRAMS, SERVERS
from test_run import PATIENCE, PROGRAM, SHORT, Case, Run

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
# Until something ends it; at a rate, so that those who wait for that leave the CPUs to other tests.
LONG = ["--duration", "100s", "--warmup", "0", "--repeat", "2", "--connections", "4",
        "--concurrency", "16", "--rps", "1000", SERVERS[0]]
ROOT = os.geteuid() == 0
TLS = "EDGE_TLS:BOOL=OFF" not in (BUILD / "CMakeCache.txt").read_text()


def skip_all(why):
    print(f"skipped: {why}")
    sys.exit(77)


def tagged(tag):
    """The processes that carry a tag in their environment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if tag.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class Board:
    """An sshd of our own. What runs in its sessions carries a tag."""

    def __init__(self, folder, *settings):
        self.folder = folder
        self.home = folder / "board"
        self.home.mkdir()
        self.tag = f"EDGE_TEST_BOARD={uuid.uuid4()}"
        for key in ("host", "user", "other"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key],
                           check=True)
        self.settings = [
            "ListenAddress 127.0.0.1", f"HostKey {folder}/host",
            f"AuthorizedKeysFile {folder}/user.pub", "PidFile none", "UsePAM no",
            "StrictModes no", "PasswordAuthentication no", f"SetEnv {self.tag}", *settings]
        wrapper = folder / "bin" / "ssh"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
        wrapper.chmod(0o755)
        self.env = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}"}
        if ROOT:
            (folder / "small").mkdir()
        while not self.start():
            pass  # another test has taken the port meanwhile
        self.know(folder / "host.pub")
        self.configure("user")

    def know(self, key):
        """Makes it the key that the host expects."""
        kind, text = key.read_text().split()[:2]
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {kind} {text}\n")

    def configure(self, key, port=None):
        (self.folder / "config").write_text("\n".join([
            "Host board", "HostName 127.0.0.1", f"Port {port or self.port}",
            f"IdentityFile {self.folder}/{key}", "IdentitiesOnly yes",
            f"UserKnownHostsFile {self.folder}/known_hosts",
            "GlobalKnownHostsFile /dev/null"]) + "\n")

    def start(self):
        """On a port that was free. False: it is not any more."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.folder / "sshd_config").write_text(
            "\n".join([f"Port {self.port}", *self.settings]) + "\n")
        argv = [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")]
        if ROOT:  # a small disk, in a mount namespace of its own
            argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                    f"mount -t tmpfs -o size=1m tmpfs {self.folder}/small; exec " + " ".join(argv)]
        self.log = open(self.folder / "sshd.log", "w")
        self.process = subprocess.Popen(argv, stderr=self.log, start_new_session=True)
        deadline = time.monotonic() + PATIENCE
        while "listening" not in (words := (self.folder / "sshd.log").read_text()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.close()
                if "Address already in use" in words:
                    return False
                raise RuntimeError(f"sshd does not start: {words}")
            time.sleep(0.05)
        return True

    def sessions(self):
        """The sshd processes of connections."""
        found, parents = [], [self.process.pid]
        while parents:
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", ",".join(map(str, parents))],
                                      text=True, stdout=subprocess.PIPE, check=False).stdout.split()
            parents = [int(pid) for pid in children if "sshd" in command_line(pid)]
            found += parents
        return found

    def signal_sessions(self, number):
        for pid in self.sessions():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def stop(self):
        self.signal_sessions(signal.SIGCONT)
        self.process.kill()
        self.signal_sessions(signal.SIGKILL)
        self.process.wait()
        self.log.close()


class Ssh(Case):
    SETTINGS = ()

    def setUp(self):
        super().setUp()
        self.board = Board(self.folder, *self.SETTINGS)
        self.addCleanup(self.board.stop)

    def begin(self, *arguments, program=None, board_dir=None):
        return Run(self.folder, "--target", "ssh://board", "--board-dir",
                   board_dir or self.board.home, *arguments, env=self.board.env,
                   **({"program": program} if program else {}))

    def expect(self, code, words, *arguments, **more):
        run = self.begin(*arguments, **more).finish()
        self.assertEqual(run.code, code, run.err)
        for word in words:
            self.assertIn(word, run.err)
        self.assert_nothing_left(run)
        return run

    def assert_nothing_left(self, run):
        """Neither here nor on the board; and no control socket."""
        super().assert_nothing_left(run)
        deadline = time.monotonic() + PATIENCE
        while tagged(self.board.tag) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([command_line(pid) for pid in tagged(self.board.tag)], [])

    def on_board(self, words):
        return [pid for pid in tagged(self.board.tag) if words in command_line(pid)]


class Runs(Ssh):
    def test_from_an_empty_board_to_a_table(self):
        first = self.expect(3, ["copied 3 files", "x86_64" if os.uname().machine == "x86_64"
                                else ""], *SHORT, "--repeat", "1", *SERVERS)
        self.assertTrue((self.board.home / "servers" / SERVERS[0]).exists())
        for server in SERVERS:
            records = self.assert_complete(first, server)
            self.assertEqual(records[0]["target"], "ssh://board")
            self.assertFalse(records[0]["emulated"])
            window = [r for r in records if r.get("name") == "window"][0]
            self.assertGreater(window["ok"], 0)
            self.assertGreater(window["server_cpu_ns"], 0)
            self.assertGreater(window["peak_bytes"], 0)
            self.assertEqual(len([r for r in records if r["type"] == "sync"]), 2)
            self.assertIn(server, first.out)
        shutil.rmtree(first.results)
        self.expect(3, ["nothing to copy"], *SHORT, "--repeat", "1", SERVERS[0])
        (self.board.home / "servers" / SERVERS[0]).write_bytes(b"another version")
        shutil.rmtree(first.results)
        self.expect(3, ["copied 1 files"], *SHORT, "--repeat", "1", SERVERS[0])

    def test_a_board_is_probed(self):
        run = subprocess.run([str(PROGRAM), "probe", "--target", "ssh://board", "--board-dir",
                              str(self.board.home), "--format", "json"], text=True, timeout=120,
                             env={**os.environ, **self.board.env}, capture_output=True)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        probe = json.loads(run.stdout)
        self.assertEqual(probe["target"], "ssh://board")
        self.assertEqual(probe["facts"]["kernel"], os.uname().release)
        self.assertTrue((self.board.home / "bench-edge").exists())
        deadline = time.monotonic() + PATIENCE
        while tagged(self.board.tag) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([command_line(pid) for pid in tagged(self.board.tag)], [])

    @unittest.skipUnless(TLS, "the build has no TLS")
    def test_tls(self):
        run = self.expect(3, [], *SHORT, "--repeat", "1", "--tls", SERVERS[0])
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)
        self.assertEqual(sorted(path.name for path in self.board.home.iterdir()),
                         ["bench-edge", "servers"])  # no key stays

    def test_ctrl_c(self):
        run = self.begin(*LONG)
        run.wait_for_samples(SERVERS[0], 10)
        sockets = {word for pid in run.left_behind() for word in command_line(pid).split()
                   if word.startswith("/tmp/bench-edge-")}
        self.assertEqual(len(sockets), 1)  # one connection for all
        os.killpg(run.process.pid, signal.SIGINT)
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)
        self.assertIn("interrupted", " ".join(self.assert_complete(run, SERVERS[0])[-1]["reasons"]))
        self.assert_nothing_left(run)
        self.assertFalse(pathlib.Path(sockets.pop()).parent.exists())

    def test_kill(self):
        run = self.begin(*LONG)
        run.wait_for_samples(SERVERS[0])
        run.process.kill()
        run.finish()
        self.assert_nothing_left(run)


class Losses(Ssh):
    def assert_kept(self, run, words):
        run.finish()
        self.assertEqual(run.code, 1, run.err)
        for word in words:
            self.assertIn(word, run.err)
        end = self.assert_complete(run, SERVERS[0])[-1]
        self.assertFalse(end["valid"])
        self.assertIn("finished", end["reasons"][0])
        self.assertIn(words[0], end["reasons"][0])
        self.assertGreater(run.records(SERVERS[0], "count")[0]["ok_in_window"], 0)
        self.assertIn(SERVERS[0], run.out)

    def test_the_connection_is_closed(self):
        run = self.begin(*LONG)
        run.wait_for_samples(SERVERS[0], 10)
        self.board.signal_sessions(signal.SIGKILL)
        self.assert_kept(run, ["connection to ssh://board is lost"])
        self.assert_nothing_left(run)

    def test_the_connection_falls_silent(self):
        run = self.begin(*LONG)
        run.wait_for_samples(SERVERS[0], 10)
        self.board.signal_sessions(signal.SIGSTOP)
        self.assert_kept(run, ["connection to ssh://board is lost", "not responding"])
        # The sshd is still stopped: the agent finds out by itself.
        self.assertEqual(super().assert_nothing_left(run), None)

    def test_the_agent_is_killed(self):
        run = self.begin(*LONG)
        run.wait_for_samples(SERVERS[0], 10)
        os.kill(self.on_board("bench-edge agent")[0], signal.SIGKILL)
        self.assert_kept(run, ["the agent is gone", "connection to the board still stands"])
        self.assert_nothing_left(run)

    def test_the_server_is_killed(self):
        run = self.begin(*LONG, "--repeat", "1")
        run.wait_for_samples(SERVERS[0], 10)
        os.kill(self.on_board("servers/" + SERVERS[0])[0], signal.SIGKILL)
        run.finish()
        self.assertIn("killed by SIGKILL", run.err)
        self.assert_nothing_left(run)


class Refusals(Ssh):
    def test_keys(self):
        self.board.know(self.board.folder / "other.pub")
        self.expect(1, ["cannot connect to board", "ssh-keygen -R"], *SHORT)
        (self.board.folder / "known_hosts").write_text("")
        self.expect(1, ["cannot connect to board", "connect once with ssh"], *SHORT)
        self.board.know(self.board.folder / "host.pub")
        self.board.configure("other")
        self.expect(1, ["Permission denied", "ssh-copy-id"], *SHORT)

    def test_nobody_there(self):
        with socket.socket() as closed:  # bound, and not listening
            closed.bind(("127.0.0.1", 0))
            self.board.configure("user", closed.getsockname()[1])
            self.expect(1, ["cannot connect to board", "refused"], *SHORT)

    def test_folders(self):
        self.expect(1, ["cannot write to /dev/null/x", "--board-dir"], *SHORT,
                    board_dir="/dev/null/x")
        self.expect(2, ["--board-dir", "a b"], *SHORT, board_dir="a b")

    @unittest.skipUnless(ROOT, "a small disk needs root, to mount it")
    def test_a_full_disk(self):
        small = self.board.folder / "small"
        run = self.expect(1, ["cannot copy", "No space left", "--board-dir"], *SHORT, SERVERS[0],
                          board_dir=small)
        self.assertEqual(run.out, "")

    def test_usage(self):
        self.expect(2, ["--root"], *SHORT, "--root", "/")
        self.expect(2, ["unknown board", "rpi5"], *SHORT, "--board", "rpi6")
        for target in ("ssh://", "ssh://-oProxyCommand=x", "ssh://a b"):
            self.assertEqual(self.run_it("--target", target).code, 2)
        self.assertEqual(self.run_it("--board", "rpi4").code, 2)

    def test_programs_of_another_board(self):
        """The build is beside the program: a folder of builds, one of which is no program."""
        builds = self.folder / "builds"
        for name in ("host", "visionfive2"):
            (builds / name / "servers").mkdir(parents=True)
        shutil.copy(PROGRAMS / "bench-edge", builds / "host")
        other = builds / "visionfive2" / "bench-edge"
        other.write_bytes(b"\x7fELF of another machine")
        program = builds / "host" / "bench-edge"
        self.expect(1, ["does not start on the board", "--board"], *SHORT, "--board",
                    "visionfive2", program=program)
        self.expect(1, ["nothing is built", "scripts/build.sh beaglebone"], *SHORT, "--board",
                    "beaglebone", program=program)


class NoisyShell(Ssh):
    SETTINGS = ('ForceCommand echo Welcome!; exec sh -c "$SSH_ORIGINAL_COMMAND"',)

    def test_it_is_named(self):
        self.expect(1, ["login shell says \"Welcome!\""], *SHORT)


if __name__ == "__main__":
    if EMULATED:
        skip_all("ssh copies programs of this machine")
    if not SSHD:
        skip_all("there is no sshd: scripts/deps.sh ssh-test installs it")
    if ROOT:  # where it separates privileges
        os.makedirs("/run/sshd", exist_ok=True)
    unittest.main()
