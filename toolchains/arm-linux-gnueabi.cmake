# For ARMv6: libc of ARMv5TE, our code and libraries of the board. Debian calls it armel.
set(CMAKE_SYSTEM_PROCESSOR armv6l)
