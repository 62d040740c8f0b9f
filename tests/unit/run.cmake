edge_unit(run agent_client ask emulator energies interrupt judge measurement meters probe_check probe_text
          readiness recorder repeat results_folder run_options servers ssh target version_line)
target_compile_definitions(test_run_agent_client PRIVATE EDGE_PROGRAM="${EDGE_PROGRAM_DIR}/bench-edge")
add_dependencies(test_run_agent_client bench-edge)
