#!/usr/bin/env python3
"""An interop server as connectconformance wants to start one: what it is to be comes in a message on
stdin, where it listens goes out in one on stdout; SIGTERM ends it.
usage: connect_server.py SERVER
"""
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """The fields of a message that has only varints and bytes: {number: value}."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found[key >> 3] = value
    return found


def put(number, value):
    """A field of a message, as bytes."""
    def encode(n):
        return bytes([n]) if n < 0x80 else bytes([n & 0x7F | 0x80]) + encode(n >> 7)

    if isinstance(value, int):
        return encode(number << 3) + encode(value)
    return encode(number << 3 | 2) + encode(len(value)) + value


def main():
    (length,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    wanted = fields(sys.stdin.buffer.read(length))  # ServerCompatRequest
    argv = [sys.argv[1], "--port", "0"]
    if wanted.get(6):
        argv += ["--max-message", str(wanted[6])]
    with tempfile.TemporaryDirectory() as folder:
        certificate = b""
        if wanted.get(4):
            credentials = fields(wanted[7])
            certificate = credentials[1]
            for name, number in (("cert", 1), ("key", 2)):
                path = pathlib.Path(folder, name)
                path.write_bytes(credentials[number])
                argv += [f"--tls-{name}", str(path)]
        server = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        match = re.search(r"listening on (127\.0\.0\.1):(\d+)", server.stderr.readline())
        response = (put(1, match.group(1).encode()) + put(2, int(match.group(2))) +
                    (put(3, certificate) if certificate else b""))  # ServerCompatResponse
        sys.stdout.buffer.write(struct.pack(">I", len(response)) + response)
        sys.stdout.buffer.flush()
        return server.wait()


if __name__ == "__main__":
    sys.exit(main())
