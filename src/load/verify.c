#include "load/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/reply.h"
#include "load/service.h"
#include "wire/frame.h"

// The word: 1 always set | content-type ok | grpc-status known | gzip | http status | grpc-status.
#define WORD_SET       (1u << 31)
#define WORD_TYPE_OK   (1u << 30)
#define WORD_HAS_CODE  (1u << 29)
#define WORD_GZIP      (1u << 28)
#define WORD_HTTP_BITS 8
#define WORD_HTTP_MASK 0x3ffu
#define WORD_CODE_MASK 0xffu

// A reply encoded differently is not much longer than ours; a longer one is just wrong.
#define REPLY_SLACK 4096u

int edge_verify_plan_init(struct edge_verify_plan *plan, const struct edge_payload *payload)
{
    *plan = (struct edge_verify_plan){.payload = payload,
                                      .reply_max = 2 * payload->reply.len + REPLY_SLACK};
    if (payload->service != NULL) {
        plan->type = payload->service->reply;
        plan->take = payload->service->take;
        plan->take_context = payload->service->take_context;
        return 0;
    }
    return edge_framed_init(&plan->reply, &payload->reply);
}

void edge_verify_plan_free(struct edge_verify_plan *plan)
{
    edge_framed_free(&plan->reply);
}

void edge_verify_free(struct edge_verify *verify)
{
    if (verify->odd == NULL)
        return;
    edge_buffer_free(&verify->odd->bytes);
    free(verify->odd);
    verify->odd = NULL;
}

uint64_t edge_verify_number(const struct edge_payload *payload, uint64_t first, uint32_t index)
{
    switch (payload->kind) {
    case EDGE_CALL_CLIENT_STREAM:
        return first + payload->messages_out - 1;
    case EDGE_CALL_BIDI:
        return first + index;
    default:
        return first;
    }
}

// A decimal number of up to three digits, or -1.
static int read_code(const char *text, size_t len)
{
    int code = 0;
    if (text == NULL || len == 0 || len > 3)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        code = 10 * code + (text[i] - '0');
    }
    return code;
}

static bool starts_with(const char *text, size_t len, const char *start)
{
    size_t start_len = strlen(start);
    return text != NULL && len >= start_len && memcmp(text, start, start_len) == 0;
}

uint32_t edge_verify_read_fields(const struct edge_fields *fields)
{
    uint32_t word = WORD_SET;
    size_t len;
    const char *text = edge_fields_find(fields, ":status", &len);
    int http = read_code(text, len);
    if (http > 0)
        word |= (uint32_t)http << WORD_HTTP_BITS;
    text = edge_fields_find(fields, "content-type", &len);
    bool type_ok = starts_with(text, len, "application/grpc") &&
                   (len == 16 || text[16] == '+' || text[16] == ';');
    text = edge_fields_find(fields, "grpc-encoding", &len);
    bool packed = len == 4 && starts_with(text, len, "gzip");
    if (type_ok && (text == NULL || packed || (len == 8 && starts_with(text, len, "identity"))))
        word |= WORD_TYPE_OK | (text != NULL && packed ? WORD_GZIP : 0u);
    text = edge_fields_find(fields, "grpc-status", &len);
    int code = read_code(text, len);
    if (code >= 0)
        word |= WORD_HAS_CODE | (uint32_t)(code < 255 ? code : 255);
    return word;
}

int edge_verify_grpc_status(uint32_t word)
{
    return word & WORD_HAS_CODE ? (int)(word & WORD_CODE_MASK) : -1;
}

bool edge_verify_headers(struct edge_verify *verify, uint32_t word)
{
    verify->http_status = (uint16_t)(word >> WORD_HTTP_BITS & WORD_HTTP_MASK);
    if (verify->http_status >= 100 && verify->http_status < 200)
        return true;
    verify->got_headers = true;
    if (verify->http_status == 200 && (word & WORD_TYPE_OK) == 0)
        verify->bad = true;
    verify->packed = (word & WORD_GZIP) != 0;
    return false;
}

static void end_odd(struct edge_verify *verify)
{
    edge_verify_free(verify);
    verify->messages++;
    verify->at = 0;
}

// A whole message whose bytes are not the expected ones.
static void judge_odd(struct edge_verify *verify, const struct edge_verify_plan *plan,
                      uint64_t number)
{
    size_t expected_len = plan->reply.len - EDGE_FRAMED_PREFIX;
    uint8_t *expected = malloc(expected_len + 1);
    const struct edge_buffer *got = &verify->odd->bytes;
    bool same = false;
    if (expected != NULL) {
        edge_framed_copy(&plan->reply, number, EDGE_FRAMED_PREFIX, expected, expected_len);
        same = edge_payload_same_meaning(plan->payload, expected, expected_len,
                                         got->data + got->start + EDGE_FRAMED_PREFIX,
                                         got->len - EDGE_FRAMED_PREFIX);
    }
    free(expected);
    if (same)
        verify->noncanonical++;
    else
        verify->wrong = true;
    end_odd(verify);
}

