# The toolchain file of every board's build: -DEDGE_BOARD=rpizero names the board.
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/EdgeBoard.cmake)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EDGE_BOARD)
edge_board_read(${CMAKE_CURRENT_LIST_DIR}/../boards/${EDGE_BOARD}.ini EDGE_BOARD)

set(CMAKE_SYSTEM_NAME Linux)
include(${CMAKE_CURRENT_LIST_DIR}/${EDGE_BOARD_toolchain}.cmake) # CMAKE_SYSTEM_PROCESSOR
set(CMAKE_C_COMPILER ${EDGE_BOARD_toolchain}-gcc)
set(CMAKE_C_FLAGS_INIT "${EDGE_BOARD_cpu_flags}")

# Libraries only from where scripts/libs.sh puts them; tools from the host.
edge_board_libraries(EDGE_BOARD EDGE_BOARD_LIBRARIES)
set(CMAKE_FIND_ROOT_PATH ${EDGE_BOARD_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

edge_board_emulator(EDGE_BOARD CMAKE_CROSSCOMPILING_EMULATOR)
