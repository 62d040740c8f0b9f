edge_unit(base buffer catalogue clock cpuset histogram nearest option option_file pool procfs recognise
          subprocess text units)
target_compile_definitions(test_base_recognise PRIVATE EDGE_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
