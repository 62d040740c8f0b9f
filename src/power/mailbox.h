// The Raspberry Pi firmware's property mailbox: what only the firmware knows about clock,
// throttling and the Pi 5's regulator. A property is a tag and a value buffer; the whole travels as
// one array of 32-bit words through an ioctl of /dev/vcio.
//
// Below a root that is not "", answers come from ROOT/dev/vcio.fixture instead:
//   property 00030046 05 00 05 00     the value that comes back, byte by byte
//   gencmd pmic_read_adc              the text that comes back: the lines below with "| "
//   | 3V3_SYS_A current(1)=0.06245952A
#ifndef EDGE_POWER_MAILBOX_H
#define EDGE_POWER_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define EDGE_MAILBOX_GET_THROTTLED      0x00030046u
#define EDGE_MAILBOX_GET_CLOCK_MEASURED 0x00030047u
#define EDGE_MAILBOX_GET_GENCMD_RESULT  0x00030080u
#define EDGE_MAILBOX_CLOCK_ARM          3u

#define EDGE_MAILBOX_TEXT  4096u                             // bytes of a gencmd text
#define EDGE_MAILBOX_WORDS (6u + EDGE_MAILBOX_TEXT / 4 + 1u) // of the longest message

struct edge_mailbox {
    int property_fd; // /dev/vcio, or -1
    int gencmd_fd;   // /dev/vcio_gencmd or /dev/vcio, or -1
    char *fixture;   // the file's text, or NULL
};

// 0; -ENOENT, -EACCES and other negated errnos with a message that says how to grant it.
int edge_mailbox_open(struct edge_mailbox *mailbox, const char *root, struct edge_message *message);
// Safe twice.
void edge_mailbox_close(struct edge_mailbox *mailbox);

// Asks for a property: `words[count]` goes out and comes back. 0; a negated errno, or
// EDGE_ERR_PROTOCOL when the firmware does not know the tag.
int edge_mailbox_property(struct edge_mailbox *mailbox, uint32_t tag, uint32_t *words,
                          size_t count);

// Runs one command of the firmware, as vcgencmd(1) does; its answer, terminated, in text[size].
// 0; a negated errno, or EDGE_ERR_FAILED when the firmware refuses.
int edge_mailbox_gencmd(struct edge_mailbox *mailbox, const char *command, char *text, size_t size);

// Throttle bits as the firmware counts them: 0 under-voltage, 1 clock capped, 2 throttled, 3 soft
// temperature limit, all now; 16 to 19 the same since boot. Errors as above.
int edge_mailbox_throttled(struct edge_mailbox *mailbox, uint32_t *bits);
// The clock of the ARM cores as the firmware measures it. Errors as above.
int edge_mailbox_measured_hz(struct edge_mailbox *mailbox, uint32_t *hz);

// The layout, as pure functions. Encoders return how many words they used.
size_t edge_mailbox_encode_property(uint32_t words[EDGE_MAILBOX_WORDS], uint32_t tag,
                                    const uint32_t *value, size_t count);
size_t edge_mailbox_encode_gencmd(uint32_t words[EDGE_MAILBOX_WORDS], const char *command);
// 0 or an error as above.
int edge_mailbox_decode_property(const uint32_t words[EDGE_MAILBOX_WORDS], uint32_t *value,
                                 size_t count);
int edge_mailbox_decode_gencmd(const uint32_t words[EDGE_MAILBOX_WORDS], char *text, size_t size);

#endif
