// gRPC's interoperability cases, called with grpc-js: a client that nobody here wrote.
// usage: node client.js PROTO HOST:PORT [CA_FILE [NAME]]
//   PROTO    interop.proto
//   CA_FILE  certificate of the authority: TLS
//   NAME     the name that the server's certificate must have
//
// grpc-js compresses all that a channel sends, or nothing, and does not show whether a reply was
// compressed: the cases that need more are left to the C++ client.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const WAIT_MS = 30000; // far beyond what any case takes
const SIZES_IN = [27182, 8, 1828, 45904];
const SIZES_OUT = [31415, 9, 2653, 58979];
const INITIAL = 'x-grpc-test-echo-initial';
const TRAILING = 'x-grpc-test-echo-trailing-bin';
const SPECIAL = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';
const STATUS = grpc.status;

const [proto, address, caFile, name] = process.argv.slice(2);
if (address === undefined) {
  console.error('usage: node client.js PROTO HOST:PORT [CA_FILE [NAME]]');
  process.exit(2);
}
const types = grpc.loadPackageDefinition(loader.loadSync(proto, { keepCase: true })).grpc.testing;
const credentials = caFile === undefined
  ? grpc.credentials.createInsecure()
  : grpc.credentials.createSsl(fs.readFileSync(caFile));

function connect(Service, more) {
  const options = { 'grpc.use_local_subchannel_pool': 1, ...more };
  if (name !== undefined) {
    options['grpc.ssl_target_name_override'] = name;
    options['grpc.default_authority'] = name;
  }
  return new Service(address, credentials, options);
}

const plain = connect(types.TestService);
const gzip = connect(types.TestService, { 'grpc.default_compression_algorithm': 2 });
const none = connect(types.UnimplementedService);

// --- Requests ---

const zeros = (size) => ({ body: Buffer.alloc(size) });
const large = (more) => ({ response_size: 314159, payload: zeros(271828), ...more });
const ask = (sizes, payload = 0, more = {}) => ({
  response_parameters: sizes.map((size) => ({ size, ...more })), payload: zeros(payload),
});
const deadline = (ms = WAIT_MS) => ({ deadline: Date.now() + ms });

// --- Calls as promises ---

function unary(client, method, request, metadata = new grpc.Metadata()) {
  return new Promise((resolve, reject) => {
    const seen = {};
    const call = client[method](request, metadata, deadline(), (error, reply) => {
      seen.error = error;
      seen.reply = reply;
    });
    call.on('metadata', (initial) => { seen.initial = initial; });
    call.on('status', (status) => setImmediate(() => {
      seen.trailing = status.metadata;
      if (seen.error) reject(seen.error);
      else resolve(seen);
    }));
  });
}

// A stream of replies: next() gives the next one or null at the end, `status` how it ended.
class Replies {
  constructor(call) {
    this.call = call;
    this.waiting = [];
    this.came = [];
    call.on('metadata', (initial) => { this.initial = initial; });
    call.on('data', (reply) => this.give(reply));
    call.on('error', () => {}); // the status tells
    this.status = new Promise((resolve) => call.on('status', resolve));
    this.status.then(() => this.give(null));
  }

  give(reply) {
    if (this.waiting.length > 0) this.waiting.shift()(reply);
    else this.came.push(reply);
  }

