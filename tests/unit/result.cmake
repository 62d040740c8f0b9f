edge_unit(result docs energy reader record record_scan rules statistics writer)
target_compile_definitions(test_result_docs PRIVATE EDGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
