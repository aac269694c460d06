import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import { fastify } from "fastify";
import Koa from "koa";
import { describe, expect, it, onTestFinished } from "vitest";
import { lambdaHandler } from "../../../src/webhooks/adapters/lambda.ts";
import { fastifyWebhook, koaHandler, nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import { ConfigurationError, hmac, sign } from "../../../src/webhooks/index.ts";
import type { WebhookHandler } from "../../../src/webhooks/types.ts";
import { gate } from "../../support/gate.ts";
import { refusalOf } from "../../support/refusal.ts";
import { listen } from "../../support/server.ts";
import { eventOf, type ReceiverChanges, receiver, reference } from "../support.ts";

const check = hmac({ header: "x-signature", secrets: ["s"] });
const signed = receiver.bind(null, {}, { auth: [check] });
const deliver = async (url: string, event: unknown = eventOf("SUCCESS")) => {
  const { headers, body } = await sign(event as object, check);
  return (await fetch(url, { method: "POST", headers, body })).json();
};

/** A Fastify that closes after the test. */
function startFastify() {
  const app = fastify();
  onTestFinished(() => app.close());
  return app;
}

describe("Express and the raw body", () => {
  it.each([
    ["no parser", undefined],
    ["express.raw", express.raw({ type: "*/*" })],
    ["express.text", express.text({ type: "*/*" })],
    ["express.json that does not know the content type", express.json({ type: "application/x-other" })],
    [
      "express.json that keeps rawBody",
      express.json({ verify: (request, _, bytes) => void Object.assign(request, { rawBody: bytes }) }),
    ],
  ])("takes it with %s", async (_, parser) => {
    const app = express();
    if (parser) app.use(parser);
    app.post("/", nodeHandler(signed().handler));
    const { url } = await listen(app);
    expect(await deliver(url)).toMatchObject({ status: "SUCCESS", client_referenceId: reference });
  });

  it("recognises a body that express.json has parsed, and says what to change", async () => {
    const { handler, told } = signed();
    const app = express();
    app.use(express.json());
    app.post("/", nodeHandler(handler));
    const { url } = await listen(app);
    expect(await deliver(url)).toMatchObject({ status: "FAILED", client_referenceId: "" });
    expect(told).toMatchObject([
      { error: { reason: "alreadyParsed", message: expect.stringMatching(/before express\.json.*Nest.*Lambda/) } },
    ]);
  });
});

describe("a handler that was not adapted", () => {
  it.each([
    ["of Express", undefined],
    ["of Express after express.raw", express.raw({ type: "*/*" })],
  ])("%s fails at once, before any work, and names nodeHandler", async (_, parser) => {
    const { handler, ran, told } = signed();
    const app = express();
    if (parser) app.use(parser);
    app.post("/", (request, response) => void handler(request as never, response as never));
    const errors: unknown[] = [];
    app.use(((error, _request, response, _next) => {
      errors.push(error);
      response.status(500).end();
    }) satisfies express.ErrorRequestHandler);
    const { url } = await listen(app);
    const { headers, body } = await sign(eventOf("SUCCESS"), check);
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(500);
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^webhooks\.handler: .* nodeHandler\(handler\)/) }]);
    expect([errors[0] instanceof ConfigurationError, ran, told]).toEqual([true, [], []]);
  });

  it.each([
    ["the context of Hono", { req: { raw: new Request("http://localhost/") } }],
    ["the request of Hono", { raw: new Request("http://localhost/"), arrayBuffer() {}, header() {} }],
    ["headers and a body", { headers: new Headers(), body: "{}" }],
    ["an event of Lambda", { headers: { get: "x" }, body: "{}" }],
    ["nothing", undefined],
    ["null", null],
  ])("throws for %s, and names c.req.raw and receive", (_, given) => {
    const { handler } = signed();
    const refusal = refusalOf(() => handler(given as never));
    expect(refusal).toMatch(/handler\(c\.req\.raw\)\. Elsewhere: handler\.receive/);
  });
});

