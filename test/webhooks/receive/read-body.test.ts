import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { WebhookPayloadError } from "../../../src/webhooks/index.ts";
import { readBody } from "../../../src/webhooks/receive/read-delivery.ts";
import { eventOf, receiver } from "../support.ts";

const limits = { maxBodyBytes: 100, bodyTimeout: 1_000 };
const read = async (source: unknown, declared?: string) => {
  try {
    return new TextDecoder().decode(await readBody(source, limits, declared));
  } catch (error) {
    return (error as WebhookPayloadError).reason;
  }
};
async function* chunks(...values: unknown[]) {
  for (const value of values) {
    if (value instanceof Error) throw value;
    yield value;
  }
}

describe("the raw body", () => {
  it("is empty if there is none", async () => {
    expect(await read(undefined)).toBe("");
    expect(await read(null)).toBe("");
  });

  it("may be bytes of another realm, such as Jest's", async () => {
    expect(await read(runInNewContext("Uint8Array.of(104, 105)"))).toBe("hi");
    expect(await read(runInNewContext("Uint8Array.of(104, 105).buffer"))).toBe("hi");
    expect(await read(chunks(runInNewContext("Uint8Array.of(104, 105)")))).toBe("hi");
  });

  it("may arrive in chunks of bytes and of text", async () => {
    expect(await read(chunks("a", Uint8Array.of(98), "c"))).toBe("abc");
    expect(await read(chunks())).toBe("");
  });

  it.each([
    ["tooLarge", "x".repeat(101), undefined],
    ["tooLarge", new Uint8Array(101), undefined],
    ["tooLarge", "₹".repeat(50), undefined],
    ["tooLarge", chunks("x".repeat(60), "x".repeat(60)), undefined],
    ["tooLarge", chunks("₹".repeat(50)), undefined],
    ["tooLarge", chunks("never read"), "101"],
    ["cut", chunks("abc", new Error("ECONNRESET")), undefined],
    ["cut", chunks("abc"), "4"],
    ["alreadyParsed", { status: "SUCCESS" }, undefined],
    ["alreadyParsed", 7, undefined],
    ["alreadyParsed", chunks({ status: "SUCCESS" }), undefined],
    ["alreadyParsed", chunks(["a"]), undefined],
  ])("is refused as %s (case %#)", async (reason, source, declared) => {
    expect(await read(source, declared)).toBe(reason);
  });

  it.each([
    ["a string", "x".repeat(100), undefined],
    ["bytes", new TextEncoder().encode("x".repeat(100)), undefined],
    ["chunks", chunks("x".repeat(60), "x".repeat(40)), undefined],
    ["chunks of a declared length", chunks("x".repeat(100)), "100"],
    ["chunks with an invalid length", chunks("x".repeat(100)), "101x"],
    ["chunks with another invalid length", chunks("x".repeat(100)), "x101"],
    ["chunks with a length of sixteen digits", chunks("x".repeat(100)), "1".repeat(16)],
  ])("may have as many bytes as are allowed: %s", async (_, source, declared) => {
    expect(await read(source, declared)).toBe("x".repeat(100));
  });

  it("is refused when somebody else is reading the stream", async () => {
    const stream = new Blob(["abc"]).stream();
    stream.getReader();
    expect(await read(stream)).toBe("alreadyParsed");
  });

  it("is refused if it has fewer bytes than its header announced", async () => {
    const { handler, told } = receiver();
    const body = new Blob([JSON.stringify(eventOf("SUCCESS"))]).stream();
    await handler.receive({ headers: { "content-length": "5000" }, body });
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "cut" } }]);
  });

  it("may be longer or shorter than announced when the platform has decompressed it", async () => {
    const { handler } = receiver();
    const headers = { "content-encoding": "gzip", "content-length": "5000" };
    const body = new Blob([JSON.stringify(eventOf("SUCCESS"))]).stream();
    expect((await handler.receive({ headers, body })).body).toMatch(/"SUCCESS"/);
  });
});

describe("an invalid content-length", () => {
  it.each(["", "abc", "-1", "1e9", "0x10", "5, 5", "9".repeat(400), "Infinity"])("%j is ignored", async (declared) => {
    const bytes = await readBody(new Blob(["abc"]).stream(), { maxBodyBytes: 100, bodyTimeout: 1_000 }, declared);
    expect(new TextDecoder().decode(bytes)).toBe("abc");
  });
});
