// JSON of a user into a payload. What is accepted must verify against itself: the reply made for a
// request is the reply that its bytes decode to.
#include <stdint.h>
#include <stdlib.h>

#include "load/payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char *const calls[] = {"SayHello", "SayHellos", "SayHelloCS", "SayHelloBidi",
                                        "hellobench.Greeter/SaySomething"};
    if (len < 1)
        return 0;
    const char *call = calls[bytes[0] % 5];
    struct edge_payload payload;
    struct edge_message message = {""};
    int error = edge_payload_from_json(&payload, "fuzz", (const char *)bytes + 1, len - 1, call, 3,
                                       &message);
    if (error < 0) {
        if (message.text[0] == '\0')
            abort();
        return 0;
    }
    const struct edge_template *reply = &payload.reply;
    if (payload.request.vary_at + payload.request.vary_len > payload.request.len ||
        reply->vary_at + reply->vary_len > reply->len)
        abort();
    if (!edge_payload_same_meaning(&payload, reply->bytes, reply->len, reply->bytes, reply->len))
        abort();
    edge_payload_free(&payload);
    return 0;
}
