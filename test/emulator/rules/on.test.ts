import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createEmulator, type EmulatorOptions, refusal } from "../../../src/emulator/emulator.ts";
import { ConfigurationError, ServiceApiError } from "../../../src/errors/index.ts";
import { type AiEvent, defineOperation, findVpas, ServiceApi } from "../../../src/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import { caught, clientOf, listen, now, sample } from "../helpers.ts";

const lookUp = { vpa_mobile: "9876543210", consent: "Y" } as const;
const passengers = sample("flight/book/request-oneway-adult").passengers;

function setUp(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ pace: 0, retryAfter: 0, ...options });
  const api = clientOf(emulator);
  return { emulator, api, find: () => api.verification.findVpas(lookUp) };
}

async function eventsOf(stream: AsyncIterable<AiEvent>): Promise<AiEvent[]> {
  const events: AiEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("emulator.on()", () => {
  it("completes a part of a body with what the emulator would respond", async () => {
    const { emulator, api } = setUp();
    emulator.on("verification.findVpas", { name: "ASHA", clientData: undefined });
    const { name, clientData, vpa } = await api.verification.findVpas(lookUp);
    expect([name, clientData.mobile, vpa]).toEqual(["ASHA", "9876543210", "9876543210@demoupi"]);
  });

  it.each([
    [{ vpaList: ["a@x", "b@y"] }, { vpa: "a@x", vpaList: ["a@x", "b@y"], count: 2 }],
    [{ vpa: "a@x" }, { vpa: "a@x", vpaList: ["a@x"], count: 1 }],
    [
      { vpaList: ["a@x"], count: 7 },
      { vpa: "a@x", vpaList: ["a@x"], count: 7 },
    ],
  ])("keeps VPAs and their count in agreement: %j", async (given, expected) => {
    const { emulator, find } = setUp();
    emulator.on("verification.findVpas", given);
    expect(await find()).toMatchObject(expected);
  });

  it("takes a list as the whole list, and completes its elements", async () => {
    const { emulator, api } = setUp({ now });
    const fares = [{ fare: { total_fare: 12_345 } }, { fare: { total_fare: 9_999.5 } }];
    emulator.on("flights.fareQuote", { data: { result: fares } });
    const { data } = await api.flights.fareQuote(emulator.seedSearch());
    expect(data.result.map(({ fare }) => fare.total_fare)).toEqual([12_345, 9_999.5]);
    expect(data.result[1]?.segments).toEqual(data.result[0]?.segments);
    expect(new Set(data.result.map(({ token }) => token)).size).toBe(2);
  });

  it("issues quotes that can be booked, under a token of the test's own too", async () => {
    const { emulator, api } = setUp();
    emulator.on("flights.fareQuote", { data: { result: [{ is_lcc: true }, { token: "MY-TOKEN" }] } });
    const { trace_id, token } = emulator.seedSearch();
    const { data } = await api.flights.fareQuote({ trace_id, token });
    const [first, second] = data.result;
    expect(second?.token).toBe("MY-TOKEN");
    for (const quoted of [first, second]) {
      const booked = await api.flights.book({ trace_id, token: quoted?.token ?? expect.unreachable(), passengers });
      expect(booked.data.result.is_lcc).toBe(quoted?.is_lcc);
    }
  });

  it("needs no search: the token may be unknown", async () => {
    const { emulator, api } = setUp();
    emulator.on("flights.fareQuote", { message: "Scripted" });
    emulator.on("flights.fareRule", { data: { result: [{ fare_rules: "NON REFUNDABLE" }] } });
    emulator.on("flights.book", { data: { result: { pnr: "ABC123" } } });
    const search = { trace_id: "T-1", token: "S-1" };
    const { data } = await api.flights.fareQuote(search);
    expect(data.trace_id).toBe("T-1");
    expect((await api.flights.fareRule(search)).data.result).toMatchObject([{ fare_rules: "NON REFUNDABLE" }]);
    const token = data.result[0]?.token ?? expect.unreachable();
    const booked = await api.flights.book({ trace_id: "T-1", token, passengers });
    expect(booked.data.result).toMatchObject({ pnr: "ABC123", passengers: [{ fname: passengers[0].fname }] });
    expect(emulator.bookings).toMatchObject([{ pnr: "ABC123", trace_id: "T-1", token }]);
  });

  it("sends the text of the AI, whole or as a stream, and the chain goes on", async () => {
    const { emulator, api } = setUp();
    emulator.on("ai.createResponse", { text: "Take the early train." });
    const first = await api.ai.createResponse({ user: { text: "How?" } });
    expect(first.system.text).toBe("Take the early train.");
    emulator.on("ai.stream", ["Bring ", "wa", "ter."]);
    const stream = api.ai.stream({ user: { text: "And?" }, context_token: first.context_token });
    const events = await eventsOf(stream);
    expect(events.map(({ event }) => event)).toEqual([
      ...["response_initiated", "response_output", "response_output", "response_output", "response_completed"],
    ]);
    expect(await api.ai.stream({ user: { text: "Again" } }).finalText()).toBe("Bring water.");
    emulator.on("ai.createResponse", { system: { text: "Custom" }, context_token: "svc_abc" });
    await api.ai.createResponse({ user: { text: "Hi" } });
    emulator.reset();
    emulator.on("ai.createResponse", { context_token: "svc_abc" }, { times: 1 });
    await api.ai.createResponse({ user: { text: "Hi" } });
    const { parent_context_token } = await api.ai.createResponse({ user: { text: "On" }, context_token: "svc_abc" });
    expect(parent_context_token).toBe("svc_abc");
  });

  it("cuts the text of a stream into words, and takes another final text", async () => {
    const { emulator, api } = setUp();
    emulator.on("ai.stream", { text: "one two" }, { times: 1 });
    const events = await eventsOf(api.ai.stream({ user: { text: "x" } }));
    expect(events.flatMap((event) => (event.event === "response_output" ? [event.system.text_chunk] : []))).toEqual([
      ...["one ", "two"],
    ]);
    emulator.on("ai.stream", { chunks: ["one ", "too"], text: "one two" });
    expect(await api.ai.stream({ user: { text: "x" } }).finalText()).toBe("one two");
  });

  it("lets a stream fail after its chunks", async () => {
    const { emulator, api } = setUp();
    emulator.on("ai.stream", { chunks: ["Half a "], refusal: "unavailable", message: "Stopped." });
    expect(await caught(api.ai.stream({ user: { text: "x" } }).finalText())).toMatchObject({
      name: "StreamFailedError",
      partialText: "Half a ",
    });
  });

  it("calls a function with the params and the request, and leaves to others what it returns nothing for", async () => {
    const { emulator, api } = setUp();
    emulator.on("verification.findVpas", { name: "EVERYBODY" });
    emulator.on(
      "verification.findVpas",
      async ({ vpa_mobile }, { headers }) =>
        vpa_mobile.endsWith("7") ? { name: `${headers["client-id"]} ${vpa_mobile}` } : undefined,
      { times: 1 },
    );
    const nameOf = async (vpa_mobile: string) => (await api.verification.findVpas({ ...lookUp, vpa_mobile })).name;
    expect([await nameOf("9876543210"), await nameOf("9876543217"), await nameOf("9876543217")]).toEqual([
      ...["EVERYBODY", "demo-client 9876543217", "EVERYBODY"],
    ]);
  });

  it("sends a Response as it is, as often as it is asked for", async () => {
    const { emulator, find } = setUp({ failureStatus: 200 });
    const gateway = new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "content-type": "text/html" } });
    emulator.on("verification.findVpas", gateway);
    for (let count = 0; count < 2; count++) {
      expect(await caught(find())).toMatchObject({ name: "UnexpectedResponseError", httpStatus: 502 });
    }
    emulator.on("verification.findVpas", () => Response.json({ status: "success", vpaList: 7 }));
    expect(await caught(find())).toMatchObject({ name: "ResponseValidationError" });
  });

  it("drops the connection for `Response.error()`, each time", async () => {
    const { emulator, find } = setUp();
    emulator.on("*", Response.error());
    for (let count = 0; count < 2; count++) {
      expect(await caught(find())).toMatchObject({ name: "ConnectionError", code: "ECONNRESET" });
    }
  });

  it("refuses a Response whose body was read: at once, or in a response that says so", async () => {
    const { emulator, find } = setUp();
    const read = Response.json({ any: 1 });
    await read.text();
    const held = Response.json({ any: 1 });
    held.body?.getReader();
    for (const response of [read, held]) {
      expect(() => emulator.on("verification.findVpas", response)).toThrow(/body of this Response was read already/);
    }
    const later = Response.json({ any: 1 });
    emulator.on("verification.findVpas", later, { times: 1 });
    await later.text();
    emulator.on("verification.findVpas", () => read, { times: 1 });
    for (let count = 0; count < 2; count++) {
      expect(await caught(find())).toMatchObject({ serviceMessage: expect.stringContaining("was read already") });
    }
  });

  it("passes on an operation by its value", async () => {
    const { emulator, find } = setUp();
    emulator.on(findVpas, { name: "BY VALUE" });
    expect(await find()).toMatchObject({ name: "BY VALUE", vpa: "9876543210@demoupi" });
  });
});

