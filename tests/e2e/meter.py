"""USB meters as programs behind a pseudo terminal. They speak the byte protocols, and now and then
send a frame that is broken or cut."""
import os
import pty
import select
import threading
import time
import tty


class Meter:
    """`respond` is called again and again with what was written to the meter since."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        self.stopping = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping:
            ready = select.select([self.master], [], [], self.PERIOD)[0]
            try:
                self.respond(os.read(self.master, 4096) if ready else b"")
            except OSError:
                return

    def close(self):
        self.stopping = True
        self.thread.join()
        os.close(self.master)
        os.close(self.slave)


class UM25C(Meter):
    PERIOD = 0.05

    def __init__(self, watts, broken=0):
        self.watts, self.broken, self.asked = watts, broken, 0
        super().__init__()

    def frame(self):
        frame = bytearray(130)
        volts, amperes = 5.0, self.watts / 5.0
        frame[0:2] = (0x09c9).to_bytes(2, "big")
        frame[2:4] = round(volts * 1000).to_bytes(2, "big")
        frame[4:6] = round(amperes * 10000).to_bytes(2, "big")
        frame[6:10] = round(self.watts * 1000).to_bytes(4, "big")
        frame[128:130] = b"\xff\xf1"
        return frame

    def respond(self, asked):
        for byte in asked:
            if byte != 0xf0:
                continue
            self.asked += 1
            frame = self.frame()
            if self.broken and self.asked % self.broken == 0:
                frame = frame[:100] if self.asked % 2 else frame[:-1] + b"\x00"
            os.write(self.master, frame)


def crc(data):
    value = 0x42
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 0x39 if value & 0x80 else value << 1) & 0xff
    return value


class FNIRSI(Meter):
    """Sends a report of four samples every 40 ms, as long as it has been asked in the last second."""
    PERIOD = 0.04

    def __init__(self, watts, broken=0):
        self.watts, self.broken, self.sent = watts, broken, 0
        self.started, self.asked, self.due, self.commands = False, 0.0, 0.0, []
        super().__init__()

    def report(self):
        report = bytearray([0xaa, 0x04])
        for _ in range(4):
            report += round(5.0 * 1e5).to_bytes(4, "little")
            report += round(self.watts / 5.0 * 1e5).to_bytes(4, "little")
            report += bytes([0, 0, 0, 0, 1, 0xfa, 0])
        report.append(0)
        report.append(crc(report[1:]))
        return report

    def respond(self, written):
        for at in range(0, len(written) - 64, 65):
            command = written[at + 1:at + 65]  # behind the number of the report
            assert command[0] == 0xaa and command[-1] == crc(command[1:-1]), command
            self.commands.append(command[1])
            self.started = self.started or command[1] == 0x82
            self.asked = time.monotonic()
        now = time.monotonic()
        if not self.started or now > self.asked + 1 or now < self.due:
            return
        self.due = now + 0.04
        self.sent += 1
        report = self.report()
        if self.broken and self.sent % self.broken == 0:
            report[30] ^= 0x40
        os.write(self.master, report)
