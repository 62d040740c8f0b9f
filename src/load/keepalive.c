#include "load/keepalive.h"

#include <errno.h>

#include "base/clock.h"
#include "load/channel.h"

static struct edge_channel *channel_of(struct edge_timer *timer)
{
    return (struct edge_channel *)(void *)((char *)timer -
                                           offsetof(struct edge_channel, keepalive.timer));
}

static void wait_until(struct edge_channel *channel, uint64_t due_ns)
{
    if (edge_timer_start(channel->group->loop, &channel->keepalive.timer, due_ns) < 0)
        edge_connection_close(&channel->connection, -ENOMEM);
}

static void on_silence(struct edge_timer *timer)
{
    struct edge_channel *channel = channel_of(timer);
    struct edge_keepalive *keepalive = &channel->keepalive;
    uint64_t now_ns = edge_clock_ns();
    uint64_t heard_ns = channel->now_ns;
    if (heard_ns + keepalive->interval_ns > now_ns) {
        keepalive->pinged_ns = 0;
        wait_until(channel, heard_ns + keepalive->interval_ns);
        return;
    }
    if (keepalive->pinged_ns > heard_ns) {
        edge_connection_close(&channel->connection, -ETIMEDOUT);
        return;
    }
    keepalive->pinged_ns = now_ns;
    channel->group->books.keepalive_pings++;
    if (edge_client_ping(&channel->client) < 0) {
        edge_connection_close(&channel->connection, -ENOMEM);
        return;
    }
    wait_until(channel, now_ns + keepalive->interval_ns);
    edge_channel_flush(channel);
}

void edge_keepalive_init(struct edge_keepalive *keepalive, uint64_t interval_ns)
{
    *keepalive = (struct edge_keepalive){.interval_ns = interval_ns, .timer = {.fire = on_silence}};
}

void edge_keepalive_start(struct edge_channel *channel)
{
    channel->keepalive.pinged_ns = 0;
    if (channel->keepalive.interval_ns > 0)
        wait_until(channel, channel->now_ns + channel->keepalive.interval_ns);
}

void edge_keepalive_slow_down(struct edge_keepalive *keepalive)
{
    if (keepalive->interval_ns < EDGE_LOOP_FOREVER / 4)
        keepalive->interval_ns *= 2;
}
