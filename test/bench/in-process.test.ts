import { expect, it, onTestFinished } from "vitest";
import { respondInProcess } from "../../bench/in-process.ts";

it("fetch gets its responses in this process, on one connection after the other or at once", async () => {
  const global = globalThis as unknown as Record<symbol, unknown>;
  const dispatcher = Symbol.for("undici.globalDispatcher.1");
  await fetch("data:,");
  const before = global[dispatcher];
  await respondInProcess(Buffer.from(`{"count":3}`));
  onTestFinished(() => {
    global[dispatcher] = before;
  });
  const post = async () => (await fetch("http://127.0.0.1/", { method: "POST", body: "{}" })).json();
  expect([await post(), ...(await Promise.all([post(), post()]))]).toEqual(Array(3).fill({ count: 3 }));
});
