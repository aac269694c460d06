import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { sleep } from "../../../src/shared/promises.ts";
import { custom, hmac, memoryStore, WebhookPayloadError, Webhooks } from "../../../src/webhooks/index.ts";
import type { WebhookHandlers } from "../../../src/webhooks/types.ts";
import { block, later, movedTime, stopClock } from "../../support/clock.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { refusalOf } from "../../support/refusal.ts";
import { throws } from "../../support/throws.ts";
import {
  ackOf,
  eventOf,
  faultyStore,
  noWork,
  type ReceiverChanges,
  receiver,
  reference,
  untilAborted,
  watchedStore,
} from "../support.ts";

/** Makes a handler that accepts anything. */
const handlerOf = (handlers: Partial<WebhookHandlers>) =>
  new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" }).handler(handlers as WebhookHandlers);

describe("authentication and look-up have no default", () => {
  it.each([{}, { auth: [] }])("refuses to create a handler without auth: %j", (options) => {
    const make = () => new Webhooks({ store: memoryStore(), findOrder: "none", ...options }).handler(noWork);
    expect(make).toThrow(/set `auth`/);
  });
  it("refuses to create a handler without findOrder", () => {
    expect(() => new Webhooks({ auth: "none" }).handler(noWork)).toThrow(/set `findOrder`/);
  });
  it.each(["SUCCESS", "FAILED", "REJECTED"])("refuses to create a handler without the work for %s", (status) => {
    const message = `webhooks.handler: \`${status}\` is missing.`;
    expect(() => handlerOf({ ...noWork, [status]: undefined })).toThrow(message);
  });
  it.each(["None", "", 8500, null, {}])("refuses %j for findOrder", (findOrder) => {
    expect(() => new Webhooks({ findOrder } as never)).toThrow('Webhooks: `findOrder` must be a function or "none".');
  });
});

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["a request of node:http", { headers: { host: "shop.example" }, method: "POST" }],
  ["headers without a body", { headers: new Headers() }],
  ["a body without headers", { arrayBuffer() {} }],
  ["a body with plain headers", { arrayBuffer() {}, headers: {} }],
])("a handler refuses %s in place of a Request, before any work", (_case, request) => {
  expect(() => handlerOf(noWork)(request as never)).toThrow(/^webhooks\.handler: pass a `Request` of fetch\./);
});

describe("handler({…}) checks its names when it is made", () => {
  const refusalOfHandlers = (handlers: unknown) => refusalOf(() => handlerOf(handlers as never));

  it.each([undefined, null, "SUCCESS", () => {}])("an invalid object of handlers is refused: %s", (handlers) => {
    expect(refusalOfHandlers(handlers)).toBe("webhooks.handler: the handlers must be an object.");
  });

  it("an unknown name is refused, with the one that may have been meant", () => {
    expect(refusalOfHandlers({ ...noWork, duplicate: () => {} })).toBe(
      'webhooks.handler: unknown handler "duplicate" (did you mean "DUPLICATE"?). Known: SUCCESS, FAILED, REJECTED, DUPLICATE, onUnknown, onConflict, onFailure, onAccepted.',
    );
    expect(refusalOfHandlers({ ...noWork, on_failure: () => {} })).toContain(
      '"on_failure" (did you mean "onFailure"?)',
    );
    expect(refusalOfHandlers({ SUCCESS: noWork.SUCCESS, failed: noWork.FAILED })).toContain(
      '"failed" (did you mean "FAILED"?)',
    );
  });

  it("a status that is not documented is refused with a hint at onUnknown", () => {
    for (const status of ["REVERSED", "PENDING", "ON_HOLD"]) {
      expect(refusalOfHandlers({ ...noWork, [status]: () => {} })).toBe(
        `webhooks.handler: unknown handler "${status}". Known: SUCCESS, FAILED, REJECTED, DUPLICATE, onUnknown, onConflict, onFailure, onAccepted. Handle a status that is not among them in \`onUnknown\`.`,
      );
    }
  });

  it.each(["SUCCESS", "REJECTED", "DUPLICATE", "onFailure"])("%s that is not a function is refused", (name) => {
    expect(refusalOfHandlers({ ...noWork, [name]: "log" })).toBe(`webhooks.handler: \`${name}\` must be a function.`);
    expect(refusalOfHandlers({ ...noWork, [name]: null })).toBe(`webhooks.handler: \`${name}\` must be a function.`);
  });

  it("optional handlers may be undefined", () => {
    const { handler } = receiver({ DUPLICATE: undefined, onFailure: undefined });
    expect(handler).toBeTypeOf("function");
  });

  it("a hook among the options is checked in the same way", () => {
    expect(() => new Webhooks({ onFailure: "log" as never })).toThrow("Webhooks: `onFailure` must be a function.");
    expect(() => new Webhooks({ on_failure: () => {} } as never)).toThrow('"on_failure" (did you mean "onFailure"?)');
  });
});

