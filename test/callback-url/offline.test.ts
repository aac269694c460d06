import { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { checkCallbackUrl } from "../../src/callback-url/index.ts";

it("returns its report without using the network", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const connected = vi.spyOn(Socket.prototype, "connect");
  const report = checkCallbackUrl("https://pay.example.in/hook", { brandDomain: "example.in" });
  expect(report).toMatchObject({ ok: true }); // a value, not a promise
  await new Promise(setImmediate);
  expect([fetched, connected].map(({ mock }) => mock.calls)).toEqual([[], []]);
});
