import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  AbortError,
  AuthenticationError,
  ConfigurationError,
  type NotFoundError,
  PermissionError,
  RateLimitError,
} from "../../../src/errors/index.ts";
import type { ClientOptions } from "../../../src/options.ts";
import {
  type FindManyOptions,
  type FindManyProgress,
  type FindManyResult,
  type FindVpasParams,
  findMany,
  type VpaResult,
} from "../../../src/verification/index.ts";
import { clientOf, errorOf, sample, signalled } from "../../support/client.ts";
import { gate } from "../../support/gate.ts";
import { type Received, reply, startServer } from "../../support/server.ts";
import { watchTimers } from "../../support/timers.ts";

const success = sample<VpaResult>("verification/success-single");
const refusal = (statusCode: string, message: string) => ({
  status: "failed",
  statusCode,
  message,
  clientData: { client_id: "test-client" },
});
const fast = { consent: "Y", perSecond: 100_000 } as const;
/** Ten digits from an index. */
const mobile = (index: number) => `6${String(index).padStart(9, "0")}`;
const mobiles = (count: number) => Array.from({ length: count }, (_, index) => mobile(index));

type Respond = (mobile: string, nth: number) => { status?: number; body?: object; headers?: Record<string, string> };

/** A service that responds by the number, and the numbers it was asked for, in their order. */
async function startService(respond: Respond = () => ({}), options: ClientOptions = {}) {
  const asked: string[] = [];
  const times: number[] = [];
  const server = await startServer((response, { body }) => {
    const number: string = JSON.parse(body).vpa_mobile;
    asked.push(number);
    times.push(performance.now());
    const {
      status = 200,
      body: sent = success,
      headers,
    } = respond(number, asked.filter((one) => one === number).length);
    reply(response, status, sent, headers);
  });
  return { server, asked, times, api: clientOf(server, options) };
}

async function collect<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
}

/** The results up to the error that ends them. */
async function collectUntilError<T>(results: AsyncIterable<T>): Promise<{ all: T[]; error: unknown }> {
  const all: T[] = [];
  try {
    for await (const result of results) all.push(result);
  } catch (error) {
    return { all, error };
  }
  throw new Error("expected an error");
}

const kinds = (results: readonly FindManyResult[]) => results.map(({ index, kind }) => `${index} ${kind}`);

