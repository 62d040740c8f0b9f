#include "run/interrupt.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

int edge_interrupt_init(struct edge_interrupt *interrupt)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    interrupt->seen = false;
    interrupt->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (interrupt->fd < 0)
        return -errno;
    return -pthread_sigmask(SIG_BLOCK, &signals, &interrupt->before);
}

bool edge_interrupt_poll(struct edge_interrupt *interrupt)
{
    struct signalfd_siginfo info;
    while (read(interrupt->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        interrupt->seen = true;
    return interrupt->seen;
}

void edge_interrupt_free(struct edge_interrupt *interrupt)
{
    if (interrupt->fd < 0)
        return;
    close(interrupt->fd);
    interrupt->fd = -1;
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}
