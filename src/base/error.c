#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int edge_fail(struct edge_message *message, int error, const char *format, ...)
{
    if (message != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof(message->text), format, args);
        va_end(args);
    }
    return error;
}

const char *edge_error_text(int error)
{
    if (error < 0 && error > -1000) {
        const char *text = strerrordesc_np(-error);
        return text != NULL ? text : "unknown system error";
    }
    switch (error) {
    case EDGE_ERR_PROTOCOL:
        return "the peer broke the protocol";
    case EDGE_ERR_CLOSED:
        return "the peer closed the connection";
    case EDGE_ERR_FORMAT:
        return "malformed input";
    case EDGE_ERR_USAGE:
        return "wrong usage";
    case EDGE_ERR_LIMIT:
        return "a limit would be exceeded";
    case EDGE_ERR_UNSUPPORTED:
        return "not supported here";
    case EDGE_ERR_NOT_FOUND:
        return "not found";
    case EDGE_ERR_FAILED:
        return "failed";
    case EDGE_ERR_TLS:
        return "TLS failed";
    default:
        return error >= 0 ? "success" : "unknown error";
    }
}