describe("refuses anything but Node's objects before any work", () => {
  const request = async () => {
    const { headers, body } = await sign(eventOf("SUCCESS"), check);
    return { method: "POST", headers, rawBody: Buffer.from(body), socket: {} } as never;
  };
  const reply = { code: () => reply, header: () => reply, send: () => reply };

  it.each([
    ["the reply of Fastify, and of Nest on Fastify", reply],
    ["nothing", undefined],
    ["a Response", new Response()],
    [
      "a response that was sent already",
      { removeHeader() {}, setHeader() {}, writeHead() {}, end() {}, headersSent: true },
    ],
  ])("by nodeHandler: %s", async (_, response) => {
    const { handler, ran, told } = signed();
    const error = await nodeHandler(handler)(await request(), response as never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect([ran, told]).toEqual([[], []]);
  });

  it("with advice for Fastify", async () => {
    const receive = nodeHandler(signed().handler);
    await expect(receive(await request(), reply as never)).rejects.toThrow(/fastifyWebhook.*handler\.receive/);
  });

  it("by koaHandler", async () => {
    const { handler, ran } = signed();
    for (const context of [await request(), { req: await request(), request: {} }, { set: () => {} }]) {
      await expect(koaHandler(handler)(context as never)).rejects.toThrow(ConfigurationError);
    }
    expect(ran).toEqual([]);
  });

  it.each<[string, (handler: never) => unknown]>([
    ["nodeHandler", nodeHandler],
    ["koaHandler", koaHandler],
    ["lambdaHandler", lambdaHandler],
    ["fastifyWebhook", (handler) => fastifyWebhook(handler, "/")],
  ])("when %s is passed something other than a handler, and names it", (name, adapt) => {
    for (const handler of [undefined, {}, () => new Response()]) {
      expect(refusalOf(() => adapt(handler as never))).toContain(`${name}: `);
    }
  });

  it.each([undefined, "", 1])("when fastifyWebhook is passed no path: %j", (path) => {
    expect(() => fastifyWebhook(signed().handler, path as never)).toThrow(/path/);
  });

  it("and nothing is sent twice if a timeout responded first", async () => {
    const { opened: responded, open: answered } = gate();
    const { handler } = receiver({ SUCCESS: () => responded });
    const ended: Promise<unknown>[] = [];
    const { url } = await listen((request, response) => {
      ended.push(nodeHandler(handler)(request, response));
      response.writeHead(503).end("{}", answered);
    });
    await fetch(url, { method: "POST", body: JSON.stringify(eventOf("SUCCESS")) });
    await expect(Promise.all(ended)).resolves.toEqual([undefined]);
  });
});

it.each<[string, (handler: WebhookHandler) => Promise<string>]>([
  ["nodeHandler", async (handler) => (await listen(nodeHandler(handler))).url],
  ["koaHandler", async (handler) => (await listen(new Koa().use(koaHandler(handler)).callback())).url],
  [
    "fastifyWebhook",
    async (handler) => {
      const app = startFastify();
      await app.register(fastifyWebhook(handler, "/"));
      return app.listen({ port: 0, host: "127.0.0.1" });
    },
  ],
])(
  "%s closes the connection after a body that it refused unread: the next delivery would wait behind it",
  async (_name, serve) => {
    const { hostname, port } = new URL(await serve(receiver().handler));
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    let received = "";
    socket.setEncoding("utf8").on("data", (text) => {
      received += text;
    });
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${chunk}`);
    await expect.poll(() => received).toMatch(/"status":"FAILED"/);
    expect(received).toMatch(/^connection: close\r$/im);
  },
);

it("keeps the connection open after a body that was read whole", async () => {
  const { url } = await listen(nodeHandler(signed().handler));
  const { headers, body } = await sign(eventOf("SUCCESS"), check);
  const response = await fetch(url, { method: "POST", headers, body });
  expect([(await response.json()).status, response.headers.get("connection")]).toEqual(["SUCCESS", "keep-alive"]);
});

it("ends a kept connection with its delivery once the server is closing", async () => {
  const [begun, work] = [gate(), gate()];
  const { handler } = receiver({
    SUCCESS: () => {
      begun.open();
      return work.opened;
    },
  });
  const server = createServer(nodeHandler(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const delivery = JSON.stringify(eventOf("SUCCESS"));
  const responding = fetch(`http://127.0.0.1:${port}`, { method: "POST", body: delivery });
  await begun.opened;
  const closed = once(server, "close");
  server.close();
  work.open();
  const response = await responding;
  expect([(await response.json()).status, response.headers.get("connection")]).toEqual(["SUCCESS", "close"]);
  await closed;
});

it("is a plugin of Fastify that leaves the parsing of other routes as it is", async () => {
  const app = startFastify();
  app.post("/orders", async (request) => request.body);
  await app.register(fastifyWebhook(signed().handler, "/hook"));
  const { headers, body } = await sign(eventOf("SUCCESS"), check);
  const delivered = await app.inject({ method: "POST", url: "/hook", headers: { ...headers }, payload: body });
  expect([delivered.statusCode, delivered.json().status]).toEqual([200, "SUCCESS"]);
  expect((await app.inject({ method: "POST", url: "/orders", payload: { id: 1 } })).json()).toEqual({ id: 1 });
});

it.each(["application", "json", "application/json; charset", "/", ";", "text/html,application/json"])(
  "receives a delivery of the malformed content type %j on Fastify, which would refuse it without a hook",
  async (type) => {
    const app = startFastify();
    const { handler, told, ran } = signed();
    await app.register(fastifyWebhook(handler, "/hook"));
    await app.listen({ port: 0, host: "127.0.0.1" });
    const url = `${app.listeningOrigin}/hook`;
    const { headers, body } = await sign(eventOf("SUCCESS"), check);
    const accepted = await fetch(url, { method: "POST", headers: { ...headers, "content-type": type }, body });
    expect([accepted.status, (await accepted.json()).status, ran]).toEqual([200, "SUCCESS", ["SUCCESS demo-po-1"]]);
    const refused = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
    expect([refused.status, (await refused.json()).status]).toEqual([200, "FAILED"]);
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "signatureMissing" } }]);
  },
);

