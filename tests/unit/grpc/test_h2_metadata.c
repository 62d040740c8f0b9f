// Custom metadata, compression and timers, through a whole session.

#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "grpc/h2_peer.h"

#define ECHO  "/test.M/Echo"
#define SLEEP "/test.M/Sleep"

static struct peer peer;

// Echoes the message, x-initial and x-trailing-bin. A message that begins with 'z' is answered
// compressed, and '!' before the answer says that the request came so; one with 'f' fails.
static void echo(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    const struct edge_metadata *request = &call->metadata->request;
    const struct edge_metadata_entry *entry = NULL;
    while ((entry = edge_metadata_find(request, entry, "x-initial")) != NULL)
        edge_call_initial(call, "x-initial", entry->value, entry->value_len);
    while ((entry = edge_metadata_find(request, entry, "x-trailing-bin")) != NULL)
        edge_call_trailing(call, "x-trailing-bin", entry->value, entry->value_len);
    if (len > 0 && bytes[0] == 'f') {
        edge_call_end(call, EDGE_STATUS_ABORTED, NULL);
        return;
    }
    call->compress = len > 0 && bytes[0] == 'z';
    uint8_t *out = edge_call_reply(call, len + 1);
    assert_non_null(out);
    out[0] = call->compressed ? '!' : '.';
    memcpy(out + 1, bytes, len);
    edge_call_reply_end(call, len + 1);
}

// Three replies, one every 10 ms.
static void sleep_tick(struct edge_call *call)
{
    *edge_call_reply(call, 1) = 's';
    edge_call_reply_end(call, 1);
    if (call->replies == 3)
        edge_call_end(call, EDGE_STATUS_OK, NULL);
    else
        edge_call_sleep(call, 10000000);
}

static void sleep_message(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    edge_call_sleep(call, 10000000);
}

static void stay_open(struct edge_call *call)
{
    (void)call;
}

static const struct edge_method methods[] = {
    {.path = ECHO, .compresses = true, .metadata = true, .message = echo},
    {.path = SLEEP,
     .server_streams = true,
     .message = sleep_message,
     .half_close = stay_open,
     .tick = sleep_tick},
    {.path = NULL},
};
static const struct edge_method *const tables[] = {methods, peer_methods, NULL};
static const struct edge_h2_config config = {.tables = tables, .compress = edge_gzip_deflate};

// A request with the fields name, value, ..., NULL.
static void request(uint32_t id, const char *path, const char *const *more)
{
    const char *fields[64] = {
        ":method", "POST",       ":scheme", "http",         ":path",
        path,      ":authority", "test",    "content-type", "application/grpc"};
    size_t count = 10;
    for (; *more != NULL; more++)
        fields[count++] = *more;
    uint8_t block[4096];
    size_t len = peer_block(&peer, block, sizeof(block), fields);
    peer_frame(&peer, HEADERS, END_HEADERS, id, block, len);
}

static void metadata_is_read_and_sent(void **state)
{
    (void)state;
    static const char *const more[] = {
        "x-initial",      "one",      "x-initial", "two",   "x-trailing-bin", "q6ur",
        "x-trailing-bin", "q6s=,qw",  "x-other",   "other", "x-initial",      "caf\xc3\xa9",
        "grpc-x",         "reserved", NULL};
    peer_open(&peer, &config);
    for (uint32_t id = 1; id < 9; id += 2) { // HPACK's table makes the later ones repeats
        request(id, ECHO, more);
        peer_message(&peer, id, END_STREAM, "x", 1);
        peer_pump(&peer);
        peer_assert_status(&peer, id, "0");
        assert_string_equal(peer_seen(&peer, id)->metadata,
                            "x-initial: one\nx-initial: two\nx-trailing-bin: q6ur\n"
                            "x-trailing-bin: q6s\nx-trailing-bin: qw\n");
    }
    // Another method's fields are remembered in between.
    peer_request(&peer, 9, 0, UNARY, NULL, NULL);
    peer_message(&peer, 9, END_STREAM, "x", 1);
    request(11, ECHO, more);
    peer_message(&peer, 11, END_STREAM, "x", 1);
    peer_request(&peer, 13, 0, UNARY, NULL, NULL);
    peer_message(&peer, 13, END_STREAM, "x", 1);
    peer_pump(&peer);
    assert_string_equal(peer_seen(&peer, 11)->metadata, peer_seen(&peer, 1)->metadata);
    for (uint32_t id = 9; id < 15; id += 2)
        peer_assert_status(&peer, id, "0");
    peer_close(&peer);
}

