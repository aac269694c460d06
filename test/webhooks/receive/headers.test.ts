import { once } from "node:events";
import { request as open } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { basic, hmac, sign, Webhooks } from "../../../src/webhooks/index.ts";
import { listen } from "../../support/server.ts";
import { eventOf, reasonOf, receiver } from "../support.ts";

const stamped = hmac({ header: "x-signature", secrets: ["k"], signed: "timestamp.body", timestampHeader: "x-time" });

/** The acknowledgement of a delivery with such headers, and why it was refused. */
async function answerTo(headersOf: (signed: Readonly<Record<string, string>>) => unknown): Promise<string> {
  const { handler, told } = receiver({}, { auth: [stamped] });
  const { headers, body } = await sign(eventOf("SUCCESS"), stamped);
  const answer = await handler.receive({ headers: headersOf(headers) as Headers, body });
  const { error } = told[0] ?? {};
  return `${JSON.parse(answer.body).status} ${(error as { reason?: string } | undefined)?.reason ?? (error as Error | undefined)?.message ?? ""}`;
}

describe("headers in every form", () => {
  it.each<[string, (signed: Readonly<Record<string, string>>) => unknown]>([
    ["an object", (signed) => signed],
    ["lists of values", (signed) => Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))],
    ["`Headers`", (signed) => new Headers(signed)],
    ["`rawHeaders`", (signed) => Object.entries(signed).flat()],
    [
      "capitals",
      (signed) => Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ["a header named `get`", (signed) => ({ ...signed, get: "a value" })],
    ["a header of the same length", (signed) => ({ "x-timf": "1", "x-signaturf": "bad", ...signed })],
    [
      "`rawHeaders` with a value like a name",
      (signed) => ["X-A", "x-time", "X-B", "x-signature", ...Object.entries(signed).flat()],
    ],
    ["a second signature that is wrong", (signed) => ({ ...signed, "x-signature": ["bad", signed["x-signature"]] })],
  ])("are read: %s", async (_, headersOf) => {
    expect(await answerTo(headersOf)).toBe("SUCCESS ");
    const { headers, body } = await sign(eventOf("SUCCESS"), stamped);
    const delivery = { headers: headersOf(headers) as Headers, body };
    expect(await reasonOf(new Webhooks({ auth: [stamped] }).verify(delivery))).toBe("accepted");
  });

  it.each<[string, (signed: Readonly<Record<string, string>>) => unknown]>([
    ["in a list", (signed) => ({ ...signed, "x-time": [signed["x-time"], "1"] })],
    ["in `rawHeaders`", (signed) => [...Object.entries(signed).flat(), "X-Time", "1"]],
    ["in other letters", (signed) => ({ ...signed, "X-Time": "1" })],
  ])("are refused if a header that must be unique is sent twice: %s", async (_, headersOf) => {
    expect(await answerTo(headersOf)).toBe("FAILED timestampInvalid");
  });

  it("credentials that are sent twice are refused", async () => {
    const { handler, told } = receiver({}, { auth: [basic({ credentials: [{ username: "a", password: "b" }] })] });
    const good = `Basic ${btoa("a:b")}`;
    for (const headers of [{ authorization: [good, good] }, { authorization: good, Authorization: good }]) {
      await handler.receive({ headers, body: JSON.stringify(eventOf("SUCCESS")) });
    }
    expect(told).toMatchObject(Array(2).fill({ error: { reason: "credentialsMismatch" } }));
  });

  it.each([
    ["none", () => undefined, "webhooks.handler: pass the `Request`"],
    ["null", () => null, "webhooks.handler: pass the `Request`"],
    ["a string", () => "x-signature: 1", "webhooks.handler: pass the `Request`"],
    ["a list of pairs", (signed: object) => Object.entries(signed), "must be flat"],
    ["a list of names and lists", (signed: object) => ["X-A", ...Object.entries(signed)], "must be flat"],
  ])("that are invalid are reported as a mistake: %s", async (_, headersOf, message) => {
    expect(await answerTo(headersOf)).toContain(message);
  });

  it("an invalid delivery is acknowledged FAILED, and reported as a ConfigurationError", async () => {
    const { handler, told } = receiver();
    const { body } = await handler.receive(undefined as never);
    expect(JSON.parse(body)).toMatchObject({ status: "FAILED" });
    expect(told[0]?.error).toBeInstanceOf(ConfigurationError);
  });
});

describe("requests that are not deliveries", () => {
  it("a compressed body is refused: no signature matches, which says that it was compressed, and only then", async () => {
    const { handler, told } = receiver({}, { auth: [stamped] });
    const { headers, body } = await sign(eventOf("SUCCESS"), stamped);
    await handler.receive({ headers: { ...headers, "content-encoding": "gzip" }, body: gzipSync(body) });
    await handler.receive({ headers: { ...headers, "content-encoding": "gzip" }, body: body.replace("{", "{ ") });
    await handler.receive({ headers, body: body.replace("{", "{ ") });
    const compressed = expect.stringContaining("`content-encoding`");
    const reason = "signatureMismatch";
    expect(told).toMatchObject([
      { error: { reason, message: compressed } },
      { error: { reason, message: compressed } },
      { error: { reason, message: expect.not.stringContaining("content-encoding") } },
    ]);
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"])("%s without a body is refused", async (method) => {
    const { handler, told, ran } = receiver();
    const { port } = await listen(nodeHandler(handler));
    const request = open({ port, host: "127.0.0.1", method });
    request.end();
    const [response] = await once(request, "response");
    const body = await text(response);
    expect(response.statusCode).toBe(200);
    if (method !== "HEAD") expect(JSON.parse(body)).toMatchObject({ status: "FAILED", client_referenceId: "" });
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "empty" } }]);
    expect(ran).toEqual([]);
  });
});
