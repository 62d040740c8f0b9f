// A guest for the emulator's counters: "guest N" makes N system calls and waits for its end,
// "guest spin" computes for ever.
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "0";
    volatile unsigned sum = 0;
    while (strcmp(what, "spin") == 0)
        sum += 1;
    for (long n = strtol(what, NULL, 10); n > 0; n--)
        sum += (unsigned)syscall(SYS_getppid);
    return pause();
}
