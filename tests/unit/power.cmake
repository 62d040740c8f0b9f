edge_unit(power docs lines mailbox meters plug poller sources vcgencmd wrap)
target_compile_definitions(test_power_mailbox PRIVATE EDGE_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
target_compile_definitions(test_power_sources PRIVATE EDGE_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
target_compile_definitions(test_power_docs PRIVATE EDGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
