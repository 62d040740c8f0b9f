#include "cmocka_headers.h"

#include <unistd.h>

#include "run/interrupt.h"

static void a_signal_is_kept_until_asked_for(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        struct edge_interrupt interrupt;
        assert_int_equal(edge_interrupt_init(&interrupt), 0);
        assert_false(edge_interrupt_poll(&interrupt));
        assert_int_equal(kill(getpid(), signals[i]), 0);
        assert_true(edge_interrupt_poll(&interrupt));
        assert_true(edge_interrupt_poll(&interrupt)); // it stays
        edge_interrupt_free(&interrupt);
        edge_interrupt_free(&interrupt);
    }
    sigset_t now;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    assert_false(sigismember(&now, SIGINT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_signal_is_kept_until_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
