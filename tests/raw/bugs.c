// Bugs that other servers had, as conversations. Those that are about a single request are rows of
// requests.c; those that are a client's are named at the end.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cases.h"

#define OK "200, grpc-status 0, 1 message"

// --- Uploads ---

// Writes a field's tag and the length of what is left behind it of `left` bytes. Returns how many
// bytes that took.
static size_t put_field(uint8_t *at, size_t left)
{
    size_t size = 1;
    while ((left - 1 - size) >> 7 * size > 0)
        size++;
    left -= 1 + size;
    *at++ = 0x0a;
    for (size_t i = 1; i <= size; i++, left >>= 7)
        *at++ = (uint8_t)((left & 0x7f) | (i < size ? 0x80u : 0));
    return 1 + size;
}

// The bytes of one HelloRequest of `len` bytes, filled up by its name, behind its prefix.
static uint8_t *long_message(size_t len)
{
    uint8_t *bytes = malloc(5 + len);
    if (bytes == NULL)
        abort();
    memset(bytes, 'n', 5 + len);
    bytes[0] = 0;
    edge_put_u32(bytes + 1, (uint32_t)len);
    size_t at = put_field(bytes + 5, len);
    put_field(bytes + 5 + at, len - at);
    return bytes;
}

// Sends DATA in frames of `piece` bytes and as much padding as is asked for, heeding the windows.
static void upload(struct raw *raw, uint32_t stream, const uint8_t *bytes, size_t len, size_t piece,
                   uint8_t padding)
{
    const size_t overhead = padding > 0 ? padding + 1u : 0;
    uint8_t frame[EDGE_FRAME_MAX_DEFAULT] = {padding};
    size_t charged = 0;
    RAW_WAIT(raw, raw->settings > 0)
    for (size_t at = 0; at < len;) {
        size_t take = len - at < piece ? len - at : piece;
        RAW_WAIT(raw, raw_room(raw, stream, charged) >= take + overhead)
        if (raw_room(raw, stream, charged) < take + overhead)
            return;
        memcpy(frame + (overhead > 0), bytes + at, take);
        memset(frame + (overhead > 0) + take, 0, padding);
        at += take;
        charged += take + overhead;
        raw_frame(raw, EDGE_FRAME_DATA,
                  (padding > 0 ? EDGE_FLAG_PADDED : 0u) | (at == len ? EDGE_FLAG_END_STREAM : 0u),
                  stream, frame, take + overhead);
    }
}

static void upload_call(struct raw *raw, uint32_t stream, size_t len, size_t piece, uint8_t padding)
{
    uint8_t *bytes = long_message(len);
    raw_request(raw, stream, 0, NULL);
    upload(raw, stream, bytes, 5 + len, piece, padding);
    free(bytes);
    raw_check_answer(raw, stream, OK);
    raw_check(raw, raw_answer(raw, stream)->bytes == 5 + len, "expected the %zu bytes back", len);
}

static void padding_is_returned(struct raw *raw)
{
    RAW_WAIT(raw, raw->settings > 0)
    // As many frames as it takes for their padding alone to fill the window.
    size_t len = 5 * (raw->initial_window / 256 + 100);
    upload_call(raw, 1, len, 5, 255);
}

static void message_beyond_window(struct raw *raw)
{
    RAW_WAIT(raw, raw->settings > 0)
    upload_call(raw, 1, 2 * (size_t)raw->initial_window + 2, EDGE_FRAME_MAX_DEFAULT, 0);
}

static void message_at_limit(struct raw *raw)
{
    upload_call(raw, 1, (size_t)4 << 20, EDGE_FRAME_MAX_DEFAULT, 0);
}

static void failing_calls_return_window(struct raw *raw)
{
    const char body[1000] = {0};
    uint32_t stream = 1;
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 50; i++, stream += 2) {
            raw_request(raw, stream, 0, ":path: /helloworld.Greeter/Nope");
            raw_message(raw, stream, EDGE_FLAG_END_STREAM, body, sizeof(body));
        }
        raw_wait(raw, stream - 2);
    }
    upload_call(raw, stream, 1000000, EDGE_FRAME_MAX_DEFAULT, 0);
}