describe("findMany: each input has one result", () => {
  it("found, notFound, pending or error, in the order of the inputs", async () => {
    const responses: Record<string, ReturnType<Respond>> = {
      [mobile(1)]: { status: 404, body: refusal("404", "No UPI ID found linked to the mobile number") },
      [mobile(2)]: { body: sample("verification/failed-pending") },
      [mobile(3)]: { status: 400, body: refusal("400", "Invalid mobile number format") },
    };
    const { api, asked } = await startService((number) => responses[number] ?? {});
    const all = await collect(findMany(api, [...mobiles(4), "12", "+91 60000 00004"], fast));
    expect(kinds(all)).toEqual(["0 found", "1 notFound", "2 pending", "3 error", "4 error", "5 found"]);
    expect(all.map(({ input }) => input)).toEqual([...mobiles(4), "12", "+91 60000 00004"]);
    expect(all.map((result) => (result.kind === "found" ? result.result.vpa : result.error.kind))).toEqual([
      success.vpa,
      "not_found",
      "in_progress",
      "invalid",
      "request_validation",
      success.vpa,
    ]);
    expect(asked).not.toContain("12");
    expect(all.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 0, 1]);
  });

  it("takes generators, Sets, asynchronous iterables and parameters", async () => {
    const { api, asked } = await startService();
    const params: FindVpasParams = { vpa_mobile: mobile(1), consent: "Y" };
    async function* rows() {
      yield params;
      yield mobile(2);
    }
    expect(kinds(await collect(findMany(api, rows(), fast)))).toEqual(["0 found", "1 found"]);
    expect(kinds(await collect(findMany(api, new Set([params]), { perSecond: 1_000 })))).toEqual(["0 found"]);
    expect(asked).toEqual([mobile(1), mobile(2), mobile(1)]);
  });

  it("has types that require consent for strings, and narrow by kind", async () => {
    const { api } = await startService();
    // @ts-expect-error: strings require consent
    const refused = findMany(api, [mobile(1)]);
    expect(await errorOf(collect(refused), ConfigurationError)).toMatchObject({
      message: expect.stringContaining("consent"),
    });
    for await (const row of findMany(api, [mobile(1)], fast)) {
      expectTypeOf(row.input).toEqualTypeOf<string>();
      if (row.kind === "found") expectTypeOf(row.result).toEqualTypeOf<VpaResult>();
      if (row.kind === "notFound") expectTypeOf(row.error).toEqualTypeOf<NotFoundError>();
    }
  });

  it("takes a value of another type as an invalid row, and sends nothing for it", async () => {
    const { api, asked } = await startService();
    const rows: unknown[] = [6000000001, null, undefined, {}, [], { vpa_mobile: mobile(1), consent: "N" }, 12n];
    const all = await collect(findMany(api, rows as string[], fast));
    expect(all.map((row) => row.kind === "error" && row.error.kind)).toEqual(rows.map(() => "request_validation"));
    expect(asked).toEqual([]);
  });

  it("spends no turn on invalid numbers: a thousand of them take no time at one request per second", async () => {
    const { api } = await startService();
    const started = performance.now();
    await collect(findMany(api, Array(1_000).fill("12"), { consent: "Y", perSecond: 1, dedupe: false }));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each([[mobile(1)], [undefined], [7], [{}]])("refuses inputs that cannot be iterated: %j", async (inputs) => {
    const { api } = await startService();
    expect(() => findMany(api, inputs as string[], fast)).toThrow(/must be an iterable of mobile numbers/);
  });

  it("yields as completed if asked to", async () => {
    const { opened, open } = gate();
    const server = await startServer(async (response, { body }) => {
      if (body.includes(mobile(0))) await opened;
      reply(response, 200, success);
    });
    const order: number[] = [];
    for await (const { index } of findMany(clientOf(server), mobiles(3), { ...fast, order: "completed" })) {
      order.push(index);
      if (order.length === 2) open();
    }
    expect(order.at(-1)).toBe(0);
  });
});

describe("findMany: duplicates", () => {
  it("asks once for a number in any spelling, while it is under way and later", async () => {
    const { api, asked } = await startService();
    const same = [mobile(7), `+91 ${mobile(7)}`, `0${mobile(7)}`, mobile(8), mobile(7)];
    const all = await collect(findMany(api, same, fast));
    expect(asked).toEqual([mobile(7), mobile(8)]);
    expect(all.map(({ attempts }) => attempts)).toEqual([1, 0, 0, 1, 0]);
    expect(kinds(all)).toEqual(same.map((_, index) => `${index} found`));
  });

  it("asks again for one that is further away than `dedupe`, and for each with `dedupe: false`", async () => {
    const { api, asked } = await startService();
    await collect(findMany(api, [mobile(1), mobile(2), mobile(3), mobile(1)], { ...fast, dedupe: 2 }));
    expect(asked.filter((number) => number === mobile(1))).toHaveLength(2);
    await collect(findMany(api, [mobile(4), mobile(4)], { ...fast, dedupe: false }));
    expect(asked.filter((number) => number === mobile(4))).toHaveLength(2);
  });

  it('keeps apart what is sent for other clients, and spellings that `mobile: "asGiven"` sends unchanged', async () => {
    const { api, asked } = await startService(undefined, { mobile: "asGiven" });
    const of = (client_id: string) => ({ vpa_mobile: mobile(1), consent: "Y", clientData: { client_id } }) as const;
    await collect(findMany(api, [of("a"), of("b"), of("a")], { perSecond: 1_000 }));
    expect(asked).toHaveLength(2);
    await collect(findMany(api, ["60000 00001", mobile(1)], fast));
    expect(asked).toHaveLength(4);
  });
});

describe("findMany: rate and concurrency", () => {
  it("keeps 4 requests under way by default, and `concurrency` of them", async () => {
    const holding = gate();
    let most = 0;
    let now = 0;
    const server = await startServer(async (response) => {
      most = Math.max(most, ++now);
      if (now === 3) holding.open();
      await holding.opened;
      await sleep(5);
      now--;
      reply(response, 200, success);
    });
    await collect(findMany(clientOf(server), mobiles(30), { ...fast, concurrency: 3 }));
    expect(most).toBe(3);
  });

  it("starts no more than `perSecond` requests in any second, evenly spread", async () => {
    const { api, times } = await startService();
    await collect(findMany(api, mobiles(70), { consent: "Y", perSecond: 50 }));
    // By the clock of the service, which sees a request a little later than it was sent.
    for (const [index, time] of times.entries()) {
      expect(times.slice(index).filter((other) => other < time + 900).length).toBeLessThanOrEqual(50);
    }
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_300);
  });

  it("sends nothing while `Retry-After` lasts, not even what was waiting for its turn", async () => {
    let limitedAt = 0;
    const { api, asked, times } = await startService((number, nth) => {
      if (number !== mobile(0) || nth > 1) return {};
      limitedAt = performance.now();
      return { status: 429, body: refusal("429", "Too many requests"), headers: { "retry-after": "1" } };
    });
    const all = await collect(findMany(api, mobiles(6), { consent: "Y", perSecond: 200, concurrency: 1 }));
    expect(all.every(({ kind }) => kind === "found")).toBe(true);
    expect(all[0]?.attempts).toBe(2);
    expect(asked.slice(0, 2)).toEqual([mobile(0), mobile(0)]);
    expect(times.filter((time) => time > limitedAt && time < limitedAt + 990)).toEqual([]);
  });

  it("halves the rate after each 429", async () => {
    const { api, times } = await startService((number, nth) =>
      number === mobile(0) && nth <= 4 ? { status: 429, body: refusal("429", "Too many requests") } : {},
    );
    await collect(findMany(api, mobiles(20), { consent: "Y", perSecond: 200, concurrency: 1, maxRetries: 4 }));
    expect(times).toHaveLength(24);
    // 12.5 per second, and 4 more with each response: 20 take half a second instead of a tenth.
    expect((times.at(-1) ?? 0) - (times[4] ?? 0)).toBeGreaterThan(350);
  });

  it("asks 1 + maxRetries times for a number at most", async () => {
    const { api, asked } = await startService((number) =>
      number === mobile(1) ? { status: 429, body: refusal("429", "Too many requests") } : {},
    );
    const all = await collect(findMany(api, mobiles(3), { ...fast, maxRetries: 1 }));
    expect(asked.filter((number) => number === mobile(1))).toHaveLength(2);
    expect(all[1]).toMatchObject({ kind: "error", attempts: 2, error: { kind: "rate_limited" } });
    expect(kinds(all)).toEqual(["0 found", "1 error", "2 found"]);
  });

  it("retries a 503 as a call does, by the client's `maxRetries`", async () => {
    const unavailable = { status: 503, body: refusal("503", "Service unavailable") };
    const { api, asked } = await startService((_, nth) => (nth <= 2 ? unavailable : {}));
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

describe("findMany: what ends it", () => {
  it.each([
    [401, "Unauthorized", AuthenticationError],
    [403, "Forbidden", PermissionError],
  ] as const)("HTTP %i throws, after the results before it", async (status, message, errorClass) => {
    const { api, asked } = await startService((number) =>
      number >= mobile(5) ? { status, body: refusal(`${status}`, message) } : {},
    );
    const { all, error } = await collectUntilError(findMany(api, mobiles(500), fast));
    expect(kinds(all)).toEqual([0, 1, 2, 3, 4].map((index) => `${index} found`));
    expect(error).toBeInstanceOf(errorClass);
    expect(asked.length).toBeLessThan(30);
  });

  it("a `Retry-After` beyond `maxRetryAfter` throws", async () => {
    const { api, asked } = await startService(() => ({
      status: 429,
      body: refusal("429", "Too many requests"),
      headers: { "retry-after": "3600" },
    }));
    const { all, error } = await collectUntilError(findMany(api, mobiles(50), { ...fast, concurrency: 1 }));
    expect([all, asked.length]).toEqual([[], 1]);
    expect(error).toBeInstanceOf(RateLimitError);
  });

  it("inputs that throw end it with their error, after the results of those before it", async () => {
    const { api } = await startService();
    async function* rows() {
      yield mobile(0);
      yield mobile(1);
      throw new RangeError("the file is cut off");
    }
    for (const order of ["input", "completed"] as const) {
      const { all, error } = await collectUntilError(findMany(api, rows(), { ...fast, order }));
      expect(all.map(({ index }) => index).sort()).toEqual([0, 1]);
      expect(error).toBeInstanceOf(RangeError);
    }
  });

  it("the signal throws an AbortError, and leaves no timer and no connection that waits", async () => {
    const timers = watchTimers();
    const arrived = signalled();
    const server = await startServer((response, { body }) => {
      if (body.includes(mobile(0))) reply(response, 200, success);
      else arrived.call();
    });
    const controller = new AbortController();
    void arrived.called.then(() => controller.abort("enough"));
    const { all, error } = await collectUntilError(
      findMany(clientOf(server), mobiles(50), { ...fast, signal: controller.signal }),
    );
    expect(kinds(all)).toEqual(["0 found"]);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ reason: "enough", message: expect.stringContaining("startAt") });
    // Requests were under way: they may have been served.
    expect(error).toMatchObject({ outcome: "unknown", phase: "headers", attempts: expect.any(Number) });
    expect(timers()).toBe(0);
  });

  it("a signal that is aborted already throws before anything is read or sent", async () => {
    const { api, asked } = await startService();
    let read = 0;
    const rows = (function* () {
      for (;;) yield mobile(read++);
    })();
    const { all, error } = await collectUntilError(findMany(api, rows, { ...fast, signal: AbortSignal.abort() }));
    expect([all, read, asked]).toEqual([[], 0, []]);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ outcome: "notSent", phase: "backoff", attempts: 0 });
  });

  it("a signal keeps no listener of a run that has ended", async () => {
    const { api } = await startService();
    const { signal } = new AbortController();
    await collect(findMany(api, mobiles(20), { ...fast, signal }));
    for await (const _ of findMany(api, mobiles(20), { ...fast, signal })) break;
    await collectUntilError(findMany(api, [mobile(1), mobile(2)], { ...fast, signal, consent: undefined as never }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("the signal ends the wait for an input that does not come, and closes the inputs", async () => {
    const { api } = await startService();
    const waiting = signalled();
    const closed = signalled();
    const rows: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          waiting.call();
          return new Promise(() => {});
        },
        async return() {
          closed.call();
          return { done: true, value: undefined };
        },
      }),
    };
    const controller = new AbortController();
    void waiting.called.then(() => controller.abort());
    const { error } = await collectUntilError(findMany(api, rows, { ...fast, signal: controller.signal }));
    expect(error).toBeInstanceOf(AbortError);
    await closed.called;
  });

  it("`break` aborts what is under way, closes the inputs, and reads no further than 4 × concurrency", async () => {
    const timers = watchTimers();
    const waiting: Received[] = [];
    const server = await startServer((response, request) => {
      if (request.body.includes(mobile(0))) reply(response, 200, success);
      else waiting.push(request);
    });
    let read = 0;
    let isClosed = false;
    function* rows() {
      try {
        for (;;) yield mobile(read++);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of findMany(clientOf(server), rows(), { ...fast, concurrency: 2 })) break;
    expect(isClosed).toBe(true);
    expect(read).toBeLessThanOrEqual(10);
    expect(timers()).toBe(0);
    await expect.poll(() => waiting.every((request) => request.socket.destroyed)).toBe(true);
  });

  it("`return()` during a wait ends that wait as well", async () => {
    const server = await startServer(() => {});
    const results = findMany(clientOf(server), mobiles(3), fast);
    const waiting = results.next();
    await server.received(1);
    await results.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await server.idle();
  });

  it("a caller who takes no more results stops the requests: 4 × concurrency are ahead at most", async () => {
    const { api, asked } = await startService();
    const results = findMany(api, mobiles(1_000), { ...fast, concurrency: 2 });
    await results.next();
    await expect.poll(() => asked.length).toBe(9);
    await sleep(50);
    expect(asked).toHaveLength(9);
    await results.return();
  });
});

describe("findMany: a run that continues", () => {
  it("skips the inputs before `startAt`, and keeps their indexes", async () => {
    const { api, asked } = await startService();
    const all = await collect(findMany(api, mobiles(5), { ...fast, startAt: 3 }));
    expect(kinds(all)).toEqual(["3 found", "4 found"]);
    expect(asked).toEqual([mobile(3), mobile(4)]);
  });

  it("has the same results whether it was interrupted or not", async () => {
    const { api } = await startService();
    const inputs = mobiles(40);
    const all: string[] = [];
    while (all.length < inputs.length) {
      let taken = 0;
      for await (const { index, kind } of findMany(api, inputs, { ...fast, startAt: all.length })) {
        all.push(`${index} ${kind}`);
        if (++taken === 7) break;
      }
    }
    expect(all).toEqual(inputs.map((_, index) => `${index} found`));
  });
});

describe("findMany: onProgress", () => {
  async function progressOf(options: FindManyOptions & { consent: "Y" }, inputs: Iterable<string>) {
    const { api } = await startService((number) =>
      number === mobile(1) ? { status: 404, body: refusal("404", "No UPI ID found") } : {},
    );
    const steps: FindManyProgress[] = [];
    await collect(findMany(api, inputs, { ...options, onProgress: (step) => steps.push(step) }));
    return steps;
  }

  it("is called after each result, with counts, rate and time left", async () => {
    const steps = await progressOf(fast, [...mobiles(3), "12"]);
    expect(steps.map(({ done }) => done)).toEqual([1, 2, 3, 4]);
    expect(steps.at(-1)).toEqual({
      ...{ done: 4, total: 4, found: 2, notFound: 1, pending: 0, failed: 1, etaMs: 0 },
      perSecond: expect.any(Number),
    });
    expect(steps[0]?.etaMs).toBeGreaterThan(0);
    expect(steps.every(({ perSecond }) => perSecond > 0)).toBe(true);
  });

  it("knows the total of what has a length or a size, and of `total`", async () => {
    const generate = function* () {
      yield* mobiles(3);
    };
    expect((await progressOf(fast, generate()))[0]).toMatchObject({ total: undefined, etaMs: undefined });
    expect((await progressOf({ ...fast, total: 3 }, generate()))[0]).toMatchObject({ total: 3 });
    expect((await progressOf(fast, new Set(mobiles(3))))[0]).toMatchObject({ total: 3 });
    expect((await progressOf({ ...fast, startAt: 2 }, mobiles(3)))[0]).toMatchObject({ done: 1, total: 1 });
  });

  it("changes nothing if it throws or rejects", async () => {
    const { api } = await startService();
    const onProgress = async () => {
      throw new Error("the display failed");
    };
    const all = await collect(findMany(api, mobiles(2), { ...fast, onProgress }));
    expect(all).toHaveLength(2);
  });
});