  next() {
    if (this.came.length > 0) return Promise.resolve(this.came.shift());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async expectZeros(sizes) {
    for (const size of sizes) expectZeros(await this.next(), size);
  }

  async expectEnd(code = STATUS.OK, details = undefined) {
    assert.strictEqual(await this.next(), null, 'a reply more than expected');
    const status = await this.status;
    assert.strictEqual(status.code, code, `status ${status.code}: ${status.details}`);
    if (details !== undefined) assert.strictEqual(status.details, details);
    return status;
  }
}

function expectZeros(reply, size) {
  assert.notStrictEqual(reply, null, 'the stream ended early');
  const body = reply.payload.body;
  assert.ok(body.equals(Buffer.alloc(size)), `expected ${size} zero bytes, found ${body.length}`);
}

async function expectFails(code, promise, details) {
  const error = await promise.then(() => ({ code: STATUS.OK }), (found) => found);
  assert.strictEqual(error.code, code, `status ${error.code}: ${error.details}`);
  if (details !== undefined) assert.strictEqual(error.details, details);
}

function expectEcho(initial, trailing) {
  assert.deepStrictEqual(initial.get(INITIAL), ['test_initial_metadata_value']);
  assert.deepStrictEqual(trailing.get(TRAILING), [Buffer.from([0xab, 0xab, 0xab])]);
}

function echoed() {
  const metadata = new grpc.Metadata();
  metadata.set(INITIAL, 'test_initial_metadata_value');
  metadata.set(TRAILING, Buffer.from([0xab, 0xab, 0xab]));
  return metadata;
}

async function unaryLarge(client, more) {
  expectZeros((await unary(client, 'UnaryCall', large(more))).reply, 314159);
}

// --- Cases ---

const cases = {
  async empty_unary() {
    assert.deepStrictEqual((await unary(plain, 'EmptyCall', {})).reply, {});
  },
  large_unary: () => unaryLarge(plain),
  async client_compressed_unary() {
    const request = large({ expect_compressed: { value: true } });
    await expectFails(STATUS.INVALID_ARGUMENT, unary(plain, 'UnaryCall', request));
    await cases.client_compressed_unary_noprobe();
  },
  async client_compressed_unary_noprobe() {
    await unaryLarge(gzip, { expect_compressed: { value: true } });
    await unaryLarge(plain, { expect_compressed: { value: false } });
  },
  async server_compressed_unary() {
    await unaryLarge(plain, { response_compressed: { value: true } });
    await unaryLarge(plain, { response_compressed: { value: false } });
  },
  async client_streaming() {
    const sum = await new Promise((resolve, reject) => {
      const call = plain.StreamingInputCall(deadline(), (error, reply) =>
        (error ? reject(error) : resolve(reply.aggregated_payload_size)));
      SIZES_IN.forEach((size) => call.write({ payload: zeros(size) }));
      call.end();
    });
    assert.strictEqual(sum, 74922);
  },
  async server_streaming() {
    const replies = new Replies(plain.StreamingOutputCall(ask(SIZES_OUT), deadline()));
    await replies.expectZeros(SIZES_OUT);
    await replies.expectEnd();
  },
  async server_compressed_streaming() {
    const request = ask([31415, 92653]);
    request.response_parameters[0].compressed = { value: true };
    request.response_parameters[1].compressed = { value: false };
    const replies = new Replies(plain.StreamingOutputCall(request, deadline()));
    await replies.expectZeros([31415, 92653]);
    await replies.expectEnd();
  },
  async ping_pong() {
    const call = plain.FullDuplexCall(deadline());
    const replies = new Replies(call);
    for (let i = 0; i < SIZES_OUT.length; i++) {
      call.write(ask([SIZES_OUT[i]], SIZES_IN[i]));
      await replies.expectZeros([SIZES_OUT[i]]);
    }
    call.end();
    await replies.expectEnd();
  },
  async half_duplex() {
    const call = plain.HalfDuplexCall(deadline());
    const replies = new Replies(call);
    SIZES_OUT.forEach((size) => call.write(ask([size])));
    call.end();
    await replies.expectZeros(SIZES_OUT);
    await replies.expectEnd();
  },
  async empty_stream() {
    const call = plain.FullDuplexCall(deadline());
    call.end();
    await new Replies(call).expectEnd();
  },
  async custom_metadata() {
    const { initial, trailing } = await unary(plain, 'UnaryCall', large(), echoed());
    expectEcho(initial, trailing);
    const call = plain.FullDuplexCall(echoed(), deadline());
    const replies = new Replies(call);
    call.write(ask([314159], 271828));
    call.end();
    await replies.expectZeros([314159]);
    expectEcho(replies.initial, (await replies.expectEnd()).metadata);
  },
  async status_code_and_message() {
    const asked = { code: STATUS.UNKNOWN, message: 'test status message' };
    await expectFails(asked.code, unary(plain, 'UnaryCall', { response_status: asked }),
      asked.message);
    const call = plain.FullDuplexCall(deadline()); // stays open on this side
    const replies = new Replies(call);
    call.write({ response_status: asked });
    await replies.expectEnd(asked.code, asked.message);
  },
  special_status_message: () => expectFails(STATUS.UNKNOWN, unary(plain, 'UnaryCall',
    { response_status: { code: STATUS.UNKNOWN, message: SPECIAL } }), SPECIAL),
  unimplemented_method: () => expectFails(STATUS.UNIMPLEMENTED,
    unary(plain, 'UnimplementedCall', {})),
  unimplemented_service: () => expectFails(STATUS.UNIMPLEMENTED,
    unary(none, 'UnimplementedCall', {})),
  async cancel_after_begin() {
    await expectFails(STATUS.CANCELLED, new Promise((resolve, reject) => {
      const call = plain.StreamingInputCall(deadline(), (error, reply) =>
        (error ? reject(error) : resolve(reply)));
      setImmediate(() => call.cancel());
    }));
    await cases.empty_unary();
  },
  async cancel_after_first_response() {
    const call = plain.FullDuplexCall(deadline());
    const replies = new Replies(call);
    call.write(ask([31415], 27182));
    await replies.expectZeros([31415]);
    call.cancel();
    await replies.expectEnd(STATUS.CANCELLED);
    await cases.empty_unary();
  },
  async timeout_on_sleeping_server() {
    const call = plain.FullDuplexCall(deadline(1));
    const replies = new Replies(call);
    call.write(ask([], 27182));
    await replies.expectEnd(STATUS.DEADLINE_EXCEEDED);
  },
  async timeout_between_replies() {
    const request = ask([1, 1], 0, { interval_us: 600000000 });
    await new Replies(plain.StreamingOutputCall(request, deadline(200)))
      .expectEnd(STATUS.DEADLINE_EXCEEDED);
  },
  async rpc_soak() {
    for (let i = 0; i < 200; i++) await unaryLarge(plain);
  },
};

async function main() {
  let passed = 0;
  const all = Object.entries(cases);
  for (const [label, run] of all) {
    try {
      await run();
      console.log(`ok     ${label}`);
      passed++;
    } catch (error) {
      console.log(`FAILED ${label}: ${error.message}`);
    }
  }
  console.log(`grpc-js: ${passed} of ${all.length} cases passed`);
  [plain, gzip, none].forEach((client) => client.close());
  process.exitCode = passed === all.length ? 0 : 1;
}

main();
