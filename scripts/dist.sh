#!/usr/bin/env bash
# Packs a board's build: dist/bench-edge-<version>-<board>.tar.gz and .deb. The same commit, compiler
# and libraries give the same bytes.
# usage: scripts/dist.sh BOARD [BUILD_FOLDER [OUTPUT_FOLDER]]
#   without a folder it builds first
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
fi
board=$1
build=${2:-build/$board}
out=${3:-dist}
triple=$(scripts/board.sh "$board" toolchain)
[ $# -gt 1 ] || scripts/build.sh "$board"

version=$(sed -n 's/^project(bench-edge VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # which dpkg-deb reads too
export SOURCE_DATE_EPOCH
name=bench-edge-$version-$board
# Raspberry Pi OS calls its ARMv6 armhf too; a static program does not mind.
case $triple in
aarch64-*) architecture=arm64 ;;
arm-*) architecture=armhf ;;
riscv64-*) architecture=riscv64 ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
umask 022
mkdir -p "$stage/$name/servers" "$out"
install -m 755 "$build/bench-edge" "$stage/$name/"
install -m 755 "$build"/servers/* "$stage/$name/servers/"
install -m 644 LICENSE CHANGELOG.md "$stage/$name/"
tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=ustar -c "$name" | gzip -9n >"$out/$name.tar.gz"

deb=$stage/deb
mkdir -p "$deb/DEBIAN" "$deb/usr/bin" "$deb/usr/lib" "$deb/usr/share/doc/bench-edge"
mv "$stage/$name" "$deb/usr/lib/bench-edge"
mv "$deb"/usr/lib/bench-edge/*.md "$deb/usr/share/doc/bench-edge/"
mv "$deb/usr/lib/bench-edge/LICENSE" "$deb/usr/share/doc/bench-edge/copyright"
ln -s ../lib/bench-edge/bench-edge "$deb/usr/bin/bench-edge"
cat >"$deb/DEBIAN/control" <<CONTROL
Package: bench-edge
Version: $version
Architecture: $architecture
Maintainer: bench-edge maintainers <bench-edge@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -k -s --apparent-size "$deb/usr" | cut -f1)
Description: gRPC benchmark for single-board computers, built for $board
 How much gRPC this board serves, for how many watts and how many megabytes:
 minimal servers in C, a load generator and an agent that measures.
CONTROL
find "$deb" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$deb" "$out/$name.deb" >/dev/null
ls -l "$out/$name.tar.gz" "$out/$name.deb"
