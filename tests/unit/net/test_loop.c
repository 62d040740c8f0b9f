#include "cmocka_headers.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/loop.h"

struct order_timer {
    struct edge_timer timer;
    struct edge_loop *loop;
    uint64_t *last_due;
    int *fired;
};

static void note_order(struct edge_timer *timer)
{
    struct order_timer *self = (struct order_timer *)(void *)timer;
    assert_true(timer->due_ns >= *self->last_due);
    assert_true(self->loop->now_ns >= timer->due_ns);
    *self->last_due = timer->due_ns;
    (*self->fired)++;
}

static void timers_fire_in_order_and_stopped_ones_do_not(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static struct order_timer timers[COUNT];
    struct edge_loop loop;
    uint64_t last_due = 0;
    int fired = 0;
    unsigned seed = 3;
    assert_int_equal(edge_loop_init(&loop), 0);
    uint64_t start = edge_clock_ns();
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245u + 12345u;
        timers[i] = (struct order_timer){
            .timer.fire = note_order, .loop = &loop, .last_due = &last_due, .fired = &fired};
        assert_int_equal(
            edge_timer_start(&loop, &timers[i].timer, start + (seed >> 8) % (5 * EDGE_NS_PER_MS)),
            0);
    }
    for (size_t i = 0; i < COUNT; i += 2)
        edge_timer_stop(&loop, &timers[i].timer);
    edge_timer_stop(&loop, &timers[0].timer); // safe twice
    while (fired < COUNT / 2)
        assert_true(edge_loop_turn(&loop, EDGE_LOOP_FOREVER) >= 0);
    assert_int_equal(loop.heap_len, 0);
    edge_loop_free(&loop);
    edge_loop_free(&loop);
}

static void a_turn_ends_at_its_time(void **state)
{
    (void)state;
    struct edge_loop loop;
    assert_int_equal(edge_loop_init(&loop), 0);
    for (int without_pwait2 = 0; without_pwait2 < 2; without_pwait2++) {
        loop.no_pwait2 = without_pwait2 == 1;
        uint64_t until = edge_clock_ns() + 3 * EDGE_NS_PER_MS / 2;
        while (edge_clock_ns() < until)
            assert_int_equal(edge_loop_turn(&loop, until), 0);
        assert_int_equal(edge_loop_turn(&loop, 0), 0); // does not wait
    }
    edge_loop_free(&loop);
}

struct pipe_watch {
    struct edge_watch watch;
    struct edge_loop *loop;
    struct pipe_watch *victim; // removed and freed by the first event
    int *events;
};

static void remove_the_other(struct edge_watch *watch, uint32_t events)
{
    struct pipe_watch *self = (struct pipe_watch *)(void *)watch;
    assert_true((events & EPOLLIN) != 0);
    (*self->events)++;
    edge_loop_remove(self->loop, &self->victim->watch);
    free(self->victim);
    edge_loop_stop(self->loop);
}

// Both pipes are readable in one batch; whichever comes first frees the other.
static void a_callback_may_free_a_watch_of_the_same_turn(void **state)
{
    (void)state;
    struct edge_loop loop;
    int pipes[2][2];
    int events = 0;
    struct pipe_watch *watches[2];
    assert_int_equal(edge_loop_init(&loop), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        assert_int_equal(write(pipes[i][1], "x", 1), 1);
        watches[i] = calloc(1, sizeof(*watches[i]));
        assert_non_null(watches[i]);
        watches[i]->watch =
            (struct edge_watch){.fd = pipes[i][0], .events = EPOLLIN, .ready = remove_the_other};
        watches[i]->loop = &loop;
        watches[i]->events = &events;
        assert_int_equal(edge_loop_add(&loop, &watches[i]->watch), 0);
    }
    watches[0]->victim = watches[1];
    watches[1]->victim = watches[0];
    assert_int_equal(edge_loop_run(&loop), 0);
    assert_int_equal(events, 1);
    struct pipe_watch *left = watches[0]->watch.added ? watches[0] : watches[1];
    edge_loop_remove(&loop, &left->watch);
    edge_loop_remove(&loop, &left->watch); // safe twice
    free(left);
    for (int i = 0; i < 2; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    edge_loop_free(&loop);
}

static void note_signal(struct edge_watch *watch, uint32_t events)
{
    struct pipe_watch *self = (struct pipe_watch *)(void *)watch;
    struct signalfd_siginfo info;
    (void)events;
    assert_int_equal(read(watch->fd, &info, sizeof(info)), sizeof(info));
    assert_true(info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT);
    if (++*self->events == 2)
        edge_loop_stop(self->loop);
}

static void signals_that_end_a_program_come_as_events(void **state)
{
    (void)state;
    struct edge_loop loop;
    sigset_t before;
    int events = 0;
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
    assert_int_equal(edge_loop_init(&loop), 0);
    int fd = edge_loop_open_signals();
    assert_true(fd >= 0);
    struct pipe_watch watch = {.watch = {.fd = fd, .events = EPOLLIN, .ready = note_signal},
                               .loop = &loop,
                               .events = &events};
    assert_int_equal(edge_loop_add(&loop, &watch.watch), 0);
    assert_int_equal(raise(SIGTERM), 0); // which would end this program
    assert_int_equal(raise(SIGINT), 0);
    assert_int_equal(edge_loop_run(&loop), 0);
    assert_int_equal(events, 2);
    close(fd);
    edge_loop_free(&loop);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_order_and_stopped_ones_do_not),
        cmocka_unit_test(a_turn_ends_at_its_time),
        cmocka_unit_test(a_callback_may_free_a_watch_of_the_same_turn),
        cmocka_unit_test(signals_that_end_a_program_come_as_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