describe("§6.2 each event runs its handler, and is acknowledged for our processing", () => {
  it.each(["SUCCESS", "FAILED", "REJECTED"])("%s is acknowledged SUCCESS if its handler succeeds", async (status) => {
    const { send, ran } = receiver();
    const { ack, http, headers } = await send(eventOf(status));
    expect(ack).toEqual(ackOf("SUCCESS"));
    expect(http).toBe(200);
    expect([...headers]).toEqual([["content-type", "application/json"]]);
    expect(ran).toEqual([`${status} ${reference}`]);
  });

  it("runs the handler of its status alone", async () => {
    const ran: string[] = [];
    const handlers = Object.fromEntries(
      ["SUCCESS", "FAILED", "REJECTED", "DUPLICATE"].map((name) => [name, () => ran.push(name)]),
    );
    const { statusOf } = receiver(handlers);
    for (const status of ["REJECTED", "FAILED", "DUPLICATE", "SUCCESS"]) {
      await statusOf(eventOf(status, { client_referenceId: status }));
    }
    expect(ran).toEqual(["REJECTED", "FAILED", "DUPLICATE", "SUCCESS"]);
  });

  it.each(["success", "Failed", "rejected", "duplicate"])("reads the status in any case: %s", async (status) => {
    const { statusOf, ran } = receiver();
    const upper = status.toUpperCase();
    const isDuplicate = upper === "DUPLICATE";
    expect(await statusOf(eventOf(upper, { status }))).toBe(isDuplicate ? "DUPLICATE" : "SUCCESS");
    expect(await statusOf(eventOf(upper))).toBe("DUPLICATE");
    expect(ran).toEqual(isDuplicate ? [] : [`${upper} ${reference}`]);
  });

  it("DUPLICATE without a handler is acknowledged DUPLICATE, and writes nothing", async () => {
    const { statusOf } = receiver();
    expect(await statusOf(eventOf("DUPLICATE"))).toBe("DUPLICATE");
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
  });

  it("DUPLICATE with a handler runs it each time, under no claim", async () => {
    const claims: unknown[] = [];
    const { statusOf } = receiver({ DUPLICATE: (_, { claim }) => claims.push(claim) });
    expect(await statusOf(eventOf("DUPLICATE"))).toBe("SUCCESS");
    expect(await statusOf(eventOf("DUPLICATE"))).toBe("SUCCESS");
    expect(claims).toEqual([undefined, undefined]);
  });

  it("an unknown status goes to onUnknown, or is acknowledged FAILED so that it is redelivered", async () => {
    const seen: string[] = [];
    const told = receiver({
      onUnknown: (event, { warnings }) => void seen.push(event.status, ...warnings.map(String)),
    });
    expect(await told.statusOf(eventOf("SETTLED_LATER"))).toBe("SUCCESS");
    expect(seen).toEqual(["SETTLED_LATER"]);
    const untold = receiver();
    expect(await untold.statusOf(eventOf("SETTLED_LATER"))).toBe("FAILED");
    expect(await untold.statusOf(eventOf("SUCCESS"))).toBe("SUCCESS"); // nothing was recorded
  });

  it("passes harmless differences from §6.2 to the handler", async () => {
    const warnings: unknown[] = [];
    const { statusOf } = receiver({ SUCCESS: (_, context) => warnings.push(...context.warnings) });
    expect(await statusOf(eventOf("SUCCESS", { statusCode: "299", description: 7 }))).toBe("SUCCESS");
    expect(warnings).toEqual([
      { path: ["description"], code: "invalid_type", message: "must be a string" },
      { path: ["statusCode"], code: "unexpected_value", message: "should be 200 for SUCCESS" },
    ]);
  });
});