// Goes on with a message that differs. Returns the bytes used.
static size_t take_odd(struct edge_verify *verify, const struct edge_verify_plan *plan,
                       uint64_t number, const uint8_t *bytes, size_t len)
{
    struct edge_verify_odd *odd = verify->odd;
    if (odd->skip > 0) {
        size_t now = len < odd->skip ? len : odd->skip;
        odd->skip -= now;
        if (odd->skip == 0)
            end_odd(verify);
        return now;
    }
    size_t want = EDGE_FRAMED_PREFIX;
    if (odd->bytes.len >= EDGE_FRAMED_PREFIX)
        want += edge_get_u32(edge_buffer_head(&odd->bytes) + 1);
    size_t now = want - odd->bytes.len < len ? want - odd->bytes.len : len;
    if (edge_buffer_append(&odd->bytes, bytes, now) < 0) {
        verify->bad = true;
        return len;
    }
    if (odd->bytes.len < EDGE_FRAMED_PREFIX)
        return now;
    const uint8_t *head = edge_buffer_head(&odd->bytes);
    size_t message_len = edge_get_u32(head + 1);
    if (head[0] != 0)
        verify->bad = true; // compressed, though nothing was negotiated
    if (message_len > plan->reply_max) {
        verify->wrong = true;
        odd->skip = EDGE_FRAMED_PREFIX + message_len - odd->bytes.len;
    } else if (odd->bytes.len == EDGE_FRAMED_PREFIX + message_len) {
        judge_odd(verify, plan, number);
    }
    return now;
}

// The bytes so far were right, these are not: from here on the message is kept.
static bool begin_odd(struct edge_verify *verify, const struct edge_verify_plan *plan,
                      uint64_t number)
{
    verify->odd = calloc(1, sizeof(*verify->odd));
    if (verify->odd == NULL || edge_buffer_reserve(&verify->odd->bytes, plan->reply.len) < 0) {
        edge_verify_free(verify);
        verify->bad = true;
        return false;
    }
    edge_framed_copy(&plan->reply, number, 0, edge_buffer_tail(&verify->odd->bytes), verify->at);
    verify->odd->bytes.len = verify->at;
    return true;
}

void edge_verify_data(struct edge_verify *verify, const struct edge_verify_plan *plan,
                      uint64_t first, const uint8_t *bytes, size_t len)
{
    if (!verify->got_headers)
        verify->bad = true; // only interim ones (1xx) came before it
    if (plan->type != NULL || plan->gzip) {
        edge_reply_data(verify, plan, first, bytes, len);
        return;
    }
    if (verify->packed)
        verify->bad = true; // we offered no encoding
    // After a fault in the framing nothing that follows can be told apart.
    while (len > 0 && !verify->bad) {
        uint64_t number = edge_verify_number(plan->payload, first, verify->messages);
        size_t used;
        if (verify->odd != NULL) {
            used = take_odd(verify, plan, number, bytes, len);
        } else {
            used = plan->reply.len - verify->at;
            if (used > len)
                used = len;
            if (!edge_framed_equal(&plan->reply, number, verify->at, bytes, used)) {
                if (!begin_odd(verify, plan, number))
                    return;
                continue;
            }
            verify->at += (uint32_t)used;
            if (verify->at == plan->reply.len) {
                verify->at = 0;
                verify->messages++;
            }
        }
        bytes += used;
        len -= used;
    }
}

enum edge_outcome edge_verify_end(const struct edge_verify *verify,
                                  const struct edge_verify_plan *plan, uint32_t word)
{
    if (verify->http_status != 200)
        return EDGE_OUTCOME_HTTP_STATUS;
    if (word == 0 || (word & WORD_HAS_CODE) == 0)
        return EDGE_OUTCOME_NO_STATUS;
    if ((word & WORD_CODE_MASK) != 0)
        return EDGE_OUTCOME_GRPC_STATUS;
    if (verify->bad || verify->at != 0 || (verify->odd != NULL && verify->odd->bytes.len > 0))
        return EDGE_OUTCOME_BAD_MESSAGE;
    if (verify->wrong)
        return EDGE_OUTCOME_WRONG_REPLY;
    uint64_t expected = plan->payload->messages_in;
    return expected == 0 || verify->messages == expected ? EDGE_OUTCOME_OK
                                                         : EDGE_OUTCOME_WRONG_COUNT;
}
