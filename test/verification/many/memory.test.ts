import { expect, it } from "vitest";
import { ServiceApi } from "../../../src/index.ts";
import { findMany } from "../../../src/verification/index.ts";
import { sample } from "../../support/client.ts";
import { collectGarbage } from "../../support/gc.ts";

const body = JSON.stringify(sample("verification/success-single"));

it("15,000 numbers need the memory of a few: what is read ahead, and the last `dedupeWindow`", {
  timeout: 120_000,
}, async () => {
  const count = 15_000;
  const api = new ServiceApi({
    baseUrl: "https://api.example.com",
    clientId: "any",
    clientSecret: "any-secret",
    fetch: async () => new Response(body, { headers: { "content-type": "application/json" } }),
  });
  let read = 0;
  function* numbers() {
    while (read < count) yield `6${String(read++).padStart(9, "0")}`;
  }
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  };
  const used: number[] = [];
  let done = 0;
  let furthest = 0;
  const options = {
    consent: "Y",
    perSecond: 1_000_000,
    concurrency: 8,
    dedupeWindow: 100,
    onProgress: () => {},
  } as const;
  for await (const { index, kind } of findMany(api, numbers(), options)) {
    expect([index, kind]).toEqual([done, "found"]);
    furthest = Math.max(furthest, read - done);
    if (++done % 5_000 === 0) used.push(heap());
  }
  expect(done).toBe(count);
  expect(furthest).toBeLessThanOrEqual(4 * 8 + 1);
  console.log(`heap in MB after each 5,000: ${used.map((megabytes) => megabytes.toFixed(1)).join(", ")}`);
  // A result alone is a kilobyte: 10,000 of them would be 10 MB, and 120 bytes of each 1.2.
  expect((used.at(-1) ?? 0) - (used[0] ?? 0)).toBeLessThan(1.2);
});
