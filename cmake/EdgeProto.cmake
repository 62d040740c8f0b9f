# Code generated from proto/, in the build tree. Generated code does not answer to our warnings.

find_program(PROTOC protoc REQUIRED)

# edge_proto_protobufc(<target> <proto>...): <name>.pb-c.c and .h by protobuf-c
function(edge_proto_protobufc target)
  set(out ${CMAKE_BINARY_DIR}/generated/protobufc)
  file(MAKE_DIRECTORY ${out})
  foreach(proto ${ARGN})
    cmake_path(GET proto STEM name)
    add_custom_command(
      OUTPUT ${out}/${name}.pb-c.c ${out}/${name}.pb-c.h
      COMMAND ${PROTOC} --c_out=${out} -I${CMAKE_SOURCE_DIR}/proto ${CMAKE_SOURCE_DIR}/proto/${proto}
      DEPENDS ${CMAKE_SOURCE_DIR}/proto/${proto} VERBATIM)
    list(APPEND sources ${out}/${name}.pb-c.c)
  endforeach()
  add_library(${target} STATIC ${sources})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC protobuf_c)
endfunction()
