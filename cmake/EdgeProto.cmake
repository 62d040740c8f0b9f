# Code generated from .proto files, in the build tree. Generated code does not answer to our warnings.

find_program(PROTOC protoc REQUIRED)
set(EDGE_PROTO_DIR ${CMAKE_SOURCE_DIR}/proto) # where they are; another folder may say otherwise

# edge_proto_protobufc(<target> <proto>...): <name>.pb-c.c and .h by protobuf-c
function(edge_proto_protobufc target)
  set(out ${CMAKE_BINARY_DIR}/generated/protobufc)
  file(MAKE_DIRECTORY ${out})
  foreach(proto ${ARGN})
    cmake_path(GET proto STEM name)
    add_custom_command(
      OUTPUT ${out}/${name}.pb-c.c ${out}/${name}.pb-c.h
      COMMAND ${PROTOC} --c_out=${out} -I${EDGE_PROTO_DIR} ${EDGE_PROTO_DIR}/${proto}
      DEPENDS ${EDGE_PROTO_DIR}/${proto} VERBATIM)
    list(APPEND sources ${out}/${name}.pb-c.c)
  endforeach()
  add_library(${target} STATIC ${sources})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC protobuf_c)
endfunction()

# edge_proto_nanopb(<target> <proto>...): <name>.pb.c and .h by nanopb, with <name>.options beside
# the proto. What the options include is found from src/.
function(edge_proto_nanopb target)
  find_program(PROTOC_GEN_NANOPB protoc-gen-nanopb REQUIRED)
  set(out ${CMAKE_BINARY_DIR}/generated/nanopb)
  file(MAKE_DIRECTORY ${out})
  foreach(proto ${ARGN})
    cmake_path(GET proto STEM name)
    set(options ${EDGE_PROTO_DIR}/${name}.options)
    add_custom_command(
      OUTPUT ${out}/${name}.pb.c ${out}/${name}.pb.h
      COMMAND ${PROTOC} --plugin=protoc-gen-nanopb=${PROTOC_GEN_NANOPB}
              --nanopb_out=-f${options}:${out} -I${EDGE_PROTO_DIR} ${EDGE_PROTO_DIR}/${proto}
      DEPENDS ${EDGE_PROTO_DIR}/${proto} ${options} VERBATIM)
    list(APPEND sources ${out}/${name}.pb.c)
  endforeach()
  add_library(${target} STATIC ${sources})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC nanopb)
endfunction()
