# Programs that are shipped: static, and for a board stripped. The target `programs` is all of them,
# without the tests.
add_custom_target(programs)

# edge_program(<target> <folder below the build's> [SHARED])
#
# SHARED: it needs a library that has no static archive.
#
# For a board, symbols/<folder>/<target> keeps the symbols, for profiles; and where this machine can
# emulate the board, emulated/<folder>/<target> is a shell script that runs it so. A script, and not
# the binary, because then an emulated program can start another without binfmt; bench-edge starts
# itself again, as the agent, by $BENCH_EDGE_PROGRAM.
function(edge_program target folder)
  cmake_path(APPEND CMAKE_BINARY_DIR "${folder}" OUTPUT_VARIABLE output)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${output})
  add_dependencies(programs ${target})
  if(EDGE_STATIC AND NOT "SHARED" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -static)
  endif()
  if(NOT EDGE_BOARD)
    return()
  endif()
  cmake_path(APPEND CMAKE_BINARY_DIR symbols "${folder}" OUTPUT_VARIABLE symbols)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${symbols}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${target}> ${symbols}
    COMMAND ${CMAKE_STRIP} $<TARGET_FILE:${target}> VERBATIM)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    cmake_path(APPEND CMAKE_BINARY_DIR emulated "${folder}" ${target} OUTPUT_VARIABLE script)
    file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nBENCH_EDGE_PROGRAM='${script}' exec ${emulator} '$<TARGET_FILE:${target}>' \"$@\"\n"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()
