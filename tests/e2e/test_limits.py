#!/usr/bin/env python3
"""Connections beyond what a server can have: they are closed at once, and the others are served."""
import pathlib
import resource
import select
import socket
import struct
import time
import unittest

from programs import SERVERS, Server

WAIT = 30  # seconds: far beyond what anything here takes
OPENING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
PING = bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + b"12345678"
PONG = bytes([0, 0, 8, 6, 1, 0, 0, 0, 0]) + b"12345678"
ACK = bytes([0, 0, 0, 4, 1, 0, 0, 0, 0])


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def field(name, value):
    """A literal of HPACK that is not indexed."""
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


REQUEST = b"\x83\x86" + b"".join(field(name, value) for name, value in (  # POST, http
    (b":path", b"/helloworld.Greeter/SayHello"), (b":authority", b"x"),
    (b"content-type", b"application/grpc"), (b"te", b"trailers")))


class ServerTest:
    def start(self, *options):
        self.running = Server(f"servers/{self.server}", *options).__enter__()
        self.addCleanup(self.running.__exit__)

    def connect(self):
        host, port = self.running.address.split(":")
        client = socket.create_connection((host, int(port)), WAIT)
        self.addCleanup(client.close)
        return client

    def is_served(self, client, opening=b""):
        """True: a PING comes back. False: the server has closed the connection."""
        received = b""
        try:
            client.sendall(opening + PING)
            while PONG not in received:
                got = client.recv(4096)
                if not got:
                    return False
                received += got
        except ConnectionError:
            return False
        return True

    def check(self, limit):
        """`limit` connections are served, and no more; one that ends makes room."""
        served = [self.connect() for _ in range(limit)]
        for client in served:
            self.assertTrue(self.is_served(client, OPENING))
        for _ in range(3 * limit):
            self.assertFalse(self.is_served(self.connect(), OPENING))
        for client in served:
            self.assertTrue(self.is_served(client))
        served.pop().close()
        self.assertTrue(self.is_served(served[0]))  # the server has seen the end by now
        self.assertTrue(self.is_served(self.connect(), OPENING))

    def test_connections(self):
        self.start("--max-connections", "5")
        self.check(5)

    def test_descriptors(self):
        self.start()
        pid = self.running.process.pid
        used = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 5, used + 5))
        self.check(5)

    def test_idle(self):
        self.start("--max-idle", "100ms")
        client = self.connect()
        client.sendall(OPENING)
        goaways = 0
        with client.makefile("rb") as stream:
            while header := stream.read(9):  # until the server closes
                payload = stream.read(int.from_bytes(header[:3], "big"))
                if header[3] == 6 and not header[4]:
                    client.sendall(header[:4] + b"\1" + header[5:] + payload)
                goaways += header[3] == 7
        self.assertEqual(goaways, 2)
        self.assertTrue(self.is_served(self.connect(), OPENING))

    def test_memory(self):
        self.start("--max-memory", "1m")
        clients = []
        for _ in range(200):
            clients.append(self.connect())
            if not self.is_served(clients[-1], OPENING):
                break
        self.assertTrue(5 < len(clients) < 100, len(clients))
        for client in clients[:-1]:
            self.assertTrue(self.is_served(client))

    def send_half_messages(self, client, size):
        """On as many streams as there is memory for."""
        part = b"\0" + struct.pack(">I", size + 1) + bytes(size)
        try:
            client.sendall(OPENING + ACK)
            for stream in range(1, 2000, 2):
                client.sendall(frame(1, 4, stream, REQUEST) + frame(0, 0, stream, part))
                if select.select([client], [], [], 0)[0] and not client.recv(65536):
                    return
        except ConnectionError:
            pass

    def test_memory_comes_back(self):
        """What one client's messages took can be had by others, for messages of other sizes."""
        self.start("--max-memory", "4m")
        for size in (15000, 4000, 50):
            clients = [self.connect() for _ in range(3)]
            for client in clients:
                self.send_half_messages(client, size)
            for client in clients:
                client.close()
            deadline = time.monotonic() + WAIT
            served = []
            while len(served) < 20:
                client = self.connect()
                if self.is_served(client, OPENING):
                    served.append(client)
                else:  # the server looks once a second
                    client.close()
                    time.sleep(0.05)
                    self.assertLess(time.monotonic(), deadline, f"{size}: {len(served)}")
            for client in served:
                client.close()


for _server in SERVERS:
    globals()[_server] = type(_server, (ServerTest, unittest.TestCase), {"server": _server})

if __name__ == "__main__":
    unittest.main()