// In Trailers-Only it would be trailing.
static void initial_metadata_comes_before_a_status_without_reply(void **state)
{
    (void)state;
    static const char *const more[] = {"x-initial", "one", "x-trailing-bin", "q6ur", NULL};
    peer_open(&peer, &config);
    request(1, ECHO, more);
    peer_message(&peer, 1, 0, "f", 1); // with the client's side still open
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "10");
    struct seen *seen = peer_seen(&peer, 1);
    assert_int_equal(seen->headers, 2);
    assert_int_equal(seen->data_frames, 0);
    assert_string_equal(seen->metadata, "x-initial: one\nx-trailing-bin: q6ur\n");
    assert_true(seen->reset_after_end);
    request(3, ECHO, (const char *const[]){"x-trailing-bin", "q6ur", NULL});
    peer_message(&peer, 3, END_STREAM, "f", 1);
    peer_pump(&peer);
    assert_int_equal(peer_seen(&peer, 3)->headers, 1);
    peer_close(&peer);
}

static void metadata_too_large_for_the_client_is_left_out(void **state)
{
    (void)state;
    static const char *const more[] = {
        "x-initial", "one", "x-trailing-bin", "q6ur", "x-trailing-bin", "q6s", NULL};
    peer_open(&peer, &config);
    peer_setting(&peer, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 192 + 50 + 3);
    request(1, ECHO, more);
    peer_message(&peer, 1, END_STREAM, "x", 1);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    assert_string_equal(peer_seen(&peer, 1)->metadata, "x-initial: one\nx-trailing-bin: q6ur\n");
    peer_close(&peer);
}

// A message that came compressed, or that goes so, has flag 1.
static void message(uint32_t id, uint8_t flag, const void *bytes, size_t len)
{
    uint8_t framed[256];
    assert_true(len + 5 <= sizeof(framed));
    edge_framing_prefix(framed, (uint32_t)len);
    framed[0] = flag;
    memcpy(framed + 5, bytes, len);
    peer_frame(&peer, DATA, END_STREAM, id, framed, len + 5);
}

static void messages_may_be_compressed_both_ways(void **state)
{
    (void)state;
    static const struct {
        const char *encoding, *accepts;
        bool compressed;
        const char *text;
        const char *status;
        const char *reply_encoding;
        bool reply_compressed;
    } rows[] = {
        {"gzip", "identity,gzip", true, "zip", "0", "gzip", true},
        {"gzip", "identity,gzip", true, "plain", "0", "gzip", false},
        {"gzip", "identity,gzip", false, "zip", "0", "gzip", true},
        {"gzip", "identity", true, "zip", "0", "", false},
        {"identity", "identity, deflate , gzip", false, "zip", "0", "gzip", true},
        {"identity", "gzip", true, "zip", "13", "gzip", false},
    };
    static struct edge_gzip gzip;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const more[] = {"grpc-encoding", rows[i].encoding, "grpc-accept-encoding",
                                    rows[i].accepts, NULL};
        const char *text = rows[i].text;
        peer_open(&peer, &config);
        request(1, ECHO, more);
        assert_int_equal(edge_gzip_deflate(&gzip, (const uint8_t *)text, strlen(text)), 0);
        if (rows[i].compressed)
            message(1, 1, edge_buffer_head(&gzip.packed), gzip.packed.len);
        else
            message(1, 0, text, strlen(text));
        peer_pump(&peer);
        peer_assert_status(&peer, 1, rows[i].status);
        struct seen *seen = peer_seen(&peer, 1);
        assert_string_equal(seen->grpc_encoding, rows[i].reply_encoding);
        if (strcmp(rows[i].status, "0") == 0) {
            const uint8_t *data = edge_buffer_head(&seen->data);
            const uint8_t *reply = data + 5;
            size_t len = seen->data.len - 5;
            assert_int_equal(data[0], rows[i].reply_compressed);
            assert_int_equal(data[4], len);
            if (rows[i].reply_compressed) {
                assert_int_equal(edge_gzip_inflate(&gzip, reply, len, 100), 0);
                reply = edge_buffer_head(&gzip.plain);
                len = gzip.plain.len;
            }
            assert_int_equal(len, strlen(text) + 1);
            assert_int_equal(reply[0], rows[i].compressed ? '!' : '.');
            assert_memory_equal(reply + 1, text, len - 1);
        }
        peer_close(&peer);
    }
    edge_gzip_free(&gzip);
}

