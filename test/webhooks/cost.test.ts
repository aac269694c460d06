import { describe, expect, it } from "vitest";
import { memoryStore, Webhooks } from "../../src/webhooks/index.ts";
import { readBody } from "../../src/webhooks/receive/body/read-body.ts";
import { expectLinear } from "../support/growth.ts";

/** Bodies of about `size` bytes that anybody may send. */
const bodies: Record<string, (size: number) => string> = {
  "nested arrays": (size) => `{"a":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}`,
  "nested objects": (size) => `${'{"a":'.repeat(size / 6)}1${"}".repeat(size / 6)}`,
  "many keys": (size) => `{${Array.from({ length: size / 10 }, (_, i) => `"k${i}":1`).join(",")}}`,
  "the same key again and again": (size) =>
    `{${Array.from({ length: size / 16 }, () => '"status":"FAILED"').join(",")}}`,
  "a long reference": (size) => `{"status":"SUCCESS","client_referenceId":"${"x".repeat(size)}"}`,
  "a reference of spaces": (size) => `{"status":"SUCCESS","client_referenceId":"${" ".repeat(size)}x"}`,
  "a long status": (size) => `{"status":"${"S".repeat(size)}1","client_referenceId":"a"}`,
  "white space": (size) => `${" ".repeat(size)}x`,
  "a long number": (size) => `{"status":"FAILED","txn_amount":${"9".repeat(size)}}`,
  "a string of digits": (size) => `{"status":"REJECTED","client_referenceId":"a","txn_amount":"${"0".repeat(size)}x"}`,
  "a prototype key at the end": (size) => `{"a":[${"{},".repeat(size / 3)}{"__proto__":1}]}`,
  escapes: (size) => `{"status":"${"\\u0000".repeat(size / 6)}","client_referenceId":"a"}`,
};

describe("unauthenticated input takes time that is at most linear in its length", () => {
  const handler = new Webhooks({
    auth: "none",
    store: memoryStore(),
    expectedPayout: () => 8500,
    maxBodyBytes: 16_777_216,
  }).handler({
    SUCCESS: () => {},
    FAILED: () => {},
    REJECTED: () => {},
  });

  it.each(Object.entries(bodies))("%s", async (_, make) => {
    await expectLinear((size) => {
      const body = make(size);
      return async () => handler.receive({ headers: {}, body });
    }, 16_000);
  });

  it("a body in many small chunks", async () => {
    const chunk = new Uint8Array(64).fill(32);
    await expectLinear((count) => {
      async function* chunks() {
        for (let i = 0; i < count; i += 1) yield chunk;
      }
      return async () => readBody(chunks(), { maxBodyBytes: 16_777_216, bodyTimeout: 60_000 });
    }, 1_000);
  });

  it("many headers", async () => {
    await expectLinear((count) => {
      const headers = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "1"]));
      return async () => handler.receive({ headers, body: "{}" });
    }, 1_000);
  });

  it("a content-length of many digits", async () => {
    await expectLinear((size) => {
      const declared = "9".repeat(size);
      return async () => readBody(new Blob(["x"]).stream(), { maxBodyBytes: 100, bodyTimeout: 1_000 }, () => declared);
    }, 16_000);
  });
});

describe("an invalid content-length", () => {
  it.each(["", "abc", "-1", "1e9", "0x10", "5, 5", "9".repeat(400), "Infinity"])("%j is ignored", async (declared) => {
    const bytes = await readBody(new Blob(["abc"]).stream(), { maxBodyBytes: 100, bodyTimeout: 1_000 }, () => declared);
    expect(new TextDecoder().decode(bytes)).toBe("abc");
  });
});
