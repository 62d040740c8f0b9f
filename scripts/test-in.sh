#!/usr/bin/env bash
# Runs the whole suite in a fresh root of another Debian release: other compilers, libraries, QEMU.
# usage: scripts/test-in.sh SUITE [COMMAND...]      (trixie, bookworm; default: scripts/test.sh)
#
# The committed state is tested. The root stays in build/roots/SUITE and is quick the second time.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1:?usage: scripts/test-in.sh SUITE [COMMAND...]}
shift
[ $# -gt 0 ] || set -- scripts/test.sh
if [ "$(id -u)" != 0 ]; then
    echo "test-in.sh: needs root, for chroot: sudo scripts/test-in.sh $suite" >&2
    exit 1
fi
scripts/deps.sh root

root=$PWD/build/roots/$suite
if [ ! -e "$root/.complete" ]; then
    echo "Making a root of $suite in build/roots" >&2
    rm -rf --one-file-system "$root"
    mkdir -p "${root%/*}"
    mmdebstrap --quiet --variant=apt --include=git,ca-certificates "$suite" "$root" || {
        echo "test-in.sh: mmdebstrap cannot make \"$suite\": expected a Debian release" >&2
        exit 1
    }
    touch "$root/.complete"
fi

# The same folder inside keeps the builds of the last time.
if [ -e "$root/src/.git" ]; then
    git -C "$root/src" fetch -q "$PWD" HEAD
else
    git clone -q "$PWD" "$root/src"
    git -C "$root/src" fetch -q "$PWD" HEAD
fi
git -C "$root/src" checkout -q --detach FETCH_HEAD

# The mounts live in a namespace of their own and are gone with it.
# shellcheck disable=SC2016 # expanded inside
exec unshare --mount --propagation private bash -c '
    root=$1
    shift
    mount --bind "$root" "$root" # else tests could make no mount namespace inside
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=/src \
        bash -c "cd /src && exec \"\$@\"" bash "$@"
' bash "$root" "$@"
