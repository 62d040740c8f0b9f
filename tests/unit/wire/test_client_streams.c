#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "wire/client_peer.h"

static void honours_max_concurrent_streams(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    struct bytes bytes = {.len = 0};
    const struct edge_setting one = {EDGE_SETTING_MAX_CONCURRENT_STREAMS, 1};
    put_settings(&bytes, &one, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    assert_non_null(stream);
    assert_null(edge_client_open(&owner.client));
    edge_client_close(&owner.client, stream, EDGE_H2_CANCEL);
    assert_non_null(edge_client_open(&owner.client));
    edge_client_free(&owner.client);
}

static void skips_busy_records_and_ends_of_ids(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, RING);
    assert_null(edge_client_open(&owner.client)); // every record is in use
    // Only the record of stream 5 is free: its next id is 5 + 2 * RING * k.
    edge_client_close(&owner.client, edge_client_stream(&owner.client, 5), EDGE_H2_CANCEL);
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    assert_non_null(stream);
    assert_int_equal(stream->id % (2 * RING), 5);
    assert_true(stream->id > 2 * RING);
    assert_null(edge_client_stream(&owner.client, 5));

    edge_client_close(&owner.client, edge_client_stream(&owner.client, 15), EDGE_H2_CANCEL);
    owner.client.next_id = EDGE_STREAM_ID_MAX;
    assert_false(edge_client_exhausted(&owner.client));
    assert_non_null(edge_client_open(&owner.client));
    assert_true(edge_client_exhausted(&owner.client));
    assert_false(edge_client_can_open(&owner.client));
    edge_client_free(&owner.client);
}

static void send_windows(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    struct edge_client *client = &owner.client;
    struct edge_client_stream *stream = edge_client_open(client);
    assert_int_equal(edge_client_room(client, stream), EDGE_FRAME_MAX_DEFAULT);
    struct edge_buffer out = {0};
    uint8_t *at = edge_client_data(client, stream, &out, 1000, false);
    memset(at, 'x', 1000);
    assert_int_equal(out.len, 1009);
    assert_int_equal(client->send_window, EDGE_WINDOW_DEFAULT - 1000);
    assert_int_equal(stream->send_window, EDGE_WINDOW_DEFAULT - 1000);

    // A smaller initial window makes the stream's negative (section 6.9.2).
    struct bytes bytes = {.len = 0};
    struct edge_setting tiny[] = {{EDGE_SETTING_INITIAL_WINDOW_SIZE, 1},
                                  {EDGE_SETTING_MAX_FRAME_SIZE, 20000}};
    put_settings(&bytes, tiny, 2);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(stream->send_window, 1 - 1000);
    assert_int_equal(edge_client_room(client, stream), 0);
    assert_int_equal(edge_client_open(client)->send_window, 1);
    bytes.len = 0;
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, stream->id, 1001);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(edge_client_room(client, stream), 2);
    edge_client_data(client, stream, &out, 2, true);
    assert_int_equal(edge_client_room(client, stream), 0);
    assert_true(stream->sent_end);

    bytes.len = 0;
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 1u << 20);
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, stream->id, 1u << 20);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(edge_client_room(client, stream), 20000); // the new MAX_FRAME_SIZE
    edge_buffer_free(&out);
    edge_client_free(client);
}

static void gives_windows_back_at_half(void **state)
{
    (void)state;
    struct owner owner;
    owner_init_windows(&owner, 1000, EDGE_WINDOW_DEFAULT);
    open_streams(&owner, 1);
    expect_sent(&owner, "PREFACE SETTINGS/0 SETTINGS/0:ack ");
    static const uint8_t zeros[16384];
    struct bytes bytes = {.len = 0};
    put_headers(&bytes, 1);
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 499);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "");
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "WINDOW_UPDATE/1:500 ");
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 1001);
    assert_int_equal(receive(&owner, &bytes), EDGE_ERR_PROTOCOL);
    expect_sent(&owner, "GOAWAY/0:FLOW_CONTROL_ERROR ");
    edge_client_free(&owner.client);
}

// Bytes of streams that are gone count against the connection's window all the same.
static void counts_data_of_closed_streams(void **state)
{
    (void)state;
    struct owner owner;
    owner_init_windows(&owner, 0, EDGE_WINDOW_DEFAULT);
    open_streams(&owner, 1);
    struct bytes bytes = {.len = 0};
    put_headers(&bytes, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    edge_client_close(&owner.client, edge_client_stream(&owner.client, 1), EDGE_H2_CANCEL);
    expect_sent(&owner, "PREFACE SETTINGS/0 SETTINGS/0:ack RST_STREAM/1:CANCEL ");
    static const uint8_t zeros[16384];
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 16384);
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 16384);
    put_trailers(&bytes, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "WINDOW_UPDATE/0:32768 ");
    edge_client_free(&owner.client);
}

static void early_end_resets_the_request(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    struct edge_buffer out = {0};
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    edge_client_headers(&owner.client, stream, &out, status_200, 1, false);
    struct bytes bytes = {.len = 0};
    put_trailers(&bytes, 1); // trailers-only, before our body was sent
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_string_equal(owner.log, "headers 1 t=v\nend 1\n");
    expect_sent(&owner, "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 SETTINGS/0:ack "
                        "RST_STREAM/1:CANCEL ");
    edge_buffer_free(&out);
    edge_client_free(&owner.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honours_max_concurrent_streams),
        cmocka_unit_test(skips_busy_records_and_ends_of_ids),
        cmocka_unit_test(send_windows),
        cmocka_unit_test(gives_windows_back_at_half),
        cmocka_unit_test(counts_data_of_closed_streams),
        cmocka_unit_test(early_end_resets_the_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
