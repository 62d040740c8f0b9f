# 64-bit RISC-V. Debian has the compiler from 12 on, the architecture from 13 on.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
