#include "grpc/status.h"

#include <limits.h>

#include "base/error.h"

struct row {
    char digits[3];
    char name[20];
};

static const struct row rows[EDGE_STATUS_CODES] = {
    {"0", "OK"},
    {"1", "CANCELLED"},
    {"2", "UNKNOWN"},
    {"3", "INVALID_ARGUMENT"},
    {"4", "DEADLINE_EXCEEDED"},
    {"5", "NOT_FOUND"},
    {"6", "ALREADY_EXISTS"},
    {"7", "PERMISSION_DENIED"},
    {"8", "RESOURCE_EXHAUSTED"},
    {"9", "FAILED_PRECONDITION"},
    {"10", "ABORTED"},
    {"11", "OUT_OF_RANGE"},
    {"12", "UNIMPLEMENTED"},
    {"13", "INTERNAL"},
    {"14", "UNAVAILABLE"},
    {"15", "DATA_LOSS"},
    {"16", "UNAUTHENTICATED"},
};

static const struct row *find(int status)
{
    return &rows[status >= 0 && status < EDGE_STATUS_CODES ? status : EDGE_STATUS_UNKNOWN];
}

const char *edge_status_name(int status)
{
    return find(status)->name;
}

const char *edge_status_digits(int status)
{
    return find(status)->digits;
}

int edge_status_parse(const char *text, size_t len)
{
    if (len == 0)
        return EDGE_ERR_FORMAT;
    int status = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || status > (INT_MAX - 9) / 10)
            return EDGE_ERR_FORMAT;
        status = status * 10 + (text[i] - '0');
    }
    return status;
}