describe("§6.5.1 the first processed status stays", () => {
  it("acknowledges the redelivery DUPLICATE and does nothing", async () => {
    const { statusOf, ran } = receiver();
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(ran).toHaveLength(1);
  });

  it("calls it a failure, not a refusal, if onConflict throws one of our errors", async () => {
    const onConflict = throws(new WebhookPayloadError({ reason: "invalidValue", message: "no" }));
    const { statusOf, told } = receiver({ onConflict });
    expect([await statusOf(eventOf("SUCCESS")), await statusOf(eventOf("FAILED"))]).toEqual(["SUCCESS", "FAILED"]);
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "invalidValue" } }]);
  });

  it("forget makes the next delivery take effect again", async () => {
    const store = memoryStore();
    const { statusOf, ran } = receiver({}, { store });
    await statusOf(eventOf("SUCCESS"));
    await new Webhooks({ store }).forget(reference);
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(ran).toHaveLength(2);
  });
});

describe("§6.5.2 deliveries that are refused immediately", () => {
  const orders = new Map<string, number | string>([
    [reference, 1500.5],
    ["text", "1500.50"],
    ["whole", "0100"],
  ]);
  const lookUp = () => receiver({}, { findOrder: async (key) => orders.get(key) ?? null });

  it.each([
    [reference, 1500.5, "SUCCESS"],
    ["text", 1500.5, "SUCCESS"],
    ["whole", 100, "SUCCESS"],
    [reference, 1500.51, "FAILED"],
    [reference, -1500.5, "FAILED"],
    [reference, 1e21, "FAILED"],
    ["text", 15005, "FAILED"],
    ["nobody's", 1500.5, "FAILED"],
  ])("order %s, amount %d: %s", async (key, amount, outcome) => {
    const { statusOf, ran } = lookUp();
    expect(await statusOf(eventOf("SUCCESS", { client_referenceId: key, txn_amount: amount }))).toBe(outcome);
    expect(ran).toHaveLength(outcome === "SUCCESS" ? 1 : 0);
  });

  it.each<[unknown, number]>([
    ["1500.", 1500],
    ["5", 5],
    [{ amount: "1500.50", settled: null, name: "a column" }, 1500.5],
  ])("an order may be %j", async (order, txn_amount) => {
    const { statusOf } = receiver({}, { findOrder: () => order as never });
    expect(await statusOf(eventOf("SUCCESS", { txn_amount }))).toBe("SUCCESS");
  });

  it.for<unknown>([
    ...["1e3", "+5", " 5", "5x", "x5", "Rs. 5", "0", "0.00", "-5", "", "9".repeat(101)],
    ...[-5, 0, Number.NaN, Number.POSITIVE_INFINITY, -5n, true, [["5"]], {}, { amount: null }],
    ...[Object.create(null), { toString: () => 5 }],
  ])("an order cannot be %s: a mistake of the application, not of the sender", async (order) => {
    const { statusOf, told } = receiver({}, { findOrder: () => order as never });
    expect(await statusOf(eventOf("SUCCESS", { txn_amount: 5 }))).toBe("FAILED");
    const error = { name: "ConfigurationError", message: expect.stringMatching(/^findOrder: `amount`/) };
    expect(told).toMatchObject([{ hook: "failed", error }]);
  });

  it("an amount of a hundred digits is compared", async () => {
    const { statusOf, told } = receiver({}, { findOrder: () => "9".repeat(100) });
    expect(await statusOf(eventOf("SUCCESS", { txn_amount: 5 }))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "amountMismatch" } }]);
  });

  it.each<[unknown, unknown]>([
    ["1500.51", "1500.51"],
    ["-5", "-5"],
    ["1".repeat(40), "1".repeat(40)],
    ["1".repeat(41), undefined],
    ["1500 rupees", undefined],
    ["INR 1500", undefined],
    [{ value: 1500.5 }, undefined],
    [["1500.51"], undefined],
  ])("an amount of an event that needs none is compared too, and shown if it is one: %j", async (txn_amount, shown) => {
    const { statusOf, told } = receiver({}, { findOrder: () => 1500.5 });
    expect(await statusOf(eventOf("REJECTED", { txn_amount }))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "amountMismatch" } }]);
    const [{ error } = { error: undefined }] = told;
    expect(WebhookPayloadError.isInstance(error) && error.receivedAmount).toBe(shown);
  });

  it("an amount that is null is none", async () => {
    const { statusOf } = receiver({}, { findOrder: () => 1500.5 });
    expect(await statusOf(eventOf("REJECTED", { txn_amount: null }))).toBe("SUCCESS");
    expect(await statusOf(eventOf("REJECTED", { txn_amount: "", client_referenceId: "po-2" }))).toBe("SUCCESS");
  });

  it("does not refuse a DUPLICATE or REJECTED for an amount that its payload does not show", async () => {
    expect(await lookUp().statusOf(eventOf("DUPLICATE", { txn_amount: undefined }))).toBe("DUPLICATE");
  });

  /** A decimal as Prisma and Decimal.js return it: an object that writes itself. */
  class Decimal {
    readonly #text: string;
    readonly s = 1;
    constructor(text: string) {
      this.#text = text;
    }
    toFixed = () => this.#text;
    toString = () => this.#text;
  }

  it.each([
    ["a Decimal", new Decimal("1500.50"), 1500.5],
    ["a Decimal in an order", { amount: new Decimal("1500.5") }, 1500.5],
    ["a bigint", 1500n, 1500],
    ["a bigint in an order", { amount: 1500n, settled: null }, 1500],
  ])("reads %s", async (_, expected, txn_amount) => {
    const { statusOf, ran, told } = receiver({}, { findOrder: () => expected });
    expect(await statusOf(eventOf("SUCCESS", { client_referenceId: "less", txn_amount: txn_amount - 1 }))).toBe(
      "FAILED",
    );
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "amountMismatch" } }]);
    expect(told[0]?.error).toMatchObject({ expectedAmount: expect.stringMatching(/^1500(?:\.50?)?$/) });
    expect([await statusOf(eventOf("SUCCESS", { txn_amount })), ran]).toEqual(["SUCCESS", ["SUCCESS demo-po-1"]]);
  });

  it("takes the amount of an order that writes itself as a number, not that number", async () => {
    const row = { amount: "1500.50", id: 17, toString: () => "17" };
    const { statusOf } = receiver({}, { findOrder: () => row });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
  });

  it.each([
    ["an object that is no decimal", { amount: { cents: 150_050 } }],
    ["a Decimal of nothing", { amount: new Decimal("NaN") }],
    ["a negative Decimal", { amount: new Decimal("-1500.50") }],
    ["a list", { amount: [1500.5] }],
    ["a date", { amount: new Date(0) }],
  ])("is refused, with advice, if it is %s", async (_, expected) => {
    const { statusOf, told, ran } = receiver({}, { findOrder: () => expected as never });
    expect([await statusOf(eventOf("SUCCESS")), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([
      { hook: "failed", error: { message: expect.stringMatching(/must be a positive amount/) } },
    ]);
    if (!String(expected.amount).startsWith("-")) {
      expect(told).toMatchObject([{ error: { message: expect.stringMatching(/got an object: pass a string/) } }]);
    }
  });
});

