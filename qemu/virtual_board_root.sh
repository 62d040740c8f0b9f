#!/usr/bin/env bash
# Makes the virtual board's root, ROOTS/board-armel, if it is not there, and prints an emulator for it.
# usage: virtual_board_root.sh ROOTS      exits 77, with the reason, where this cannot be
set -euo pipefail
roots=$1
root=$roots/board-armel
mkdir -p "$roots"

skip() {
    echo "virtual_board.sh: skipped: $*" >&2
    exit 77
}

# One that needs no libraries: inside the root there are none of this machine's.
is_static() { ! readelf -lW "$1" 2>/dev/null | grep -q INTERP; }
qemu=$(command -v qemu-arm-static || command -v qemu-arm || true)
if [ -z "$qemu" ] || ! is_static "$qemu"; then
    qemu=$roots/qemu/usr/bin/qemu-arm-static
fi
if [ ! -x "$qemu" ]; then
    echo "Fetching qemu-user-static into build/roots" >&2
    mkdir -p "$roots/qemu"
    (cd "$roots/qemu" && apt-get download -qq -o APT::Sandbox::User=root qemu-user-static >&2 &&
        dpkg -x qemu-user-static_*.deb . && rm qemu-user-static_*.deb) ||
        skip "no static qemu-arm, and apt cannot fetch qemu-user-static"
fi

if [ ! -e "$root/.complete" ]; then
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "Making a root of $suite, armel, in build/roots" >&2
    rm -rf --one-file-system "$root"
    # Unpacked only: maintainer scripts take minutes when they are emulated.
    mmdebstrap --quiet --mode=root --skip=check/qemu --variant=extract --architectures=armel \
        --include=dash,coreutils,sed,base-files,openssh-server "$suite" "$root" >&2 ||
        skip "mmdebstrap cannot make a root of $suite, armel"
    touch "$root/.complete"
fi
echo "$qemu"
