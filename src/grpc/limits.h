// What a peer may do to a connection, in one place. docs/security.md says which attack each limit
// answers, why it is as large as it is, and which test shows it; what a user may want to change is
// in struct edge_h2_config instead.
//
// Times are looked at by edge_h2_session_sweep(), and are exact to the time between two sweeps.
#ifndef EDGE_GRPC_LIMITS_H
#define EDGE_GRPC_LIMITS_H

// Bytes of a header list, as SETTINGS_MAX_HEADER_LIST_SIZE counts them: name + value + 32 each.
#define EDGE_LIMIT_HEADER_SOFT  16384u // more: the call is refused
#define EDGE_LIMIT_HEADER_HARD  65536u // more: the connection ends
#define EDGE_LIMIT_HEADER_COUNT 1000u

// Seconds until ...
#define EDGE_LIMIT_OPENING_S  10 // ... the first SETTINGS have come, the handshakes before included
#define EDGE_LIMIT_SETTINGS_S 20 // ... ours are acknowledged, from the start of the connection
#define EDGE_LIMIT_HEADERS_S  10 // ... a header block is whole
#define EDGE_LIMIT_NOTICE_S   1  // ... the PING of a graceful end is back

// A request that is not whole must get on in this time: by a message, or by that many bytes of one.
#define EDGE_LIMIT_REQUEST_S     60
#define EDGE_LIMIT_REQUEST_BYTES 65536u
// Replies that wait for the client's window must get on in this time by that many bytes.
#define EDGE_LIMIT_WINDOW_S     60
#define EDGE_LIMIT_WINDOW_BYTES 4096u

// Frames that a client has little need of: so many at once, and so many a second.
#define EDGE_LIMIT_RESETS_BURST     2000 // RST_STREAM that it sends
#define EDGE_LIMIT_RESETS_PER_S     500
#define EDGE_LIMIT_FAULTS_BURST     1000 // RST_STREAM for faults that it makes
#define EDGE_LIMIT_FAULTS_PER_S     100
#define EDGE_LIMIT_SETTINGS_BURST   100
#define EDGE_LIMIT_SETTINGS_PER_S   10
#define EDGE_LIMIT_EMPTY_DATA_BURST 1000
#define EDGE_LIMIT_EMPTY_DATA_PER_S 100

// Bytes that neither ask for something nor bring something: WINDOW_UPDATE, PRIORITY, frame headers,
// frames of unknown types. What does earns a client so many of them.
#define EDGE_LIMIT_OVERHEAD_BURST     131072u
#define EDGE_LIMIT_OVERHEAD_PER_S     16384u
#define EDGE_LIMIT_EARNED_PER_REQUEST 512u
#define EDGE_LIMIT_EARNED_PER_MESSAGE 64u
#define EDGE_LIMIT_EARNED_PER_IN      2u // for each byte of DATA that comes
#define EDGE_LIMIT_EARNED_PER_OUT     8u // for each so many bytes of DATA that go

#define EDGE_LIMIT_PING_STRIKES  2  // PINGs too early that are let pass (gRPC A8)
#define EDGE_LIMIT_PING_IDLE     24 // without calls, times the usual distance: 2 h for 5 min
#define EDGE_LIMIT_CONTINUATIONS 64 // frames of one header block

// Bytes that the calls of a connection may hold, in the largest messages; what a call holds up to
// EDGE_LIMIT_CALL_FREE is not counted.
#define EDGE_LIMIT_CALL_MESSAGES 16u
#define EDGE_LIMIT_CALL_FREE     32768u

// Stream identifiers of a connection that are used before it is ended: of 2^31, three quarters.
#define EDGE_LIMIT_STREAM_ID 0x60000000

#endif
