# The board catalogue, boards/<id>.ini: one "key = value" a line, '#' begins a comment. This file
# is its schema and its only reader; bench-edge carries the table that it writes.
cmake_policy(VERSION 3.25) # read by scripts and by the libraries' builds too

# The rest are optional.
set(EDGE_BOARD_REQUIRED name soc cores core_count ram bits isa toolchain cpu_flags qemu qemu_cpu power)
set(EDGE_BOARD_KEYS ${EDGE_BOARD_REQUIRED}
    qemu_note      # why the model is not the board's own core
    compatible     # of the device tree
    revision_type  # Raspberry Pi revision code, bits 4 to 11, and 12 to 15
    revision_soc
    power_scope    # of the source on board
    watts          # as published: context, no ground truth
    trap           # may be repeated
    unverified)    # the keys whose value nobody has checked on the board

set(EDGE_BOARD_RULE_core_count "[1-9][0-9]?")
set(EDGE_BOARD_RULE_bits "32|64")
set(EDGE_BOARD_RULE_isa "ARMv6KZ|ARMv7-A|ARMv8-A|ARMv8\\.2-A|RV64GC")
set(EDGE_BOARD_RULE_toolchain "[a-z0-9]+-linux-gnu[a-z]*")
set(EDGE_BOARD_RULE_cpu_flags "-m[a-z0-9=._-]+( -m[a-z0-9=._-]+)*")
set(EDGE_BOARD_RULE_qemu "qemu-(arm|aarch64|riscv64)")
set(EDGE_BOARD_RULE_qemu_cpu "[a-z0-9-]+(, [a-z0-9-]+)*")
set(EDGE_BOARD_RULE_compatible "[a-z0-9,.+-]+,[a-z0-9.+-]+")
set(EDGE_BOARD_RULE_compatible "${EDGE_BOARD_RULE_compatible}(, ${EDGE_BOARD_RULE_compatible})*")
set(EDGE_BOARD_RULE_revision_type "[0-9a-f][0-9a-f](, [0-9a-f][0-9a-f])*")
set(EDGE_BOARD_RULE_revision_soc "[0-9a-f]")
set(EDGE_BOARD_RULE_power "none|raspberrypi_pmic|ina3221")
set(EDGE_BOARD_RULE_power_scope "wall|dc_input|module|soc_rails|cpu_package")
set(EDGE_BOARD_RULE_unverified "[a-z_]+(, [a-z_]+)*")