describe("every refusal is HTTP 200 with the JSON of §6.3, and reveals nothing", () => {
  const check = hmac({ header: "x-signature", secrets: ["the secret"] });
  const long = "x".repeat(1_024);
  const refusals: [string, unknown, ReceiverChanges, string][] = [
    ["no reference", eventOf("SUCCESS", { client_referenceId: undefined }), {}, ""],
    ["a reference that is no text", eventOf("SUCCESS", { client_referenceId: { a: 1 } }), {}, ""],
    ["a reference too long", eventOf("SUCCESS", { client_referenceId: "x".repeat(1_025) }), {}, ""],
    ["a long reference", eventOf("SUCCESS", { client_referenceId: long, utr: "" }), {}, long],
    ["a long reference, no signature", eventOf("SUCCESS", { client_referenceId: long }), { auth: [check] }, long],
    ["a reference with a control character", eventOf("SUCCESS", { client_referenceId: "a\u001b[2J", utr: "" }), {}, ""],
    ["a reference with a line break at its end", eventOf("SUCCESS", { client_referenceId: "a\n" }), {}, ""],
  ];
  it.each(refusals)("%s", async (_, event, options, echoed) => {
    const { send, ran, told } = receiver({}, options);
    const { http, headers, text } = await send(event);
    expect(http).toBe(200);
    expect([...headers]).toEqual([["content-type", "application/json"]]);
    expect(JSON.parse(text)).toEqual(ackOf("FAILED", echoed));
    expect(ran).toEqual([]);
    expect(told.map(({ hook }) => hook)).toEqual(["refused"]);
  });

  it.each<[string, (request: Request) => Promise<unknown>]>([
    ["by a parser", (request) => request.json()],
    // Its stream is not locked afterwards.
    [
      "by a loop over its stream",
      async (request) => {
        for await (const chunk of request.body ?? []) expect(chunk).toHaveLength(2);
      },
    ],
  ])("recognises a Request that was read before, %s", async (_case, read) => {
    const { handler, told } = receiver();
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    await read(request);
    expect((await handler(request)).status).toBe(200);
    expect(told).toMatchObject([
      { error: { reason: "alreadyParsed", message: expect.stringMatching(/express\.raw/) } },
    ]);
  });
});