static void cancelled_requests_return_window(struct raw *raw)
{
    const char body[16000] = {0};
    uint32_t stream = 1;
    RAW_WAIT(raw, raw->settings > 0)
    for (unsigned i = 0; i < 200; i++, stream += 2) {
        RAW_WAIT(raw, raw_room(raw, stream, 0) >= sizeof(body))
        raw_check(raw, raw_room(raw, stream, 0) >= sizeof(body), "no window after %u cancels", i);
        raw_request(raw, stream, 0, NULL);
        raw_frame(raw, EDGE_FRAME_DATA, 0, stream, body, sizeof(body));
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
    upload_call(raw, stream, 1000000, EDGE_FRAME_MAX_DEFAULT, 0);
}

// A few KiB that inflate to more than a message may have.
static void gzip_bomb(struct raw *raw)
{
    const size_t plain_len = (size_t)16 << 20;
    uint8_t packed[5 + 32768] = {1};
    void *plain = calloc(1, plain_len);
    z_stream stream = {.next_in = plain,
                       .avail_in = (uInt)plain_len,
                       .next_out = packed + 5,
                       .avail_out = sizeof(packed) - 5};
    // 15 + 16: the largest window, and gzip's header.
    if (plain == NULL || deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    const size_t len = sizeof(packed) - 5 - stream.avail_out;
    deflateEnd(&stream);
    free(plain);
    edge_put_u32(packed + 1, (uint32_t)len);
    raw_request(raw, 1, 0, "grpc-encoding: gzip");
    upload(raw, 1, packed, 5 + len, 8192, 0);
    raw_check_answer(raw, 1, "200, grpc-status 8 | 200, grpc-status 8, reset NO_ERROR");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

// --- Downloads ---

static void cancelled_streams_return_quota(struct raw *raw)
{
    uint32_t stream = 1;
    for (unsigned i = 0; i < 500 && raw->failure[0] == '\0'; i++, stream += 2) {
        raw_request(raw, stream, 0, RAW_MANY);
        raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
        RAW_WAIT(raw, raw_answer(raw, stream)->messages >= 2)
        raw_check(raw, raw_answer(raw, stream)->messages >= 2, "stream %u brings no message",
                  stream);
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
    raw_call(raw, stream, NULL);
    raw_check_answer(raw, stream, OK);
}

static void many_cancels(struct raw *raw)
{
    uint32_t stream = 1;
    for (; stream < 2000; stream += 2) {
        raw_request(raw, stream, 0, NULL);
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
    raw_call(raw, stream, NULL);
    raw_check_answer(raw, stream, OK);
}

static void shrunken_window(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 10000);
    raw_request(raw, 1, 0, RAW_MANY);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
    RAW_WAIT(raw, raw_answer(raw, 1)->bytes == 10000)
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 10); // the window is -9990 now
    raw_check(raw, raw_sync(raw), "the connection is gone");
    raw_window(raw, 1, 9990);
    raw_check(raw, raw_sync(raw), "the connection is gone");
    raw_check(raw, raw_answer(raw, 1)->bytes == 10000, "more came than the window allows");
    raw_window(raw, 1, 100000);
    raw_check_answer(raw, 1, "200, grpc-status 0, 1000 messages");
}

static void trailers_wait_for_data(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 1);
    raw_call(raw, 1, NULL);
    for (unsigned i = 1; i < 12; i++) {
        RAW_WAIT(raw, raw_answer(raw, 1)->bytes == i)
        raw_check(raw, !raw_answer(raw, 1)->ended, "the trailers came after %u bytes", i);
        raw_window(raw, 1, 1);
    }
    raw_check_answer(raw, 1, OK);
}

static void reset_without_window(struct raw *raw)
{
    RAW_WAIT(raw, raw->settings > 0)
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0);
    uint32_t stream = 1;
    uint32_t rounds = 3 * (raw->max_streams < 200 ? raw->max_streams : 200);
    for (uint32_t i = 0; i < rounds; i++, stream += 2) {
        raw_call(raw, stream, NULL);
        RAW_WAIT(raw, raw_answer(raw, stream)->blocks == 1)
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, EDGE_WINDOW_DEFAULT);
    raw_call(raw, stream, NULL);
    raw_check_answer(raw, stream, OK);
    raw_check(raw, raw->refused == 0, "%u streams were refused", (unsigned)raw->refused);
}

// --- Frames of a request ---

static void empty_data_in_prefix(struct raw *raw)
{
    static const uint8_t message[12] = {0, 0, 0, 0, 7, 0x0a, 5, 0x0a, 3, 'r', 'a', 'w'};
    raw_request(raw, 1, 0, NULL);
    for (size_t i = 0; i < sizeof(message); i++) {
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, message + i, 1);
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, NULL, 0);
    }
    raw_frame(raw, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 1, NULL, 0);
    raw_check_answer(raw, 1, OK);
}

