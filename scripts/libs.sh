#!/usr/bin/env bash
# Builds a board's libraries from the distribution's own source packages, with the board's flags,
# into build/libs/. Once: quick when they are there.
# usage: scripts/libs.sh BOARD...      exit 77: the archive does not give the sources
#
# -finline-limit=200 lets LTO join what is called once per field; nanopb with PB_BUFFER_ONLY reads and
# writes memory only, which is all that the servers ask of it. docs/profiling.md has the gain.
#
# apt is asked through lists of its own in build/libs/apt: nothing on the host changes.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(nghttp2 mbedtls zlib jansson protobuf-c nanopb cmocka)
work=$PWD/build/libs
mkdir -p "$work"

sources() { # fetches and unpacks the source packages, with the distribution's patches
    [ "$(cat "$work/sources/.complete" 2>/dev/null)" != "${packages[*]}" ] || return 0
    local apt=$work/apt file
    rm -rf "$apt" "$work/sources"
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$work/sources"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$file" ] || sed -nE 's/^deb(-src)? /deb-src /p' "$file" | sort -u >"$apt/parts/${file##*/}.list"
    done
    local options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/parts"
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache"
        -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none)
    echo "Fetching the sources of ${packages[*]}" >&2
    # One index may be out of step: what counts is whether the packages arrive.
    apt-get "${options[@]}" update >&2 || echo "libs.sh: apt-get update complained; going on" >&2
    (cd "$work/sources" && apt-get "${options[@]}" source --download-only "${packages[@]}" >&2) || {
        echo "libs.sh: apt's archive does not give the source package of one of: ${packages[*]}" >&2
        exit 77
    }
    for file in "$work"/sources/*.dsc; do # whose checksums apt has verified
        dpkg-source --no-check -x "$file" "${file%_*}" >/dev/null
    done
    # Debian leaves zlib's Windows files out, but not the line that asks for one.
    mkdir -p "$work/sources/zlib/win32" && touch "$work/sources/zlib/win32/zlib1.rc"
    echo "${packages[*]}" >"$work/sources/.complete"
}

# For the programs' link-time optimisation; tests are linked without it.
lto="-flto=auto -ffat-lto-objects"

build() { # build <package> <folder of its CMakeLists.txt> <its options>...
    local package=$1 folder=$2 log=$work/tmp-$board/$1.log
    local flags="-O2 -finline-limit=200 -g1 -DNDEBUG -DPB_BUFFER_ONLY -ffunction-sections \
-fdata-sections -fmacro-prefix-map=$work/sources/="
    shift 2
    # Some builds ask for a C++ compiler before they know that their library needs none.
    if ! { cmake -S "$work/sources/$package$folder" -B "$work/tmp-$board/$package" -G Ninja -Wno-dev \
        --toolchain "$PWD/toolchains/board.cmake" -DEDGE_BOARD="$board" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="$lto $flags" -DCMAKE_C_FLAGS_BOARD="$flags" \
        -DCMAKE_INSTALL_PREFIX="$libraries" -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_WORKS=ON -DBUILD_SHARED_LIBS=OFF "$@" &&
        ninja -C "$work/tmp-$board/$package" ${EDGE_JOBS:+-j$EDGE_JOBS} install; } >"$log" 2>&1; then
        tail -20 "$log" >&2
        echo "libs.sh: $package does not build for $board: see $log" >&2
        exit 1
    fi
}

for board in "$@"; do
    libraries=$(scripts/board.sh "$board" libraries)
    compiler=$(scripts/board.sh "$board" toolchain)-gcc
    state="$("$compiler" --version | head -1) $(cat scripts/libs.sh cmake/mbedtls_config.h | sha256sum)"
    [ "$(cat "$libraries/.state" 2>/dev/null)" != "$state" ] || continue
    sources
    echo "Building the libraries of $board" >&2
    rm -rf "$libraries" "$work/tmp-$board"
    mkdir -p "$work/tmp-$board"
    build nghttp2 "" -DENABLE_LIB_ONLY=ON -DENABLE_{STATIC_LIB=ON,SHARED_LIB=OFF} \
        -DBUILD_{STATIC_LIBS=ON,SHARED_LIBS=OFF,TESTING=OFF} # these since 1.60
    # The headers are installed with it, so programs see the same one.
    cp cmake/mbedtls_config.h "$(ls "$work"/sources/mbedtls/include/mbedtls/{mbedtls_,}config.h 2>/dev/null)"
    # mbedTLS has its own opinion of what Release is, and joined with the rest it makes warnings only.
    build mbedtls "" -DCMAKE_BUILD_TYPE=Board -DENABLE_PROGRAMS=OFF -DENABLE_TESTING=OFF -DGEN_FILES=OFF
    # Small rather than fast, and without the large tables of crc32: few messages are compressed.
    build zlib "" -DCMAKE_C_FLAGS_RELEASE="$lto -Os -g1 -DNDEBUG -DZ_TESTW=0 -ffunction-sections \
-fdata-sections -fmacro-prefix-map=$work/sources/="
    build jansson "" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
    # Its own build asks for C++'s protobuf, even for the part that is needed here: one file.
    cat >"$work/sources/protobuf-c/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.14)
project(protobuf-c C)
add_library(protobuf-c STATIC protobuf-c/protobuf-c.c)
target_include_directories(protobuf-c PRIVATE .)
install(TARGETS protobuf-c)
install(FILES protobuf-c/protobuf-c.h DESTINATION include/protobuf-c)
EOF
    build protobuf-c ""
    build nanopb "" -Dnanopb_BUILD_GENERATOR=OFF
    build cmocka "" -DWITH_EXAMPLES=OFF -DWITH_STATIC_LIB=ON -DBUILD_STATIC_LIB=ON
    rm -rf "$work/tmp-$board"
    echo "$state" >"$libraries/.state"
done
