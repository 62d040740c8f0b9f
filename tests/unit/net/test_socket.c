#include "cmocka_headers.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "net/socket.h"

static void parses_addresses(void **state)
{
    (void)state;
    struct edge_address address;
    assert_int_equal(edge_address_parse("127.0.0.1:50051", &address, NULL), 0);
    assert_string_equal(address.text, "127.0.0.1:50051");
    assert_int_equal(edge_address_parse("[::1]:443", &address, NULL), 0);
    assert_string_equal(address.text, "[::1]:443");
    assert_int_equal(edge_address_parse("localhost:80", &address, NULL), 0);
    assert_string_equal(address.text, "127.0.0.1:80");
}

static void refuses_addresses_with_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
        const char *words;
    } cases[] = {
        {"", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"127.0.0.1", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"127.0.0.1:", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"127.0.0.1:0", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"127.0.0.1:65536", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"127.0.0.1:80x", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {":80", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"[::1:80", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"[::1]80", EDGE_ERR_FORMAT, "expected HOST:PORT"},
        {"::1:80", EDGE_ERR_FORMAT, "in brackets"},
        {"example.org:80", EDGE_ERR_UNSUPPORTED, "host names are not looked up"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_address address;
        struct edge_message message;
        assert_int_equal(edge_address_parse(cases[i].text, &address, &message), cases[i].error);
        assert_non_null(strstr(message.text, cases[i].words));
    }
}

static void listens_connects_accepts(void **state)
{
    (void)state;
    struct edge_address address;
    struct edge_message message;
    assert_int_equal(edge_address_numeric("127.0.0.1", 0, &address, &message), 0);
    int listen_fd = edge_socket_listen(&address, &message);
    assert_true(listen_fd >= 0);
    assert_string_not_equal(address.text, "127.0.0.1:0"); // the real port
    assert_int_equal(edge_socket_accept(listen_fd), -EAGAIN);

    int fd = edge_socket_connect(&address);
    assert_true(fd >= 0);
    struct pollfd wait = {.fd = listen_fd, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 5000), 1);
    int peer = edge_socket_accept(listen_fd);
    assert_true(peer >= 0);
    assert_int_equal(edge_socket_error(fd), 0);

    struct edge_address again = address;
    assert_int_equal(edge_socket_listen(&again, &message), -EADDRINUSE);
    assert_non_null(strstr(message.text, "stop the program that has the port"));
    close(peer);
    close(fd);
    close(listen_fd);
}

static void a_refused_connection_is_an_error(void **state)
{
    (void)state;
    struct edge_address address;
    struct edge_message message;
    assert_int_equal(edge_address_numeric("127.0.0.1", 0, &address, &message), 0);
    int listen_fd = edge_socket_listen(&address, &message);
    assert_true(listen_fd >= 0);
    close(listen_fd); // now nobody has the port
    int fd = edge_socket_connect(&address);
    if (fd >= 0) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        assert_int_equal(poll(&wait, 1, 5000), 1);
        assert_int_equal(edge_socket_error(fd), -ECONNREFUSED);
        close(fd);
    } else {
        assert_int_equal(fd, -ECONNREFUSED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_addresses),
        cmocka_unit_test(refuses_addresses_with_words),
        cmocka_unit_test(listens_connects_accepts),
        cmocka_unit_test(a_refused_connection_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
