import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { ServiceApi } from "../../../src/index.ts";
import { findMany } from "../../../src/verification/index.ts";
import { sample } from "../../support/client.ts";
import { collect } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { serve } from "../../support/serve.ts";
import { reply } from "../../support/server.ts";

import { fast, kinds, mobile, mobiles, refused, startService, startTimedService, successFor } from "./service.ts";

/** Lets time pass until the work is done. */
async function passing<T>(work: Promise<T>): Promise<T> {
  await vi.runAllTimersAsync();
  return work;
}

describe("findMany: rate and concurrency", () => {
  it("keeps 4 requests under way by default, and `concurrency` of them", async () => {
    const holding = gate();
    let most = 0;
    let now = 0;
    const { api } = await serve(async (response, { body }) => {
      most = Math.max(most, ++now);
      if (now === 3) holding.open();
      await holding.opened;
      await sleep(5);
      now--;
      reply(response, 200, successFor(JSON.parse(body).vpa_mobile));
    });
    await collect(findMany(api, mobiles(30), { ...fast, concurrency: 3 }));
    expect(most).toBe(3);
  });

  it.each([0, 1.5, 1_001, Number.MAX_SAFE_INTEGER])("refuses a `concurrency` of %d", (concurrency) => {
    const api = new ServiceApi({ baseUrl: "https://api.example.com" });
    expect(() => findMany(api, [], { concurrency })).toThrow(
      "findMany: `concurrency` must be an integer between 1 and 1000.",
    );
    expect(() => findMany(api, [], { concurrency: 1_000 })).not.toThrow();
  });

  it("starts no more than `perSecond` requests in any second, evenly spread", async () => {
    const { api, times } = await startTimedService();
    await passing(collect(findMany(api, mobiles(70), { consent: "Y", perSecond: 50 })));
    for (const [index, time] of times.entries()) {
      expect(times.slice(index).filter((other) => other < time + 1_000).length).toBeLessThanOrEqual(50);
    }
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_380);
  });

  /** Refuses the first request, after which nothing is sent for a second. */
  const limited = refused(429, 1);

  it("sends nothing while `Retry-After` lasts, not even what was waiting for its turn", async () => {
    const { api, asked, times } = await startTimedService((number, nth) =>
      number === mobile(0) && nth === 1 ? limited : {},
    );
    const all = await passing(collect(findMany(api, mobiles(6), { consent: "Y", perSecond: 200, concurrency: 1 })));
    expect(all.every(({ kind }) => kind === "found")).toBe(true);
    expect(all[0]?.attempts).toBe(2);
    expect(asked.slice(0, 2)).toEqual([mobile(0), mobile(0)]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it("asks first for the number that was refused, however slow the process is", async () => {
    const { api, asked } = await startTimedService((number, nth) => {
      if (number !== mobile(0) || nth > 1) return {};
      // Ten milliseconds pass between any two looks at the clock, until both numbers wait for the end of the hold.
      const now = performance.now;
      let lost = 0;
      const slow = vi.spyOn(performance, "now").mockImplementation(() => {
        lost += 10;
        return now.call(performance) + lost;
      });
      setTimeout(() => slow.mockImplementation(() => now.call(performance) + lost), 200);
      return limited;
    });
    await passing(collect(findMany(api, mobiles(3), { consent: "Y", perSecond: 200, concurrency: 1 })));
    expect(asked).toEqual([0, 0, 1, 2].map(mobile));
  });

  it("sends nothing during the hold that waits for its credentials, and spreads it out afterwards", async () => {
    const credentials = gate();
    const allRead = gate();
    let read = 0;
    const { api, asked, times } = await startTimedService(
      async (number, nth) => {
        if (number !== mobile(0) || nth > 1) return {};
        await allRead.opened;
        return limited;
      },
      {
        // Shorter than the hold, which it does not count.
        totalTimeout: 900,
        async clientSecret() {
          if (++read === 4) allRead.open();
          if (read > 1) await credentials.opened;
          return "a-secret";
        },
        // The response that holds the run has been taken note of.
        onEvent: (event) => event.type === "error" && setImmediate(() => credentials.open()),
      },
    );
    const options = { consent: "Y", perSecond: 20, concurrency: 4 } as const;
    const run = collect(findMany(api, mobiles(4), options));
    await vi.advanceTimersByTimeAsync(200);
    await credentials.opened;
    const all = await passing(run);
    expect(kinds(all)).toEqual(["0 found", "1 found", "2 found", "3 found"]);
    expect(asked.toSorted()).toEqual([mobile(0), ...mobiles(4)].toSorted());
    expect(read).toBe(5);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
    // 10 per second after the 429.
    expect((times.at(-1) ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(270);
  });

  it.each([
    ["the service", refused(429).body],
    ["a gateway", "<html></html>"],
  ])("halves the rate after each 429 of %s", async (_sender, body) => {
    const { api, times } = await startTimedService((number, nth) =>
      number === mobile(0) && nth <= 4 ? { status: 429, body } : {},
    );
    await passing(collect(findMany(api, mobiles(20), { consent: "Y", perSecond: 200, concurrency: 1, maxRetries: 4 })));
    expect(times).toHaveLength(24);
    // 12.5 per second, and 4 more with each response: 20 take half a second instead of a tenth.
    expect((times.at(-1) ?? 0) - (times[4] ?? 0)).toBeGreaterThan(450);
  });

  it("asks 1 + maxRetries times for a number at most", async () => {
    const { api, asked } = await startService((number) => (number === mobile(1) ? refused(429) : {}));
    const all = await collect(findMany(api, mobiles(3), { ...fast, maxRetries: 1 }));
    expect(asked.filter((number) => number === mobile(1))).toHaveLength(2);
    expect(all[1]).toMatchObject({ kind: "failed", attempts: 2, error: { kind: "rate_limited" } });
    expect(kinds(all)).toEqual(["0 found", "1 failed", "2 found"]);
  });

  it("retries a 503 as a call does, by the client's `maxRetries`", async () => {
    const { api, asked } = await startService((_, nth) => (nth <= 2 ? refused(503) : {}));
    const all = await collect(findMany(api, mobiles(1), fast));
    expect([kinds(all), asked.length, all[0]?.attempts]).toEqual([["0 found"], 3, 3]);
  });

  it("asks again for what is pending, if `pendingRetries` says so", async () => {
    const pending = { body: sample("verification/failed-pending") };
    const { api, asked } = await startService((number, nth) => (number === mobile(0) && nth <= 2 ? pending : {}));
    const all = await collect(findMany(api, mobiles(2), { ...fast, pendingRetries: 2, pendingDelay: 20 }));
    expect(kinds(all)).toEqual(["0 found", "1 found"]);
    expect(asked).toEqual([mobile(0), mobile(1), mobile(0), mobile(0)]);
  });
});