describe("failures are acknowledged FAILED and reported", () => {
  const failing = throws(new Error("postgres://user:hunter2@db is down"));

  it("also if a handler throws what cannot be looked at", async () => {
    const { statusOf, told } = receiver({
      SUCCESS() {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        throw proxy;
      },
    });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", event: { client_referenceId: reference } }]);
  });

  it("releases the claim, so that the redelivery runs", async () => {
    const { statusOf } = receiver({ SUCCESS: vi.fn().mockImplementationOnce(failing) });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
  });

  it("reports the handler's error when the claim cannot be released either", async () => {
    const store = faultyStore({ release: async () => failing() });
    const SUCCESS = () => Promise.reject(new Error("mine"));
    // At once: it does not wait for a release that has failed.
    const { statusOf, told } = receiver({ SUCCESS }, { store, ackTimeout: 2_000 });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(told).toMatchObject([{ error: { message: "mine" } }]);
  });

  it("asks the store to release no claim that it has not granted", async () => {
    const release = vi.fn(async () => {});
    const { statusOf } = receiver({}, { store: faultyStore({ claim: async () => failing(), release }) });
    expect([await statusOf(eventOf("SUCCESS")), release.mock.calls]).toEqual(["FAILED", []]);
  });

  it("never says SUCCESS when the claim was lost to another", async () => {
    const { statusOf, told } = receiver({}, { store: faultyStore({ complete: async () => false }) });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "claimLost" } }]);
  });

  it("responds with HTTP 500 if redeliverBy is http500", async () => {
    const { send } = receiver({ SUCCESS: failing }, { redeliverBy: "http500" });
    const { http, ack } = await send(eventOf("SUCCESS"));
    expect([http, ack.status]).toEqual([500, "FAILED"]);
    expect((await send("{oops")).http).toBe(200);
    expect((await send(eventOf("REJECTED"))).http).toBe(200);
  });
});

