#include "cmocka_headers.h"

#include <unistd.h>

#include "agent/port.h"
#include "net/socket.h"

static void the_port_is_free_and_below_the_outgoing_ones(void **state)
{
    (void)state;
    struct edge_message message;
    struct edge_address address;
    int port = edge_port_pick("127.0.0.1", &message);
    assert_in_range(port, 10000, 31999);
    assert_int_equal(edge_address_numeric("127.0.0.1", (uint16_t)port, &address, &message), 0);
    int fd = edge_socket_listen(&address, &message);
    assert_true(fd >= 0);
    close(fd);
}

static void a_host_that_is_no_number_is_refused(void **state)
{
    (void)state;
    struct edge_message message;
    assert_int_equal(edge_port_pick("no.such.host", &message), EDGE_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_port_is_free_and_below_the_outgoing_ones),
        cmocka_unit_test(a_host_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