describe("the order of rules", () => {
  /** A rule that leaves its first request to others once it is released, and responds to each further one. */
  function leavesTheFirst() {
    const { opened, open } = gate<undefined>();
    const rule = vi.fn(async (): Promise<{ name: string } | undefined> => ({ name: "MINE" }));
    rule.mockReturnValueOnce(opened);
    return { rule, release: () => open(undefined) };
  }

  it("is that in which those with a limit were passed, then the latest without one", async () => {
    const { emulator, find } = setUp();
    emulator.on("verification.findVpas", { name: "OLD" });
    emulator.on("verification.findVpas", { name: "NEW" });
    emulator.on("*", "unavailable", { times: 1 });
    emulator.on("verification.findVpas", { name: "ONCE" }, { times: 1 });
    const names: string[] = [];
    for (let count = 0; count < 4; count++) {
      await find().then(
        (body) => {
          names.push(body.name);
          return body;
        },
        (error) => names.push(Object(error).name),
      );
    }
    expect(names).toEqual(["ServiceUnavailableError", "ONCE", "NEW", "NEW"]);
    emulator.on("*", "html-502");
    expect(await caught(find())).toMatchObject({ name: "UnexpectedResponseError" });
    emulator.reset();
    expect(await find()).toMatchObject({ vpa: "9876543210@demoupi" });
  });

  it("counts each of several requests at the same time once", async () => {
    const { emulator, find } = setUp();
    emulator.on("verification.findVpas", async () => ({ name: "TWICE" }), { times: 2 });
    const names = (await Promise.all([find(), find(), find()])).map(({ name }) => name);
    expect(names.filter((name) => name === "TWICE")).toHaveLength(2);
  });

  it("keeps a script whose function is still running when others are passed", async () => {
    const { emulator, find } = setUp();
    const { rule, release } = leavesTheFirst();
    emulator.on("verification.findVpas", rule, { times: 1 });
    const first = find();
    await expect.poll(() => rule.mock.calls).toHaveLength(1);
    expect(emulator.unused).toEqual([]);
    emulator.on("flights.book", "slow:0");
    emulator.on("verification.findVpas", { name: "LATER" });
    release();
    await first;
    expect(emulator.unused).toContainEqual(
      expect.objectContaining({ operation: "verification.findVpas", name: undefined, remaining: 1 }),
    );
    expect((await find()).name).toBe("MINE");
    expect((await find()).name).toBe("LATER");
  });

  it("keeps a script used that one of two requests left to others", async () => {
    const { emulator, find } = setUp();
    const { rule, release } = leavesTheFirst();
    emulator.on("verification.findVpas", rule);
    const first = find();
    await expect.poll(() => rule.mock.calls).toHaveLength(1);
    expect((await find()).name).toBe("MINE");
    release();
    await first;
    expect(emulator.unused).toEqual([]);
  });

  it("leaves out requests that the service would refuse", async () => {
    const { emulator, api, find } = setUp();
    emulator.on("verification.findVpas", { name: "ONCE" }, { times: 1 });
    const refused = [
      api.withOptions({ clientSecret: "wrong-secret" }).verification.findVpas(lookUp),
      api.verification.findVpas(lookUp, { extraBody: { consent: "N" } }),
    ];
    for (const call of refused) expect(ServiceApiError.isInstance(await caught(call))).toBe(true);
    expect(emulator.unused).toMatchObject([{ operation: "verification.findVpas", name: undefined, remaining: 1 }]);
    expect((await find()).name).toBe("ONCE");
    expect(emulator.unused).toEqual([]);
  });

  it("lets a response suffer the fault of its request, or of another rule", async () => {
    const { emulator, api, find } = setUp();
    emulator.on("*", "cut-json", { times: 1 });
    emulator.on("verification.findVpas", { name: "CUT" });
    expect(await caught(find())).toMatchObject({ name: "UnexpectedResponseError" });
    emulator.on("*", "cut-json");
    const headers = { "X-Emulator-Response": "http-500" };
    expect(await caught(api.verification.findVpas(lookUp, { headers }))).toMatchObject({ httpStatus: 500 });
  });

  it("meets one rule with a limit for each request, and a standing fault beside it", async () => {
    const { emulator, find } = setUp();
    emulator.on("*", "http-500");
    emulator.on("verification.findVpas", { name: "STANDING" });
    emulator.on("*", "reset-after", { times: 1 });
    emulator.on("*", "not_found", { times: 1 });
    expect(await caught(find())).toMatchObject({ name: "ConnectionError" });
    expect(await caught(find())).toMatchObject({ httpStatus: 500, statusCode: "404" });
    expect(await caught(find())).toMatchObject({ httpStatus: 500, body: { name: "STANDING" } });
    expect(emulator.unused).toEqual([]);
  });

  it("lists what was not used", async () => {
    const { emulator, find } = setUp();
    emulator.on("flights.book", "duplicate");
    emulator.on("verification.findVpas", { name: "A" }, { times: 3 });
    emulator.on("ai.stream", "slow:1");
    await find();
    expect(emulator.unused).toMatchObject([
      { operation: "flights.book", name: "duplicate", remaining: Number.POSITIVE_INFINITY },
      { operation: "verification.findVpas", name: undefined, remaining: 2 },
      { operation: "ai.stream", name: "slow:1", remaining: Number.POSITIVE_INFINITY },
    ]);
    emulator.reset();
    expect(emulator.unused).toEqual([]);
  });
});

