#include "cmocka_headers.h"

#include <stdbool.h>
#include <string.h>

#include "server/caller.h"

#define CHECK "/grpc.health.v1.Health/Check"
#define LIST  "/grpc.health.v1.Health/List"
#define WATCH "/grpc.health.v1.Health/Watch"

static struct caller caller;

static int check(const char *service)
{
    uint8_t request[300] = {0x0a, (uint8_t)strlen(service)};
    uint8_t reply[8];
    memcpy(request + 2, service, strlen(service));
    int len = caller_unary(&caller, CHECK, request, 2 + strlen(service), reply, sizeof(reply));
    if (len < 0)
        return len;
    assert_int_equal(len, 2);
    assert_int_equal(reply[0], 0x08);
    return reply[1];
}

static void check_knows_the_services(void **state)
{
    (void)state;
    caller_open(&caller, NULL);
    assert_int_equal(check(""), 1);
    assert_int_equal(check("helloworld.Greeter"), 1);
    assert_int_equal(check("grpc.health.v1.Health"), 1);
    static const char *const unknown[] = {"helloworld",
                                          "helloworld.Greeter/",
                                          "helloworld.Greeter/SayHello",
                                          "/helloworld.Greeter",
                                          "Greeter",
                                          "/"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_int_equal(check(unknown[i]), -EDGE_STATUS_NOT_FOUND);
    uint8_t reply[8];
    assert_int_equal(caller_unary(&caller, CHECK, "\x0a\x05x", 3, reply, sizeof(reply)),
                     -EDGE_STATUS_INTERNAL);
    assert_int_equal(caller_unary(&caller, CHECK, "\x0a\x01\xff", 3, reply, sizeof(reply)),
                     -EDGE_STATUS_INTERNAL);
    edge_health_shutdown(&caller.services.health);
    assert_int_equal(check(""), 2);
    assert_int_equal(check("helloworld.Greeter"), 2);
    assert_int_equal(check("nope"), -EDGE_STATUS_NOT_FOUND);
    caller_close(&caller);
}

static bool has_entry(const uint8_t *reply, size_t len, const char *name, uint8_t status)
{
    uint8_t entry[64] = {0x0a, (uint8_t)strlen(name)};
    size_t at = 2 + strlen(name);
    memcpy(entry + 2, name, at - 2);
    memcpy(entry + at, (const uint8_t[]){0x12, 2, 8, status}, 4);
    return memmem(reply, len, entry, at + 4) != NULL;
}

static void list_names_all_services(void **state)
{
    (void)state;
    uint8_t reply[512];
    caller_open(&caller, NULL);
    for (uint8_t status = 1; status <= 2; status++) {
        int len = caller_unary(&caller, LIST, "", 0, reply, sizeof(reply));
        assert_true(len > 0);
        static const char *const names[] = {"", "helloworld.Greeter", "hellobench.Greeter",
                                            "grpc.health.v1.Health",
                                            "grpc.reflection.v1alpha.ServerReflection"};
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            assert_true(has_entry(reply, (size_t)len, names[i], status));
        edge_health_shutdown(&caller.services.health);
    }
    assert_int_equal(caller_unary(&caller, LIST, "\x07", 1, reply, sizeof(reply)),
                     -EDGE_STATUS_INTERNAL);
    caller_close(&caller);
}

static void assert_next_status(unsigned status)
{
    size_t len;
    const uint8_t *reply = caller_reply(&caller, &len);
    assert_non_null(reply);
    assert_int_equal(len, 2);
    assert_int_equal(reply[1], status);
}

static void watch_tells_now_and_at_shutdown(void **state)
{
    (void)state;
    size_t len;
    caller_open(&caller, NULL);
    caller_start(&caller, WATCH);
    caller_send(&caller, "", 0);
    assert_next_status(1);
    caller_end(&caller);
    assert_null(caller_reply(&caller, &len));
    assert_false(caller.call.ended);
    edge_health_shutdown(&caller.services.health);
    assert_int_equal(caller.wakes, 1);
    assert_next_status(2);
    assert_true(caller.call.ended);
    assert_int_equal(caller.call.status, EDGE_STATUS_UNAVAILABLE);
    caller_done(&caller);
    assert_null(caller.services.health.watchers);
    caller_close(&caller);
}

static void watch_of_an_unknown_service_stays_open(void **state)
{
    (void)state;
    size_t len;
    caller_open(&caller, NULL);
    caller_start(&caller, WATCH);
    caller_send(&caller, "\x0a\x04nope", 6);
    caller_end(&caller);
    assert_next_status(3);
    assert_false(caller.call.ended);
    edge_health_shutdown(&caller.services.health);
    assert_null(caller_reply(&caller, &len)); // still unknown: no change
    assert_true(caller.call.ended);
    caller_done(&caller);
    caller_close(&caller);
}

static void watchers_come_and_go(void **state)
{
    (void)state;
    struct edge_call calls[3];
    caller_open(&caller, NULL);
    for (size_t i = 0; i < 3; i++) {
        caller_start(&caller, WATCH);
        calls[i] = caller.call;
        edge_call_receive(&calls[i], (const uint8_t *)"\0\0\0\0\0", 5);
    }
    edge_call_free(&calls[1]);
    edge_call_free(&calls[2]);
    assert_non_null(caller.services.health.watchers);
    edge_call_free(&calls[0]);
    assert_null(caller.services.health.watchers);
    // One that never sent its message was never a watcher.
    caller_start(&caller, WATCH);
    caller_done(&caller);
    caller_close(&caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_knows_the_services),
        cmocka_unit_test(list_names_all_services),
        cmocka_unit_test(watch_tells_now_and_at_shutdown),
        cmocka_unit_test(watch_of_an_unknown_service_stays_open),
        cmocka_unit_test(watchers_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
