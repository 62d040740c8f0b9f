// RFC 9113, 8.1 to 8.3: which requests are malformed. Each row is judged by the session under test
// and by nghttp2 with its own rules on, which must agree with the row.

#include "cmocka_headers.h"

#include <string.h>

#include "grpc/h2_peer.h"

#define POST      ":method", "POST"
#define HTTP      ":scheme", "http"
#define ROUTE     ":path", UNARY
#define AUTHORITY ":authority", "test"
#define TYPE      "content-type", "application/grpc"
#define GOOD      POST, HTTP, ROUTE, AUTHORITY, TYPE, "te", "trailers"

enum { OPEN, ENDS }; // whether HEADERS carry END_STREAM

static const struct row {
    const char *name;
    bool malformed;
    const char *fields[24];
    int data;                // bytes of DATA, with END_STREAM unless trailers follow; 0: none
    const char *trailers[8]; // none: none
    int trailers_end;
} rows[] = {
    {"plain", false, {GOOD}, 0, {NULL}, 0},
    {"one message", false, {GOOD}, 8, {NULL}, 0},
    {"https", false, {POST, ":scheme", "https", ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"scheme in capitals", false, {POST, ":scheme", "HTTP", ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"other order", false, {AUTHORITY, ROUTE, HTTP, POST, TYPE}, 8, {NULL}, 0},
    {"host in place of :authority", false, {POST, HTTP, ROUTE, TYPE, "host", "a"}, 8, {NULL}, 0},
    {"host and :authority", false, {GOOD, "host", "a"}, 8, {NULL}, 0},
    {"any name", false, {GOOD, "x-1!#$%&'*+.^_`|~", "v"}, 8, {NULL}, 0},
    {"empty value", false, {GOOD, "x", ""}, 8, {NULL}, 0},
    {"value with blanks", false, {GOOD, "x", "a b\tc"}, 8, {NULL}, 0},
    {"value beyond ASCII", false, {GOOD, "x", "\xc3\xa4"}, 8, {NULL}, 0},
    {"same name twice", false, {GOOD, "x", "1", "x", "2"}, 8, {NULL}, 0},
    {"te in capitals", false, {POST, HTTP, ROUTE, AUTHORITY, TYPE, "te", "Trailers"}, 8, {NULL}, 0},

    // 8.3, 8.3.1: pseudo-header fields.
    {"no fields", true, {NULL}, 8, {NULL}, 0},
    {"no :method", true, {HTTP, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"no :scheme", true, {POST, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"no :path", true, {POST, HTTP, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"neither :authority nor host", true, {POST, HTTP, ROUTE, TYPE}, 8, {NULL}, 0},
    {":method twice", true, {POST, POST, HTTP, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {":scheme twice", true, {POST, HTTP, HTTP, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {":path twice", true, {POST, HTTP, ROUTE, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {":authority twice", true, {POST, HTTP, ROUTE, AUTHORITY, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"host twice", true, {GOOD, "host", "a", "host", "a"}, 8, {NULL}, 0},
    {"empty :method", true, {":method", "", HTTP, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"empty :scheme", true, {POST, ":scheme", "", ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"empty :path", true, {POST, HTTP, ":path", "", AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"empty :authority", true, {POST, HTTP, ROUTE, ":authority", "", TYPE}, 8, {NULL}, 0},
    {"pseudo behind regular", true, {POST, HTTP, AUTHORITY, TYPE, ROUTE}, 8, {NULL}, 0},
    {"pseudo behind host", true, {POST, HTTP, "host", "a", ROUTE}, 8, {NULL}, 0},
    {"unknown pseudo", true, {POST, HTTP, ROUTE, AUTHORITY, ":x", "y", TYPE}, 8, {NULL}, 0},
    {":status", true, {POST, HTTP, ROUTE, AUTHORITY, ":status", "200", TYPE}, 8, {NULL}, 0},
    {":protocol", true, {POST, HTTP, ROUTE, AUTHORITY, ":protocol", "p", TYPE}, 8, {NULL}, 0},
    {"method of no token", true, {":method", "PO ST", HTTP, ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"scheme of no letter", true, {POST, ":scheme", "1http", ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"scheme with a blank", true, {POST, ":scheme", "ht tp", ROUTE, AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"path with a blank", true, {POST, HTTP, ":path", "/a b", AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"path without slash", true, {POST, HTTP, ":path", "a/b", AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"path *", true, {POST, HTTP, ":path", "*", AUTHORITY, TYPE}, 8, {NULL}, 0},
    {"path * of OPTIONS",
     false,
     {":method", "OPTIONS", HTTP, ":path", "*", AUTHORITY, TYPE},
     8,
     {NULL},
     0},
    {"path of another scheme",
     false,
     {POST, ":scheme", "ftp", ":path", "a", AUTHORITY, TYPE},
     8,
     {NULL},
     0},
    {"authority with a blank", true, {POST, HTTP, ROUTE, ":authority", "a b", TYPE}, 8, {NULL}, 0},
    {"host with a blank", true, {POST, HTTP, ROUTE, TYPE, "host", "a b"}, 8, {NULL}, 0},
    {"scheme of http's length",
     false,
     {POST, ":scheme", "htt", ROUTE, AUTHORITY, TYPE},
     8,
     {NULL},
     0},

    // 8.5
    {"CONNECT", false, {":method", "CONNECT", AUTHORITY}, 8, {NULL}, 0},
    {"CONNECT, content-length",
     false,
     {":method", "CONNECT", AUTHORITY, "content-length", "1"},
     8,
     {NULL},
     0},
    {"CONNECT to a path", true, {":method", "CONNECT", ROUTE, AUTHORITY}, 8, {NULL}, 0},
    {"CONNECT with a scheme", true, {":method", "CONNECT", HTTP, AUTHORITY}, 8, {NULL}, 0},
    {"CONNECT to nobody", true, {":method", "CONNECT", "host", "a"}, 8, {NULL}, 0},

    // 8.2: names and values.
    {"capital in a name", true, {GOOD, "X-y", "1"}, 8, {NULL}, 0},
    {"capital in a pseudo name", true, {":Method", "POST", HTTP, ROUTE, AUTHORITY}, 8, {NULL}, 0},
    {"blank in a name", true, {GOOD, "x y", "1"}, 8, {NULL}, 0},
    {"colon in a name", true, {GOOD, "x:y", "1"}, 8, {NULL}, 0},
    {"empty name", true, {GOOD, "", "1"}, 8, {NULL}, 0},
    {"name beyond ASCII", true, {GOOD, "x\xc3\xa4", "1"}, 8, {NULL}, 0},
    {"newline in a value", true, {GOOD, "x", "a\nb"}, 8, {NULL}, 0},
    {"return in a value", true, {GOOD, "x", "a\rb"}, 8, {NULL}, 0},
    {"control in a value", true, {GOOD, "x", "a\x01"}, 8, {NULL}, 0},
    {"value begins with a blank", true, {GOOD, "x", " a"}, 8, {NULL}, 0},
    {"value ends with a blank", true, {GOOD, "x", "a "}, 8, {NULL}, 0},
    {"value ends with a tab", true, {GOOD, "x", "a\t"}, 8, {NULL}, 0},
    {"newline in content-type",
     true,
     {POST, HTTP, ROUTE, AUTHORITY, "content-type", "a\n"},
     8,
     {NULL},
     0},

    // 8.2.2: connection-specific fields.
    {"connection", true, {GOOD, "connection", "close"}, 8, {NULL}, 0},
    {"keep-alive", true, {GOOD, "keep-alive", "1"}, 8, {NULL}, 0},
    {"proxy-connection", true, {GOOD, "proxy-connection", "close"}, 8, {NULL}, 0},
    {"transfer-encoding", true, {GOOD, "transfer-encoding", "chunked"}, 8, {NULL}, 0},
    {"upgrade", true, {GOOD, "upgrade", "h2c"}, 8, {NULL}, 0},
    {"te: gzip", true, {POST, HTTP, ROUTE, AUTHORITY, TYPE, "te", "gzip"}, 8, {NULL}, 0},
    {"te: trailers and more",
     true,
     {POST, HTTP, ROUTE, AUTHORITY, "te", "trailers, gzip"},
     8,
     {NULL},
     0},
    {"te: nothing", true, {POST, HTTP, ROUTE, AUTHORITY, TYPE, "te", ""}, 8, {NULL}, 0},

    // 8.1.1: content-length.
    {"content-length", false, {GOOD, "content-length", "8"}, 8, {NULL}, 0},
    {"content-length, zeros before", false, {GOOD, "content-length", "008"}, 8, {NULL}, 0},
    {"content-length of no body", false, {GOOD, "content-length", "0"}, 0, {NULL}, 0},
    {"content-length too small", true, {GOOD, "content-length", "7"}, 8, {NULL}, 0},
    {"content-length too large", true, {GOOD, "content-length", "9"}, 8, {NULL}, 0},
    {"content-length but no body", true, {GOOD, "content-length", "8"}, 0, {NULL}, 0},
    {"content-length, then trailers", false, {GOOD, "content-length", "8"}, 8, {"x", "y"}, ENDS},
    {"short of it at trailers", true, {GOOD, "content-length", "9"}, 8, {"x", "y"}, ENDS},
    {"content-length twice",
     true,
     {GOOD, "content-length", "8", "content-length", "8"},
     8,
     {NULL},
     0},
    {"content-length of no number", true, {GOOD, "content-length", "8a"}, 8, {NULL}, 0},
    {"negative content-length", true, {GOOD, "content-length", "-8"}, 8, {NULL}, 0},
    {"empty content-length", true, {GOOD, "content-length", ""}, 8, {NULL}, 0},
    {"content-length of 2^63", true, {GOOD, "content-length", "9223372036854775808"}, 8, {NULL}, 0},
    {"content-length of 2^64 + 8",
     true,
     {GOOD, "content-length", "18446744073709551624"},
     8,
     {NULL},
     0},

    // 8.1: trailers.
    {"trailers", false, {GOOD}, 8, {"x", "y"}, ENDS},
    {"trailers without body", false, {GOOD}, 0, {"x", "y"}, ENDS},
    {"trailers that do not end", true, {GOOD}, 8, {"x", "y"}, OPEN},
    {"pseudo in trailers", true, {GOOD}, 8, {":path", "/"}, ENDS},
    {"pseudo in trailers of CONNECT", true, {":method", "CONNECT", AUTHORITY}, 8, {HTTP}, ENDS},
    {"capital in trailers", true, {GOOD}, 8, {"X", "y"}, ENDS},
    {"connection in trailers", true, {GOOD}, 8, {"connection", "close"}, ENDS},
    {"newline in trailers", true, {GOOD}, 8, {"x", "a\nb"}, ENDS},
    {"right length in trailers", false, {GOOD}, 8, {"content-length", "8"}, ENDS},
    {"wrong length in trailers", true, {GOOD}, 8, {"content-length", "7"}, ENDS},
    {"second length in trailers",
     true,
     {GOOD, "content-length", "8"},
     8,
     {"content-length", "8"},
     ENDS},
    {"second host in trailers", true, {GOOD, "host", "a"}, 8, {"host", "a"}, ENDS},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void add_row(struct peer *peer, uint32_t id, const struct row *row)
{
    uint8_t block[4096];
    bool trailers = row->trailers[0] != NULL;
    size_t len = peer_block(peer, block, sizeof(block), row->fields);
    peer_frame(peer, HEADERS, END_HEADERS | (row->data == 0 && !trailers ? END_STREAM : 0), id,
               block, len);
    if (row->data > 0) {
        static const uint8_t bytes[64] = {0, 0, 0, 0, 3, 'a', 'b', 'c'};
        peer_frame(peer, DATA, trailers ? 0 : END_STREAM, id, bytes, (size_t)row->data);
    }
    if (!trailers)
        return;
    len = peer_block(peer, block, sizeof(block), row->trailers);
    peer_frame(peer, HEADERS, END_HEADERS | (row->trailers_end == ENDS ? END_STREAM : 0), id, block,
               len);
}

// --- nghttp2's verdict ---

struct judge {
    uint32_t reset[16]; // by id / 2: 1 + code
};

static int on_frame_send(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    (void)ng;
    struct judge *judge = user_data;
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        judge->reset[frame->hd.stream_id / 2] = 1 + frame->rst_stream.error_code;
    return 0;
}

static void judge_bytes(struct judge *judge, const uint8_t *bytes, size_t len)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *ng;
    assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    assert_int_equal(nghttp2_session_server_new(&ng, callbacks, judge), 0);
    nghttp2_submit_settings(ng, NGHTTP2_FLAG_NONE, NULL, 0);
    assert_int_equal(nghttp2_session_mem_recv(ng, bytes, len), len);
    const uint8_t *out;
    while (nghttp2_session_mem_send(ng, &out) > 0)
        continue;
    nghttp2_session_del(ng);
    nghttp2_session_callbacks_del(callbacks);
}

// --- Both ---

static struct peer peer;

// The row alone, then behind requests that share its first fields, and twice: what is remembered of
// one request must not excuse another.
static void malformed_requests_are_reset(void **state)
{
    (void)state;
    static const struct row good = {"good", false, {GOOD}, 8, {NULL}, 0};
    const struct edge_h2_config config = {.window = 1 << 20};
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *const order[] = {&rows[i], &good, &good, &rows[i], &rows[i], &good};
        const uint32_t count = sizeof(order) / sizeof(order[0]);
        peer_open(&peer, &config);
        for (uint32_t k = 0; k < count; k++)
            add_row(&peer, 2 * k + 1, order[k]);
        struct judge judge = {{0}};
        judge_bytes(&judge, edge_buffer_head(&peer.in), peer.in.len);
        peer_pump(&peer);
        assert_int_equal(peer.error, 0);
        assert_int_equal(peer.goaways, 0);
        for (uint32_t k = 0; k < count; k++) {
            const struct seen *seen = peer_seen(&peer, 2 * k + 1);
            bool reset = seen->reset && seen->reset_code == NGHTTP2_PROTOCOL_ERROR;
            if (reset != order[k]->malformed || (reset && seen->headers > 0))
                fail_msg("%s: stream %u: %s", rows[i].name, 2 * k + 1,
                         reset ? "reset" : "not reset");
            if ((judge.reset[k] == 1 + NGHTTP2_PROTOCOL_ERROR) != order[k]->malformed)
                fail_msg("%s: nghttp2 differs on stream %u", rows[i].name, 2 * k + 1);
        }
        for (uint32_t k = 1; k < count; k++)
            if (order[k] == &good)
                peer_assert_status(&peer, 2 * k + 1, "0");
        peer_close(&peer);
    }
}

// Also when they come byte by byte.
static void cuts_change_nothing(void **state)
{
    (void)state;
    const struct edge_h2_config config = {.window = 1 << 20};
    for (size_t i = 0; i < ROWS; i++) {
        peer_open(&peer, &config);
        add_row(&peer, 1, &rows[i]);
        peer_pump_pieces(&peer, 1);
        const struct seen *seen = peer_seen(&peer, 1);
        bool reset = seen->reset && seen->reset_code == NGHTTP2_PROTOCOL_ERROR;
        if (reset != rows[i].malformed)
            fail_msg("%s", rows[i].name);
        peer_close(&peer);
    }
}

// --- Lists that share more or less with the one before ---

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

struct drawn {
    const char *fields[2 * 32];
    bool malformed;
    bool collect; // the path: COLLECT, else UNARY
};

static void draw_list(uint32_t *seed, struct drawn *drawn)
{
    static char large[2001];
    static const char *const regular[][2] = {
        {"a", "1"},       {"a", "2"},         {"b", "1"},    {"c", ""},
        {"large", large}, {"te", "trailers"}, {"host", "h"}, {"connection", "close"},
    };
    memset(large, 'l', sizeof(large) - 1);
    memset(drawn, 0, sizeof(*drawn));
    drawn->collect = draw(seed, 3) == 0;
    const char *const first[] = {POST,      HTTP, ":path", drawn->collect ? COLLECT : UNARY,
                                 AUTHORITY, TYPE};
    memcpy(drawn->fields, first, sizeof(first));
    size_t at = sizeof(first) / sizeof(first[0]);
    unsigned hosts = 0;
    unsigned larges = 0;
    for (uint32_t left = draw(seed, 20); left > 0; left--) {
        uint32_t choice = draw(seed, 40) < 39 ? draw(seed, 6) : 6 + draw(seed, 2);
        if (strcmp(regular[choice][0], "large") == 0 && ++larges > 3)
            continue;
        hosts += choice == 6;
        drawn->malformed = drawn->malformed || choice == 7 || hosts > 1;
        drawn->fields[at++] = regular[choice][0];
        drawn->fields[at++] = regular[choice][1];
    }
}

static void what_is_remembered_is_what_comes(void **state)
{
    (void)state;
    uint32_t seed = 1;
    static struct drawn drawn[100];
    unsigned malformed = 0;
    for (int round = 0; round < 20; round++) {
        peer_open(&peer, &(struct edge_h2_config){.window = 1 << 20});
        for (uint32_t i = 0; i < 100; i++) {
            uint8_t block[16384];
            draw_list(&seed, &drawn[i]);
            size_t len = peer_block(&peer, block, sizeof(block), drawn[i].fields);
            peer_frame(&peer, HEADERS, END_HEADERS, 2 * i + 1, block, len);
            peer_message(&peer, 2 * i + 1, END_STREAM, "x", 1);
        }
        peer_pump(&peer);
        assert_int_equal(peer.error, 0);
        for (uint32_t i = 0; i < 100; i++) {
            struct seen *seen = peer_seen(&peer, 2 * i + 1);
            assert_int_equal(seen->reset, drawn[i].malformed);
            malformed += drawn[i].malformed;
            if (drawn[i].malformed)
                continue;
            peer_assert_status(&peer, 2 * i + 1, "0");
            assert_int_equal(seen->data.len, 6);
            assert_int_equal(edge_buffer_head(&seen->data)[5], drawn[i].collect ? 1 : 'x');
        }
        peer_close(&peer);
    }
    assert_in_range(malformed, 100, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_requests_are_reset),
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(what_is_remembered_is_what_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
