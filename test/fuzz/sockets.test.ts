import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer } from "node:tls";
import fc from "fast-check";
import fastify from "fastify";
import Koa from "koa";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { probe } from "../../src/callback-url/live.ts";
import { type RequestOptions, ServiceApi } from "../../src/index.ts";
import { nodeFetch } from "../../src/node/index.ts";
import { fastifyWebhook, koaHandler, nodeHandler } from "../../src/webhooks/adapters/node.ts";
import { hmac, memoryStore, sign, Webhooks } from "../../src/webhooks/index.ts";
import { cert, key } from "../node/tls-server.ts";
import { codePoint } from "../support/code-point.ts";
import { parseRequest } from "../support/raw-http.ts";
import { eventOf } from "../webhooks/support.ts";
import { anyJson, anyText, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const auth = [hmac({ header: "x-signature", secrets: ["webhook-secret-of-the-test"] })];
/** The references that were signed, with the number of times that a handler ran for them. */
const runs = new Map<string, number>();
/** The references of events that nobody signed. */
const forgeries: unknown[] = [];
/** A server with each adapter. */
const servers: Record<string, Server> = {};
const adapter = fc.constantFrom("nodeHandler", "koaHandler", "fastifyWebhook");

beforeAll(async () => {
  const webhooks = new Webhooks({ auth, store: memoryStore(), findOrder: "none" });
  const run = ({ client_referenceId: reference = "" }: { readonly client_referenceId?: string }) => {
    const count = runs.get(reference);
    if (count === undefined) forgeries.push(reference);
    else runs.set(reference, count + 1);
  };
  const handler = webhooks.handler({ SUCCESS: run, FAILED: run, REJECTED: run });
  const koa = new Koa().use(koaHandler(handler));
  koa.silent = true;
  const app = fastify();
  await app.register(fastifyWebhook(handler, "/payouts"));
  await app.ready();
  servers.nodeHandler = createServer(nodeHandler(handler));
  servers.koaHandler = createServer(koa.callback());
  servers.fastifyWebhook = app.server;
  for (const server of Object.values(servers)) await listen(server);
});
afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Sends these parts one after the other, ends the request, and returns all that comes back. */
async function send(to: string, parts: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(portOf(servers[to] ?? expect.unreachable(to)), "127.0.0.1");
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

describe("a server with an adapter", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 8 });
  const division = fc.record({ to: adapter, divided: sizes });
  property("processes a signed delivery once, however its body is divided", division, async ({ to, divided }) => {
    const { reference, headers, body } = await signNew();
    const request = [head({ ...headers, "transfer-encoding": "chunked" }), ...chunks(body, divided)];
    expect(await send(to, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"SUCCESS"/);
    expect(await send(to, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"DUPLICATE"/);
    expect(runs.get(reference)).toBe(1);
  });

  const framing = fc.oneof(
    fc.constantFrom<Record<string, string>>({ "transfer-encoding": "chunked" }, { "transfer-encoding": "gzip" }, {}),
    fc.integer({ min: -2, max: 5_000 }).map((length) => ({ "content-length": String(length) })),
  );
  const forged = fc.record({
    to: adapter,
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
  property(
    "runs nothing for bytes that nobody signed, and serves on",
    forged,
    async ({ to, framing, headers, parts }) => {
      const response = await send(to, [head({ ...headers, ...framing }), ...parts]);
      // Node itself refuses what is not HTTP, and closes a connection that is cut short.
      if (response !== "") expect(response).toMatch(/^HTTP\/1\.1 (?:100|4\d\d|200 [\s\S]*"FAILED")/);
      expect(forgeries).toEqual([]);
      const { reference, headers: signed, body } = await signNew();
      const length = String(Buffer.byteLength(body));
      expect(await send(to, [head({ ...signed, "content-length": length }), body])).toMatch(/"SUCCESS"/);
      expect(runs.get(reference)).toBe(1);
    },
  );
});

/** Bytes of a response that lines were added to, that were changed, cut, or followed by others. */
function changedBytes(response: string): fc.Arbitrary<Uint8Array> {
  const line = fc.constantFrom(
    "HTTP/1.1 100 Continue\r\n\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 99999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Content-Encoding: gzip\r\n",
    "Connection: close\r\n",
    "X-Request-Id: \u00e9\u0001\r\n",
    " folded\r\n",
    "\r\n",
    "5\r\n",
  );
  const change = fc.oneof(
    fc.record({
      kind: fc.constantFrom("insert", "append"),
      bytes: fc.oneof(line, fc.constant(response)).map(Buffer.from),
    }),
    fc.record({ kind: fc.constant("append"), bytes: fc.uint8Array({ maxLength: 40 }).map(Buffer.from) }),
    fc.record({ kind: fc.constant("write"), bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }).map(Buffer.from) }),
    fc.record({ kind: fc.constant("cut"), bytes: fc.constant(Buffer.alloc(0)) }),
  );
  const lineStarts = Array.from(response.matchAll(/^/gm), ({ index }) => index);
  return fc.array(fc.tuple(change, fc.nat()), { maxLength: 3 }).map((changes) => {
    let bytes: Buffer = Buffer.from(response);
    for (const [{ kind, bytes: more }, n] of changes) {
      const at = n % (bytes.length + 1);
      const start = lineStarts[n % lineStarts.length] ?? 0;
      if (kind === "insert") bytes = Buffer.concat([bytes.subarray(0, start), more, bytes.subarray(start)]);
      else if (kind === "append") bytes = Buffer.concat([bytes, more]);
      else if (kind === "cut") bytes = bytes.subarray(0, at);
      else bytes = Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + more.length)]);
    }
    return bytes;
  });
}

