#include "run/agent_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent_json.h"
#include "base/clock.h"

#define ANSWER_NS  (10 * EDGE_NS_PER_S) // for requests that do not wait for anything
#define GOODBYE_NS (3 * EDGE_NS_PER_S)
#define PINGS      8
// An agent whose host is silent ends itself and its server. Nothing here keeps the host from
// edge_agent_client_wait() for nearly as long.
#define PATIENCE_NS (15 * EDGE_NS_PER_S)
#define ALIVE_NS    (3 * EDGE_NS_PER_S)

static int agent_is_gone(struct edge_agent_client *client, struct edge_message *message)
{
    char text[80] = "closed its pipe";
    for (int i = 0; i < 100 && !edge_subprocess_poll(&client->process); i++)
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    if (client->process.exited)
        edge_subprocess_status_text(client->process.status, text, sizeof(text));
    return edge_fail(message, EDGE_ERR_CLOSED, "the agent is gone: %s", text);
}

int edge_agent_client_send(struct edge_agent_client *client, json_t *request, uint64_t *id,
                           struct edge_message *message)
{
    *id = ++client->next_id;
    char *text = NULL;
    if (request && json_object_set_new(request, "id", json_integer((json_int_t)*id)) == 0)
        text = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    if (!text)
        return edge_fail(message, -ENOMEM, "out of memory");
    size_t len = strlen(text), sent = 0;
    text[len++] = '\n'; // in place of the terminator
    while (sent < len) {
        ssize_t put = write(client->process.stdin_fd, text + sent, len - sent);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            break;
        sent += (size_t)put;
    }
    free(text);
    client->spoke_ns = edge_clock_ns();
    return sent == len ? 0 : agent_is_gone(client, message);
}

static int take_lines(struct edge_agent_client *client, struct edge_message *message)
{
    struct edge_buffer *input = &client->input;
    char *start, *newline;
    while (input->len > 0 && (start = (char *)edge_buffer_head(input),
                              newline = memchr(start, '\n', input->len)) != NULL) {
        json_t *object;
        struct edge_message why;
        int error = edge_agent_json_line(start, (size_t)(newline - start), &object, &why);
        if (error)
            return edge_fail(message, error, "the agent said something unexpected: %s", why.text);
        edge_buffer_consume(input, (size_t)(newline - start) + 1);
        if (json_array_append_new(client->inbox, object) != 0)
            return edge_fail(message, -ENOMEM, "out of memory");
    }
    if (input->len > EDGE_AGENT_LINE_MAX)
        return edge_fail(message, EDGE_ERR_FORMAT, "the agent sent a line above %u bytes",
                         EDGE_AGENT_LINE_MAX);
    return 0;
}

int edge_agent_client_wait(struct edge_agent_client *client, int other_fd, uint64_t until_ns,
                           struct edge_message *message)
{
    struct pollfd fds[] = {{.fd = client->process.stdout_fd, .events = POLLIN},
                           {.fd = other_fd, .events = POLLIN}};
    uint64_t now = edge_clock_ns();
    uint64_t left = until_ns > now ? until_ns - now : 0;
    if (now >= client->spoke_ns + ALIVE_NS) {
        ssize_t ignored = write(client->process.stdin_fd, "\n", 1); // if it is gone, reading tells
        (void)ignored;
        client->spoke_ns = now;
    }
    if (left > ALIVE_NS)
        left = ALIVE_NS;
    struct timespec timeout = {(time_t)(left / EDGE_NS_PER_S), (long)(left % EDGE_NS_PER_S)};
    int ready = ppoll(fds, 2, &timeout, NULL);
    if (ready < 0 && errno != EINTR) {
        int error = -errno;
        return edge_fail(message, error, "cannot wait for the agent: %s", edge_error_text(error));
    }
    if (ready <= 0 || !fds[0].revents)
        return 0;
    int error = edge_buffer_reserve(&client->input, 16384);
    if (error)
        return edge_fail(message, error, "out of memory");
    ssize_t got = read(fds[0].fd, edge_buffer_tail(&client->input), 16384);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        return agent_is_gone(client, message);
    if (got > 0)
        client->input.len += (size_t)got;
    return take_lines(client, message);
}

static json_t *take_at(struct edge_agent_client *client, size_t index)
{
    json_t *object = json_incref(json_array_get(client->inbox, index));
    json_array_remove(client->inbox, index);
    return object;
}

json_t *edge_agent_client_answer(struct edge_agent_client *client, uint64_t id)
{
    for (size_t i = 0; i < json_array_size(client->inbox); i++) {
        const json_t *re = json_object_get(json_array_get(client->inbox, i), "re");
        if (json_is_integer(re) && (uint64_t)json_integer_value(re) == id)
            return take_at(client, i);
    }
    return NULL;
}

