#include "load/reply.h"

#include <errno.h>
#include <stdlib.h>

#include "grpc/gzip.h"
#include "load/books.h"
#include "wire/frame.h"

// Is it what the contract wants? `expected` is built anew, as this is not the fast path.
static bool is_expected(struct edge_verify *verify, const struct edge_verify_plan *plan,
                        uint64_t number, const uint8_t *bytes, size_t len)
{
    const struct edge_framed *reply = &plan->reply;
    size_t expected_len = reply->len - EDGE_FRAMED_PREFIX;
    if (len == expected_len &&
        (len == 0 || edge_framed_equal(reply, number, EDGE_FRAMED_PREFIX, bytes, len)))
        return true;
    uint8_t *expected = malloc(expected_len + 1);
    if (expected == NULL)
        return false;
    edge_framed_copy(reply, number, EDGE_FRAMED_PREFIX, expected, expected_len);
    bool same = edge_payload_same_meaning(plan->payload, expected, expected_len, bytes, len);
    verify->noncanonical += same;
    free(expected);
    return same;
}

// The call's memory for what is rare. NULL: there is none, and the call is bad.
static struct edge_verify_odd *odd_of(struct edge_verify *verify)
{
    if (verify->odd == NULL)
        verify->odd = calloc(1, sizeof(*verify->odd));
    if (verify->odd == NULL)
        verify->bad = true;
    return verify->odd;
}

static void check_type(struct edge_verify *verify, const struct edge_verify_plan *plan,
                       const uint8_t *bytes, size_t len)
{
    const struct edge_type_field *field;
    const char *fault = edge_type_check(plan->type, bytes, len, &field);
    if (fault == NULL)
        return;
    verify->wrong = true;
    struct edge_verify_odd *odd = odd_of(verify);
    if (odd != NULL) {
        odd->fault = fault;
        odd->fault_field = field;
    }
}

static void judge_plain(struct edge_verify *verify, const struct edge_verify_plan *plan,
                        uint64_t first, const uint8_t *bytes, size_t len)
{
    if (plan->type == NULL) {
        uint64_t number = edge_verify_number(plan->payload, first, verify->messages);
        verify->wrong |= !is_expected(verify, plan, number, bytes, len);
    } else if (!verify->wrong) {
        check_type(verify, plan, bytes, len);
    }
    if (plan->take != NULL && !verify->wrong)
        plan->take(plan->take_context, bytes, len);
}

static void judge_packed(struct edge_verify *verify, const struct edge_verify_plan *plan,
                         uint64_t first, const uint8_t *bytes, size_t len)
{
    struct edge_gzip gzip = {0};
    struct edge_verify_odd *odd = odd_of(verify);
    if (odd == NULL || edge_gzip_inflate(&gzip, bytes, len, EDGE_REPLY_MAX) < 0) {
        verify->bad = true;
    } else {
        edge_books_packed(&odd->packed, 1, gzip.plain.len, len);
        judge_plain(verify, plan, first, edge_buffer_head(&gzip.plain), gzip.plain.len);
    }
    edge_gzip_free(&gzip);
}

static void judge(struct edge_verify *verify, const struct edge_verify_plan *plan, uint64_t first,
                  const uint8_t *prefix, const uint8_t *bytes, size_t len)
{
    if (prefix[0] == 0)
        judge_plain(verify, plan, first, bytes, len);
    else if (prefix[0] == 1 && verify->packed)
        judge_packed(verify, plan, first, bytes, len);
    else
        verify->bad = true;
    verify->messages++;
}

// Keeps the part of a message that a read has brought. Returns the bytes used.
static size_t keep(struct edge_verify *verify, const struct edge_verify_plan *plan, uint64_t first,
                   const uint8_t *bytes, size_t len)
{
    struct edge_verify_odd *odd = odd_of(verify);
    if (odd == NULL)
        return len;
    struct edge_buffer *kept = &odd->bytes;
    size_t want = EDGE_FRAMED_PREFIX;
    if (kept->len >= EDGE_FRAMED_PREFIX)
        want += edge_get_u32(edge_buffer_head(kept) + 1);
    size_t now = want - kept->len < len ? want - kept->len : len;
    if (edge_buffer_append(kept, bytes, now) < 0) {
        verify->bad = true;
        return len;
    }
    if (kept->len < EDGE_FRAMED_PREFIX)
        return now;
    uint8_t *head = edge_buffer_head(kept);
    size_t message_len = edge_get_u32(head + 1);
    if (message_len > EDGE_REPLY_MAX) {
        verify->bad = true;
    } else if (kept->len == EDGE_FRAMED_PREFIX + message_len) {
        judge(verify, plan, first, head, head + EDGE_FRAMED_PREFIX, message_len);
        edge_buffer_free(kept);
    }
    return now;
}

void edge_reply_data(struct edge_verify *verify, const struct edge_verify_plan *plan,
                     uint64_t first, const uint8_t *bytes, size_t len)
{
    if (verify->packed && !plan->gzip)
        verify->bad = true; // we offered no encoding
    while (len > 0 && !verify->bad) {
        size_t used;
        bool between = verify->odd == NULL || verify->odd->bytes.len == 0;
        if (between && len >= EDGE_FRAMED_PREFIX &&
            edge_get_u32(bytes + 1) <= len - EDGE_FRAMED_PREFIX) {
            used = EDGE_FRAMED_PREFIX + edge_get_u32(bytes + 1);
            judge(verify, plan, first, bytes, bytes + EDGE_FRAMED_PREFIX,
                  used - EDGE_FRAMED_PREFIX);
        } else {
            used = keep(verify, plan, first, bytes, len);
        }
        bytes += used;
        len -= used;
    }
}