describe("a delivery that finds another at work", () => {
  it("waits, and is DUPLICATE once the other has committed", async () => {
    const { opened, open } = gate();
    const { store, foundInFlight } = watchedStore();
    const { statusOf, ran } = receiver({ SUCCESS: () => opened.then(() => ran.push("done")) }, { store });
    const first = statusOf(eventOf("SUCCESS"));
    const second = statusOf(eventOf("SUCCESS")).finally(() => ran.push("acknowledged"));
    await foundInFlight;
    // A response that did not wait would be there by now.
    await turn();
    open();
    expect(await Promise.all([first, second])).toEqual(["SUCCESS", "DUPLICATE"]);
    expect(ran).toEqual(["done", "acknowledged"]);
  });

  it("is FAILED when the other failed, never DUPLICATE, and its redelivery runs", async () => {
    const { opened, open } = gate();
    const SUCCESS = vi.fn(() => opened).mockImplementationOnce(() => opened.then(throws(new Error("first time"))));
    const { statusOf } = receiver({ SUCCESS });
    const both = Promise.all([statusOf(eventOf("SUCCESS")), statusOf(eventOf("SUCCESS"))]);
    open();
    expect(await both).toEqual(["FAILED", "FAILED"]);
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(SUCCESS).toHaveBeenCalledTimes(2);
  });

  it("takes over the work when the other's process has died, as soon as its lease ends", async () => {
    const store = memoryStore();
    await store.claim(`payout:${reference}`, { effect: "SUCCESS", lease: 120 }); // and never heard of again
    const { statusOf, ran } = receiver({}, { store });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(ran).toHaveLength(1);
  });

  it("runs once when two hundred arrive at the same moment", async () => {
    const { statusOf, ran } = receiver();
    const answers = await Promise.all(Array.from({ length: 200 }, () => statusOf(eventOf("SUCCESS"))));
    expect(ran).toHaveLength(1);
    expect(answers.filter((status) => status === "SUCCESS")).toHaveLength(1);
    expect(answers.filter((status) => status === "DUPLICATE")).toHaveLength(199);
  });
});

