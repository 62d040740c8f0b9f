#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "power/meter.h"

static void put(uint8_t *bytes, unsigned count, uint32_t value)
{
    while (count-- > 0) {
        bytes[count] = (uint8_t)value;
        value >>= 8;
    }
}

static void make_um(uint8_t frame[EDGE_UM25C_FRAME], uint32_t model, uint32_t volt, uint32_t ampere,
                    uint32_t milliwatt)
{
    memset(frame, 0, EDGE_UM25C_FRAME);
    put(frame, 2, model);
    put(frame + 2, 2, volt);
    put(frame + 4, 2, ampere);
    put(frame + 6, 4, milliwatt);
    put(frame + 128, 2, 0xfff1);
}

static void um_models_differ_in_their_digits(void **state)
{
    (void)state;
    uint8_t frame[EDGE_UM25C_FRAME];
    uint64_t power_uw;
    struct edge_message message;
    make_um(frame, 0x09c9, 5123, 6500, 3329); // 5.123 V, 0.65 A
    assert_int_equal(edge_um25c_parse(frame, &power_uw, &message), 0);
    assert_int_equal(power_uw, 3329000);
    make_um(frame, 0x0963, 512, 650, 3328); // 5.12 V, 0.65 A
    assert_int_equal(edge_um25c_parse(frame, &power_uw, &message), 0);
    assert_int_equal(power_uw, 3328000);
    make_um(frame, 0x0d4c, 512, 650, 3328); // UM34C has a checksum
    assert_int_equal(edge_um25c_parse(frame, &power_uw, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "0d4c"));
}

static void broken_um_frames_are_refused(void **state)
{
    (void)state;
    uint8_t frame[EDGE_UM25C_FRAME];
    uint64_t power_uw;
    struct edge_message message;
    make_um(frame, 0x09c9, 5123, 6500, 3329);
    frame[129] ^= 1;
    assert_int_equal(edge_um25c_parse(frame, &power_uw, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "ff f1"));
    make_um(frame, 0x09c9, 5123, 6500, 33290);
    assert_int_equal(edge_um25c_parse(frame, &power_uw, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "is not 33.290 W"));
}

// The check value of a CRC, and the commands of the protocol, which end in their own.
static void fnirsi_crc(void **state)
{
    (void)state;
    static const struct {
        uint8_t command, crc;
    } known[] = {{0x81, 0x8e}, {0x82, 0x96}, {0x83, 0x9e}};
    assert_int_equal(edge_fnirsi_crc((const uint8_t *)"123456789", 9), 0x4b);
    for (size_t i = 0; i < 3; i++) {
        uint8_t report[EDGE_FNIRSI_REPORT];
        edge_fnirsi_command(known[i].command, report);
        assert_int_equal(report[0], 0xaa);
        assert_int_equal(report[1], known[i].command);
        assert_int_equal(report[2], 0);
        assert_int_equal(report[63], known[i].crc);
    }
}

static void little(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void fnirsi_samples_are_averaged(void **state)
{
    (void)state;
    uint8_t report[EDGE_FNIRSI_REPORT];
    uint64_t power_uw;
    struct edge_message message;
    edge_fnirsi_command(0x04, report);
    for (unsigned i = 0; i < 4; i++) {
        little(report + 2 + 15 * (size_t)i, 500000);           // 5 V
        little(report + 6 + 15 * (size_t)i, 100000 * (i + 1)); // 1 to 4 A
    }
    report[63] = edge_fnirsi_crc(report + 1, 62);
    assert_int_equal(edge_fnirsi_parse(report, &power_uw, &message), 0);
    assert_int_equal(power_uw, 12500000);
    report[20] ^= 0x10;
    assert_int_equal(edge_fnirsi_parse(report, &power_uw, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "broken"));
    little(report + 2, 9900000); // 99 V
    report[63] = edge_fnirsi_crc(report + 1, 62);
    assert_int_equal(edge_fnirsi_parse(report, &power_uw, &message), EDGE_ERR_LIMIT);
    edge_fnirsi_command(0x03, report); // something else
    assert_int_equal(edge_fnirsi_parse(report, &power_uw, &message), -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(um_models_differ_in_their_digits),
        cmocka_unit_test(broken_um_frames_are_refused),
        cmocka_unit_test(fnirsi_crc),
        cmocka_unit_test(fnirsi_samples_are_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
