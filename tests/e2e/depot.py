"""A service that bench-edge has never seen, served by grpcio: its files are made here."""
import concurrent.futures
import pathlib
import subprocess
import tempfile
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from messages import message as known_message

PARTS = """syntax = "proto3";
package depot.parts;
enum Grade { GRADE_UNKNOWN = 0; NEW = 1; USED = 2; }
message Part { string name = 1; Grade grade = 2; repeated sint32 sizes = 3; }
"""
DEPOT = """syntax = "proto3";
package depot.v2;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "parts/parts.proto";

service Depot {
  rpc Fetch(Order) returns (Receipt);
  rpc Watch(Order) returns (stream Receipt);
  rpc Pack(stream Order) returns (Receipt);
  rpc Trade(stream Order) returns (stream Receipt);
}
service Closed { rpc Open(Order) returns (Receipt); }

message Order {
  string id = 1;
  int32 quantity = 2;
  repeated depot.parts.Part parts = 3;
  map<string, double> prices = 4;
  bytes blob = 5;
  fixed64 mark = 6;
  google.protobuf.Timestamp due = 7;
  sint64 delta = 8;
  double weight = 9;
  uint64 serial = 10;
  fixed32 code = 11;
  float ratio = 12;
  bool urgent = 13;
  google.protobuf.StringValue note = 14;
  sfixed32 shelf = 15;
  oneof way { string road = 16; uint32 rail = 17; }
}
message Receipt { string id = 1; int64 count = 2; repeated Order orders = 3; }
"""
SERVICE = "depot.v2.Depot"


class Depot:
    """The files, the message classes, and a server for the length of a `with`.

    reflection: "v1", "v1alpha" or None. Each order that arrives is kept in self.orders, and each
    call's metadata in self.metadata. Receipts have the order's id; self.receipt, if set, is what is
    sent in place of every encoded receipt.
    """

    def __init__(self, reflection=None, compression=None, whole=True):
        self.reflection = reflection
        self.compression = compression
        self.whole = whole  # reflection gives all files at once
        self.orders, self.metadata, self.streams, self.packed = [], [], [], 0
        self.receipt = None
        self.replies = 3  # of Watch
        self.pause = 0  # before each reply
        self.refused = False
        self.lock = threading.Lock()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        for name, text in (("parts/parts.proto", PARTS), ("depot.proto", DEPOT)):
            (root / "include" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "include" / name).write_text(text)
        self.include = root / "include"
        self.proto = self.include / "depot.proto"
        self.protoset = root / "depot.pb"
        subprocess.run(["protoc", "--include_imports", f"--descriptor_set_out={self.protoset}",
                        f"-I{self.include}", str(self.proto)], check=True)
        self.files = descriptor_pb2.FileDescriptorSet.FromString(self.protoset.read_bytes())
        self.pool = descriptor_pool.DescriptorPool()
        for file in self.files.file:
            self.pool.Add(file)
        self.Order = self.message("Order")
        self.Receipt = self.message("Receipt")
        self.start()
        return self

    def __exit__(self, *_):
        self.server.stop(0).wait()
        self.folder.cleanup()

    def message(self, name):
        factory = message_factory.MessageFactory(self.pool)
        return factory.GetPrototype(self.pool.FindMessageTypeByName(f"depot.v2.{name}"))

    # The methods

    def take(self, order, context):
        with self.lock:
            self.orders.append(order)
            self.metadata.append(list(context.invocation_metadata()))

    def answer(self, order, count=1):
        if self.pause:
            time.sleep(self.pause)
        return self.Receipt(id=order.id, count=count, orders=[order])

    def fetch(self, order, context):
        if self.refused:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no room")
        self.take(order, context)
        return self.answer(order)

    def watch(self, order, context):
        self.take(order, context)
        for count in range(self.replies):
            if not context.is_active():
                return
            yield self.answer(order, count)

    def pack(self, orders, context):
        arrived, last = [], self.Order()
        for last in orders:
            self.take(last, context)
            arrived.append(last.id)
        with self.lock:
            self.streams.append(arrived)
        return self.answer(last, len(arrived))

    def trade(self, orders, context):
        for order in orders:
            self.take(order, context)
            yield self.answer(order)

    # The server

    def serialize(self, receipt):
        return self.receipt if self.receipt is not None else receipt.SerializeToString()

    def start(self):
        kinds = {"Fetch": (grpc.unary_unary_rpc_method_handler, self.fetch),
                 "Watch": (grpc.unary_stream_rpc_method_handler, self.watch),
                 "Pack": (grpc.stream_unary_rpc_method_handler, self.pack),
                 "Trade": (grpc.stream_stream_rpc_method_handler, self.trade)}
        handlers = {name: make(work, self.Order.FromString, self.serialize)
                    for name, (make, work) in kinds.items()}
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(20),
                                  compression=self.compression)
        self.server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(SERVICE, handlers)])
        if self.reflection:
            self.add_reflection(f"grpc.reflection.{self.reflection}")
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def add_reflection(self, package):
        ask = known_message(f"{package}.ServerReflectionRequest")
        handler = grpc.stream_stream_rpc_method_handler(
            lambda questions, _: (self.reflect(package, question) for question in questions),
            ask.FromString, lambda answer: answer.SerializeToString())
        self.server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(
            f"{package}.ServerReflection", {"ServerReflectionInfo": handler})])

    def reflect(self, package, question):
        answer = known_message(f"{package}.ServerReflectionResponse")(original_request=question)
        files = {file.name: file for file in self.files.file}
        name = question.file_by_filename
        if question.HasField("list_services"):
            for service in (SERVICE, f"{package}.ServerReflection"):
                answer.list_services_response.service.add().name = service
        elif question.file_containing_symbol == SERVICE or name in files:
            found = [files[name or "depot.proto"]]
            if self.whole and not name:
                found = list(files.values())
            answer.file_descriptor_response.file_descriptor_proto.extend(
                file.SerializeToString() for file in found)
        else:
            answer.error_response.error_code = grpc.StatusCode.NOT_FOUND.value[0]
            answer.error_response.error_message = "never heard of it"
        return answer