describe("a server that sends raw bytes", () => {
  const success = (name: string) =>
    JSON.stringify({ status: "success", statusCode: "101", vpa: name, message: "Fetched." });
  const respond = (body: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const drifted = success("drifted@examplebank");
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${drifted.length.toString(16)}\r\n${drifted}\r\n0\r\n\r\n`;

  /** The bytes of the next response, and whether the connection ends after them. */
  let next: { readonly bytes: Uint8Array; readonly ends: boolean } | undefined;
  const answer = (socket: Socket) => {
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (part) => {
      received = Buffer.concat([received, part]);
      const request = parseRequest(received);
      if (request === undefined) return;
      received = received.subarray(request.length);
      const { bytes, ends } = next ?? { bytes: Buffer.from(respond(success("good@examplebank"))), ends: false };
      next = undefined;
      socket.write(bytes);
      if (ends) socket.end();
    });
  };
  const plain = createTcpServer(answer);
  const secure = createTlsServer({ key: key.trim(), cert: cert.trim() }, answer);
  let api: ServiceApi;
  beforeAll(async () => {
    for (const server of [plain, secure]) await listen(server);
    const baseUrl = `http://127.0.0.1:${portOf(plain)}`;
    api = new ServiceApi({
      baseUrl,
      clientId: "id",
      clientSecret: "secret",
      maxRetries: 0,
      retryDelay: () => 0,
      fetch: nodeFetch(),
    });
  });
  afterAll(() => {
    for (const server of [plain, secure]) server.close();
  });

  const find = (options: RequestOptions) =>
    api.verification.findVpas({ consent: "Y", vpa_mobile: "6000000001" }, options);
  const response = fc.record({
    bytes: fc.oneof(changedBytes(respond(drifted)), changedBytes(chunked)),
    ends: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  });
  property("is read by nodeFetch as a response or a typed error, and serves the next call", response, async (given) => {
    next = given;
    // Bytes that are too few, on a connection that stays open, are waited for.
    await refusesTyped(() => find({ timeout: given.ends ? 5_000 : 100 }));
    next = undefined;
    // The server may have ended the connection that is reused.
    expect(await find({ timeout: 5_000, maxRetries: 1 })).toMatchObject({ vpa: "good@examplebank" });
  });

  property("is judged as the server of a callback URL", response, async (given) => {
    next = { ...given, ends: true };
    const url = new URL(`https://localhost:${portOf(secure)}/payouts`);
    const problem = await probe(url, 5_000, cert.trim());
    if (problem !== undefined) expect(problem.code).toBeOneOf(["notReachable", "redirects"]);
  });
});