it("leaves what a hook of the application refuses to the application on Fastify", async () => {
  const app = startFastify();
  const { handler, ran } = signed();
  app.addHook("onRequest", async () => Promise.reject(Object.assign(new Error("Too many"), { statusCode: 429 })));
  await app.register(fastifyWebhook(handler, "/hook"));
  const { headers, body } = await sign(eventOf("SUCCESS"), check);
  const refused = await app.inject({ method: "POST", url: "/hook", headers: { ...headers }, payload: body });
  expect([refused.statusCode, ran]).toEqual([429, []]);
});

describe("an Application Load Balancer", () => {
  const send = async (more: object) => {
    const { headers, body } = await sign(eventOf("SUCCESS"), check);
    return lambdaHandler(signed().handler)({ requestContext: { elb: {} }, body, headers, ...more });
  };

  it("gets multi-value headers back when it sent them", async () => {
    const { headers } = await sign(eventOf("SUCCESS"), check);
    const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    expect(await send({ headers: null, multiValueHeaders })).toMatchObject({
      statusCode: 200,
      multiValueHeaders: { "content-type": ["application/json"] },
      body: expect.stringContaining("SUCCESS"),
    });
    expect(await send({})).not.toHaveProperty("multiValueHeaders");
    // API Gateway sends both, and reads `headers`.
    expect(await send({ requestContext: {}, multiValueHeaders })).not.toHaveProperty("multiValueHeaders");
  });
});

describe("Koa behind a parser", () => {
  const context = (request: object) => ({
    req: { headers: {}, socket: {}, readableDidRead: true } as never,
    request,
    status: 0,
    body: undefined as unknown,
    set: () => {},
  });
  it("takes the rawBody that koa-bodyparser keeps, and refuses what it does not", async () => {
    const { handler } = receiver();
    const kept = context({ body: {}, rawBody: JSON.stringify(eventOf("SUCCESS")) });
    await koaHandler(handler)(kept);
    expect(JSON.parse(String(kept.body)).status).toBe("SUCCESS");
    const parsed = context({ body: eventOf("FAILED") });
    await koaHandler(handler)(parsed);
    expect(JSON.parse(String(parsed.body)).status).toBe("FAILED");
  });
});

describe("bodies over a real socket", () => {
  const raw = async (options: ReceiverChanges, request: string, end: boolean) => {
    const { handler, told } = receiver({}, options);
    const { port } = await listen(nodeHandler(handler));
    const socket = connect(port, "127.0.0.1");
    socket.write(request);
    if (end) socket.end();
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    return { answer: Buffer.concat(chunks).toString(), told };
  };
  const head = (length: number) => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

  const chunked = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";

  it.each<[string, ReceiverChanges, string, string]>([
    ["does not arrive within bodyTimeout", { bodyTimeout: 50 }, `${head(100)}{"status"`, "tooSlow"],
    ["is too large", { maxBodyBytes: 10 }, `${head(1_000_000)}${"x".repeat(100)}`, "tooLarge"],
    [
      "is too large, and does not say its length",
      { maxBodyBytes: 10 },
      `${chunked}14\r\n${"x".repeat(20)}\r\n`,
      "tooLarge",
    ],
  ])("responds before a body has arrived that %s, and closes the connection", async (_, options, request, reason) => {
    const { answer, told } = await raw(options, request, false);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toMatch(/"status":"FAILED"/);
    expect(told).toMatchObject([{ error: { reason } }]);
  });

  it("recognises a body that was cut", async () => {
    const { told } = await raw({}, `${head(100)}{"status"`, true);
    expect(told).toMatchObject([{ error: { reason: "cut" } }]);
  });
});

describe("the peer's address", () => {
  it("is passed on by the adapters", async () => {
    const { handler } = receiver({}, { auth: [ipAllowList(["127.0.0.1", "192.0.2.7"])] });
    const { url } = await listen(nodeHandler(handler));
    const body = JSON.stringify(eventOf("DUPLICATE"));
    expect(await (await fetch(url, { method: "POST", body })).json()).toMatchObject({ status: "DUPLICATE" });
    for (const requestContext of [{ http: { sourceIp: "192.0.2.7" } }, { identity: { sourceIp: "192.0.2.7" } }]) {
      expect((await lambdaHandler(handler)({ body, requestContext })).body).toMatch(/"DUPLICATE"/);
    }
    expect((await lambdaHandler(handler)({ body })).body).toMatch(/"FAILED"/);
  });
});
