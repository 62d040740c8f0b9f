#include "agent/probe_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int edge_probe_guest_init(struct edge_probe_guest *probe, const char *path,
                          struct edge_message *message)
{
    *probe = (struct edge_probe_guest){.counters = NULL};
    int error = 0;
    void *at = MAP_FAILED;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // Sized here too: reading a mapping beyond the end of its file kills.
    if (fd < 0 || ftruncate(fd, 0) != 0 || ftruncate(fd, sizeof(*probe->counters)) != 0)
        error = -errno;
    if (!error) {
        at = mmap(NULL, sizeof(*probe->counters), PROT_READ, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            error = -errno;
    }
    if (fd >= 0)
        close(fd);
    if (error)
        return edge_fail(message, error, "cannot map the guest's counters, %s: %s", path,
                         edge_error_text(error));
    probe->counters = at;
    return 0;
}

int edge_probe_guest_sample(const struct edge_probe_guest *probe, struct edge_agent_sample *sample)
{
    const struct edge_guest_counters *counters = probe->counters;
    if (!counters || __atomic_load_n(&counters->magic, __ATOMIC_ACQUIRE) == 0)
        return EDGE_ERR_NOT_FOUND;
    if (counters->magic != EDGE_GUEST_MAGIC || counters->version != EDGE_GUEST_VERSION ||
        counters->size != sizeof(*counters))
        return EDGE_ERR_FORMAT;
    sample->guest_syscalls = __atomic_load_n(&counters->syscalls, __ATOMIC_RELAXED);
    uint32_t threads = __atomic_load_n(&counters->threads, __ATOMIC_RELAXED);
    if (threads > (counters->api == 1 ? 1 : EDGE_GUEST_THREADS))
        return EDGE_ERR_UNSUPPORTED;
    sample->guest_insns = 0;
    for (unsigned i = 0; i < EDGE_GUEST_THREADS; i++)
        sample->guest_insns += __atomic_load_n(&counters->insns[i], __ATOMIC_RELAXED);
    return 0;
}

void edge_probe_guest_free(struct edge_probe_guest *probe)
{
    if (probe->counters)
        munmap((void *)(uintptr_t)probe->counters, sizeof(*probe->counters));
    probe->counters = NULL;
}
