#!/usr/bin/env bash
# Runs a command beside a virtual board: a Debian root of ARM programs with a real sshd, in namespaces
# of its own, each program run by QEMU through binfmt. It calls itself a Pi Zero W; a speed it has not.
# usage: qemu/virtual_board.sh COMMAND...
#
# For the command, `ssh board` leads there. Nothing of this machine changes: network, mounts and the
# binfmt handler are gone with the command. Exits 77, with the reason, where this cannot be.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
roots=$tree/build/roots
root=$roots/board-armel
fixture=$tree/tests/data/boards/pi-zero-w

skip() {
    echo "virtual_board.sh: skipped: $*" >&2
    exit 77
}

if [ $# = 0 ]; then
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
fi
[ "$(id -u)" = 0 ] || skip "needs root, for namespaces"
for tool in mmdebstrap unshare ip ssh ssh-keygen readelf; do
    command -v "$tool" >/dev/null || skip "$tool is missing: scripts/deps.sh virtual-board installs it"
done
qemu=$("$tree/qemu/virtual_board_root.sh" "$roots") || exit

# This end of the cable is in a namespace too.
if [ "${EDGE_BOARD_OUTSIDE:-}" != $$ ]; then
    unshare --net --mount true 2>/dev/null || skip "no network namespaces here"
    EDGE_BOARD_OUTSIDE=$$ exec unshare --net --mount --propagation private "$0" "$@"
fi

work=$(mktemp -d)
# --kill-child takes the board's first process along, and that one all others.
board=
trap 'if [ -n "$board" ]; then disown "$board" && kill -KILL "$board"; fi 2>/dev/null; rm -rf "$work"' EXIT
mkfifo "$work/go"
mkdir "$work/bin"
for key in host user; do ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$work/$key"; done

# The board, as the first process of its own users, mounts, network and processes. It waits until
# its users are mapped.
unshare --user --mount --net --pid --fork --kill-child "$tree/qemu/virtual_board_inside.sh" \
    "$root" "$qemu" "$fixture" "$work" <"$work/go" &
board=$!
exec 3>"$work/go"
while [ "$(readlink "/proc/$board/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do
    kill -0 "$board" 2>/dev/null || skip "no user namespaces here"
    sleep 0.05
done
for map in uid_map gid_map; do echo "0 0 4294967295" >"/proc/$board/$map"; done
ip link add edge0 type veth peer name eth0 netns "$board" || skip "no veth here"
ip addr add 198.18.0.1/30 dev edge0
ip link set edge0 up
ip link set lo up
echo go >&3
exec 3>&-

cat >"$work/config" <<CONFIG
Host board
  HostName 198.18.0.2
  User root
  IdentityFile $work/user
  IdentitiesOnly yes
  UserKnownHostsFile $work/known_hosts
CONFIG
echo "198.18.0.2 $(cat "$work/host.pub")" >"$work/known_hosts"
printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$work/config" >"$work/bin/ssh"
chmod +x "$work/bin/ssh"
export PATH="$work/bin:$PATH"
until ssh -o BatchMode=yes -o ConnectTimeout=5 board true 2>"$work/words"; do
    if ! kill -0 "$board" 2>/dev/null; then
        status=0
        wait "$board" || status=$?
        [ "$status" != 77 ] || exit 77
        echo "virtual_board.sh: the board ended with $status" >&2
        exit 1
    fi
    sleep 0.2
done
"$@"
