add_library(test_server_caller STATIC server/caller.c)
target_include_directories(test_server_caller PUBLIC ${CMOCKA_INCLUDE} ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_server_caller PUBLIC edge_server)
edge_unit(server greeter steady LIBRARIES test_server_caller edge_greeter_nanopb
          edge_greeter_protobufc)
edge_unit(server descriptors health reflection LIBRARIES test_server_caller)
if(EDGE_BOARD) # it replaces malloc(), and in a static program the C library's own comes along
  target_link_options(test_server_steady PRIVATE -Wl,-z,muldefs)
endif()
