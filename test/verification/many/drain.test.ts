import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { type FindManyProgress, findMany } from "../../../src/verification/index.ts";
import { movedTime } from "../../support/clock.ts";
import { collect } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { serve } from "../../support/serve.ts";
import { reply } from "../../support/server.ts";

import { suspendable } from "../../support/suspended.ts";
import { countTimers } from "../../support/timers.ts";
import {
  fast,
  kinds,
  mobile,
  mobiles,
  type Respond,
  refused,
  silentInputs,
  startService,
  startTimedService,
  successFor,
} from "./service.ts";

describe("findMany: drainSignal", () => {
  /** A service that holds back the responses to some numbers until they are let go. */
  async function startHolding(held: readonly string[], respond: Respond = () => ({})) {
    const holding = gate();
    const underWay = gate();
    const asked: string[] = [];
    const { api } = await serve(async (response, { body }) => {
      const number: string = JSON.parse(body).vpa_mobile;
      asked.push(number);
      if (asked.length === 4) underWay.open();
      if (held.includes(number)) await holding.opened;
      const { status = 200, body: sent = successFor(number), headers } = await respond(number, asked.length);
      reply(response, status, sent, headers);
    });
    const drain = new AbortController();
    return { api: api, asked, drain, underWay: underWay.opened, release: () => holding.open() };
  }

  it("lets the requests under way finish, sends no other, and closes the inputs", async () => {
    const timers = countTimers();
    const { api, asked, drain, underWay, release } = await startHolding(mobiles(4));
    const closed = gate();
    function* rows() {
      try {
        yield* mobiles(50);
      } finally {
        closed.open();
      }
    }
    const run = collect(findMany(api, rows(), { ...fast, drainSignal: drain.signal }));
    await underWay;
    drain.abort();
    release();
    expect(kinds(await run)).toEqual(["0 found", "1 found", "2 found", "3 found"]);
    expect(asked).toEqual(mobiles(4));
    await closed.opened;
    expect([timers(), getEventListeners(drain.signal, "abort")]).toEqual([0, []]);
  });

  it("yields all of them as completed; in the order of the inputs, one before them that is open has its last outcome", async () => {
    const unavailable: Respond = (number) => (number === mobile(1) ? refused(503, 30) : {});
    const expected = {
      input: ["0 found", "1 failed", "2 found", "3 found"],
      completed: ["0 found", "2 found", "3 found"],
    };
    for (const order of ["input", "completed"] as const) {
      const { api, asked, drain, underWay, release } = await startHolding(mobiles(4), unavailable);
      const counts: number[] = [];
      const onProgress = ({ done }: FindManyProgress) => void counts.push(done);
      const run = collect(findMany(api, mobiles(50), { ...fast, order, onProgress, drainSignal: drain.signal }));
      await underWay;
      drain.abort();
      release();
      // The retry of the second one is too far away: its result is still open.
      const all = await run;
      expect(kinds(all).toSorted()).toEqual(expected[order]);
      expect(counts).toEqual(all.map((_, index) => index + 1));
      const open = all.find(({ kind }) => kind === "failed");
      if (order === "input") expect(open).toMatchObject({ attempts: 1, error: { kind: "unavailable" } });
      expect(asked).toEqual(mobiles(4));
    }
  });

  it.each([
    ["at once", 0],
    ["also in another turn, if its credentials took their time", 60_000],
  ])("retries a number that was sent, so that no row has to be asked for again: %s", async (_when, late) => {
    let refusals = 0;
    const { api, asked, drain, underWay, release } = await startHolding(mobiles(4), (number) =>
      number === mobile(1) && refusals++ === 0 ? refused(503) : {},
    );
    const suspend = suspendable();
    const slow = api.withOptions({
      async clientSecret() {
        if (drain.signal.aborted) suspend(late);
        return "a-secret";
      },
    });
    const run = collect(findMany(slow, mobiles(50), { ...fast, drainSignal: drain.signal }));
    await underWay;
    drain.abort();
    release();
    expect(kinds(await run)).toEqual(["0 found", "1 found", "2 found", "3 found"]);
    expect(asked).toEqual([...mobiles(4), mobile(1)]);
  });

  it("yields a number that was not sent if one after it has its response, and leaves the others", async () => {
    const { api, asked } = await startService();
    const drain = new AbortController();
    const suspend = suspendable();
    const responded = gate();
    let made = 0;
    const slow = api.withOptions({
      // Those of the first request are late: it waits for another turn, which does not come.
      async clientSecret() {
        if (made++ === 0) await responded.opened;
        return "a-secret";
      },
      onEvent(event) {
        if (event.type !== "response") return;
        drain.abort();
        suspend();
        responded.open();
      },
    });
    const all = await collect(
      findMany(slow, mobiles(9), { ...fast, perSecond: 50, concurrency: 2, drainSignal: drain.signal }),
    );
    expect(kinds(all)).toEqual(["0 failed", "1 found"]);
    expect(all[0]).toMatchObject({ attempts: 0, error: { kind: "abort", outcome: "notSent" } });
    expect(asked).toEqual([mobile(1)]);
  });

  it("lets retries begin for ten seconds from then, however many are left and however short their pauses", async () => {
    const options = { maxRetries: 1_000, retryDelay: () => 400 };
    const { api, times } = await startTimedService(() => refused(503), options);
    const drain = new AbortController();
    const run = collect(findMany(api, [mobile(1)], { ...fast, drainSignal: drain.signal }));
    await vi.advanceTimersByTimeAsync(100);
    const drainedAt = movedTime();
    drain.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kinds(await run)).toEqual([]);
    expect(times.length).toBeGreaterThan(20);
    expect(Math.max(...times) - drainedAt).toBeLessThanOrEqual(10_000);
  });

  it("starts no retry after these ten seconds that the rate holds back", async () => {
    const { api, times } = await startTimedService(() => refused(503), { retryDelay: () => 10 });
    const drain = new AbortController();
    const slow = { consent: "Y", perSecond: 0.15, drainSignal: drain.signal } as const;
    const run = collect(findMany(api, mobiles(4), slow));
    await vi.advanceTimersByTimeAsync(100);
    const drainedAt = movedTime();
    drain.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await run).toEqual([]);
    expect(times.map((at) => at - drainedAt > 10_000)).toEqual([false, false]);
  });

  it("ends a pause and a wait for an input that does not come", async () => {
    const { api, asked } = await startService(() => refused(429, 30));
    const drain = new AbortController();
    const limited = gate();
    const paced = api.withOptions({ onEvent: (event) => event.type === "error" && limited.open() });
    const run = collect(findMany(paced, mobiles(9), { ...fast, drainSignal: drain.signal }));
    await limited.opened;
    drain.abort();
    expect(await run).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(4);

    const { inputs, asked: waiting } = silentInputs();
    const later = new AbortController();
    const idle = collect(findMany(api, inputs, { ...fast, drainSignal: later.signal }));
    await waiting;
    later.abort();
    expect(await idle).toEqual([]);
  });

  it("that is aborted before the run reads and sends nothing, and the credentials of a request that waits are not used", async () => {
    const { api, asked } = await startService();
    let read = 0;
    const rows = (function* () {
      for (;;) yield mobile(read++);
    })();
    expect(await collect(findMany(api, rows, { ...fast, drainSignal: AbortSignal.abort() }))).toEqual([]);
    const drain = new AbortController();
    const suspend = suspendable();
    const slow = api.withOptions({
      async clientSecret() {
        drain.abort();
        suspend();
        return "a-secret";
      },
    });
    expect(await collect(findMany(slow, mobiles(3), { ...fast, drainSignal: drain.signal }))).toEqual([]);
    expect([read, asked]).toEqual([0, []]);
  });

  it("is refused if it is not a signal", async () => {
    const { api } = await startService();
    expect(() => findMany(api, [], { ...fast, drainSignal: true as never })).toThrow(/drainSignal.*AbortSignal/);
  });
});
