# Libraries from the distribution, each as an imported target. A static archive where the program
# is static.

function(edge_library target header archive package)
  find_path(${target}_INCLUDE ${header})
  if(EDGE_STATIC)
    find_library(${target}_LIBRARY NAMES lib${archive}.a)
  else()
    find_library(${target}_LIBRARY NAMES ${archive})
  endif()
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "${header} or lib${archive} is missing: install ${package} "
                        "(scripts/deps.sh build does it)")
  endif()
  add_library(${target} UNKNOWN IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${target}_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${${target}_INCLUDE})
endfunction()

edge_library(nghttp2 nghttp2/nghttp2.h nghttp2 libnghttp2-dev)
edge_library(zlib zlib.h z zlib1g-dev)
edge_library(jansson jansson.h jansson libjansson-dev)
edge_library(protobuf_c protobuf-c/protobuf-c.h protobuf-c libprotobuf-c-dev)
find_path(nanopb_INCLUDE pb.h PATH_SUFFIXES nanopb)
edge_library(nanopb pb.h protobuf-nanopb libnanopb-dev)

option(EDGE_TLS "TLS in servers and generator, with mbedTLS" ON)
if(EDGE_TLS)
  include(EdgeMbedtls)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Host only: see src/power/CMakeLists.txt.
if(CMAKE_CROSSCOMPILING OR EDGE_BOARD)
  set(EDGE_CURL_DEFAULT OFF)
else()
  set(EDGE_CURL_DEFAULT ON)
endif()
option(EDGE_CURL "Ask power plugs over HTTP, with libcurl" ${EDGE_CURL_DEFAULT})
set(EDGE_CURL_TARGET "")
if(EDGE_CURL)
  find_package(CURL QUIET)
  if(CURL_FOUND)
    set(EDGE_CURL_TARGET CURL::libcurl)
  else()
    message(STATUS "libcurl is missing: no Tasmota and Shelly plugs (libcurl4-openssl-dev has it)")
  endif()
endif()