describe("emulator.on() refuses", () => {
  const { emulator } = setUp();
  it.each<[string, () => unknown, RegExp]>([
    [
      "a body that the service could not send",
      () => emulator.on("verification.findVpas", { vpaList: "a@x" as never }),
      /verification\.findVpas does not respond like this: vpaList must be an array, is a string\. .*Response\.json/,
    ],
    [
      "a wrong field deep inside",
      () => emulator.on("flights.fareQuote", { data: { result: [{ fare: { total_fare: "1" as never } }] } }),
      /data\.result\[0\]\.fare\.total_fare must be a number, is a string/,
    ],
    [
      "a body that says failed",
      () => emulator.on("verification.findVpas", { status: "failed" }),
      /status must say success; pass `refusal\(\)`/,
    ],
    [
      "the fields of a refusal",
      () => emulator.on("flights.book", { reason: "insufficient_balance", message: "No." } as never),
      /the response must be made by `refusal\(\)`/,
    ],
    ["a body that is no object", () => emulator.on("flights.book", ["PNR"] as never), /the response must be an object/],
    ["no response", () => emulator.on("flights.book", undefined as never), /the response must be an object/],
    ["a chunk that is no string", () => emulator.on("ai.stream", ["a", 1 as never]), /`chunks`.* index 1/],
    ["a misspelt field of a stream", () => emulator.on("ai.stream", { chunk: [] } as never), /did you mean "chunks"/],
    ["a stream that fails with a word", () => emulator.on("ai.stream", { refusal: "x" as never }), /kind of error "x"/],
    [
      "a stream that fails with headers",
      () => emulator.on("ai.stream", { refusal: refusal("unavailable", { retryAfter: 500 }) as never }),
      /`refusal` .*a kind of error or a code/,
    ],
    [
      "a pause between events for an operation that has none",
      () => emulator.on("flights.book", () => undefined, { eventDelay: 5 }),
      /`eventDelay` is for ai\.stream: flights\.book responds with one body/,
    ],
    [
      "a pause between events for a refusal",
      () => emulator.on("ai.stream", "unavailable", { eventDelay: 5 }),
      /`eventDelay` is for events, and this response has none/,
    ],
    ["an unknown operation", () => emulator.on("flights.boook" as "flights.book", {}), /Did you mean flights\.book\?/],
    [
      "an operation that is none",
      () => emulator.on({ name: "x" } as unknown as typeof findVpas, {}),
      /`defineOperation` returned/,
    ],
    ["a misspelt option", () => emulator.on("flights.book", {}, { time: 1 } as never), /did you mean "times"/],
    ["a negative delay", () => emulator.on("flights.book", {}, { delay: -1 }), /`delay` must be a number/],
    ["an unknown kind", () => refusal("rate_limit" as never), /kind of error "rate_limit"\. Did you mean rate_limited/],
    ["an impossible code", () => refusal(42), /code must be an integer between 100 and 599/],
    [
      "a name that the operation does not know",
      () => emulator.on("flights.fareQuote", "failed-pending" as never),
      /no response of flights\.fareQuote "failed-pending"/,
    ],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(ConfigurationError);
    expect(act).toThrow(message);
    expect(emulator.unused).toEqual([]);
  });

  it.each<[string, () => never, RegExp]>([
    ["throws", throws(new Error("no fixture")), /The rule of verification\.findVpas failed: no fixture/],
    ["returns what the service could not send", () => ({ count: "1" }) as never, /count must be/],
  ])("a function that %s, in a response that no error of the service resembles", async (_, script, message) => {
    const { emulator, find } = setUp();
    emulator.on("verification.findVpas", script);
    const error = await caught(find());
    expect(error).toMatchObject({ name: "ApiError", kind: "unknown", httpStatus: 418 });
    expect(String(Reflect.get(Object(error), "serviceMessage"))).toMatch(message);
  });
});