json_t *edge_agent_client_event(struct edge_agent_client *client)
{
    for (size_t i = 0; i < json_array_size(client->inbox); i++)
        if (!json_is_integer(json_object_get(json_array_get(client->inbox, i), "re")))
            return take_at(client, i);
    return NULL;
}

int edge_agent_client_call(struct edge_agent_client *client, json_t *request, uint64_t timeout_ns,
                           json_t **answer, struct edge_message *message)
{
    uint64_t id;
    uint64_t until_ns = edge_clock_ns() + timeout_ns;
    int error = edge_agent_client_send(client, request, &id, message);
    json_t *object = NULL;
    while (!error && !(object = edge_agent_client_answer(client, id))) {
        if (edge_clock_ns() >= until_ns)
            return edge_fail(message, -ETIMEDOUT, "the agent gave no answer within %.1f s",
                             (double)timeout_ns / 1e9);
        error = edge_agent_client_wait(client, -1, until_ns, message);
    }
    if (error)
        return error;
    if (json_object_get(object, "event")) {
        const char *text = json_string_value(json_object_get(object, "text"));
        error = edge_fail(message, EDGE_ERR_FAILED, "%s", text ? text : "the agent refused");
    }
    if (!error && answer)
        *answer = object;
    else
        json_decref(object);
    return error;
}

int edge_agent_client_sync(struct edge_agent_client *client, struct edge_agent_sync *sync,
                           struct edge_message *message)
{
    sync->round_trip_ns = UINT64_MAX;
    for (int i = 0; i < PINGS; i++) {
        json_t *answer = NULL;
        uint64_t sent_ns = edge_clock_ns();
        int error = edge_agent_client_call(client, json_pack("{ss}", "op", "ping"), ANSWER_NS,
                                           &answer, message);
        if (error)
            return error;
        uint64_t got_ns = edge_clock_ns();
        uint64_t agent_ns = (uint64_t)json_integer_value(json_object_get(answer, "t_ns"));
        json_decref(answer);
        if (got_ns - sent_ns >= sync->round_trip_ns)
            continue;
        sync->round_trip_ns = got_ns - sent_ns;
        sync->time_ns = sent_ns + sync->round_trip_ns / 2;
        sync->agent_time_ns = agent_ns;
    }
    client->offset_ns = (int64_t)(sync->agent_time_ns - sync->time_ns);
    // Both host clocks are read at one moment; the wall clock is then moved back to time_ns.
    uint64_t now_ns = edge_clock_ns();
    sync->wall_ns = edge_clock_wall_ns() - (now_ns - sync->time_ns);
    return 0;
}

static int shake_hands(struct edge_agent_client *client, struct edge_message *message)
{
    json_t *answer = NULL;
    json_t *hello = json_pack("{sssisI}", "op", "hello", "protocol", EDGE_AGENT_PROTOCOL,
                              "patience_ns", (json_int_t)PATIENCE_NS);
    int error = edge_agent_client_call(client, hello, ANSWER_NS, &answer, message);
    if (error)
        return error;
    edge_agent_json_to_board(json_object_get(answer, "board"), &client->board);
    const char *version = json_string_value(json_object_get(answer, "version"));
    snprintf(client->version, sizeof(client->version), "%s", version ? version : "");
    json_decref(answer);
    return 0;
}

int edge_agent_client_start(struct edge_agent_client *client, const char *const *argv,
                            const struct edge_cpuset *cpus, struct edge_message *message)
{
    *client = (struct edge_agent_client){.inbox = json_array()};
    struct edge_subprocess_config config = {
        .argv = argv, .cpus = cpus, .pipe_stdin = true, .pipe_stdout = true, .own_group = true};
    int error = edge_subprocess_spawn(&config, &client->process, message);
    if (!error)
        error = shake_hands(client, message);
    if (error)
        edge_agent_client_stop(client);
    return error;
}

void edge_agent_client_stop(struct edge_agent_client *client)
{
    if (client->process.pid > 0 && !client->process.exited && client->process.stdin_fd >= 0) {
        struct edge_message ignored; // it is gone or about to go
        uint64_t until_ns = edge_clock_ns() + GOODBYE_NS;
        int gone = edge_agent_client_call(client, json_pack("{ss}", "op", "bye"), GOODBYE_NS, NULL,
                                          &ignored);
        while (!gone && edge_clock_ns() < until_ns) // it stops the server first
            gone = edge_agent_client_wait(client, -1, until_ns, &ignored);
    }
    edge_subprocess_stop(&client->process, GOODBYE_NS);
    edge_buffer_free(&client->input);
    json_decref(client->inbox);
    client->inbox = NULL;
}
