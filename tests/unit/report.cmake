edge_unit(report command grid row)
target_compile_definitions(test_report_command PRIVATE EDGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
