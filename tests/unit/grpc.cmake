edge_unit(grpc base64 call framing gzip metadata method percent protobuf request status timeout utf8)

# The client's half of an HTTP/2 connection, as plain arrays of bytes.
add_library(test_h2_peer STATIC grpc/h2_peer.c)
target_include_directories(test_h2_peer PUBLIC ${CMOCKA_INCLUDE} ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_h2_peer PUBLIC edge_grpc)
edge_unit(grpc h2 h2_limits h2_malformed h2_metadata h2_overhead h2_shutdown h2_sweep LIBRARIES test_h2_peer)
