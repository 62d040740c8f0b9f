# Compiler and linker flags for code of ours.

# 64-bit file sizes, limits and times on 32-bit boards too.
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64 _TIME_BITS=64)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(EDGE_WERROR)
  add_compile_options(-Werror)
endif()

if(EDGE_BOARD)
  add_link_options(-static) # tests too: the emulator needs no libraries of the board then
  add_compile_options(-g1) # for profiles and sizes; programs are stripped
  add_link_options(-Wl,--build-id=none) # it would depend on the folder of the build
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-O2 -ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
  set(CMAKE_C_FLAGS_RELEASE "-DNDEBUG")
  include(CheckIPOSupported)
  check_ipo_supported(RESULT ipo LANGUAGES C)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${ipo})
  # Machine code too, beside what the link optimises: tests are linked from that, in no time.
  list(TRANSFORM CMAKE_C_COMPILE_OPTIONS_IPO REPLACE "-fno-fat-lto" "-ffat-lto")
endif()

if(EDGE_SANITIZE)
  add_compile_options(-fsanitize=${EDGE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=${EDGE_SANITIZE})
endif()
if(EDGE_FUZZ)
  # Instruments everything; only the fuzz targets themselves link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=address,undefined)
endif()

# Servers and boards' binaries are static: no surprises after scp, and the smallest memory.
# Sanitizers need shared libraries.
if(EDGE_SANITIZE OR EDGE_FUZZ)
  set(EDGE_STATIC OFF)
else()
  set(EDGE_STATIC ON)
endif()
