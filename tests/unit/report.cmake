edge_unit(report boards columns command grid row slo)
foreach(test boards command)
  target_compile_definitions(test_report_${test} PRIVATE EDGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endforeach()
