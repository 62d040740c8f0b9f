// Calls over raw bytes: requests cut, padded and refused in every way.

#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grpc/h2_peer.h"

static const struct edge_h2_config defaults;
static struct peer peer;

static void assert_unary_reply(uint32_t id, const char *text)
{
    struct seen *seen = peer_seen(&peer, id);
    size_t len = strlen(text);
    assert_string_equal(seen->http_status, "200");
    assert_string_equal(seen->content_type, "application/grpc");
    assert_int_equal(seen->headers, 2);
    assert_int_equal(seen->data.len, 5 + len);
    assert_memory_equal(edge_buffer_head(&seen->data) + 5, text, len);
    peer_assert_status(&peer, id, "0");
    assert_false(seen->reset);
}

static void unary_call(uint32_t id, const char *text)
{
    peer_request(&peer, id, 0, UNARY, NULL, NULL);
    peer_message(&peer, id, END_STREAM, text, strlen(text));
}

static void a_unary_call_is_answered(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    unary_call(1, "hello");
    peer_calls_closed = 0;
    peer_pump(&peer);
    assert_unary_reply(1, "hello");
    // The client's SETTINGS are acknowledged; HEADERS, DATA and trailers come in that order.
    assert_int_equal(peer.settings, 1);
    assert_int_equal(peer.settings_acks, 1);
    assert_non_null(strstr(peer.order, "HDH"));
    assert_int_equal(peer_calls_closed, 1);
    peer_close(&peer);
}

static void input_may_be_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 40; piece++) {
        peer_open(&peer, &defaults);
        unary_call(1, "hello");
        unary_call(3, "");
        peer_pump_pieces(&peer, piece);
        assert_int_equal(peer.error, 0);
        assert_unary_reply(1, "hello");
        assert_unary_reply(3, "");
        peer_close(&peer);
    }
}

static void data_may_be_cut_and_padded(void **state)
{
    (void)state;
    static const uint8_t message[] = {0, 0, 0, 0, 3, 'a', 'b', 'c'};
    for (size_t cut = 0; cut <= sizeof(message); cut++) {
        peer_open(&peer, &defaults);
        peer_request(&peer, 1, 0, UNARY, NULL, NULL);
        uint8_t padded[1 + sizeof(message) + 200] = {200};
        memcpy(padded + 1, message, cut);
        peer_frame(&peer, DATA, PADDED, 1, padded, 1 + cut + 200);
        peer_frame(&peer, DATA, 0, 1, NULL, 0); // empty, and not the end
        peer_frame(&peer, DATA, 0, 1, message + cut, sizeof(message) - cut);
        peer_frame(&peer, DATA, END_STREAM, 1, NULL, 0);
        peer_pump(&peer);
        assert_unary_reply(1, "abc");
        peer_close(&peer);
    }
}

static void header_blocks_may_be_continued(void **state)
{
    (void)state;
    const char *const fields[] = {":method", "POST",     ":scheme",      "http",
                                  ":path",   UNARY,      ":authority",   "test",
                                  "te",      "trailers", "content-type", "application/grpc",
                                  NULL};
    size_t len = 1;
    for (size_t cut = 0; cut <= len; cut++) {
        peer_open(&peer, &defaults);
        uint8_t block[4096];
        len = peer_block(&peer, block, sizeof(block), fields);
        peer_frame(&peer, HEADERS, 0, 1, block, cut);
        peer_frame(&peer, CONT, END_HEADERS, 1, block + cut, len - cut);
        peer_message(&peer, 1, END_STREAM, "x", 1);
        peer_pump(&peer);
        assert_unary_reply(1, "x");
        peer_close(&peer);
    }
}

static void many_messages_may_share_a_frame(void **state)
{
    (void)state;
    static const uint8_t two[] = {0, 0, 0, 0, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'b'};
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    peer_frame(&peer, DATA, END_STREAM, 1, two, sizeof(two));
    peer_request(&peer, 3, 0, COLLECT, NULL, NULL);
    peer_frame(&peer, DATA, END_STREAM, 3, two, sizeof(two));
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    assert_int_equal(peer_seen(&peer, 1)->data.len, sizeof(two));
    assert_memory_equal(edge_buffer_head(&peer_seen(&peer, 1)->data), two, sizeof(two));
    peer_assert_status(&peer, 3, "0");
    assert_int_equal(edge_buffer_head(&peer_seen(&peer, 3)->data)[5], 3);
    peer_close(&peer);
}

static void a_bidi_call_answers_before_the_end(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, BIDI, NULL, NULL);
    for (unsigned i = 1; i <= 5; i++) {
        peer_message(&peer, 1, 0, "ping", 4);
        peer_pump(&peer);
        assert_int_equal(peer_seen(&peer, 1)->data.len, 9 * i);
        assert_false(peer_seen(&peer, 1)->ended);
    }
    peer_frame(&peer, DATA, END_STREAM, 1, NULL, 0);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    assert_int_equal(peer_seen(&peer, 1)->headers, 2);
    peer_close(&peer);
}