describe("the deadline covers the whole delivery", () => {
  const never = untilTestEnds;
  const slow: [string, Parameters<typeof receiver>, string, isBefore?: "the event"][] = [
    ["a slow handler", [{ SUCCESS: never }], "ackTimeout"],
    ["a slow look-up", [{}, { findOrder: never }], "ackTimeout"],
    ["a slow check", [{}, { auth: [custom(never)] }], "ackTimeout", "the event"],
    ["a store slow to claim", [{}, { store: faultyStore({ claim: never }) }], "ackTimeout"],
    ["a store slow to commit", [{}, { store: faultyStore({ complete: never }) }], "commitPending"],
    [
      "a store slow to release",
      [{ SUCCESS: () => Promise.reject(new Error()) }, { store: faultyStore({ release: never }) }],
      "ackTimeout",
    ],
  ];
  it.each(slow)("%s is acknowledged FAILED in time", async (_, [handlers, options], reason, isBefore) => {
    const onAccepted = vi.fn();
    const { send, told } = receiver({ ...handlers, onAccepted }, { ...options, ackTimeout: 60 });
    stopClock();
    const { ack, http } = await later(60, send(eventOf("SUCCESS")));
    expect([ack.status, ack.client_referenceId, http]).toEqual(["FAILED", reference, 200]);
    const error = { reason, clientReferenceId: reference };
    expect(told).toMatchObject([
      { hook: "failed", error, event: isBefore ? undefined : { client_referenceId: reference } },
    ]);
    expect(onAccepted).not.toHaveBeenCalled();
  });

  it("a slow body is refused after bodyTimeout, and cancelled", async () => {
    const cancelled = gate();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
      cancel: () => cancelled.open(),
    });
    const { handler, told } = receiver({}, { bodyTimeout: 30 });
    const request = new Request("http://localhost/", { method: "POST", body: stream, duplex: "half" } as RequestInit);
    expect(await (await handler(request)).json()).toMatchObject({ status: "FAILED", client_referenceId: "" });
    await cancelled.opened;
    expect(told).toMatchObject([{ error: { reason: "tooSlow" } }]);
  });

  it("a body that was not received asks to be redelivered, if HTTP 500 does that", async () => {
    const { handler, told } = receiver({}, { redeliverBy: "http500" });
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    await request.text();
    expect((await handler(request)).status).toBe(500);
    expect((await handler(new Request("http://localhost/", { method: "POST", body: "{}" }))).status).toBe(200);
    expect(told).toMatchObject([{ error: { reason: "alreadyParsed" } }, { error: { reason: "missingField" } }]);
  });

  it("a Node stream that a body parser has read is already parsed, not empty or cut", async () => {
    const { handler, told } = receiver();
    for (const headers of [{}, { "content-length": "2" }]) {
      const body = Readable.from([Buffer.from("{}")]);
      for await (const _ of body);
      expect(JSON.parse((await handler.receive({ headers, body })).body).status).toBe("FAILED");
    }
    expect(told).toMatchObject([{ error: { reason: "alreadyParsed" } }, { error: { reason: "alreadyParsed" } }]);
  });

  it("a body that is too large asks to be redelivered, if HTTP 500 does that: `maxBodyBytes` may be raised", async () => {
    const { send } = receiver({}, { redeliverBy: "http500", maxBodyBytes: 10 });
    expect(await send(eventOf("SUCCESS"))).toMatchObject({ http: 500, ack: { status: "FAILED" } });
  });

  it("counts the time that the body took", async () => {
    stopClock();
    const { handler, told } = receiver({ SUCCESS: never }, { ackTimeout: 400 });
    async function* body() {
      await sleep(300);
      yield JSON.stringify(eventOf("SUCCESS"));
    }
    const startedAt = movedTime();
    const answer = handler
      .receive({ headers: {}, body: body() })
      .then((response) => [JSON.parse(response.body).status, movedTime() - startedAt]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toEqual(["FAILED", 400]);
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "ackTimeout" }, event: { client_referenceId: reference } },
    ]);
  });

  it("work that commits after the response makes the redelivery DUPLICATE", async () => {
    const { opened, open } = gate();
    const kept: Promise<unknown>[] = [];
    const { handler, statusOf, told } = receiver({ SUCCESS: () => opened }, { ackTimeout: 50 });
    const request = new Request("http://localhost/", { method: "POST", body: JSON.stringify(eventOf("SUCCESS")) });
    const response = await handler(request, { waitUntil: (work) => void kept.push(work) });
    expect(await response.json()).toMatchObject({ status: "FAILED" });
    open();
    await Promise.all(kept);
    expect(kept).toHaveLength(2); // the hook, and the work
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "ackTimeout" } }]);
  });

  it("calls onFailure for what fails after the response, and the redelivery runs", async () => {
    const { opened, open } = gate();
    const kept: Promise<unknown>[] = [];
    const SUCCESS = vi.fn().mockImplementationOnce(() => opened.then(throws(new Error("late"))));
    const { handler, statusOf, told } = receiver({ SUCCESS }, { ackTimeout: 50 });
    const body = JSON.stringify(eventOf("SUCCESS"));
    await handler.receive({ headers: {}, body }, { waitUntil: (work) => void kept.push(work) });
    open();
    await Promise.all(kept);
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "ackTimeout" } },
      { hook: "late", error: { message: "late" }, event: { client_referenceId: reference } },
    ]);
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
  });

  it("work that goes on past workTimeout is signalled to stop, and reported", async () => {
    const aborted = gate();
    const { statusOf, told } = receiver(
      { SUCCESS: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => aborted.open())) },
      { ackTimeout: 30, workTimeout: 600 },
    );
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    await aborted.opened;
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "ackTimeout" } },
      { hook: "late", error: { reason: "workTimeout" } },
    ]);
  });

  it("signals at once if the process was blocked beyond workTimeout, without a warning of Node", async () => {
    const { opened, open } = gate();
    const warned = vi.fn();
    process.on("warning", warned);
    const { send } = receiver(
      {
        SUCCESS: (_, { signal }) => {
          block(90); // A process that is suspended looks the same.
          signal.addEventListener("abort", () => open());
          return opened;
        },
      },
      { ackTimeout: 30, workTimeout: 60 },
    );
    expect((await send(eventOf("SUCCESS"))).ack.status).toBe("FAILED");
    await opened;
    process.off("warning", warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it("reports workTimeout even before it has read the event", async () => {
    const { statusOf, told } = receiver({}, { auth: [custom(never)], workTimeout: 20, ackTimeout: 60 });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "workTimeout", clientReferenceId: reference }, event: undefined },
      { hook: "failed", error: { reason: "ackTimeout" } },
    ]);
  });

  it("aborts `signal` at workTimeout when that comes before ackTimeout", async () => {
    const { statusOf, told } = receiver({ SUCCESS: untilAborted }, { workTimeout: 30, ackTimeout: 5_000 });
    stopClock();
    expect(await later(30, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "workTimeout" } }]);
  });

  it("reports no timeout of work that has failed in time", async () => {
    const { statusOf, told } = receiver(
      { SUCCESS: () => Promise.reject(new Error("at once")) },
      { workTimeout: 30, ackTimeout: 5_000 },
    );
    stopClock();
    expect(await later(5_000, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", error: { message: "at once" } }]);
  });

  it("starts the time of the work with the response, if that is due first", async () => {
    const signals: AbortSignal[] = [];
    const { statusOf } = receiver(
      { SUCCESS: (_, { signal }) => new Promise<void>(() => signals.push(signal)) },
      { workTimeout: 60, ackTimeout: 60 },
    );
    stopClock();
    const status = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(59);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([await status, signals[0]?.aborted]).toEqual(["FAILED", false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("never aborts `signal` while the work is in time", async () => {
    stopClock();
    const signals: AbortSignal[] = [];
    const { statusOf } = receiver(
      { SUCCESS: (_, { signal }) => signals.push(signal) },
      { workTimeout: 1_000, ackTimeout: 2_000 },
    );
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    vi.advanceTimersByTime(60_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("does not begin work on a claim that came too late, and releases it", async () => {
    const store = memoryStore();
    const { opened, open } = gate();
    const released = gate();
    const { statusOf, ran, told } = receiver(
      {},
      {
        ackTimeout: 20,
        workTimeout: 40,
        store: faultyStore({
          claim: (key, request) => opened.then(() => store.claim(key, request)),
          release: (claim) => store.release(claim).then(released.open),
        }),
      },
    );
    stopClock();
    expect(await later(40, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    open();
    await released.opened;
    expect(ran).toEqual([]);
    expect(await store.claim(`payout:${reference}`, { effect: "SUCCESS", lease: 9 })).toMatchObject({
      takenOver: false,
    });
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "ackTimeout" } },
      { hook: "late", error: { reason: "workTimeout" } },
    ]);
  });

  it("clears its timers", async () => {
    stopClock();
    const { statusOf } = receiver();
    await statusOf(eventOf("SUCCESS"));
    await statusOf("{oops");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("calls waitUntil as a method of its context, whose state it may keep", async () => {
    class Context {
      readonly #kept: Promise<unknown>[] = [];
      waitUntil(work: Promise<unknown>) {
        this.#kept.push(work);
      }
      get count() {
        return this.#kept.length;
      }
    }
    const context = new Context();
    const { handler } = receiver({ SUCCESS: never }, { ackTimeout: 20 });
    await handler.receive({ headers: {}, body: JSON.stringify(eventOf("SUCCESS")) }, context);
    expect(context.count).toBe(2); // the hook, and the work
  });

  const [vercel, next] = [Symbol.for("@vercel/request-context"), Symbol.for("@next/request-context")];
  it.each([
    ["of Vercel", { [vercel]: "its own" }],
    ["of Next.js", { [next]: "its own" }],
    ["of one platform behind the empty context of another", { [vercel]: "empty", [next]: "its own" }],
  ])("finds the waitUntil %s", async (_case, contexts) => {
    const kept: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => kept.push(work);
    const holder = globalThis as Record<symbol, unknown>;
    const keys = Object.getOwnPropertySymbols(contexts);
    for (const key of keys) {
      holder[key] = (contexts as Record<symbol, string>)[key] === "empty" ? {} : { get: () => ({ waitUntil }) };
    }
    try {
      await receiver({ SUCCESS: never }, { ackTimeout: 20 }).statusOf(eventOf("SUCCESS"));
      expect(kept).toHaveLength(2); // the hook, and the work
    } finally {
      for (const key of keys) delete holder[key];
    }
  });
});
