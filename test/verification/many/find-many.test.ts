import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { ConfigurationError, NotFoundError } from "../../../src/errors/index.ts";
import type { ClientOptions } from "../../../src/options.ts";
import {
  type FindManyOptions,
  type FindManyProgress,
  type FindVpasParams,
  findMany,
  type VpaResult,
} from "../../../src/verification/index.ts";
import { clientOf, errorOf, nowhere, sample } from "../../support/client.ts";
import { movedTime, stopClock } from "../../support/clock.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { reply, startServer } from "../../support/server.ts";

import { fast, kinds, mobile, mobiles, type Respond, refused, startService, successFor } from "./service.ts";

describe("findMany: each input has one result", () => {
  it("found, notFound, pending, invalid or failed, in the order of the inputs", async () => {
    const responses: Record<string, ReturnType<Respond>> = {
      [mobile(1)]: refused(404),
      [mobile(2)]: { body: sample("verification/failed-pending") },
      [mobile(3)]: refused(400),
      [mobile(4)]: refused(500),
    };
    const { api, asked } = await startService((number) => responses[number] ?? {}, { maxRetries: 0 });
    const all = await collect(findMany(api, [...mobiles(5), "12", "+91 60000 00005"], fast));
    expect(kinds(all)).toEqual(["0 found", "1 notFound", "2 pending", "3 invalid", "4 failed", "5 invalid", "6 found"]);
    expect(all.map(({ input }) => input)).toEqual([...mobiles(5), "12", "+91 60000 00005"]);
    expect(all.map((result) => (result.kind === "found" ? result.result.vpa : result.error.kind))).toEqual([
      successFor("").vpa,
      "not_found",
      "in_progress",
      "invalid",
      "unavailable",
      "request_validation",
      successFor("").vpa,
    ]);
    expect(asked).not.toContain("12");
    expect(all.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 0, 1]);
  });

  it.each([
    ["a gateway", { message: "no Route matched with those values" }],
    ["a server without this path", { error: "Not Found" }],
    ["a web framework without this path", { statusCode: 404, message: "Route POST:/x not found", error: "Not Found" }],
    ["a server that calls it an error", { status: "error", message: "Not Found" }],
    ["a server that calls it an error, with a code", { status: "error", statusCode: 404, message: "Not Found" }],
    ["a server that calls it 404", { status: "404", error: "Not Found" }],
    ["nobody who says anything", {}],
    ["nobody who speaks JSON", "<html>not found</html>"],
  ])("not notFound for a 404 of %s, which ends the run", async (_, body) => {
    const { api, asked } = await startService(() => ({ status: 404, body }));
    const { all, error } = await collectUntilError(findMany(api, mobiles(20), { ...fast, concurrency: 1 }));
    expect(all).toEqual([]);
    expect(error).toMatchObject({ httpStatus: 404, message: expect.stringContaining("check `baseUrl`") });
    expect(NotFoundError.isInstance(error)).toBe(false);
    expect(asked).toHaveLength(1);
  });

  it("failed for a 404 about another number, which does not end the run", async () => {
    const { api } = await startService((number) => {
      const clientData = { client_id: "test-client", mobile: mobile(7) };
      return number === mobile(1) ? { status: 404, body: { ...refused(404).body, clientData } } : {};
    });
    const all = await collect(findMany(api, mobiles(4), fast));
    expect(kinds(all)).toEqual(["0 found", "1 failed", "2 found", "3 found"]);
    expect(all[1]).toMatchObject({ error: { reason: "otherRequest" } });
  });

  it.each([refused(400).body, { status: "error", statusCode: "400" }, { status_code: "400", message: "No." }])(
    "invalid for a 404 whose body is the service's and says so, which does not end the run either: %j",
    async (body) => {
      const { api } = await startService((number) => (number === mobile(1) ? { status: 404, body } : {}));
      expect(kinds(await collect(findMany(api, mobiles(4), fast)))).toEqual([
        "0 found",
        "1 invalid",
        "2 found",
        "3 found",
      ]);
    },
  );

  it.each([
    [200, { status: "failed", statusCode: "E1", message: "Cannot POST /verification/upimobile_multiple" }],
    [200, { status: "failed", message: "The requested resource was not found" }],
    [418, { status: "failed", message: "Method not allowed" }],
  ])("failed for words of a page that is not there, under HTTP %i without a 404: %j", async (status, body) => {
    const { api } = await startService(() => ({ status, body }));
    expect(kinds(await collect(findMany(api, mobiles(2), fast)))).toEqual(["0 failed", "1 failed"]);
  });

  it("notFound for a 404 without a code, if it is about the UPI ID", async () => {
    const { api } = await startService(() => ({ status: 404, body: { message: "No UPI ID found" } }));
    expect(kinds(await collect(findMany(api, [mobile(1)], fast)))).toEqual(["0 notFound"]);
  });

  it.each<[string, object, ClientOptions]>([
    ["has the service's status and no code", { status: "FAILED", message: "No record" }, {}],
    ["`classifyError` calls not_found", { error: "Not Found" }, { classifyError: () => "not_found" }],
  ])("notFound for a 404 that %s, as findVpas itself says", async (_, body, options) => {
    const { api } = await startService(() => ({ status: 404, body }), options);
    await errorOf(api.verification.findVpas({ vpa_mobile: mobile(1), consent: "Y" }), NotFoundError);
    expect(kinds(await collect(findMany(api, mobiles(2), fast)))).toEqual(["0 notFound", "1 notFound"]);
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
    expect(all.map((row) => row.kind === "invalid" && row.error.kind)).toEqual(rows.map(() => "request_validation"));
    expect(asked).toEqual([]);
  });

  it("spends no turn on invalid numbers: a thousand of them take no time at one request per second", async () => {
    stopClock("setTimeout", "clearTimeout", "performance");
    const startedAt = movedTime();
    const api = clientOf(nowhere);
    const rows = findMany(api, Array(1_000).fill("12"), { consent: "Y", perSecond: 1, dedupeWindow: false });
    const took = collect(rows).then(() => movedTime() - startedAt);
    await vi.runAllTimersAsync();
    expect(await took).toBe(0);
  });

  it.each([[mobile(1)], [undefined], [7], [{}]])("refuses inputs that cannot be iterated: %j", async (inputs) => {
    const { api } = await startService();
    expect(() => findMany(api, inputs as string[], fast)).toThrow(/must be an iterable of mobile numbers/);
  });

  it("yields as completed if asked to", async () => {
    const { opened, open } = gate();
    const server = await startServer(async (response, { body }) => {
      if (body.includes(mobile(0))) await opened;
      reply(response, 200, successFor(JSON.parse(body).vpa_mobile));
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

  it("asks again for one that is further away than `dedupeWindow`, and for each with `dedupeWindow: false`", async () => {
    const { api, asked } = await startService();
    await collect(findMany(api, [mobile(1), mobile(2), mobile(3), mobile(1)], { ...fast, dedupeWindow: 2 }));
    expect(asked.filter((number) => number === mobile(1))).toHaveLength(2);
    await collect(findMany(api, [mobile(4), mobile(4)], { ...fast, dedupeWindow: false }));
    expect(asked.filter((number) => number === mobile(4))).toHaveLength(2);
  });

  it("counts `dedupeWindow` from the latest of the duplicates", async () => {
    const { api, asked } = await startService();
    const same = [mobile(1), mobile(2), mobile(1), mobile(3), mobile(1)];
    await collect(findMany(api, same, { ...fast, dedupeWindow: 2 }));
    expect(asked).toEqual([mobile(1), mobile(2), mobile(3)]);
  });

  it('keeps apart what is sent for other clients, and spellings that `validation.mobile: "asGiven"` sends unchanged', async () => {
    const { api, asked } = await startService(undefined, { validation: { mobile: "asGiven" } });
    const of = (client_id: string) => ({ vpa_mobile: mobile(1), consent: "Y", clientData: { client_id } }) as const;
    await collect(findMany(api, [of("a"), of("b"), of("a")], { perSecond: 1_000 }));
    expect(asked).toHaveLength(2);
    await collect(findMany(api, ["60000 00001", mobile(1)], fast));
    expect(asked).toHaveLength(4);
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
    const { api } = await startService((number) => (number === mobile(1) ? refused(404) : {}));
    const steps: FindManyProgress[] = [];
    await collect(findMany(api, inputs, { ...options, onProgress: (step) => steps.push(step) }));
    return steps;
  }

  it("is called after each result, with counts, rate and time left", async () => {
    const steps = await progressOf(fast, [...mobiles(3), "12"]);
    expect(steps.map(({ done }) => done)).toEqual([1, 2, 3, 4]);
    expect(steps.at(-1)).toEqual({
      ...{ done: 4, total: 4, found: 2, notFound: 1, pending: 0, invalid: 1, failed: 0, timeLeft: 0 },
      perSecond: expect.any(Number),
    });
    expect(steps[0]?.timeLeft).toBeGreaterThan(0);
    expect(steps.every(({ perSecond }) => perSecond > 0)).toBe(true);
  });

  it("counts a response that waits for an earlier one, and no result two times", async () => {
    const slow = gate();
    const { api } = await startService(async (number) => {
      if (number === mobile(0)) await slow.opened;
      return number === mobile(2) ? refused(404) : {};
    });
    const steps: FindManyProgress[] = [];
    const onProgress = (step: FindManyProgress) => {
      steps.push(step);
      // All others wait for the first one.
      if (step.done === 3) slow.open();
    };
    const inputs = [...mobiles(4), "12", mobile(1)];
    expect(kinds(await collect(findMany(api, inputs, { ...fast, onProgress })))).toEqual(
      ["found", "found", "notFound", "found", "invalid", "found"].map((kind, index) => `${index} ${kind}`),
    );
    expect(steps.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(steps.at(-1)).toMatchObject({ found: 4, notFound: 1, invalid: 1 });
  });

  it.each(["input", "completed"] as const)(
    "counts each result that is yielded after an abort in it: %s",
    async (order) => {
      const together = gate();
      const asked = gate();
      let count = 0;
      // Without a socket, whose responses would come one by one.
      const fetch: ClientOptions["fetch"] = async (_url, init) => {
        if (++count === 8) asked.open();
        await together.opened;
        return Response.json(successFor(JSON.parse(String(init?.body)).vpa_mobile));
      };
      const api = clientOf({ url: "https://service.example" }, { fetch });
      const stop = new AbortController();
      let done = 0;
      const onProgress = (step: FindManyProgress) => {
        done = step.done;
        if (done >= 2) stop.abort();
      };
      const options = { ...fast, concurrency: 8, order, onProgress, signal: stop.signal };
      const yielded: number[] = [];
      const run = (async () => {
        for await (const { index } of findMany(api, mobiles(8), options)) yielded.push(index);
      })();
      await asked.opened;
      together.open();
      await run.catch(() => {});
      expect([yielded.length > 2, done]).toEqual([true, yielded.length]);
    },
  );

  it("knows the total of what has a length or a size, and of `total`", async () => {
    const generate = function* () {
      yield* mobiles(3);
    };
    expect((await progressOf(fast, generate()))[0]).toMatchObject({ total: undefined, timeLeft: undefined });
    expect((await progressOf({ ...fast, total: 3 }, generate()))[0]).toMatchObject({ total: 3 });
    expect((await progressOf(fast, new Set(mobiles(3))))[0]).toMatchObject({ total: 3 });
  });

  it("counts what an earlier run has done, so that the bar of a run that continues goes on", async () => {
    const steps = await progressOf({ ...fast, startAt: 2 }, mobiles(4));
    expect(steps.map(({ done, total, found }) => [done, total, found])).toEqual([
      [3, 4, 1],
      [4, 4, 2],
    ]);
    expect(steps.at(-1)?.timeLeft).toBe(0);
  });

  it("changes nothing if it throws or rejects", async () => {
    const { api } = await startService();
    const onProgress = async () => Promise.reject(new Error("the display failed"));
    const all = await collect(findMany(api, mobiles(2), { ...fast, onProgress }));
    expect(all).toHaveLength(2);
  });
});
