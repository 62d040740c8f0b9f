#!/usr/bin/env bash
# Makes certificates for tests and benchmarks, of P-256 keys and valid for 30 days: an authority
# (ca.pem, ca.key), a server for localhost, 127.0.0.1 and ::1 (server.pem, server.key), a client
# (client.pem, client.key). Not for anything that others can reach.
# usage: scripts/certs.sh [FOLDER]      (default: build/certs)
set -euo pipefail

folder=${1:-$(dirname "$0")/../build/certs}
if ! command -v openssl >/dev/null; then
    echo "certs.sh: no openssl: scripts/deps.sh test installs it" >&2
    exit 1
fi
mkdir -p "$folder"
cd "$folder"
umask 077

make() { # make <name> <subject> <options of openssl req>...
    local name=$1 subject=$2
    shift 2
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 30 \
        -subj "/O=bench-edge test/CN=$subject" -keyout "$name.key" -out "$name.pem" "$@" 2>openssl.log ||
        { cat openssl.log >&2 && exit 1; }
}

make ca "bench-edge test authority" -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,keyCertSign,cRLSign
make server localhost -CA ca.pem -CAkey ca.key -addext basicConstraints=critical,CA:FALSE \
    -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=serverAuth \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"
make client "bench-edge test client" -CA ca.pem -CAkey ca.key -addext basicConstraints=critical,CA:FALSE \
    -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=clientAuth
rm openssl.log
