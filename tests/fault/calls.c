#include "calls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __real_epoll_wait(int fd, struct epoll_event *events, int max, int timeout);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout);

static struct calls_faults faults;
static atomic_uint calls, transfers;

void calls_set(const struct calls_faults *wanted)
{
    faults = *wanted;
    atomic_store(&calls, 0);
    atomic_store(&transfers, 0);
}

static bool interrupted(void)
{
    if (faults.interrupt == 0)
        return false;
    // Scattered: by turns they could keep to one place of the loop, and that would never move on.
    if ((((atomic_fetch_add(&calls, 1) + 1) * 2654435761u) >> 16) % faults.interrupt != 0)
        return false;
    errno = EINTR;
    return true;
}

static bool was_reset(void)
{
    if (atomic_fetch_add(&transfers, 1) + 1 != faults.reset)
        return false;
    errno = ECONNRESET;
    return true;
}

static size_t shortened(size_t len)
{
    return faults.longest > 0 && len > faults.longest ? faults.longest : len;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
    if (interrupted() || was_reset())
        return -1;
    return __real_recv(fd, bytes, shortened(len), flags);
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
    if (interrupted() || was_reset())
        return -1;
    return __real_send(fd, bytes, shortened(len), flags);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    return interrupted() ? -1 : __real_accept4(fd, address, len, flags);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
    return interrupted() ? -1 : __real_epoll_wait(fd, events, max, timeout);
}
