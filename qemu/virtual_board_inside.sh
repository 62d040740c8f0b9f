#!/usr/bin/env bash
# The virtual board itself, for virtual_board.sh: sets up its namespaces, then is its sshd.
# usage: virtual_board_inside.sh ROOT QEMU FIXTURE WORK      (stdin: a line when all is mapped)
set -euo pipefail
root=$1 qemu=$2 fixture=$3 work=$4
read -r _

skip() {
    echo "virtual_board.sh: skipped: $*" >&2
    exit 77
}

# ARM programs run by qemu, in this namespace only. F: opened now, so that a chroot finds it.
binfmt=/proc/sys/fs/binfmt_misc
mount -t binfmt_misc binfmt_misc $binfmt 2>/dev/null ||
    skip "binfmt_misc has no namespaces here (Linux 6.7 and newer have them)"
magic='\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
echo ":bench-edge-arm:M::$magic:$mask:$qemu:F" >$binfmt/register
export QEMU_CPU=arm1176

mount --bind "$root" "$root"
mkdir -p "$root"/{proc,sys,dev,run/sshd,root,tmp}
mount -t proc proc "$root/proc" || skip "no proc of its own"
for file in null zero full random urandom; do
    touch "$root/dev/$file"
    mount --bind "/dev/$file" "$root/dev/$file"
done
# What the board says of itself.
mount --bind "$fixture/proc/cpuinfo" "$root/proc/cpuinfo"
mount -t tmpfs tmpfs "$root/sys"
cp -r "$fixture/sys/." "$root/sys/"
mkdir -p "$root/sys/firmware/devicetree"
cp -r "$fixture/proc/device-tree" "$root/sys/firmware/devicetree/base"
mount -t tmpfs tmpfs "$root/root" # an empty home folder
mkdir -m 700 "$root/root/.ssh"
cp "$work/user.pub" "$root/root/.ssh/authorized_keys"
cp "$work/host" "$root/etc/ssh/edge_host_key"
printf '%s\n' root:x:0:0::/root:/bin/sh sshd:x:100:65534::/run/sshd:/bin/false >"$root/etc/passwd"
printf '%s\n' root:x:0: nogroup:x:65534: >"$root/etc/group"
printf '%s\n' 'root:*:::::::' 'sshd:*:::::::' >"$root/etc/shadow"
cat >"$root/etc/ssh/edge_config" <<CONFIG
HostKey /etc/ssh/edge_host_key
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
StrictModes no
PidFile none
SetEnv QEMU_CPU=$QEMU_CPU
CONFIG

ip link set lo up
ip link set eth0 up
ip addr add 198.18.0.2/30 dev eth0
# Not exec: the signal that ends this shell with its parent would be lost.
chroot "$root" /usr/sbin/sshd -D -e -f /etc/ssh/edge_config 2>"$work/sshd.log"