describe("delays", () => {
  it("pass on the emulator's clock", async () => {
    const { emulator, find } = setUp({ now });
    emulator.on("verification.findVpas", { name: "LATE" }, { delay: 5_000 });
    let done = false;
    const call = find().then((body) => {
      done = true;
      return body;
    });
    await expect.poll(() => emulator.requests).toHaveLength(1);
    await emulator.clock.advance(4_999);
    expect(done).toBe(false);
    await emulator.clock.advance(1);
    expect((await call).name).toBe("LATE");
  });

  it("pass in real time without `now`", async () => {
    const { emulator, find } = setUp();
    emulator.on("verification.findVpas", { name: "LATE" }, { delay: 30 });
    stopClock("setTimeout", "clearTimeout", "Date");
    const isDone = vi.fn();
    const call = find().then(isDone);
    await expect.poll(() => emulator.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(29);
    expect(isDone).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await call;
  });

  it("release one event of a stream after the other", async () => {
    const { emulator, api } = setUp({ now });
    emulator.on("ai.stream", ["a", "b", "c"], { eventDelay: 100 });
    const events = api.ai.stream({ user: { text: "x" } })[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ event: "response_initiated" });
    for (const expected of ["a", "b", "c", undefined]) {
      let isThere = false;
      const next = events.next().then(({ value }) => {
        isThere = true;
        return value;
      });
      await emulator.clock.advance(99);
      expect(isThere).toBe(false);
      await emulator.clock.advance(1);
      expect(Object(await next).system.text_chunk).toBe(expected);
    }
  });

  it("let a reader go on during one `advance`, to the end of the stream", async () => {
    const { emulator, api } = setUp({ now });
    emulator.on("ai.stream", ["a", "b", "c"], { eventDelay: 100 });
    let text = "";
    const reading = api.ai
      .stream({ user: { text: "x" } })
      .finalText()
      .then((whole) => {
        text = whole;
      });
    await expect.poll(() => emulator.requests).toHaveLength(1);
    await emulator.clock.advance(10_000);
    expect(text).toBe("abc");
    await reading;
  });

  it("end with the call, and with reset()", async () => {
    const { emulator, api, find } = setUp({ now });
    emulator.on("verification.findVpas", { name: "LATE" }, { delay: 1_000 });
    const aborted = api.verification.findVpas(lookUp, { timeout: 20 });
    expect(await caught(aborted)).toMatchObject({ name: "TimeoutError" });
    const released = find();
    await expect.poll(() => emulator.requests).toHaveLength(2);
    emulator.reset();
    expect((await released).name).toBe("LATE");
  });

  it("end with reset(), also if it comes before the wait begins", async () => {
    const { emulator, api, find } = setUp({ now });
    emulator.on(
      "verification.findVpas",
      () => {
        emulator.reset();
        return { name: "LATE" };
      },
      { delay: 1_000 },
    );
    expect((await find()).name).toBe("LATE");
    emulator.on("ai.stream", ["a", "b"], { eventDelay: 1_000 });
    const texts: string[] = [];
    for await (const { event } of api.ai.stream({ user: { text: "x" } })) {
      // Each further event would wait for a clock that nobody moves.
      if (event === "response_initiated") emulator.reset();
      texts.push(event);
    }
    expect(texts).toEqual(["response_initiated", "response_output", "response_output", "response_completed"]);
  });
});

