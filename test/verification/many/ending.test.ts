import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  AbortError,
  AuthenticationError,
  InsufficientBalanceError,
  PermissionError,
  RateLimitError,
} from "../../../src/errors/index.ts";
import { findMany } from "../../../src/verification/index.ts";
import { clientOf, type ErrorClass } from "../../support/client.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { serve } from "../../support/serve.ts";
import { type Received, reply, stalls, startServer } from "../../support/server.ts";

import { countTimers } from "../../support/timers.ts";
import { fast, kinds, mobile, mobiles, refused, silentInputs, startService, successFor } from "./service.ts";

describe("findMany: what ends it", () => {
  it.each<[401 | 403, ErrorClass<Error>]>([
    [401, AuthenticationError],
    [403, PermissionError],
  ])("HTTP %i throws, after the results before it", async (status, errorClass) => {
    const { api, asked } = await startService((number) => (number >= mobile(5) ? refused(status) : {}));
    const { all } = await collectUntilError(findMany(api, mobiles(500), fast), errorClass);
    expect(kinds(all)).toEqual([0, 1, 2, 3, 4].map((index) => `${index} found`));
    // The refused request, and what was under way with it.
    expect(asked.length).toBeLessThanOrEqual(5 + 4);
  });

  it.each([401, 402, 403])("HTTP %i of a gateway, as a web page, throws, too", async (status) => {
    const { api, asked } = await startService(() => ({ status, body: "<html></html>" }));
    const { all, error } = await collectUntilError(findMany(api, mobiles(500), fast));
    expect(error).toMatchObject({ name: "UnexpectedResponseError", httpStatus: status });
    expect([all.length, asked.length <= 4]).toEqual([0, true]);
  });

  it("an input that cannot be read throws, after the results of the requests under way", async () => {
    const broken = {
      get vpa_mobile(): string {
        throw new Error("the row is gone");
      },
      consent: "Y",
    } as const;
    for (const [row, message] of [
      [mobile(9), 'requires `consent: "Y"`'],
      [broken, "an input cannot be read"],
    ] as const) {
      for (const order of ["input", "completed"] as const) {
        const asked = gate();
        const read = gate();
        const { api } = await startService(async () => {
          asked.open();
          await read.opened;
          return {};
        });
        const rows = async function* () {
          for (const vpa_mobile of mobiles(3)) yield { vpa_mobile, consent: "Y" } as const;
          await asked.opened;
          yield row;
          read.open();
        };
        const options = { ...fast, consent: undefined, order };
        const { all, error } = await collectUntilError(findMany(api, rows() as never, options as never));
        expect(kinds(all.filter(({ kind }) => kind === "found"))).toHaveLength(3);
        expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(message) });
      }
    }
  });

  it("throw() of the generator ends the requests under way, as return() does", async () => {
    const asked = gate();
    const { server, api } = await serve(() => asked.open());
    const results = findMany(api, mobiles(3), fast);
    const first = results.next().catch((error: unknown) => error);
    await asked.opened;
    await expect(results.throw(new Error("no more"))).rejects.toThrow("no more");
    await first;
    await server.idle();
  });

  it("throws after the results of the requests under way: none is asked for twice", async () => {
    for (const order of ["input", "completed"] as const) {
      const others = gate();
      const { api, asked } = await startService(async (number) => {
        if (asked.length === 20) others.open();
        if (number !== mobile(0)) return {};
        await others.opened;
        return refused(402);
      });
      const options = { ...fast, concurrency: 20, order };
      const { all, error } = await collectUntilError(findMany(api, mobiles(20), options), InsufficientBalanceError);
      const expected = mobiles(20).map((_, index) => `${index} ${index === 0 ? "failed" : "found"}`);
      expect(kinds(all.toSorted((a, b) => a.index - b.index))).toEqual(expected.slice(order === "input" ? 0 : 1));
      if (order === "input") expect(all[0]).toMatchObject({ attempts: 1, error });
      expect(asked).toHaveLength(20);
    }
  });

  it("a `Retry-After` beyond `maxRetryAfter` throws", async () => {
    const { api, asked } = await startService(() => refused(429, 3600));
    const { all } = await collectUntilError(findMany(api, mobiles(50), { ...fast, concurrency: 1 }), RateLimitError);
    expect([all, asked.length]).toEqual([[], 1]);
  });

  it.each([
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a day", 86_400_000],
  ])("a 429 throws if `retryDelay` is %s: a call would not wait for it either", async (_name, pause) => {
    const timers = countTimers();
    for (const maxRetries of [2, 0]) {
      const { api, asked } = await startService((number) => (number === mobile(1) ? refused(429) : {}), {
        retryDelay: () => pause,
      });
      await expect(api.verification.findVpas({ vpa_mobile: mobile(1), consent: "Y" })).rejects.toThrow(RateLimitError);
      const options = { ...fast, concurrency: 1, maxRetries };
      const { all } = await collectUntilError(findMany(api, mobiles(50), options), RateLimitError);
      expect([kinds(all), asked]).toEqual([["0 found"], [mobile(1), mobile(0), mobile(1)]]);
    }
    expect(timers()).toBe(0);
  });

  it("any other failure with such a `retryDelay` is a result: the number is not retried, and the run goes on", async () => {
    const { api, asked } = await startService((number) => (number === mobile(1) ? refused(503) : {}), {
      retryDelay: () => Number.POSITIVE_INFINITY,
    });
    const all = await collect(findMany(api, mobiles(3), { ...fast, concurrency: 1 }));
    expect(kinds(all)).toEqual(["0 found", "1 failed", "2 found"]);
    expect(all[1]).toMatchObject({ attempts: 1, error: { kind: "unavailable" } });
    expect(asked).toEqual(mobiles(3));
  });

  it("a `retryDelay` that is longer than a short `totalTimeout` is waited for, as a `Retry-After` is", async () => {
    const { api, asked } = await startService((_number, nth) => (nth === 1 ? refused(429) : {}), {
      retryDelay: () => 1_001,
      totalTimeout: 1_000,
    });
    expect(kinds(await collect(findMany(api, [mobile(0)], fast)))).toEqual(["0 found"]);
    expect(asked).toHaveLength(2);
  });

  it("inputs that throw end it with their error, after the results of those before it", async () => {
    const { api } = await startService();
    async function* rows() {
      yield mobile(0);
      yield mobile(1);
      throw new RangeError("the file is cut off");
    }
    for (const order of ["input", "completed"] as const) {
      const { all } = await collectUntilError(findMany(api, rows(), { ...fast, order }), RangeError);
      expect(all.map(({ index }) => index).sort()).toEqual([0, 1]);
    }
  });

  it("an error of the service that ends it is not hidden by one of the inputs, which are read ahead", async () => {
    const { api } = await startService(() => refused(401));
    async function* rows() {
      yield mobile(0);
      throw new RangeError("the file is cut off");
    }
    for (const order of ["input", "completed"] as const) {
      await collectUntilError(findMany(api, rows(), { ...fast, order }), AuthenticationError);
    }
  });

  it("the signal throws an AbortError, and leaves no timer and no connection that waits", async () => {
    const timers = countTimers();
    const arrived = gate();
    const { api } = await serve((response, { body }) => {
      if (body.includes(mobile(0))) reply(response, 200, successFor(mobile(0)));
      else arrived.open();
    });
    const controller = new AbortController();
    void arrived.opened.then(() => controller.abort("enough"));
    const { all, error } = await collectUntilError(
      findMany(api, mobiles(50), { ...fast, signal: controller.signal }),
      AbortError,
    );
    expect(kinds(all)).toEqual(["0 found"]);
    expect(error).toMatchObject({ reason: "enough", message: expect.stringContaining("startAt") });
    // Requests were under way: they may have been served.
    expect(error).toMatchObject({ outcome: "unknown", phase: "headers", attempts: expect.any(Number) });
    expect(timers()).toBe(0);
  });

  it("the signal loses no result that stands behind an open number, and its error counts what was under way", async () => {
    for (const order of ["input", "completed"] as const) {
      const controller = new AbortController();
      const server = await startServer((response, { body }) => {
        if (!body.includes(mobile(1))) reply(response, 200, successFor(JSON.parse(body).vpa_mobile));
      });
      // The second request is under way when the two after it have their responses, and the fifth has no credentials.
      let responses = 0;
      let asked = 0;
      const api = clientOf(server).withOptions({
        clientSecret: async () => (asked++ === 4 ? new Promise<string>(() => {}) : "a-secret"),
        onEvent: (event) => {
          if (event.type === "response" && ++responses === 3) setImmediate(() => controller.abort("enough"));
        },
      });
      const { all, error } = await collectUntilError(
        findMany(api, mobiles(9), { ...fast, order, concurrency: 2, signal: controller.signal }),
      );
      const open = order === "input" ? ["1 failed"] : [];
      expect(kinds(all)).toEqual(["0 found", ...open, "2 found", "3 found"]);
      expect(error).toMatchObject({ name: "AbortError", reason: "enough", attempts: 1, outcome: "unknown" });
    }
  });

  it("a signal that is aborted already throws before anything is read or sent", async () => {
    const { api, asked } = await startService();
    let read = 0;
    const rows = (function* () {
      for (;;) yield mobile(read++);
    })();
    const { all, error } = await collectUntilError(
      findMany(api, rows, { ...fast, signal: AbortSignal.abort() }),
      AbortError,
    );
    expect([all, read, asked]).toEqual([[], 0, []]);
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

  it("closes inputs whose value rejects: they have not ended", async () => {
    const { api } = await startService();
    const closed = gate();
    function* rows() {
      try {
        yield mobile(1);
        yield Promise.reject(new Error("the row is damaged"));
      } finally {
        closed.open();
      }
    }
    const { error } = await collectUntilError(findMany(api, rows() as Iterable<string>, fast));
    expect(error).toMatchObject({ message: "the row is damaged" });
    await closed.opened;
  });

  it("the signal ends the wait for an input that does not come, and closes the inputs", async () => {
    const { api } = await startService();
    const { inputs, asked, closed } = silentInputs();
    const controller = new AbortController();
    void asked.then(() => controller.abort());
    await collectUntilError(findMany(api, inputs, { ...fast, signal: controller.signal }), AbortError);
    await closed;
  });

  it.each(["signal", "drainSignal"] as const)(
    "the %s ends the wait for a promise in a list that does not settle, and closes the list",
    async (name) => {
      const { api } = await startService();
      const waiting = gate();
      const closed = gate();
      function* rows() {
        try {
          yield mobile(0);
          waiting.open();
          yield new Promise<string>(() => {});
        } finally {
          closed.open();
        }
      }
      const controller = new AbortController();
      const results = findMany(api, rows() as Iterable<never>, { ...fast, [name]: controller.signal });
      expect(await results.next()).toMatchObject({ value: { kind: "found" } });
      await waiting.opened;
      controller.abort();
      if (name === "signal") await expect(results.next()).rejects.toBeInstanceOf(AbortError);
      else expect(await results.next()).toEqual({ done: true, value: undefined });
      await closed.opened;
    },
  );

  it("a promise in a list that rejects ends it with its error, after the results of those before it", async () => {
    const { api } = await startService();
    const rows = [mobile(0), Promise.reject(new RangeError("the row is gone"))] as never[];
    const { all } = await collectUntilError(findMany(api, rows, fast), RangeError);
    expect(kinds(all)).toEqual(["0 found"]);
  });

  it("inputs that nobody waits for any more may reject: the process goes on", async () => {
    const { api } = await startService();
    const rejected: Promise<never>[] = [];
    const rejecting = (): Promise<never> => {
      const row = Promise.reject(new RangeError("the row is gone"));
      rejected.push(row);
      return row;
    };
    function* skipped() {
      yield rejecting();
      yield mobile(1);
    }
    const results = await collect(findMany(api, skipped() as Iterable<never>, { ...fast, startAt: 1 }));
    expect(kinds(results)).toEqual(["1 found"]);

    const controller = new AbortController();
    const aborting: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          controller.abort();
          return rejecting();
        },
      }),
    };
    await collectUntilError(findMany(api, aborting, { ...fast, signal: controller.signal }), AbortError);
    // The test fails if one of them is reported as unhandled.
    expect(rejected).toHaveLength(2);
  });

  it("`break` aborts what is under way, closes the inputs, and reads no further than 4 × concurrency", async () => {
    const timers = countTimers();
    const waiting: Received[] = [];
    const server = await startServer((response, request) => {
      if (request.body.includes(mobile(0))) reply(response, 200, successFor(mobile(0)));
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
    const { server, api } = await serve(stalls);
    const results = findMany(api, mobiles(3), fast);
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