static void an_empty_stream_is_legal_where_many_are(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, END_STREAM, BIDI, NULL, NULL);
    peer_request(&peer, 3, END_STREAM, COLLECT, NULL, NULL);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    assert_int_equal(peer_seen(&peer, 1)->headers, 1); // trailers only
    assert_string_equal(peer_seen(&peer, 1)->content_type, "application/grpc");
    peer_assert_status(&peer, 3, "0");
    assert_int_equal(edge_buffer_head(&peer_seen(&peer, 3)->data)[5], 0);
    peer_close(&peer);
}

static void a_clients_trailers_end_its_stream(void **state)
{
    (void)state;
    static const char *const fields[] = {"x-trailer", "anything", NULL};
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, UNARY, NULL, NULL);
    peer_message(&peer, 1, 0, "hi", 2);
    uint8_t block[256];
    size_t len = peer_block(&peer, block, sizeof(block), fields);
    peer_frame(&peer, HEADERS, END_HEADERS | END_STREAM, 1, block, len);
    peer_pump(&peer);
    assert_unary_reply(1, "hi");
    peer_close(&peer);
}

// A request that is refused by its headers alone, before the client's end.
static void requests_are_refused_by_their_headers(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name, *value;
        const char *http_status, *grpc_status;
    } rows[] = {
        {UNARY, ":method", "GET", "405", "13"},
        {UNARY, ":method", "DELETE", "405", "13"},
        {UNARY, "content-type", "image/jpeg", "415", ""},
        {UNARY, "content-type", "application/grpcfoo", "415", ""},
        {UNARY, "content-type", NULL, "415", ""},
        {UNARY, "content-type", "application/grpc+json", "200", "12"},
        {"/test.T/Nope", NULL, NULL, "200", "12"},
        {"/test.Nope/Unary", NULL, NULL, "200", "12"},
        {"/", NULL, NULL, "200", "12"},
        {"/test.T/unary", NULL, NULL, "200", "12"},
        {UNARY, "grpc-timeout", "1", "200", "13"},
        {UNARY, "grpc-timeout", "123456789S", "200", "13"},
        {UNARY, "grpc-timeout", "0n", "200", "4"},
        {UNARY, "grpc-encoding", "br", "200", "12"},
        {UNARY, "x-id-bin", "not base64", "200", "13"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        peer_open(&peer, &defaults);
        peer_request(&peer, 1, 0, rows[i].path, rows[i].name, rows[i].value);
        peer_pump(&peer);
        struct seen *seen = peer_seen(&peer, 1);
        assert_string_equal(seen->http_status, rows[i].http_status);
        assert_string_equal(seen->grpc_status, rows[i].grpc_status);
        assert_int_equal(seen->headers, 1);
        assert_int_equal(seen->data_frames, 0);
        // Told to stop sending, after the answer, without an error.
        assert_true(seen->reset_after_end);
        assert_int_equal(seen->reset_code, NGHTTP2_NO_ERROR);
        bool unknown = rows[i].name != NULL && strcmp(rows[i].name, "grpc-encoding") == 0;
        assert_string_equal(seen->grpc_encodings, unknown ? "identity,gzip" : "");
        // The connection lives on, also for what the client had already sent.
        peer_message(&peer, 1, END_STREAM, "late", 4);
        unary_call(3, "next");
        peer_pump(&peer);
        assert_unary_reply(3, "next");
        peer_close(&peer);
    }
}

static void a_method_may_take_any_request(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, END_STREAM, PAGE, ":method", "GET");
    peer_request(&peer, 3, END_STREAM, PAGE, "content-type", NULL);
    peer_pump(&peer);
    for (uint32_t id = 1; id <= 3; id += 2) {
        assert_string_equal(peer_seen(&peer, id)->http_status, "200");
        assert_int_equal(peer_seen(&peer, id)->data.len, 5 + 1);
        peer_assert_status(&peer, id, "0");
    }
    peer_close(&peer);
}

static void fields_that_do_not_matter_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } rows[] = {
        {"te", NULL},
        {"content-type", "application/grpc+proto"},
        {"grpc-encoding", "identity"},
        {"grpc-encoding", "gzip"},
        {"x-id-bin", "qw"},
        {"x-id-bin", "qw==,"},
        {"grpc-accept-encoding", "gzip, deflate"},
        {"grpc-timeout", "99999999H"},
        {"x-bin", "////"},
        {"x-text", "\xc3\xa9"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        peer_open(&peer, &defaults);
        peer_request(&peer, 1, 0, UNARY, rows[i].name, rows[i].value);
        peer_message(&peer, 1, END_STREAM, "ok", 2);
        peer_pump(&peer);
        assert_unary_reply(1, "ok");
        peer_close(&peer);
    }
}

