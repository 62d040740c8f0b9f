#!/usr/bin/env python3
"""bench-edge load against a service that it has never seen: see depot.py."""
import collections
import json
import subprocess
import unittest
import uuid

import grpc

from depot import DEPOT, SERVICE, Depot
from programs import ANY_SERVICE, SERVERS, SOURCE, Server
from test_load import LoadTest, run_load
from tls import Certificates

CALLS = {"Fetch": "unary", "Watch": "server", "Pack": "client", "Trade": "bidi"}
TEMPLATE = {
    "id": "n-{{counter 1000}}", "quantity": "{{counter}}", "mark": "{{timestamp}}",
    "delta": "{{random 100}}", "weight": "{{counter}}", "note": "{{uuid}}", "serial": "{{random}}",
    "code": "{{counter}}", "ratio": "{{random 10}}", "shelf": "{{counter 5}}", "road": "north",
    "parts": [{"name": "bolt", "grade": "NEW", "sizes": [1, -2]}, {"grade": 2}],
    "prices": {"b": 1.5, "a": -0.25}, "blob": "AAH/", "due": "2026-11-30T12:00:00Z", "urgent": True,
}


@unittest.skipUnless(ANY_SERVICE, "bench-edge was built without libprotobuf")
class AnyTest(LoadTest):
    def depot(self, *arguments, **more):
        return self.enterContext(Depot(*arguments, **more))

    def call(self, depot, method, *arguments, data=None, code=0):
        """A load of one method by its .proto file, unless the arguments say where it is described."""
        if not any(argument in ("--protoset", "--proto") for argument in arguments) \
                and not depot.reflection:
            arguments += ("--proto", depot.proto)
        if data is not None:
            arguments += ("-d", json.dumps(data))
        return self.load(depot.address, "--call", f"{SERVICE}/{method}", *arguments, code=code)

    def refuse(self, address, *arguments, code=2, stdin=""):
        """A load that must not begin. Returns what it says."""
        done = run_load(*arguments, address, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class Descriptions(AnyTest):
    """Each way to describe a method, with each kind of call."""

    def every_kind(self, depot, *arguments):
        for method, kind in CALLS.items():
            for separator in "/.":
                del depot.orders[:]
                result = self.load(depot.address, "--call", f"{SERVICE}{separator}{method}",
                                   "-n", 20, "-c", 4, "-d", json.dumps([TEMPLATE, TEMPLATE]),
                                   *arguments)
                with self.subTest(method=method):
                    self.assert_outcomes(result, ok=20)
                    self.assertEqual(result["options"]["call"], f"{SERVICE}/{method}")
                    self.assertEqual(result["verified"], "type")
                    self.assertEqual(result["reply_type"], "depot.v2.Receipt")
                    sent = 40 if kind in ("client", "bidi") else 20
                    self.check_orders(depot.orders, sent)

    def check_orders(self, orders, count):
        """Every order arrived as the template has it, with every placeholder filled."""
        self.assertEqual(len(orders), count)
        self.assertEqual({order.quantity for order in orders}, set(range(count)))
        self.assertEqual(len({order.note.value for order in orders}), count)
        for order in orders:
            self.assertEqual(order.id, f"n-{order.quantity:03}")
            self.assertEqual((order.weight, order.code), (order.quantity, order.quantity))
            self.assertEqual(order.shelf, order.quantity % 5)
            self.assertEqual(uuid.UUID(order.note.value).version, 4)
            self.assertTrue(0 <= order.delta < 100 and 0 <= order.ratio < 10)
            self.assertTrue(1.7e18 < order.mark < 1e19)
            self.assertEqual(list(order.parts[0].sizes), [1, -2])
            self.assertEqual((order.parts[0].grade, order.parts[1].grade), (1, 2))
            self.assertEqual(dict(order.prices), {"a": -0.25, "b": 1.5})
            self.assertEqual((order.blob, order.road), (b"\x00\x01\xff", "north"))
            self.assertEqual(order.due.ToJsonString(), "2026-11-30T12:00:00Z")

    def test_proto(self):
        depot = self.depot()
        self.every_kind(depot, "--proto", depot.proto)

    def test_proto_with_import_path(self):
        depot = self.depot()
        elsewhere = depot.include / "elsewhere" / "d.proto"
        elsewhere.parent.mkdir()
        depot.proto.rename(elsewhere)
        self.every_kind(depot, "--proto", elsewhere, "-i", depot.include)

    def test_protoset(self):
        depot = self.depot()
        self.every_kind(depot, "--protoset", depot.protoset)

    def test_reflection(self):
        for version in ("v1", "v1alpha"):
            for whole in (True, False):  # False: imports must be asked for
                with self.subTest(version=version, whole=whole), Depot(version, whole=whole) as depot:
                    self.every_kind(depot)

    def test_reflection_of_our_servers(self):
        with Server("servers/c_nghttp2_nanopb") as server:
            result = self.load(server.address, "--call", "grpc.health.v1.Health/Check", "-n", 50,
                               "-d", '{"service":"helloworld.Greeter"}')
        self.assert_outcomes(result, ok=50)
        self.assertEqual(result["reply_type"], "grpc.health.v1.HealthCheckResponse")

    def test_reflection_over_tls(self):
        certificates = Certificates()
        self.addCleanup(certificates.close)
        with certificates.server("servers/c_nghttp2_nanopb") as server:
            call = ("--call", "grpc.health.v1.Health/Check", "-n", 50)
            result = self.load(server.address, *call, "--cacert", certificates["ca.pem"])
            self.assert_outcomes(result, ok=50)
            self.assertIn("expected HTTP/2 without TLS", self.refuse(server.address, *call, code=1))

    def test_built_in_calls_are_still_compared_byte_by_byte(self):
        with Server("servers/c_nghttp2_nanopb") as server:
            result = self.load(server.address, "--call", "SayHello", "-n", 50)
            self.assertEqual((result["verified"], result["reply_type"]), ("bytes", None))


class Data(AnyTest):
    def test_array_is_dealt_out_in_turn(self):
        depot = self.depot()
        self.call(depot, "Fetch", "-n", 30, data=[{"id": "a"}, {"id": "b"}, {"id": "c"}])
        self.assertEqual(collections.Counter(order.id for order in depot.orders),
                         {"a": 10, "b": 10, "c": 10})

    def test_array_is_the_messages_of_each_stream(self):
        depot = self.depot()
        self.call(depot, "Pack", "-n", 5, data=[{"id": "a"}, {"id": "b"}, {"id": "c"}])
        self.assertEqual(depot.streams,
                         [["a", "b", "c"]] * 5)

    def test_without_data_an_empty_message(self):
        depot = self.depot()
        self.call(depot, "Fetch", "-n", 3)
        self.assertEqual(depot.orders, [depot.Order()] * 3)

    def test_random_strings_vary(self):
        depot = self.depot()
        for _ in range(2):
            self.call(depot, "Fetch", "-n", 200, "-c", 1, "--seed", 5,
                      data={"id": "<{{randomString 1 9}}>", "quantity": "{{counter}}"})
        ids = [order.id for order in depot.orders]
        self.assertEqual(ids[:200], ids[200:])
        self.assertGreater(len(set(ids)), 100)
        self.assertEqual({len(text) for text in ids}, set(range(3, 12)))
        self.assertEqual([order.quantity for order in depot.orders], list(range(200)) * 2)

    def test_seed(self):
        depot = self.depot()
        for seed in (1, 2, 1):
            self.call(depot, "Fetch", "-n", 10, "-c", 1, "--seed", seed,
                      data={"serial": "{{random}}"})
        runs = [[order.serial for order in depot.orders[i:i + 10]] for i in (0, 10, 20)]
        self.assertEqual(runs[0], runs[2])
        self.assertNotEqual(runs[0], runs[1])
        self.assertEqual(len(set(runs[0])), 10)

    def test_standard_input_files_and_bytes(self):
        depot = self.depot()
        by_file = depot.include / "data.json"
        by_file.write_text('{"id":"file"}')
        by_bytes = depot.include / "data.pb"
        by_bytes.write_bytes(depot.Order(id="bytes {{counter}}").SerializeToString())
        call = ("-n", 2, "-c", 1, "--proto", depot.proto, "--call", f"{SERVICE}/Fetch")
        for arguments, stdin in ((("-d", "@"), '{"id":"stdin"}'), (("-D", by_file), ""),
                                 (("-B", by_bytes), ""), (("-b",), "\n\x02in")):
            done = run_load(*call, *arguments, depot.address, stdin=stdin)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([order.id for order in depot.orders[::2]],
                         ["stdin", "file", "bytes {{counter}}", "in"])

    def test_large_messages(self):
        depot = self.depot()
        data = depot.include / "data.json"
        data.write_text(json.dumps({"id": "{{counter}}" + "x" * 300000 + "{{counter}}"}))
        result = self.call(depot, "Trade", "-n", 4, "--stream-call-count", 10, "-D", data)
        self.assert_outcomes(result, ok=4)
        ids = {order.id for order in depot.orders}
        self.assertEqual(len(ids), 40)
        for text in ids:
            self.assertEqual(text[:10] + "x" * 300000 + text[:10], text)

    def test_metadata(self):
        depot = self.depot()
        self.call(depot, "Fetch", "-n", 3, "-m",
                  '{"X-Text":"one two","many":["a","b"],"data-bin":"/wAB"}')
        path = depot.include / "metadata.json"
        path.write_text('{"from-file":"yes"}')
        self.call(depot, "Fetch", "-n", 3, "-M", path)
        for metadata in depot.metadata[:3]:
            self.assertIn(("x-text", "one two"), metadata)
            self.assertEqual([value for name, value in metadata if name == "many"], ["a", "b"])
            self.assertIn(("data-bin", b"\xff\x00\x01"), metadata)
        self.assertIn(("from-file", "yes"), depot.metadata[-1])

    def test_threads_share_the_numbers(self):
        depot = self.depot()
        self.call(depot, "Fetch", "-n", 40, "-c", 4, "--connections", 2, "--cpus", "0",
                  data={"quantity": "{{counter}}"})
        self.assertEqual(sorted(order.quantity for order in depot.orders), list(range(40)))


class Streams(AnyTest):
    def test_numbers(self):
        depot = self.depot()
        depot.replies = 7
        result = self.call(depot, "Watch", "-n", 10, data={"id": "x"})
        streams = result["streams"]
        self.assertEqual((streams["messages_sent"], streams["messages_received"]), (None, 70))
        self.assertEqual(streams["first_message"]["count"], 10)
        self.assertEqual(streams["message_gap"]["count"], 60)
        self.assertEqual(result["messages_in_window"], 70)
        self.assertEqual(streams["ended_by_client"], 0)
        result = self.call(depot, "Pack", "-n", 10, data=[{}, {}, {}])
        self.assertEqual(result["streams"]["messages_sent"], 30)
        self.assertIsNone(result["streams"]["messages_received"])
        self.assertIsNone(result["streams"]["first_message"])
        self.assertEqual(result["messages_in_window"], 30)
        self.assertIsNone(self.call(depot, "Fetch", "-n", 3)["streams"])

    def test_first_message_and_gap_are_times(self):
        depot = self.depot()
        depot.replies, depot.pause = 4, 0.02
        result = self.call(depot, "Watch", "-n", 4, "-c", 4, data={})
        streams = result["streams"]
        self.assertGreaterEqual(streams["first_message"]["min_ns"], 19_000_000)
        self.assertGreaterEqual(result["service"]["min_ns"], 79_000_000)
        self.assertGreater(streams["message_gap"]["max_ns"], 0)
        self.assertLess(streams["message_gap"]["max_ns"] + streams["first_message"]["min_ns"],
                        result["service"]["max_ns"])

    def test_interval(self):
        depot = self.depot()
        result = self.call(depot, "Pack", "-n", 4, "-c", 4, "--stream-interval", "20ms",
                           data=[{}] * 4)
        self.assertEqual([len(stream) for stream in depot.streams], [4] * 4)
        self.assertGreaterEqual(result["service"]["min_ns"], 60_000_000)

    def test_call_count(self):
        depot = self.depot()
        for method in ("Pack", "Trade"):
            result = self.call(depot, method, "-n", 4, "--stream-call-count", 5,
                               data=[{"id": "a"}, {"id": "b"}])
            self.assertEqual(result["streams"]["messages_sent"], 20)
        self.assertEqual(depot.streams,
                         [["a", "b", "a", "b", "a"]] * 4)
        depot.replies, depot.pause = 1000000, 0.001
        result = self.call(depot, "Watch", "-n", 4, "--stream-call-count", 5, data={})
        self.assert_outcomes(result, ok=4)
        self.assertEqual(result["streams"]["ended_by_client"], 4)
        self.assertGreaterEqual(result["streams"]["messages_received"], 20)

    def test_call_duration(self):
        depot = self.depot()
        result = self.call(depot, "Pack", "-n", 2, "--stream-call-duration", "100ms",
                           "--stream-interval", "10ms", data={})
        self.assert_outcomes(result, ok=2)
        for stream in depot.streams:
            self.assertTrue(1 <= len(stream) <= 10)
        result = self.call(depot, "Trade", "-n", 2, "--stream-call-duration", "50ms",
                           "--stream-interval", "5ms", data={})
        self.assert_outcomes(result, ok=2)
        self.assertGreaterEqual(result["streams"]["messages_sent"], 2)
        self.assertEqual(result["streams"]["messages_sent"],
                         result["streams"]["messages_received"])
        depot.replies, depot.pause = 1000000, 0.001
        result = self.call(depot, "Watch", "-n", 2, "--stream-call-duration", "500ms", data={})
        self.assert_outcomes(result, ok=2)
        self.assertEqual(result["streams"]["ended_by_client"], 2)
        self.assertGreaterEqual(result["service"]["min_ns"], 500_000_000)

    def test_many_messages_in_both_directions(self):
        # A client that writes all before it reads would lock up when the windows are full.
        with Server("servers/c_nghttp2_nanopb") as server:
            for arguments in ((), ("--proto", SOURCE / "proto/helloworld.proto")):
                result = self.load(server.address, "--call", "helloworld.Greeter/SayHelloBidi",
                                   "-n", 2, "-c", 2, "--stream-call-count", 200000, "-t", "0s",
                                   "--drain", "50s", *arguments)
                self.assert_outcomes(result, ok=2)
                self.assertEqual(result["streams"]["messages_received"], 400000)


class Compression(AnyTest):
    def test_both_ways(self):
        depot = self.depot(compression=grpc.Compression.Gzip)
        text = {"id": "x" * 5000, "quantity": 1}
        for data, method in ((text, "Fetch"), ([text, {**text, "quantity": "{{counter}}"}], "Trade")):
            result = self.call(depot, method, "-n", 10, "-e", data=data)
            self.assert_outcomes(result, ok=10)
            for way in ("sent", "received"):
                packed = result["compression"][way]
                self.assertEqual(packed["messages"], 10 if method == "Fetch" else 20)
                self.assertGreater(packed["plain_bytes"], 5000 * packed["messages"])
                self.assertLess(packed["packed_bytes"], packed["plain_bytes"] / 10)
        self.assertTrue(all(order.id == text["id"] for order in depot.orders))
        self.assertEqual({order.quantity for order in depot.orders if order.quantity > 1},
                         set(range(3, 20, 2)))

    def test_not_offered(self):
        depot = self.depot(compression=grpc.Compression.Gzip)
        result = self.call(depot, "Fetch", "-n", 5, data={"id": "x" * 5000}, code=1)
        self.assert_outcomes(result, bad_message=5)
        self.assertIn("--enable-compression", result["first_error"])

    def test_built_in_calls(self):
        for name in SERVERS:
            with Server(f"servers/{name}") as server:
                result = self.load(server.address, "-n", 50, "-e", "--scenario", "string_10kB")
            self.assert_outcomes(result, ok=50)
            self.assertEqual(result["verified"], "bytes")
            self.assertEqual(result["compression"]["sent"]["messages"], 50)
            self.assertEqual(result["compression"]["received"]["messages"], 0)  # they pack none


class Replies(AnyTest):
    def test_not_of_their_type(self):
        depot = self.depot()
        for reply, fault in ((b"\x0a\x05x", "field id is cut short"),
                             (b"\x0a\x01\xff", "field id is not UTF-8"),
                             (b"\x0d\0\0\0\0", "field id has another wire type")):
            depot.receipt = reply
            for method in CALLS:
                result = self.call(depot, method, "-n", 5, code=1)
                self.assert_outcomes(result, wrong_reply=5)
                self.assertIn("a reply is no encoded depot.v2.Receipt: " + fault,
                              result["first_error"])

    def test_number(self):
        # Where one reply is due, none and two are wrong; a stream may have any number.
        depot = self.depot()
        depot.replies = 0
        self.assert_outcomes(self.call(depot, "Watch", "-n", 5), ok=5)
        depot.proto.write_text(DEPOT.replace("Watch(Order) returns (stream", "Watch(Order) returns ("))
        self.assert_outcomes(self.call(depot, "Watch", "-n", 5, code=1), wrong_count=5)
        depot.replies = 2
        self.assert_outcomes(self.call(depot, "Watch", "-n", 5, code=1), wrong_count=5)

    def test_errors(self):
        depot = self.depot()
        depot.refused = True
        result = self.call(depot, "Fetch", "-n", 5, code=1)
        self.assert_outcomes(result, grpc_status=5)
        self.assertEqual(result["books"]["grpc_status"][8], 5)
        self.assertIn("no room", result["first_error"])

    def test_open_loop_with_a_window(self):
        depot = self.depot()
        result = self.call(depot, "Trade", "-r", 100, "-z", "500ms", "-c", 8, data=[{}, {}])
        self.assertEqual(result["books"]["due"], 50)
        # A generator that lost its CPU at the very end says so.
        self.assertLess(result["books"]["unsent"], 25)
        self.assert_outcomes(result, ok=50 - result["books"]["unsent"])
        self.assertIn(result["streams"]["messages_received"], range(1, 101))


class BadInput(AnyTest):
    def test_method(self):
        depot = self.depot("v1")
        for arguments in ((), ("--proto", depot.proto), ("--protoset", depot.protoset)):
            said = self.refuse(depot.address, "--call", f"{SERVICE}/Ftch", *arguments)
            self.assertIn('unknown method "Ftch" of depot.v2.Depot; did you mean Fetch?', said)
            self.assertIn("Fetch, Watch, Pack, Trade", said)
            said = self.refuse(depot.address, "--call", "depot.v2.Depo/Fetch", *arguments)
            self.assertIn("did you mean depot.v2.Depot?", said)
        self.assertIn("never heard of it",
                      self.refuse(depot.address, "--call", "no.such.Service/X"))

    def test_no_reflection(self):
        depot = self.depot()
        self.assertIn("offers no reflection, neither v1 nor v1alpha",
                      self.refuse(depot.address, "--call", f"{SERVICE}/Fetch"))
        self.assertIn("nothing listens on 127.0.0.1:1 (connection refused)",
                      self.refuse("127.0.0.1:1", "--call", f"{SERVICE}/Fetch", code=1))

    def test_files(self):
        depot = self.depot()
        call = ("--call", f"{SERVICE}/Fetch")
        for text, place in ((DEPOT.replace("string id = 1;", "string id 1;", 1), r":16:\d+: "),
                            (DEPOT.replace("string id = 1;", "strin id = 1;", 1), ":16:3: .*strin"),
                            (DEPOT.replace("parts/", "gone/"), "gone/parts.proto"),
                            ("", "unknown service")):
            depot.proto.write_text(text)
            self.assertRegex(self.refuse(depot.address, *call, "--proto", depot.proto), place)
        self.assertIn("No such file", self.refuse(depot.address, *call, "--proto", "nowhere.proto"))
        depot.protoset.write_text("no descriptors")
        self.assertIn("expected a FileDescriptorSet",
                      self.refuse(depot.address, *call, "--protoset", depot.protoset))
        self.assertIn("No such file", self.refuse(depot.address, *call, "--protoset", "nowhere.pb"))
        subprocess.run(["protoc", f"--descriptor_set_out={depot.protoset}", f"-I{depot.include}",
                        str(depot.include / "parts/parts.proto")], check=True)
        self.assertIn("unknown service",
                      self.refuse(depot.address, *call, "--protoset", depot.protoset))

    def test_data(self):
        depot = self.depot()
        empty = depot.include / "empty.json"
        empty.write_text("")
        call = ("--call", f"{SERVICE}/Fetch", "--proto", depot.proto)
        for data, words in (("[{}]]", "--data:1:"),
                            ("", "found nothing"),
                            ("[]", "found an empty array"),
                            ('{"parts":[{},{"nam":1}]}', "parts[1].nam: expected a field of"),
                            ('[{},\n{"quantity":"x"}]', "--data:2: [1].quantity: expected"),
                            ('{"due":"yesterday"}', "yesterday"),
                            ('{"road":"a","rail":1}', "way"),
                            ('{"id":"{{contour}}"}', "id: expected one of {{counter}}")):
            self.assertIn(words, self.refuse(depot.address, *call, "-d", data))
        self.assertIn("found nothing", self.refuse(depot.address, *call, "-D", empty))
        self.assertIn("found nothing", self.refuse(depot.address, *call, "-d", "@"))
        self.assertIn("expected one encoded depot.v2.Order",
                      self.refuse(depot.address, *call, "-b", stdin="\n\x05x"))

    def test_options(self):
        depot = self.depot()
        call = ("--call", f"{SERVICE}/Fetch", "--proto", depot.proto)
        for arguments, words in ((("--messages", 5), "expected --stream-call-count"),
                                 (("--scenario", "empty"), "expected --data"),
                                 (("--stream-call-count", 5), "expected a method that streams"),
                                 (("-m", "[]"), "expected a JSON object of names and values"),
                                 (("-m", '{"a-bin":"?"}'), "expected base64"),
                                 (("-m", '{"a":"%s"}' % ("x" * 5000)), "too long")):
            code = 1 if words == "too long" else 2
            self.assertIn(words, self.refuse(depot.address, *call, *arguments, code=code))


@unittest.skipIf(ANY_SERVICE, "bench-edge was built with libprotobuf")
class BuiltWithout(unittest.TestCase):
    def test_it_says_so(self):
        for arguments in (("--call", "a.B/C"), ("--call", "a.B/C", "--proto", "a.proto")):
            done = run_load(*arguments, "127.0.0.1:1")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "bench-edge was built without libprotobuf")
            self.assertEqual(done.stdout, "")


del LoadTest  # its own tests run elsewhere

if __name__ == "__main__":
    unittest.main()
