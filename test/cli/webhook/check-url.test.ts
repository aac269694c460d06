import { describe, expect, it } from "vitest";
import { webhook } from "./support.ts";

describe("serviceapi webhook check-url", () => {
  it("accepts and refuses, with the exit code to match", async () => {
    const good = await webhook(["check-url", "https://pay.example.in/hook", "--brand", "example.in"]);
    expect([good.code, good.output]).toEqual([0, expect.stringMatching(/accepted/)]);
    expect(good.output).toMatch(/! not checked: .*--website/);
    expect(good.output).toMatch(/! not checked: .*--live/);
    const bad = await webhook([
      "check-url",
      "http://a.b.example.in",
      "--brand",
      "example.in",
      "--website",
      "example.in",
    ]);
    expect([bad.code, bad.output]).toEqual([1, expect.stringMatching(/notHttps/)]);
    const json = await webhook(["check-url", "http://a.b.example.in", "--brand", "example.in", "--json"]);
    expect([json.code, JSON.parse(json.output)]).toMatchObject([
      1,
      { ok: false, unchecked: ["websiteDomain", "connection"] },
    ]);
    const copied = await webhook(["check-url", "https://example.in", "--brand", "https://example.in"]);
    expect([copied.code, copied.output]).toEqual([2, expect.stringMatching(/'--brand .*Leave out https:\/\//)]);
    const early = await webhook(["check-url", "http://example.in", "--brand", "example.in", "--live"]);
    expect(early.output).toMatch(/\(--live\): the URL has to be accepted first$/m);
    const odd = await webhook(["check-url", "https://example.in", "--brand", "in", "--live"]);
    expect([odd.code, odd.output]).toEqual([
      2,
      expect.stringMatching(/^error: --brand must be a domain that can be registered/),
    ]);
  });
});
