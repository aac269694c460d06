import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import { connect, Server } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { format } from "node:util";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { hmac, type SignedDelivery, sign } from "../../../src/webhooks/index.ts";
import { findPort } from "../../support/server.ts";
import { ackOf, eventOf } from "../support.ts";
import { createGateway } from "./gateway.ts";

const secret = "the secret of the panel";
const check = hmac({ header: "x-signature", secrets: [secret] });

async function whenListening(port: number): Promise<void> {
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined));
      socket.once("error", () => resolve(false));
    });
  // Each try ends with a connection or without one.
  while (!(await isListening())) await turn();
}

/** The examples listen until their process ends. */
const servers: Server[] = [];
const { listen } = Server.prototype;
/** The server of Hono replaces them. */
const { Request: request, Response: response } = Object.getOwnPropertyDescriptors(globalThis);
const replaced = { Request: request, Response: response };
beforeAll(() => {
  const noted = function (this: Server, ...args: Parameters<typeof listen>) {
    servers.push(this);
    return listen.apply(this, args);
  };
  Server.prototype.listen = noted as typeof listen;
});
afterAll(async () => {
  Server.prototype.listen = listen;
  Object.defineProperties(globalThis, replaced);
  await Promise.all(servers.map(close));
});

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if (server instanceof HttpServer) server.closeAllConnections();
  await closed;
}

/** Programs that listen on a port, and modules that a platform calls. Next.js has its own suite: test/next. */
const examples: Record<string, (port: number) => Promise<unknown>> = {
  "node-http": () => import("../../../examples/webhooks-node-http/server.ts"),
  express: () => import("../../../examples/webhooks-express/server.ts"),
  fastify: () => import("../../../examples/webhooks-fastify/server.ts"),
  koa: () => import("../../../examples/webhooks-koa/server.ts"),
  hono: () => import("../../../examples/webhooks-hono/server.ts"),
  lambda: async (port) => {
    const { handler } = await import("../../../examples/webhooks-lambda/index.ts");
    createGateway(handler).listen(port);
  },
  workers: async (port) => {
    const { default: worker } = await import("../../../examples/webhooks-workers/worker.ts");
    serve({
      fetch: (request) => worker.fetch(request, { SERVICEAPI_WEBHOOK_SECRET: secret }, { waitUntil: () => {} }),
      port,
    });
  },
  deno: async () => {
    const Deno = {
      env: { get: (name: string) => process.env[name] },
      serve: ({ port }: { port: number }, handler: (request: Request, info: object) => Promise<Response>) =>
        serve({ fetch: (request) => handler(request, { remoteAddr: { hostname: "127.0.0.1" } }), port }),
    };
    vi.stubGlobal("Deno", Deno);
    await import("../../../examples/webhooks-deno/server.ts");
    vi.unstubAllGlobals();
  },
  bun: async () => {
    type Fetch = (request: Request, server: { requestIP(): { address: string } }) => Promise<Response>;
    const Bun = {
      serve: ({ port, fetch }: { port: number; fetch: Fetch }) =>
        serve({ fetch: (request) => fetch(request, { requestIP: () => ({ address: "127.0.0.1" }) }), port }),
    };
    vi.stubGlobal("Bun", Bun);
    await import("../../../examples/webhooks-bun/server.ts");
    vi.unstubAllGlobals();
  },
};

describe.each(Object.entries(examples))("examples/webhooks-%s, over real HTTP", (name, start) => {
  let url: string;
  let success: SignedDelivery;
  let port: number;
  let printed: unknown[];
  /** For one test, or for the start. */
  const surround = () => {
    for (const method of ["log", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((...line) => void printed.push(format(...line)));
    }
    vi.stubEnv("PORT", String(port));
    vi.stubEnv("SERVICEAPI_WEBHOOK_SECRET", secret);
  };
  beforeEach(surround);
  beforeAll(async () => {
    printed = [];
    port = await findPort();
    surround();
    await start(port);
    await whenListening(port);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    url = `http://127.0.0.1:${port}/webhooks/payouts`;
    success = await sign(eventOf("SUCCESS", { client_referenceId: `po-${name}`, description: "₹ नमस्ते" }), check);
  });

  const post = async ({ headers, body }: SignedDelivery) => {
    const response = await fetch(url, { method: "POST", headers, body });
    return { response, ack: await response.json() };
  };

  it("acknowledges a signed delivery SUCCESS, and its redelivery DUPLICATE", async () => {
    const { ack } = await post(success);
    expect(ack).toEqual(ackOf("SUCCESS", `po-${name}`));
    expect((await post(success)).ack.status).toBe("DUPLICATE");
  });

  it("refuses a forged one with HTTP 200 and JSON, names no technology, and prints why", async () => {
    const { response, ack } = await post({ ...success, body: success.body.replace("1500.5", "9999.5") });
    expect([response.status, ack.status]).toEqual([200, "FAILED"]);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    for (const header of ["x-powered-by", "server", "x-aspnet-version"])
      expect(response.headers.has(header)).toBe(false);
    expect(printed).toContainEqual(expect.stringContaining('No signature in "x-signature" matches.'));
  });

  // Deno itself prints it; the others are called by a platform.
  it.skipIf(["deno", "lambda", "workers"].includes(name))("prints where it listens", () => {
    expect(printed).toContainEqual(expect.stringContaining(`Listening on http://localhost:${port}/`));
  });

  it("refuses a body of 65 KiB in the same way", async () => {
    const { response, ack } = await post({ ...success, body: "x".repeat(65 * 1024 + 1) });
    expect([response.status, ack.status, ack.client_referenceId]).toEqual([200, "FAILED", ""]);
  });
});

describe("examples/webhooks-lambda, by the events of each kind", () => {
  let handler: Awaited<typeof import("../../../examples/webhooks-lambda/index.ts")>["handler"];
  beforeAll(async () => {
    ({ handler } = await import("../../../examples/webhooks-lambda/index.ts"));
  });

  it.each([
    ["API Gateway v2 and function URLs", false, "headers"],
    ["API Gateway v2 with a base64 body", true, "headers"],
    ["API Gateway v1 with a base64 body", true, "multiValueHeaders"],
  ] as const)("responds to %s", async (form, isBase64Encoded, where) => {
    const event = eventOf("SUCCESS", { client_referenceId: `po ${form}`, description: "₹ नमस्ते" });
    const { headers, body } = await sign(event, check);
    const values =
      where === "headers" ? headers : Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]]));
    const sent = {
      [where]: values,
      isBase64Encoded,
      body: isBase64Encoded ? Buffer.from(body).toString("base64") : body,
    };
    const { statusCode, body: text } = await handler(sent);
    expect([statusCode, JSON.parse(text).status]).toEqual([200, "SUCCESS"]);
    expect(JSON.parse((await handler(sent)).body).status).toBe("DUPLICATE");
  });
});
