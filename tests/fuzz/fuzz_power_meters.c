// What meters send: any bytes are a reading, or an error with a message.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "power/meter.h"

static void check(int result, const struct edge_message *message, uint64_t power_uw)
{
    if (result < 0 && result != -EAGAIN && message->text[0] == '\0')
        abort();
    if (result == 0 && power_uw > UINT64_C(10000000000)) // 10 kW: no USB meter carries that
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint8_t frame[EDGE_UM25C_FRAME] = {0};
    struct edge_message message = {""};
    uint64_t power_uw = 0;
    memcpy(frame, bytes, len < sizeof frame ? len : sizeof frame);
    check(edge_um25c_parse(frame, &power_uw, &message), &message, power_uw);
    message.text[0] = '\0';
    check(edge_fnirsi_parse(frame, &power_uw, &message), &message, power_uw);
    // With the checksum set right the rest of it is reached.
    frame[0] = 0xaa;
    frame[EDGE_FNIRSI_REPORT - 1] = edge_fnirsi_crc(frame + 1, EDGE_FNIRSI_REPORT - 2);
    message.text[0] = '\0';
    check(edge_fnirsi_parse(frame, &power_uw, &message), &message, power_uw);
    return 0;
}
