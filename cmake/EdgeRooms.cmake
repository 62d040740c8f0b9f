# A room is a static library of src/<room>. Arrows point down only: a room links rooms of lower
# floors, and never a neighbour.

set(EDGE_FLOOR_base 0)
foreach(room net wire grpc result power)
  set(EDGE_FLOOR_${room} 1)
endforeach()
foreach(room load agent server)
  set(EDGE_FLOOR_${room} 2)
endforeach()
foreach(room run report)
  set(EDGE_FLOOR_${room} 3)
endforeach()

# edge_room(<name> [ROOMS <lower rooms>...] [LIBRARIES <foreign targets>...] SOURCES <files>...)
function(edge_room name)
  cmake_parse_arguments(arg "" "" "ROOMS;LIBRARIES;SOURCES" ${ARGN})
  add_library(edge_${name} STATIC ${arg_SOURCES})
  target_include_directories(edge_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  foreach(room ${arg_ROOMS})
    if(NOT EDGE_FLOOR_${room} LESS EDGE_FLOOR_${name})
      message(FATAL_ERROR "src/${name} may not use src/${room}: arrows point down only")
    endif()
    target_link_libraries(edge_${name} PUBLIC edge_${room})
  endforeach()
  target_link_libraries(edge_${name} PUBLIC ${arg_LIBRARIES})

  # Links the whole room with just what it names: a call upwards fails here.
  add_executable(link_${name} ${CMAKE_SOURCE_DIR}/cmake/link_check.c)
  target_link_libraries(link_${name} PRIVATE
                        "$<LINK_LIBRARY:WHOLE_ARCHIVE,edge_${name}>")
  set_target_properties(link_${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  target_link_options(link_${name} PRIVATE -fno-lto)
endfunction()
