// In steady state a call takes no memory from the system: counted at malloc() itself.

#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "server/caller.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static unsigned long mallocs;

#ifndef SANITIZED
// glibc's own names for what these replace.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    mallocs++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    mallocs++;
    return __libc_realloc(block, size);
}

static void malloc_is_counted(void **state)
{
    (void)state;
    unsigned long before = mallocs;
    void *volatile block = malloc(10);
    free(block);
    assert_true(mallocs > before);
}
#endif

static struct caller caller;

static void round_of_calls(void)
{
    static const uint8_t hello[] = {0x0a, 0x0c, 0x0a, 0x04, 'n',  'a', 'm',
                                    'e',  0x4a, 0x04, 0x0a, 0x02, 'x', 'y'};
    static const char *const unary[] = {"/helloworld.Greeter/SayHello",
                                        "/hellobench.Greeter/SaySomething",
                                        "/grpc.health.v1.Health/Check"};
    uint8_t reply[64];
    assert_int_equal(caller_unary(&caller, unary[0], hello, sizeof(hello), reply, sizeof(reply)),
                     sizeof(hello));
    assert_int_equal(caller_unary(&caller, unary[1], "\x0a\x02hi", 4, reply, sizeof(reply)), 4);
    assert_int_equal(caller_unary(&caller, unary[2], "", 0, reply, sizeof(reply)), 2);
    static uint8_t large[10003] = {0x0a, 0x90, 0x4e};
    static uint8_t large_reply[sizeof(large)];
    memset(large + 3, 't', sizeof(large) - 3);
    assert_int_equal(
        caller_unary(&caller, unary[1], large, sizeof(large), large_reply, sizeof(large_reply)),
        sizeof(large));
    size_t len;
    caller_start(&caller, "/helloworld.Greeter/SayHellos");
    caller_send(&caller, hello, sizeof(hello));
    caller_end(&caller);
    for (int i = 0; i < 10; i++)
        assert_non_null(caller_reply(&caller, &len));
    assert_null(caller_reply(&caller, &len));
    caller_done(&caller);
    caller_start(&caller, "/helloworld.Greeter/SayHelloCS");
    caller_send(&caller, hello, sizeof(hello));
    caller_send(&caller, hello, sizeof(hello));
    caller_end(&caller);
    assert_non_null(caller_reply(&caller, &len));
    caller_done(&caller);
}

static void steady_calls_do_not_call_malloc(void **state)
{
    (void)state;
    const struct edge_greeter_codec *const codecs[] = {&edge_greeter_nanopb,
                                                       &edge_greeter_protobufc};
    for (size_t i = 0; i < 2; i++) {
        caller_open(&caller, codecs[i]);
        round_of_calls();
        unsigned long before = mallocs;
        uint64_t pool_before = caller.pool.system_allocs;
        uint64_t arena_before = caller.services.arena.system_allocs;
        for (int round = 0; round < 100; round++)
            round_of_calls();
        assert_int_equal(mallocs, before);
        assert_int_equal(caller.pool.system_allocs, pool_before);
        assert_int_equal(caller.services.arena.system_allocs, arena_before);
        caller_close(&caller);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef SANITIZED
        cmocka_unit_test(malloc_is_counted),
#endif
        cmocka_unit_test(steady_calls_do_not_call_malloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
