// The byte protocols of USB meters, as pure functions.
#ifndef EDGE_POWER_METER_H
#define EDGE_POWER_METER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// RDTech UM24C, UM25C: one byte asks, 130 bytes answer, big-endian. There is no checksum: the frame
// ends in ff f1, and V x A must be W.
#define EDGE_UM25C_ASK   0xf0
#define EDGE_UM25C_FRAME 130

// 0 and microwatts; EDGE_ERR_FORMAT, EDGE_ERR_UNSUPPORTED (another model), with a message.
int edge_um25c_parse(const uint8_t frame[EDGE_UM25C_FRAME], uint64_t *power_uw,
                     struct edge_message *message);

// FNIRSI FNB48, FNB48S, FNB58, C1: HID reports of 64 bytes, the last a CRC-8 (polynomial 0x39,
// start 0x42) over bytes 1 to 62.
#define EDGE_FNIRSI_REPORT 64

uint8_t edge_fnirsi_crc(const uint8_t *bytes, size_t len);
// The report "aa <command> 00 ... <crc>".
void edge_fnirsi_command(uint8_t command, uint8_t report[EDGE_FNIRSI_REPORT]);
// The mean power of a report's four samples, which are 10 ms apart. 0 and microwatts; -EAGAIN: not
// a report of samples; EDGE_ERR_FORMAT with a message: broken.
int edge_fnirsi_parse(const uint8_t report[EDGE_FNIRSI_REPORT], uint64_t *power_uw,
                      struct edge_message *message);

#endif
