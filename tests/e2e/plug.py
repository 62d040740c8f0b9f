"""A plug that measures: a real HTTP server that speaks the dialects, and has faults on demand."""
import http.server
import json
import threading
import time


class Plug:
    """watts: a number, or a function of the count of answers so far. fault: see Handler."""

    def __init__(self, watts, fault=None):
        self.watts, self.fault, self.answers = watts, fault, 0
        plug = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                plug.answers += 1
                fault = plug.fault(plug.answers) if callable(plug.fault) else plug.fault
                if fault == "slow":
                    time.sleep(4)
                status = 500 if fault == "500" else 200
                body = b"<html>" if fault == "html" else json.dumps(plug.body(self.path)).encode()
                if fault == "missing":
                    body = b"{}"
                if self.path not in plug.PATHS:
                    status = 404
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass  # whoever asked did not wait

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    PATHS = {"/cm?cmnd=Status%208": "tasmota", "/meter/0": "shelly1",
             "/rpc/Switch.GetStatus?id=0": "shelly2"}

    def body(self, path):
        watts = self.watts(self.answers) if callable(self.watts) else self.watts
        dialect = self.PATHS.get(path)
        if dialect == "tasmota":
            return {"StatusSNS": {"Time": "2030-01-01T00:00:00", "ENERGY": {
                "TotalStartTime": "2030-01-01T00:00:00", "Total": 1.234, "Yesterday": 0.1,
                "Today": 0.2, "Power": watts, "ApparentPower": 9, "ReactivePower": 5,
                "Factor": 0.8, "Voltage": 230, "Current": 0.04}}}
        if dialect == "shelly1":
            return {"power": watts, "overpower": 0, "is_valid": True, "timestamp": 1,
                    "counters": [2.1, 2.1, 2.1], "total": 439237}
        return {"id": 0, "source": "init", "output": True, "apower": watts, "voltage": 229.9,
                "current": 0.04, "aenergy": {"total": 123.4, "by_minute": [1, 2, 3],
                                             "minute_ts": 1}, "temperature": {"tC": 40.0}}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
