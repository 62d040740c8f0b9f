#!/usr/bin/env bash
# Installs the Debian packages of a purpose, if they are missing. Quick when nothing is.
# usage: scripts/deps.sh build|test|browser|perf|emulate|root|ssh-test|virtual-board|TRIPLE ...
#   TRIPLE  a board's compiler, like aarch64-linux-gnu
set -euo pipefail

build=(cmake ninja-build gcc libc6-dev binutils pkg-config git
       libnghttp2-dev zlib1g-dev libmbedtls-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler
       nanopb libnanopb-dev libjansson-dev libcurl4-openssl-dev libjs-chart.js)
test=(clang clang-format clang-tidy libclang-rt-dev libcmocka-dev shellcheck
      python3 python3-grpcio python3-protobuf python3-prometheus-client nghttp2-client curl openssl)
browser=(chromium)
perf=(g++ libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc nghttp2-client python3 util-linux
      valgrind openssl)
emulate=(qemu-user)
root=(mmdebstrap util-linux)
ssh_test=(openssh-client openssh-server procps)
virtual_board=(mmdebstrap util-linux iproute2 openssh-client binutils)

packages=()
for purpose in "$@"; do
    case $purpose in
    build) packages+=("${build[@]}") ;;
    test) packages+=("${build[@]}" "${test[@]}") ;;
    browser) packages+=("${browser[@]}") ;;
    perf) packages+=("${build[@]}" "${perf[@]}") ;;
    emulate) packages+=("${emulate[@]}") ;;
    root) packages+=("${root[@]}") ;;
    ssh-test)
        if [ -d /run/systemd/system ] && ! command -v /usr/sbin/sshd >/dev/null; then
            echo "deps.sh: openssh-server would open this machine to logins: install it yourself if you want that" >&2
            exit 1
        fi
        packages+=("${ssh_test[@]}")
        ;;
    virtual-board) packages+=("${virtual_board[@]}") ;;
    aarch64-linux-gnu) packages+=("gcc-$purpose" libc6-dev-arm64-cross dpkg-dev) ;;
    arm-linux-gnueabihf) packages+=("gcc-$purpose" libc6-dev-armhf-cross dpkg-dev) ;;
    arm-linux-gnueabi) packages+=("gcc-$purpose" libc6-dev-armel-cross dpkg-dev) ;;
    riscv64-linux-gnu) packages+=("gcc-$purpose" libc6-dev-riscv64-cross dpkg-dev) ;;
    *)
        echo "deps.sh: unknown purpose \"$purpose\": expected build, test, browser, perf, emulate, root, ssh-test, virtual-board or a triple" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null; then
    echo "deps.sh: this is no Debian. Install these by hand: ${packages[*]}" >&2
    exit 1
fi

missing() { # the packages that are not installed, one a line
    comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) \
        <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
            sed -n 's/ installed$//p' | sort -u)
}

mapfile -t need < <(missing)
[ ${#need[@]} -gt 0 ] || exit 0

sudo=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: not root, and no sudo. As root: apt-get install ${need[*]}" >&2
        exit 1
    fi
    sudo=(sudo)
fi

echo "Installing with apt: ${need[*]}" >&2
# One architecture's or mirror's index may be out of step: what counts is whether packages arrive.
"${sudo[@]}" apt-get update -qq >&2 || echo "deps.sh: apt-get update complained; going on" >&2
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${need[@]}" >&2 || true

mapfile -t need < <(missing)
if [ ${#need[@]} -gt 0 ]; then
    echo "deps.sh: apt could not install: ${need[*]}" >&2
    echo "deps.sh: the command was: apt-get install ${need[*]}" >&2
    echo "deps.sh: Debian 12 and 13 have them; elsewhere look for them under other names" >&2
    exit 1
fi
