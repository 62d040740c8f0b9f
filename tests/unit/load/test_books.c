#include "cmocka_headers.h"

#include <string.h>

#include "load/books.h"

static struct edge_ending ending(enum edge_outcome outcome, bool counted)
{
    return (struct edge_ending){
        .outcome = outcome, .due_ns = 1000, .sent_ns = 1500, .end_ns = 3000, .counted = counted};
}

static void each_outcome_once(void **state)
{
    (void)state;
    struct edge_load_result books;
    assert_int_equal(edge_books_init(&books), 0);
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++) {
        struct edge_ending how = ending(i, true);
        how.grpc_status = 13;
        how.reset_code = 2;
        edge_books_end(&books, &how, true, true, 3);
        books.due++;
        books.sent++;
    }
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++)
        assert_int_equal(books.outcomes[i], 1);
    assert_true(edge_books_balanced(&books));
    assert_int_equal(edge_books_failed(&books), EDGE_OUTCOMES - 1);
    assert_int_equal(books.grpc_status[13], 1);
    assert_int_equal(books.reset_code[2], 1);
    // Only what was verified counts as speed.
    assert_int_equal(books.ok_in_window, 1);
    assert_int_equal(books.messages_in_window, 3);
    // Latency: of that, and as lower bounds of what had no end. Errors are in none.
    assert_int_equal(books.service.count, 3);
    assert_int_equal(books.service.censored, 2);
    assert_int_equal(books.service.max, 1500);
    assert_int_equal(books.response.count, 3);
    assert_int_equal(books.response.censored, 2);
    assert_int_equal(books.response.max, 2000);
    assert_int_equal(books.send_lag.count, EDGE_OUTCOMES);
    assert_int_equal(books.send_lag.max, 500);
    edge_load_result_free(&books);
    edge_load_result_free(&books);
}

static void window_and_warm_up(void **state)
{
    (void)state;
    struct edge_load_result books;
    assert_int_equal(edge_books_init(&books), 0);
    struct edge_ending how = ending(EDGE_OUTCOME_OK, false);
    // Due in warm-up, ended inside the window: throughput, but no sample.
    edge_books_end(&books, &how, false, true, 1);
    assert_int_equal(books.ok_in_window, 1);
    assert_int_equal(books.outcomes[EDGE_OUTCOME_OK], 0);
    assert_int_equal(books.service.count, 0);
    // Due inside, ended in the drain: a sample, but no throughput.
    how.counted = true;
    edge_books_end(&books, &how, false, false, 1);
    assert_int_equal(books.ok_in_window, 1);
    assert_int_equal(books.outcomes[EDGE_OUTCOME_OK], 1);
    assert_int_equal(books.service.count, 1);
    // Closed loop: no response time and no lag.
    assert_int_equal(books.response.count, 0);
    assert_int_equal(books.send_lag.count, 0);
    edge_load_result_free(&books);
}

static void imbalance_is_seen(void **state)
{
    (void)state;
    struct edge_load_result books = {.due = 10, .sent = 8, .unsent = 2};
    books.outcomes[EDGE_OUTCOME_OK] = 7;
    books.outcomes[EDGE_OUTCOME_UNFINISHED] = 1;
    assert_true(edge_books_balanced(&books));
    books.unsent = 1;
    assert_false(edge_books_balanced(&books));
    books.unsent = 2;
    books.outcomes[EDGE_OUTCOME_RESET] = 1;
    assert_false(edge_books_balanced(&books));
}

static void codes_out_of_range(void **state)
{
    (void)state;
    struct edge_load_result books;
    assert_int_equal(edge_books_init(&books), 0);
    struct edge_ending how = ending(EDGE_OUTCOME_GRPC_STATUS, true);
    how.grpc_status = 255;
    edge_books_end(&books, &how, false, true, 1);
    assert_int_equal(books.grpc_status[16], 1);
    how = ending(EDGE_OUTCOME_RESET, true);
    how.reset_code = UINT32_MAX;
    edge_books_end(&books, &how, false, true, 1);
    assert_int_equal(books.reset_code[15], 1);
    edge_load_result_free(&books);
}

static void merge(void **state)
{
    (void)state;
    struct edge_load_result sum, a, b;
    assert_int_equal(edge_books_init(&sum), 0);
    assert_int_equal(edge_books_init(&a), 0);
    assert_int_equal(edge_books_init(&b), 0);
    struct edge_ending how = ending(EDGE_OUTCOME_OK, true);
    edge_books_end(&a, &how, true, true, 1);
    how.end_ns = 9000;
    edge_books_end(&b, &how, true, true, 1);
    how.outcome = EDGE_OUTCOME_TIMEOUT;
    edge_books_end(&b, &how, true, true, 1);
    a.due = a.sent = 1;
    b.due = 3;
    b.sent = 2;
    b.unsent = 1;
    b.waited = 1;
    strcpy(b.first_error, "late");
    edge_books_merge(&sum, &a);
    edge_books_merge(&sum, &b);
    assert_true(edge_books_balanced(&sum));
    assert_int_equal(sum.due, 4);
    assert_int_equal(sum.waited, 1);
    assert_int_equal(sum.service.count, 3);
    assert_int_equal(sum.service.censored, 1);
    assert_int_equal(sum.response.censored, 1);
    assert_int_equal(sum.service.max, 7500);
    assert_int_equal(sum.send_lag.count, 3);
    assert_string_equal(sum.first_error, "late");
    edge_load_result_free(&sum);
    edge_load_result_free(&a);
    edge_load_result_free(&b);
}

static void names_are_keys(void **state)
{
    (void)state;
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++) {
        const char *name = edge_outcome_name(i);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(name, edge_outcome_name(k));
    }
}

static void what_has_no_end_is_a_lower_bound(void **state)
{
    (void)state;
    struct edge_load_result books;
    assert_int_equal(edge_books_init(&books), 0);
    struct edge_ending how = ending(EDGE_OUTCOME_TIMEOUT, true);
    edge_books_end(&books, &how, false, true, 1);
    how.outcome = EDGE_OUTCOME_UNFINISHED;
    how.end_ns = 4500;
    edge_books_end(&books, &how, false, true, 1);
    how.counted = false; // of warm-up
    edge_books_end(&books, &how, false, true, 1);
    assert_int_equal(books.service.count, 2);
    assert_int_equal(books.service.censored, 2);
    assert_int_equal(books.service.min, 1500);
    assert_int_equal(books.service.max, 3000);
    assert_int_equal(books.response.count, 0); // closed loop
    assert_int_equal(books.ok_in_window, 0);
    edge_load_result_free(&books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_outcome_once),
        cmocka_unit_test(window_and_warm_up),
        cmocka_unit_test(imbalance_is_seen),
        cmocka_unit_test(codes_out_of_range),
        cmocka_unit_test(merge),
        cmocka_unit_test(names_are_keys),
        cmocka_unit_test(what_has_no_end_is_a_lower_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