# edge_board_read(<file> <prefix>): sets <prefix>_<key> for each key of the schema, "" where the
# file has none; the parts of a repeated key, and of "a, b", become a list. Fails with file and line.
function(edge_board_read file prefix)
  foreach(key ${EDGE_BOARD_KEYS})
    set(value_${key} "")
  endforeach()
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)#[^\n]*" "\\1#" text "${text}")
  if(text MATCHES "[];[\"\\]") # the text goes into C and CMake's lists as it is
    message(FATAL_ERROR "${file}: expected none of ; [ ] \" \\, found \"${CMAKE_MATCH_0}\"")
  endif()
  string(REGEX REPLACE "\n$" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^(#.*)?$")
      continue()
    endif()
    if(NOT line MATCHES "^([a-z_]+) = (.*[^ ])$")
      message(FATAL_ERROR "${file}:${number}: expected \"key = value\", found \"${line}\"")
    endif()
    set(key ${CMAKE_MATCH_1})
    set(value "${CMAKE_MATCH_2}")
    if(NOT key IN_LIST EDGE_BOARD_KEYS)
      message(FATAL_ERROR "${file}:${number}: unknown key \"${key}\": expected one of ${EDGE_BOARD_KEYS}")
    endif()
    if(EDGE_BOARD_RULE_${key} AND NOT value MATCHES "^(${EDGE_BOARD_RULE_${key}})$")
      message(FATAL_ERROR "${file}:${number}: ${key}: expected ${EDGE_BOARD_RULE_${key}}, "
                          "found \"${value}\"")
    endif()
    if(NOT value_${key} STREQUAL "" AND NOT key STREQUAL "trap")
      message(FATAL_ERROR "${file}:${number}: ${key} is given twice")
    endif()
    if(key MATCHES "^(qemu_cpu|compatible|revision_type|unverified)$")
      string(REPLACE ", " ";" value "${value}")
    endif()
    list(APPEND value_${key} "${value}")
  endforeach()

  edge_board_check()
  foreach(key ${EDGE_BOARD_KEYS})
    set(${prefix}_${key} "${value_${key}}" PARENT_SCOPE)
  endforeach()
endfunction()

# What one line alone cannot show.
macro(edge_board_check)
  foreach(key ${EDGE_BOARD_REQUIRED})
    if(value_${key} STREQUAL "")
      message(FATAL_ERROR "${file}: expected a line \"${key} = ...\", found none")
    endif()
  endforeach()
  if(NOT EXISTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../toolchains/${value_toolchain}.cmake)
    message(FATAL_ERROR "${file}: toolchain: there is no toolchains/${value_toolchain}.cmake")
  endif()
  foreach(key ${value_unverified})
    if(NOT key IN_LIST EDGE_BOARD_KEYS OR value_${key} STREQUAL "")
      message(FATAL_ERROR "${file}: unverified: \"${key}\" is no key of this file")
    endif()
  endforeach()
  list(GET value_qemu_cpu 0 model)
  if(value_qemu_note STREQUAL "" AND NOT value_cpu_flags MATCHES "-mcpu=${model}([a-z]*-s)?( |$)")
    message(FATAL_ERROR "${file}: qemu_cpu: ${model} is not the core of \"${value_cpu_flags}\": "
                        "expected a line \"qemu_note = why\"")
  endif()
  if(value_power STREQUAL "none" AND value_power_scope)
    message(FATAL_ERROR "${file}: power_scope: expected none without a power source")
  elseif(NOT value_power STREQUAL "none" AND NOT value_power_scope)
    message(FATAL_ERROR "${file}: expected a line \"power_scope = ...\" for ${value_power}")
  endif()
endmacro()

# edge_board_ids(<folder> <variable>): the sorted ids of the boards in a folder
function(edge_board_ids folder variable)
  file(GLOB files ${folder}/*.ini)
  set(ids)
  foreach(file ${files})
    cmake_path(GET file STEM LAST_ONLY id)
    if(NOT id MATCHES "^[a-z0-9-]+$")
      message(FATAL_ERROR "${file}: expected a name of a-z, 0-9 and '-'")
    endif()
    list(APPEND ids ${id})
  endforeach()
  list(SORT ids COMPARE NATURAL)
  set(${variable} ${ids} PARENT_SCOPE)
endfunction()

# edge_board_table(<folder> <out>): the rows of base/catalogue.h's table, as C
function(edge_board_table folder out)
  edge_board_ids(${folder} ids)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder})
  set(rows "")
  foreach(id ${ids})
    edge_board_read(${folder}/${id}.ini board)
    string(APPEND rows "    {.id = \"${id}\"")
    foreach(key ${EDGE_BOARD_KEYS})
      set(value "${board_${key}}")
      if(value STREQUAL "")
        continue()
      elseif(key MATCHES "^(core_count|bits)$")
        string(APPEND rows ",\n     .${key} = ${value}")
      elseif(key MATCHES "^(qemu_cpu|compatible|revision_type|trap|unverified)$")
        list(JOIN value "\", \"" value)
        string(APPEND rows ",\n     .${key} = (const char *const[]){\"${value}\", NULL}")
      else()
        string(APPEND rows ",\n     .${key} = \"${value}\"")
      endif()
    endforeach()
    string(APPEND rows "},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${id}.ini)
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT "${rows}" @ONLY)
endfunction()

# edge_board_libraries(<prefix> <variable>): the folder with the board's libraries. Boards of the
# same compiler and flags share it.
function(edge_board_libraries prefix variable)
  string(REGEX REPLACE "(^| )-m" "_" name "${${prefix}_cpu_flags}")
  cmake_path(SET folder NORMALIZE
             "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../build/libs/${${prefix}_toolchain}${name}")
  set(${variable} ${folder} PARENT_SCOPE)
endfunction()

# edge_board_emulator(<prefix> <variable>): the command that runs the board's programs here, with
# the first of the board's models that this qemu knows; "" if there is none
function(edge_board_emulator prefix variable)
  set(${variable} "" PARENT_SCOPE)
  set(known "")
  execute_process(COMMAND ${${prefix}_qemu} -cpu help OUTPUT_VARIABLE known ERROR_QUIET
                  RESULT_VARIABLE ignored) # qemu-user 7.2 says 1
  string(REGEX MATCHALL "[^ \n]+" known "${known}")
  foreach(model ${${prefix}_qemu_cpu})
    if(model IN_LIST known)
      set(${variable} "${${prefix}_qemu};-cpu;${model}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
