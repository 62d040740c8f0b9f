edge_unit(wire frame hpack)

# The server's half of an HTTP/2 connection, as plain arrays of bytes.
add_library(test_client_peer STATIC wire/client_peer.c)
target_include_directories(test_client_peer PUBLIC ${CMOCKA_INCLUDE} ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_client_peer PUBLIC edge_wire)
edge_unit(wire client client_streams client_broken LIBRARIES test_client_peer)
