# ARMv7 with hardware floating point. Debian calls it armhf; ARMv6 boards cannot run it.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
