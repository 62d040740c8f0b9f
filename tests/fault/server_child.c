#include "server_child.h"

#include "cmocka_headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

void server_child_start(struct server_child *child, const char *const *argv)
{
    int pipe_fds[2];
    char line[256] = "";
    struct edge_message message;
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    const struct edge_subprocess_config config = {
        .argv = argv, .stderr_fd = pipe_fds[1], .die_with_parent = true};
    if (edge_subprocess_spawn(&config, &child->process, &message) != 0)
        fail_msg("%s", message.text);
    close(pipe_fds[1]);
    FILE *said = fdopen(pipe_fds[0], "r");
    assert_non_null(said);
    assert_non_null(fgets(line, sizeof(line), said));
    const char *address = strstr(line, "listening on ");
    if (address == NULL)
        fail_msg("the server says: %s", line);
    line[strcspn(line, "\n")] = '\0';
    assert_int_equal(edge_address_parse(address + 13, &child->address, &message), 0);
    fclose(said);
}

void server_child_stop(struct server_child *child)
{
    char text[64];
    assert_int_equal(edge_subprocess_stop(&child->process, 20 * EDGE_NS_PER_S), 0);
    if (child->process.status != 0)
        fail_msg("the server %s",
                 edge_subprocess_status_text(child->process.status, text, sizeof(text)));
}