static void a_compressed_message_is_limited_as_it_grows(void **state)
{
    (void)state;
    static const char *const more[] = {"grpc-encoding", "gzip", NULL};
    const struct edge_h2_config small = {.tables = tables, .max_message = 1000};
    static struct edge_gzip gzip;
    static const uint8_t zeros[1001];
    peer_open(&peer, &small);
    for (uint32_t id = 1; id < 5; id += 2) {
        request(id, ECHO, more);
        assert_int_equal(edge_gzip_deflate(&gzip, zeros, id == 1 ? 1000 : 1001), 0);
        message(id, 1, edge_buffer_head(&gzip.packed), gzip.packed.len);
    }
    request(5, ECHO, more);
    message(5, 1, "no gzip", 7);
    request(7, ECHO, more);
    message(7, 1, "", 0);
    peer_pump(&peer);
    peer_assert_status(&peer, 1, "0");
    peer_assert_status(&peer, 3, "8");
    peer_assert_status(&peer, 5, "13");
    peer_assert_status(&peer, 7, "13");
    peer_close(&peer);
    edge_gzip_free(&gzip);
}

static void tick(uint64_t now_ns)
{
    peer.now_ns = now_ns;
    edge_h2_session_tick(peer.session, now_ns);
    peer_pump(&peer);
}

static void replies_may_wait_for_their_time(void **state)
{
    (void)state;
    peer_open(&peer, &config);
    peer_request(&peer, 1, 0, SLEEP, NULL, NULL);
    peer_message(&peer, 1, END_STREAM, "", 0);
    peer_request(&peer, 3, 0, SLEEP, "grpc-timeout", "15m");
    peer_message(&peer, 3, END_STREAM, "", 0);
    peer_pump(&peer);
    assert_int_equal(edge_h2_session_due(peer.session), 1000 + 10000000);
    tick(10000999);
    assert_int_equal(peer_seen(&peer, 1)->data.len, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        tick(1000 + i * 10000000);
        assert_int_equal(peer_seen(&peer, 1)->data.len, 6 * i);
    }
    peer_assert_status(&peer, 1, "0");
    peer_assert_status(&peer, 3, "4"); // its deadline came first
    assert_int_equal(peer_seen(&peer, 3)->data.len, 6);
    assert_int_equal(edge_h2_session_due(peer.session), EDGE_H2_NEVER);
    peer_close(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_is_read_and_sent),
        cmocka_unit_test(initial_metadata_comes_before_a_status_without_reply),
        cmocka_unit_test(metadata_too_large_for_the_client_is_left_out),
        cmocka_unit_test(messages_may_be_compressed_both_ways),
        cmocka_unit_test(a_compressed_message_is_limited_as_it_grows),
        cmocka_unit_test(replies_may_wait_for_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
