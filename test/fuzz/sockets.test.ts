import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { nodeHandler } from "../../src/webhooks/adapters/node.ts";
import { hmac, sign, Webhooks } from "../../src/webhooks/index.ts";
import { codePoint } from "../support/code-point.ts";
import { eventOf } from "../webhooks/support.ts";
import { anyJson, anyText } from "./inputs.ts";
import { property } from "./property.ts";

const auth = [hmac({ header: "x-signature", secrets: ["webhook-secret-of-the-test"] })];
/** The references that were signed, with the number of times that a handler ran for them. */
const runs = new Map<string, number>();
/** The references of events that nobody signed. */
const forgeries: unknown[] = [];
let server: Server;

beforeAll(async () => {
  const webhooks = new Webhooks({ auth, expectedPayout: "none" });
  const run = ({ client_referenceId: reference = "" }: { readonly client_referenceId?: string }) => {
    const count = runs.get(reference);
    if (count === undefined) forgeries.push(reference);
    else runs.set(reference, count + 1);
  };
  server = createServer(nodeHandler(webhooks.handler({ SUCCESS: run, FAILED: run, REJECTED: run })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** Sends these parts one after the other, ends the request, and returns all that comes back. */
async function send(parts: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  // A server that refuses a request may reset the connection under its rest.
  socket.on("error", () => {});
  const received = text(socket).catch(() => "");
  socket.setNoDelay();
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  socket.end();
  return received;
}

function head(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /payouts HTTP/1.1\r\nhost: receiver\r\nconnection: close\r\n${lines.join("")}\r\n`;
}

/** Signs a delivery with a new reference. */
async function signNew() {
  const reference = crypto.randomUUID();
  runs.set(reference, 0);
  return { reference, ...(await sign({ ...eventOf("SUCCESS"), client_referenceId: reference }, auth)) };
}

/** The body in pieces of these sizes, as `Transfer-Encoding: chunked` has them. */
function* chunks(body: string, sizes: readonly number[]): Generator<string | Uint8Array> {
  let rest = new TextEncoder().encode(body);
  for (const size of [...sizes, rest.length]) {
    const piece = rest.subarray(0, size);
    rest = rest.subarray(size);
    if (piece.length > 0) yield* [`${piece.length.toString(16)}\r\n`, piece, "\r\n"];
  }
  yield "0\r\n\r\n";
}

describe("a server with nodeHandler", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 8 });
  property("processes a signed delivery once, however its body is divided", sizes, async (divided) => {
    const { reference, headers, body } = await signNew();
    const request = [head({ ...headers, "transfer-encoding": "chunked" }), ...chunks(body, divided)];
    expect(await send(request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"SUCCESS"/);
    expect(await send(request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"DUPLICATE"/);
    expect(runs.get(reference)).toBe(1);
  });

  const framing = fc.oneof(
    fc.constantFrom<Record<string, string>>({ "transfer-encoding": "chunked" }, { "transfer-encoding": "gzip" }, {}),
    fc.integer({ min: -2, max: 5_000 }).map((length) => ({ "content-length": String(length) })),
  );
  const forged = fc.record({
    framing,
    headers: fc.dictionary(
      fc.constantFrom("x-signature", "content-type", "content-encoding", "expect", "upgrade"),
      fc.oneof(
        fc.constantFrom("00".repeat(32), "gzip", "100-continue", "websocket", "application/json"),
        fc.string({ unit: codePoint }).map((value) => value.replaceAll(/[\r\n]/g, "")),
      ),
    ),
    parts: fc.array(
      fc.oneof(
        fc.uint8Array(),
        anyText,
        anyJson.map((value) => JSON.stringify(value)),
        fc.constantFrom("5\r\n", "\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n"),
      ),
      { maxLength: 5 },
    ),
  });
  property("runs nothing for bytes that nobody signed, and serves on", forged, async ({ framing, headers, parts }) => {
    const response = await send([head({ ...headers, ...framing }), ...parts]);
    // Node itself refuses what is not HTTP, and closes a connection that is cut short.
    if (response !== "") expect(response).toMatch(/^HTTP\/1\.1 (?:100|4\d\d|200 [\s\S]*"FAILED")/);
    expect(forgeries).toEqual([]);
    const { reference, headers: signed, body } = await signNew();
    const length = String(Buffer.byteLength(body));
    expect(await send([head({ ...signed, "content-length": length }), body])).toMatch(/"SUCCESS"/);
    expect(runs.get(reference)).toBe(1);
  });
});