static void bad_messages_end_with_the_right_status(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t len;
        bool end;
        const char *status;
    } rows[] = {
        {{0}, 0, true, "12"},                              // no message
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 10, true, "12"},  // two
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 10, false, "12"}, //
        {{0, 0, 0}, 3, true, "13"},                        // cut in the prefix
        {{0, 0, 0, 0, 5, 'a'}, 6, true, "13"},             // cut in the message
        {{1, 0, 0, 0, 1, 'a'}, 6, true, "13"},             // compressed
        {{2, 0, 0, 0, 1, 'a'}, 6, true, "13"},             // no such flag
        {{0, 0, 1, 0, 1}, 5, false, "8"},                  // above the limit, not yet sent
        {{0, 0xff, 0xff, 0xff, 0xff}, 5, false, "8"},      //
    };
    const struct edge_h2_config config = {.max_message = 65536};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        peer_open(&peer, &config);
        peer_request(&peer, 1, 0, UNARY, NULL, NULL);
        peer_frame(&peer, DATA, rows[i].end ? END_STREAM : 0, 1, rows[i].bytes, rows[i].len);
        peer_pump(&peer);
        struct seen *seen = peer_seen(&peer, 1);
        peer_assert_status(&peer, 1, rows[i].status);
        assert_string_equal(seen->http_status, "200");
        assert_int_equal(seen->headers, 1);
        assert_int_equal(seen->data.len, 0);
        assert_int_equal(seen->reset_after_end, !rows[i].end);
        unary_call(3, "next");
        peer_pump(&peer);
        assert_unary_reply(3, "next");
        peer_close(&peer);
    }
}

static void headers_alone_are_no_unary_request(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, END_STREAM, UNARY, NULL, NULL);
    peer_request(&peer, 3, END_STREAM, REPEAT, NULL, NULL);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "12");
    peer_assert_status(&peer, 3, "12");
    assert_false(peer_seen(&peer, 1)->reset);
    peer_close(&peer);
}

static void words_of_an_error_are_percent_encoded(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_request(&peer, 1, 0, FAIL, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "50% \xe2\x98\xba\n", 8);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "3");
    assert_string_equal(peer_seen(&peer, 1)->grpc_message, "50%25 %E2%98%BA%0A");
    peer_close(&peer);
}

static void a_reset_frees_the_call_at_once(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer_calls_closed = 0;
    peer_request(&peer, 1, 0, UNARY, NULL, NULL);
    peer_frame(&peer, DATA, 0, 1, "\0\0\0\0\7ab", 7);
    peer_reset(&peer, 1, NGHTTP2_CANCEL);
    peer_request(&peer, 3, 0, HANG, NULL, NULL);
    peer_message(&peer, 3, END_STREAM, "x", 1);
    peer_pump(&peer);
    assert_int_equal(peer_calls_closed, 1);
    peer_reset(&peer, 3, NGHTTP2_CANCEL);
    peer_pump(&peer);
    assert_int_equal(peer_calls_closed, 2);
    assert_int_equal(peer_seen(&peer, 1)->headers, 0);
    assert_int_equal(peer_seen(&peer, 3)->headers, 0);
    unary_call(5, "next");
    peer_pump(&peer);
    assert_unary_reply(5, "next");
    // A session that goes takes its calls along.
    peer_request(&peer, 7, 0, HANG, NULL, NULL);
    peer_pump(&peer);
    peer_calls_closed = 0;
    peer_close(&peer);
    assert_int_equal(peer_calls_closed, 1);
}

static void a_bad_preface_ends_the_connection(void **state)
{
    (void)state;
    peer_open(&peer, &defaults);
    peer.in.len = 0;
    edge_buffer_append(&peer.in, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    peer_pump(&peer);
    assert_int_equal(peer.error, EDGE_ERR_PROTOCOL);
    peer_close(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unary_call_is_answered),
        cmocka_unit_test(input_may_be_cut_at_every_byte),
        cmocka_unit_test(data_may_be_cut_and_padded),
        cmocka_unit_test(header_blocks_may_be_continued),
        cmocka_unit_test(many_messages_may_share_a_frame),
        cmocka_unit_test(a_bidi_call_answers_before_the_end),
        cmocka_unit_test(an_empty_stream_is_legal_where_many_are),
        cmocka_unit_test(a_clients_trailers_end_its_stream),
        cmocka_unit_test(requests_are_refused_by_their_headers),
        cmocka_unit_test(a_method_may_take_any_request),
        cmocka_unit_test(fields_that_do_not_matter_are_accepted),
        cmocka_unit_test(bad_messages_end_with_the_right_status),
        cmocka_unit_test(headers_alone_are_no_unary_request),
        cmocka_unit_test(words_of_an_error_are_percent_encoded),
        cmocka_unit_test(a_reset_frees_the_call_at_once),
        cmocka_unit_test(a_bad_preface_ends_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
