// A guest for the emulator's counters: "guest N" makes N system calls and waits for its end,
// "guest spin" computes for ever, "guest thread" starts a thread and waits.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for_the_end(void *argument)
{
    pause();
    return argument;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "0";
    pthread_t thread;
    volatile unsigned sum = 0;
    while (strcmp(what, "spin") == 0) // with system calls: QEMU 9 and later count as of the last
        for (sum = (unsigned)syscall(SYS_getppid); sum % 4096 != 0;)
            sum += 1;
    if (strcmp(what, "thread") == 0)
        return pthread_create(&thread, NULL, wait_for_the_end, NULL) || pause();
    for (long n = strtol(what, NULL, 10); n > 0; n--)
        sum += (unsigned)syscall(SYS_getppid);
    return pause();
}
