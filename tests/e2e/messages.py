"""Message classes of proto/, from the descriptors that the build embeds in the servers."""
import json

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from programs import BUILD, SOURCE

_files = descriptor_pb2.FileDescriptorSet.FromString(
    (BUILD / "generated/descriptors.pb").read_bytes())
_pool = descriptor_pool.DescriptorPool()
for _file in _files.file:
    _pool.Add(_file)
_factory = message_factory.MessageFactory(_pool)


def message(name):
    """The class of a message: message("helloworld.HelloRequest")."""
    return _factory.GetPrototype(_pool.FindMessageTypeByName(name))


def complex_proto():
    """The request of payload/complex_proto.json."""
    text = (SOURCE / "payload/complex_proto.json").read_text()
    return json_format.ParseDict(json.loads(text), message("helloworld.HelloRequest")())
