// Replies of any service as a server sends them, in two pieces: where they are cut must not matter.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/verify.h"

static const struct edge_type_field fields[] = {
    {.number = 1, .kind = EDGE_TYPE_STRING, .utf8 = true, .name = "text"},
    {.number = 2, .kind = EDGE_TYPE_MESSAGE, .repeated = true, .name = "again"},
    {.number = 3, .kind = EDGE_TYPE_SINT32, .repeated = true, .name = "numbers"},
    {.number = 4, .kind = EDGE_TYPE_DOUBLE, .name = "real"},
    {.number = 7, .kind = EDGE_TYPE_GROUP, .name = "group"},
};

static struct edge_verify feed(const struct edge_verify_plan *plan, const uint8_t *bytes,
                               size_t len, size_t cut, bool packed)
{
    struct edge_verify verify = {.got_headers = true, .http_status = 200, .packed = packed};
    edge_verify_data(&verify, plan, 0, bytes, cut);
    edge_verify_data(&verify, plan, 0, bytes + cut, len - cut);
    return verify;
}

static uint64_t plain_bytes(const struct edge_verify *verify)
{
    return verify->odd != NULL ? verify->odd->packed.plain_bytes : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct edge_payload payload = {.kind = EDGE_CALL_BIDI};
    if (len < 2)
        return 0;
    struct edge_type_field own[5];
    const struct edge_type type = {.name = "t.T", .fields = own, .field_count = 5};
    memcpy(own, fields, sizeof(own));
    own[1].type = own[4].type = &type;
    struct edge_verify_plan plan = {.payload = &payload, .type = &type, .gzip = true};
    bool packed = (bytes[0] & 1) != 0;
    size_t cut = bytes[1] < len - 2 ? bytes[1] : len - 2;
    struct edge_verify whole = feed(&plan, bytes + 2, len - 2, 0, packed);
    struct edge_verify pieces = feed(&plan, bytes + 2, len - 2, cut, packed);
    if (whole.bad != pieces.bad || whole.wrong != pieces.wrong ||
        whole.messages != pieces.messages || plain_bytes(&whole) != plain_bytes(&pieces))
        abort();
    edge_verify_free(&whole);
    edge_verify_free(&pieces);
    return 0;
}
