#!/usr/bin/env bash
# scripts/gate.sh lets a Pi Zero's program pass, and refuses others with the reason.
set -euo pipefail
for triple in arm-linux-gnueabi arm-linux-gnueabihf aarch64-linux-gnu; do
    command -v $triple-gcc >/dev/null || { echo "$triple-gcc is not on this machine"; exit 77; }
done
[ -n "$(scripts/board.sh rpizero emulator)" ] || { echo "qemu-arm is not on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'int main(void) { return 0; }' >"$work/good.c"
echo 'int main(void) { return 3; }' >"$work/fails.c"
echo 'int main(void) { __asm__(".inst 0xf7f0a000"); return 0; }' >"$work/illegal.c"
armv6=(arm-linux-gnueabi-gcc -static -mcpu=arm1176jzf-s -marm)
"${armv6[@]}" "$work/good.c" -o "$work/good"
"${armv6[@]}" "$work/fails.c" -o "$work/fails"
"${armv6[@]}" "$work/illegal.c" -o "$work/illegal"
arm-linux-gnueabi-gcc -mcpu=arm1176jzf-s -marm "$work/good.c" -o "$work/dynamic"
arm-linux-gnueabihf-gcc -static "$work/good.c" -o "$work/armv7"
aarch64-linux-gnu-gcc -static "$work/good.c" -o "$work/aarch64"

scripts/gate.sh rpizero "$work/good"
refused() { # refused <program> <reason>
    if said=$(scripts/gate.sh rpizero "$work/$1" 2>&1); then
        echo "gate.sh let $1 pass"
        exit 1
    elif [[ "$said" != *"$2"* ]]; then
        echo "gate.sh refused $1, and not because of \"$2\": $said"
        exit 1
    fi
    echo "$said"
}
refused armv7 "expected code for ARMv6KZ or older, found Tag_CPU_arch v7"
refused aarch64 "expected a program for ARM, found one for AArch64"
refused dynamic "expected a static program"
refused fails "does not start under qemu-arm -cpu arm1176: exit status 3"
refused illegal "does not start under qemu-arm -cpu arm1176"
refused good.c "expected an ELF program"
