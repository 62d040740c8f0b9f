edge_unit(agent agent agent_json board port probe_busy probe_cpus probe_facts probe_guest probe_machine probe_process
          probes ram_limit)
foreach(name agent board probe_machine probe_process probes)
  target_compile_definitions(test_agent_${name} PRIVATE EDGE_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
endforeach()
foreach(name probe_cpus probe_facts)
  target_sources(test_agent_${name} PRIVATE agent/tree.c)
endforeach()