describe("operations of your own", () => {
  const payoutStatus = defineOperation({
    name: "payouts.status",
    area: "verification",
    path: "payout/status",
    params: z.object({ client_referenceId: z.string() }),
    body: z.looseObject({ status: z.string(), utr: z.string(), attempts: z.optional(z.number()) }),
    essential: ["utr"],
  });
  const flightSearch = defineOperation({
    name: "flights.search",
    area: "flights",
    path: "flight/search",
    params: z.object({ from: z.string(), client_referenceId: z.optional(z.string()) }),
    body: z.looseObject({ status: z.string(), data: z.object({ trace_id: z.string() }) }),
  });

  it("respond as scripted, in the envelope of their area, and are checked by their schema", async () => {
    const { emulator, api } = setUp();
    emulator.on(payoutStatus, { utr: "UTR1" });
    expect(await api.send(payoutStatus, { client_referenceId: "po-1" })).toMatchObject({
      status: "success",
      utr: "UTR1",
    });
    emulator.on(payoutStatus, { utr: "UTR2" }, { times: 1 });
    expect(await api.send(payoutStatus, { client_referenceId: "po-1" })).toMatchObject({ utr: "UTR2" });
    expect(() => emulator.on(payoutStatus, { utr: 7 as never })).toThrow(/payouts\.status does not .*utr/);
    expect(() => emulator.on(payoutStatus, {})).toThrow(/utr/);
  });

  it("decide by their own `isSuccess` what a success is", async () => {
    const { emulator, api } = setUp();
    const queued = defineOperation({
      name: "payouts.queue",
      path: "payout/queue",
      isSuccess: ({ verdict, body }) => verdict === "pending" && Reflect.get(Object(body), "id") !== undefined,
    });
    emulator.on(queued, { status: "PENDING", id: "Q-1" });
    expect(await api.send(queued, {})).toMatchObject({ status: "PENDING", id: "Q-1" });
    emulator.on(queued, () => ({ status: "PENDING", id: "Q-2" }));
    expect(await api.send(queued, {})).toMatchObject({ id: "Q-2" });
    expect(() => emulator.on(queued, { status: "PENDING" })).toThrow(/must be a success by the `isSuccess`/);
    expect(() => emulator.on(queued, { id: "Q-3" })).toThrow(/must be a success by the `isSuccess`/);

    const undecided = defineOperation({ name: "payouts.later", path: "payout/later", isSuccess: () => 1 as never });
    expect(() => emulator.on(undecided, {})).toThrow(/payouts\.later: `isSuccess` must return/);
  });

  it("accept without `isSuccess` each status that the client accepts", async () => {
    const { emulator, api } = setUp();
    const described = defineOperation({
      name: "payouts.described",
      path: "payout/described",
      body: z.object({ status: z.string() }),
    });
    emulator.on(described, { status: "COMPLETED" });
    expect(await api.send(described, {})).toMatchObject({ status: "COMPLETED" });
    expect(() => emulator.on(described, { status: "PENDING" })).toThrow(/status must say success/);

    const bare = defineOperation<object, { status?: unknown }>({ name: "payouts.bare", path: "payout/bare" });
    emulator.on(bare, { status: true });
    expect(await api.send(bare, {})).toMatchObject({ status: true });
    expect(() => emulator.on(bare, { status: "ERROR" })).toThrow(/status does not say success: pass `isSuccess`/);
    expect(() => emulator.on(bare, { status: "FAILED" })).toThrow(/status must say success/);
  });

  it("have credentials, params, refusals and faults as those of the service do", async () => {
    const { emulator, api } = setUp();
    emulator.on(flightSearch, ({ from }) => ({ data: { trace_id: from } }));
    expect(await api.send(flightSearch, { from: "DEL" })).toMatchObject({
      status: "SUCCESS",
      data: { trace_id: "DEL" },
    });
    const wrong = api.withOptions({ clientSecret: "wrong-secret" }).send(flightSearch, { from: "DEL" });
    expect(await caught(wrong)).toMatchObject({ name: "AuthenticationError" });
    const invalid = api.send(flightSearch, { from: "DEL" }, { extraBody: { from: 7 } });
    expect(await caught(invalid)).toMatchObject({ name: "InvalidRequestError", httpStatus: 422 });
    emulator.on(flightSearch, "unavailable", { times: 1 });
    const away = api.send(flightSearch, { from: "DEL" });
    expect(await caught(away)).toMatchObject({ name: "ServiceUnavailableError" });
    emulator.on(flightSearch, "session_expired");
    const expired = api.send(flightSearch, { from: "DEL" });
    expect(await caught(expired)).toMatchObject({ name: "SessionExpiredError" });
    expect(emulator.requests.at(-1)).toMatchObject({ operation: "flights.search" });
  });

  it("say after reset() that a script is missing, and before that their path is unknown", async () => {
    const { emulator, api } = setUp();
    const send = () => caught(api.send(flightSearch, { from: "DEL" }));
    expect(await send()).toMatchObject({
      name: "NotFoundError",
      serviceMessage: expect.stringContaining("emulator.on("),
    });
    emulator.on(flightSearch, { data: { trace_id: "T" } });
    emulator.reset();
    expect(await send()).toMatchObject({
      kind: "unknown",
      serviceMessage: expect.stringContaining("no rule for flights.search"),
    });
  });

  it("and scripts of the service's own respond over HTTP as well", async () => {
    const { emulator } = setUp();
    const server = await listen(emulator);
    const api = new ServiceApi({ baseUrl: server.url, clientId: "c", clientSecret: "secret-1", maxRetries: 0 });
    emulator.on(flightSearch, { data: { trace_id: "T" } });
    emulator.on("ai.stream", ["a", "b"]);
    emulator.on("verification.findVpas", Response.json({ any: 1 }, { status: 409 }));
    expect((await api.send(flightSearch, { from: "DEL" })).data.trace_id).toBe("T");
    expect(await api.ai.stream({ user: { text: "x" } }).finalText()).toBe("ab");
    expect(await caught(api.verification.findVpas(lookUp))).toMatchObject({ httpStatus: 409 });
  });
});
