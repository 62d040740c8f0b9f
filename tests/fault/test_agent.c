// The agent when memory runs out: a whole conversation, from hello to bye.
#include "cmocka_headers.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "fault.h"

static const char conversation[] =
    "{\"op\":\"hello\",\"id\":0,\"protocol\":1}\n"
    "{\"op\":\"ping\",\"id\":1}\n"
    "not json\n"
    "{\"op\":\"spawn\",\"id\":2,\"argv\":[\"sleep\",\"60\"],\"env\":[\"A=1\"],\"cpus\":\"0\"}\n"
    "{\"op\":\"reset_peak\",\"id\":3}\n"
    "{\"op\":\"sample\",\"id\":4,\"period_ns\":1000000}\n"
    "{\"op\":\"mark\",\"id\":5,\"label\":\"window_start\",\"deep\":true}\n"
    "{\"op\":\"power\",\"id\":6,\"name\":\"none\"}\n"
    "{\"op\":\"poll\",\"id\":7,\"on\":true}\n"
    "{\"op\":\"bye\",\"id\":8}\n";

static int agent_path(void)
{
    int to[2], from[2];
    char answers[65536];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(write(to[1], conversation, sizeof(conversation) - 1),
                     sizeof(conversation) - 1);
    close(to[1]);
    const struct edge_agent_config config = {EDGE_DATA_DIR "/boards/pi-5", to[0], from[1]};
    struct edge_message message = {""};
    int error = edge_agent_run(&config, &message);
    assert_true(error == 0 || message.text[0] != '\0');
    // What it said are whole lines.
    ssize_t len = read(from[0], answers, sizeof(answers));
    assert_true(len <= 0 || answers[len - 1] == '\n');
    close(to[0]);
    close(from[0]);
    close(from[1]);
    return error;
}

static void agent(void **state)
{
    (void)state;
    fault_each_allocation(agent_path, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agent)};
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