static void data_after_end(struct raw *raw)
{
    raw_request(raw, 1, EDGE_FLAG_END_STREAM, NULL);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
    raw_check_answer(raw, 1,
                     "200, grpc-status 12 | 200, grpc-status 12, reset STREAM_CLOSED | reset "
                     "STREAM_CLOSED | no answer");
    raw_sync(raw);
    raw_check(raw, raw_answer(raw, 1)->messages == 0, "the request was served");
}

static void reset_follows_trailers(struct raw *raw)
{
    raw_request(raw, 1, 0, ":path: /helloworld.Greeter/Nope");
    raw_wait(raw, 1);
    RAW_WAIT(raw, raw_answer(raw, 1)->reset)
    raw_check_answer(raw, 1, "200, grpc-status 12, reset NO_ERROR");
    raw_check(raw, raw_answer(raw, 1)->reset_after_end, "the reset overtook the trailers");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

static void block_split_everywhere(struct raw *raw)
{
    struct edge_buffer block = {0};
    raw_block(&block, NULL);
    const uint8_t *bytes = edge_buffer_head(&block);
    uint32_t stream = 1;
    for (size_t at = 0; at <= block.len; at++, stream += 2) {
        raw_frame(raw, EDGE_FRAME_HEADERS, 0, stream, bytes, at);
        raw_frame(raw, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, stream, bytes + at,
                  block.len - at);
        raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
        raw_check_answer(raw, stream, OK);
    }
    edge_buffer_free(&block);
}

// Each byte in a segment of its own, as far as the kernel lets that be.
static void byte_by_byte(struct raw *raw)
{
    struct edge_buffer block = {0};
    raw_block(&block, NULL);
    RAW_WAIT(raw, raw->settings > 0)
    raw_frame(raw, EDGE_FRAME_HEADERS, 0, 1, edge_buffer_head(&block), 10);
    raw_frame(raw, EDGE_FRAME_CONTINUATION, 0, 1, edge_buffer_head(&block) + 10, 0);
    raw_frame(raw, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 1, edge_buffer_head(&block) + 10,
              block.len - 10);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
    edge_buffer_free(&block);
    struct edge_buffer all = raw->out;
    raw->out = (struct edge_buffer){0};
    while (all.len > 0) {
        raw_put(raw, edge_buffer_head(&all), 1);
        edge_buffer_consume(&all, 1);
        RAW_WAIT(raw, raw->out.len == 0)
    }
    edge_buffer_free(&all);
    raw_check_answer(raw, 1, OK);
}

static void second_headers(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_request(raw, 1, 0, NULL);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
    raw_check_answer(raw, 1, "reset PROTOCOL_ERROR");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

static void trailers_of_the_client(struct raw *raw)
{
    struct edge_buffer block = {0};
    raw_block(&block, "-:method\n-:scheme\n-:path\n-:authority\n-content-type\n-te\nx-trailer: 1");
    raw_request(raw, 1, 0, NULL);
    raw_message(raw, 1, 0, raw_hello, sizeof(raw_hello));
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, 1,
              edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
    raw_check_answer(raw, 1, OK);
}

static void head_then_post(struct raw *raw)
{
    raw_request(raw, 1, EDGE_FLAG_END_STREAM, ":method: HEAD");
    raw_check_answer(raw, 1, "405, grpc-status 13");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

static void long_header_list(struct raw *raw)
{
    struct edge_buffer fields = {0};
    char line[1100];
    for (unsigned i = 0; i < 20; i++) {
        int len = snprintf(line, sizeof(line), "x-long-%u: %01024u\n", i, i);
        edge_buffer_append(&fields, line, (size_t)len);
    }
    edge_buffer_append(&fields, "", 1);
    struct edge_buffer block = {0};
    raw_block(&block, (const char *)edge_buffer_head(&fields));
    const uint8_t *bytes = edge_buffer_head(&block);
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_STREAM, 1, bytes, 16000);
    raw_frame(raw, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 1, bytes + 16000,
              block.len - 16000);
    raw_check_answer(raw, 1, "200, grpc-status 8 | 431, grpc-status 8");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
    edge_buffer_free(&fields);
    edge_buffer_free(&block);
}

// --- Limits and settings ---

static void open_streams(struct raw *raw, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        raw_request(raw, 2 * i + 1, 0, NULL);
}

static void streams_before_settings(struct raw *raw)
{
    raw_open(raw, false);
    RAW_WAIT(raw, raw->settings > 0)
    uint32_t max = raw->max_streams < 1500 ? raw->max_streams : 1500;
    open_streams(raw, max + 50);
    RAW_WAIT(raw, raw->refused == 50)
    raw_check(raw, raw->refused == 50, "expected 50 refused streams, found %u",
              (unsigned)raw->refused);
    for (uint32_t i = 0; i < max; i++)
        raw_message(raw, 2 * i + 1, EDGE_FLAG_END_STREAM, raw_hello, sizeof(raw_hello));
    for (uint32_t i = 0; i < max; i++)
        raw_check_answer(raw, 2 * i + 1, OK);
}

static void streams_after_settings(struct raw *raw)
{
    raw_check(raw, raw_sync(raw), "the connection is gone");
    open_streams(raw, raw->max_streams + 1);
    RAW_WAIT(raw, raw->goaways > 0)
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void pings_while_streaming(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 1200); // a hundred replies
    raw_request(raw, 1, 0, RAW_MANY);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
    for (unsigned i = 0; i < 9; i++) {
        uint64_t bytes = (i + 1) * 1200;
        RAW_WAIT(raw, raw_answer(raw, 1)->bytes == bytes)
        raw_check(raw, raw_sync(raw), "the connection is gone after %u PINGs", i);
        raw_window(raw, 1, 1200);
    }
    raw_window(raw, 1, 100000);
    raw_check_answer(raw, 1, "200, grpc-status 0, 1000 messages");
}

static void small_header_list(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_MAX_HEADER_LIST_SIZE, 200);
    raw_call(raw, 1, ":path: /helloworld.Greeter/Nope");
    raw_check_answer(raw, 1, "200, grpc-status 12");
    raw_check(raw, raw_answer(raw, 1)->grpc_message[0] == '\0',
              "a grpc-message that makes the list longer than 200");
}

static void header_table(struct raw *raw, uint32_t size)
{
    raw_setting(raw, EDGE_SETTING_HEADER_TABLE_SIZE, size);
    raw_call(raw, 1, NULL);
    RAW_WAIT(raw, raw_answer(raw, 1)->blocks > 0)
    raw_check(raw, (raw->first_of_block & 0xe0) == 0x20 || raw_answer(raw, 1)->blocks > 1,
              "expected a table size update, found %02x", raw->first_of_block);
    raw_check_answer(raw, 1, OK);
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

static void header_table_0(struct raw *raw)
{
    header_table(raw, 0);
}

static void header_table_1(struct raw *raw)
{
    header_table(raw, 1);
}

static void header_table_4095(struct raw *raw)
{
    header_table(raw, 4095);
}

static void reset_of_idle_stream(struct raw *raw)
{
    raw_reset(raw, 7, EDGE_H2_CANCEL);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void wrong_preface(struct raw *raw)
{
    raw_connect(raw);
    raw_put(raw, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 24);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed | closed");
}

const struct raw_case raw_bugs[] = {
    {"padding goes back to the window", "1: grpc-go#1077", "the echo", padding_is_returned},
    {"bodies of refused calls go back to the window", "2: grpclib#67",
     "a long message is served behind 2000 refused calls", failing_calls_return_window},
    {"bodies of cancelled calls go back to the window", "3: grpclib#217",
     "a long message is served behind 200 cancelled ones", cancelled_requests_return_window},
    {"a message of twice the window and 2", "4: linkerd#1013", "the echo", message_beyond_window},
    {"a message of exactly the limit", "5: dubbo#16443", "the echo", message_at_limit},
    {"INITIAL_WINDOW_SIZE shrinks on the way", "6: nghttp2#1680", "it goes on once there is window",
     shrunken_window},
    {"cancelled replies give their quota back", "7: grpc-go#632", "500 streams, each is served",
     cancelled_streams_return_quota},
    {"empty DATA between all bytes", "8: grpc-go#259", "the echo", empty_data_in_prefix},
    {"trailers before the half-close", "17, 18: grpc-go#834, #1852, grpc-java#2162, #5264",
     "RST_STREAM(NO_ERROR) behind them", reset_follows_trailers},
    {"DATA after HEADERS with END_STREAM", "19: grpc-go#2867", "is not served", data_after_end},
    {"a header block split at every byte", "21: qtap#300", "each is served",
     block_split_everywhere},
    {"HEADERS, HEADERS, DATA", "22: grpc/grpc#14175", "RST_STREAM(PROTOCOL_ERROR)", second_headers},
    {"trailers of a client", "RFC 9113, 8.1", "half-close", trailers_of_the_client},
    {"HEAD, then POST", "23: grpc/grpc#34721", "405, then the echo", head_then_post},
    {"too many streams before the SETTINGS are known", "24: grpc-dotnet#673",
     "50 refused, the others served", streams_before_settings},
    {"too many streams after that", "25: nghttp2#687", "GOAWAY(PROTOCOL_ERROR)",
     streams_after_settings},
    {"1000 cancels at once", "26: nghttp2#1984, grpc-node#2872", "the next call is served",
     many_cancels},
    {"PINGs while replies flow", "27: grpc-swift-2#5, grpc/grpc#17667", "no strike",
     pings_while_streaming},
    {"a small MAX_HEADER_LIST_SIZE", "29: temporal#3284", "trailers without grpc-message",
     small_header_list},
    {"a header list above the soft limit", "30: grpc-go#9414",
     "RESOURCE_EXHAUSTED, and the connection goes on", long_header_list},
    {"RST_STREAM without window", "33: grpc-go#2444", "no stream stays behind",
     reset_without_window},
    {"HEADER_TABLE_SIZE 0", "34: haproxy#1498", "a size update, and calls go on", header_table_0},
    {"HEADER_TABLE_SIZE 1", "34: haproxy#1498", "a size update, and calls go on", header_table_1},
    {"HEADER_TABLE_SIZE 4095", "34: nghttp2#396", "a size update, and calls go on",
     header_table_4095},
    {"a gzip bomb", "35: grpc-go#9114, tonic#2484", "RESOURCE_EXHAUSTED", gzip_bomb},
    {"a wrong preface", "36: nodejs/http2#142", "closed", wrong_preface},
    {"trailers wait for DATA", "37: nghttp2#269", "the echo, byte by byte, then trailers",
     trailers_wait_for_data},
    {"CONTINUATION byte by byte", "38: nghttp2 1.61 to 1.69", "the echo", byte_by_byte},
    {"RST_STREAM for an idle stream", "39: grpc/grpc#19655", "GOAWAY(PROTOCOL_ERROR)",
     reset_of_idle_stream},
};
const size_t raw_bugs_count = sizeof(raw_bugs) / sizeof(raw_bugs[0]);
