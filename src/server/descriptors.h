// The descriptors of proto/, embedded: what reflection knows.
#ifndef EDGE_SERVER_DESCRIPTORS_H
#define EDGE_SERVER_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

// A serialized google.protobuf.FileDescriptorSet, generated at build time.
extern const uint8_t edge_descriptor_set[];
extern const size_t edge_descriptor_set_size;

// One serialized google.protobuf.FileDescriptorProto of that set.
struct edge_descriptor_file {
    const uint8_t *bytes; // NULL: there is no such file
    size_t len;
};

// The file of that name ("helloworld.proto").
struct edge_descriptor_file edge_descriptors_by_name(const void *name, size_t len);
// The file that defines a fully qualified symbol: a service, method, message, enum or field
// ("helloworld.Greeter.SayHello").
struct edge_descriptor_file edge_descriptors_by_symbol(const void *symbol, size_t len);

#endif
