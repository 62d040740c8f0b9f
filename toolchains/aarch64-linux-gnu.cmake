# 64-bit ARM. Debian calls it arm64.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
