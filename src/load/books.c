#include "load/books.h"

#include <string.h>

int edge_books_init(struct edge_load_result *books)
{
    *books = (struct edge_load_result){0};
    int error = edge_histogram_init(&books->service);
    if (error == 0)
        error = edge_histogram_init(&books->response);
    if (error == 0)
        error = edge_histogram_init(&books->send_lag);
    if (error == 0)
        error = edge_histogram_init(&books->first_message);
    if (error == 0)
        error = edge_histogram_init(&books->message_gap);
    if (error < 0)
        edge_load_result_free(books);
    return error;
}

void edge_load_result_free(struct edge_load_result *result)
{
    edge_histogram_free(&result->service);
    edge_histogram_free(&result->response);
    edge_histogram_free(&result->send_lag);
    edge_histogram_free(&result->first_message);
    edge_histogram_free(&result->message_gap);
}

static void count_code(uint64_t *codes, uint64_t last, uint64_t code)
{
    codes[code < last ? code : last]++;
}

static void record_latency(struct edge_histogram *histogram, uint64_t ns, bool given_up)
{
    if (given_up)
        edge_histogram_record_bound(histogram, ns);
    else
        edge_histogram_record(histogram, ns);
}

void edge_books_end(struct edge_load_result *books, const struct edge_ending *ending,
                    bool open_loop, bool in_window, uint64_t messages)
{
    bool ok = ending->outcome == EDGE_OUTCOME_OK;
    if (ok && in_window) {
        books->ok_in_window++;
        books->messages_in_window += messages;
    }
    if (!ending->counted)
        return;
    books->outcomes[ending->outcome]++;
    books->noncanonical += ending->noncanonical;
    if (ending->outcome == EDGE_OUTCOME_GRPC_STATUS)
        count_code(books->grpc_status, 16, (uint64_t)ending->grpc_status);
    if (ending->outcome == EDGE_OUTCOME_RESET)
        count_code(books->reset_code, 15, ending->reset_code);
    if (open_loop)
        edge_histogram_record(&books->send_lag, ending->sent_ns - ending->due_ns);
    bool given_up =
        ending->outcome == EDGE_OUTCOME_TIMEOUT || ending->outcome == EDGE_OUTCOME_UNFINISHED;
    if (ok || given_up)
        record_latency(&books->service, ending->end_ns - ending->sent_ns, given_up);
    if (open_loop && (ok || given_up))
        record_latency(&books->response, ending->end_ns - ending->due_ns, given_up);
}

static void add_all(uint64_t *sums, const uint64_t *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += terms[i];
}

void edge_books_packed(struct edge_load_packed *packed, uint64_t messages, uint64_t plain_bytes,
                       uint64_t packed_bytes)
{
    packed->messages += messages;
    packed->plain_bytes += plain_bytes;
    packed->packed_bytes += packed_bytes;
}

void edge_books_add_packed(struct edge_load_packed *packed, const struct edge_load_packed *more)
{
    edge_books_packed(packed, more->messages, more->plain_bytes, more->packed_bytes);
}

void edge_books_replies(struct edge_load_result *books, const struct edge_replies *replies)
{
    if (replies->in_window)
        books->messages_received += replies->count;
    if (!replies->counted)
        return;
    if (replies->before == 0)
        edge_histogram_record(&books->first_message, replies->now_ns - replies->sent_ns);
    else
        edge_histogram_record(&books->message_gap, replies->now_ns - replies->latest_ns);
    for (uint32_t i = 1; i < replies->count; i++)
        edge_histogram_record(&books->message_gap, 0);
}

void edge_books_merge(struct edge_load_result *books, const struct edge_load_result *other)
{
    books->connections_opened += other->connections_opened;
    books->connections_lost += other->connections_lost;
    books->keepalive_pings += other->keepalive_pings;
    if (other->stream_limit > 0 &&
        (books->stream_limit == 0 || other->stream_limit < books->stream_limit))
        books->stream_limit = other->stream_limit;
    books->due += other->due;
    books->sent += other->sent;
    books->unsent += other->unsent;
    books->waited += other->waited;
    add_all(books->outcomes, other->outcomes, EDGE_OUTCOMES);
    add_all(books->grpc_status, other->grpc_status, 17);
    add_all(books->reset_code, other->reset_code, 16);
    books->ok_in_window += other->ok_in_window;
    books->messages_in_window += other->messages_in_window;
    books->noncanonical += other->noncanonical;
    books->bytes_in += other->bytes_in;
    books->bytes_out += other->bytes_out;
    edge_histogram_merge(&books->service, &other->service);
    edge_histogram_merge(&books->response, &other->response);
    edge_histogram_merge(&books->send_lag, &other->send_lag);
    books->messages_sent += other->messages_sent;
    books->messages_received += other->messages_received;
    edge_histogram_merge(&books->first_message, &other->first_message);
    edge_histogram_merge(&books->message_gap, &other->message_gap);
    books->ended_by_client += other->ended_by_client;
    edge_books_add_packed(&books->packed_out, &other->packed_out);
    edge_books_add_packed(&books->packed_in, &other->packed_in);
    if (books->first_error[0] == '\0')
        memcpy(books->first_error, other->first_error, sizeof(books->first_error));
}

static uint64_t sum_outcomes(const struct edge_load_result *books)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < EDGE_OUTCOMES; i++)
        sum += books->outcomes[i];
    return sum;
}

bool edge_books_balanced(const struct edge_load_result *books)
{
    return books->due == books->sent + books->unsent && books->sent == sum_outcomes(books);
}

uint64_t edge_books_failed(const struct edge_load_result *books)
{
    return sum_outcomes(books) - books->outcomes[EDGE_OUTCOME_OK];
}

const char *edge_outcome_name(enum edge_outcome outcome)
{
    static const char *const names[EDGE_OUTCOMES] = {
        "ok",          "wrong_reply", "wrong_count", "grpc_status", "no_status", "http_status",
        "bad_message", "reset",       "refused",     "connection",  "timeout",   "unfinished",
    };
    return names[outcome];
}
