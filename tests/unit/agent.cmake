edge_unit(agent agent agent_json board probe_guest probe_machine probe_process probes ram_limit)
foreach(name agent board probe_machine probe_process probes)
  target_compile_definitions(test_agent_${name} PRIVATE EDGE_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
endforeach()
