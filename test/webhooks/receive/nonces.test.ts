import { describe, expect, it, vi } from "vitest";
import {
  type Claim,
  custom,
  hmac,
  memoryStore,
  type SignedDelivery,
  sign,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { gate } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import { eventOf, faultyOf, receiver, reference, watchedStore } from "../support.ts";

describe("a nonce is used up by SUCCESS and DUPLICATE alone", () => {
  const check = hmac({ header: "x-s", signed: ({ nonce }) => nonce, nonceHeader: "x-n", secrets: ["s"] });
  const settled = (status: true | "SUCCESS" | "FAILED") => ({ findOrder: () => ({ amount: 1500.5, settled: status }) });

  it("lets the redelivery of what failed pass, and the replay of what was done changes nothing", async () => {
    const SUCCESS = vi.fn().mockImplementationOnce(throws(new Error("first time")));
    const { statusOf, told } = receiver({ SUCCESS }, { auth: [check] });
    const { headers } = await sign(eventOf("SUCCESS"), check);
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("FAILED");
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("SUCCESS");
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("DUPLICATE");
    expect([SUCCESS.mock.calls.length, told.length]).toEqual([2, 1]);
  });

  it.each<[string, Record<string, unknown>, string, Parameters<typeof receiver>]>([
    ["an event that took effect", eventOf("SUCCESS"), "SUCCESS", []],
    ["an order that is settled", eventOf("SUCCESS"), "DUPLICATE", [{}, settled(true)]],
    ["an order that is settled with this status", eventOf("SUCCESS"), "DUPLICATE", [{}, settled("SUCCESS")]],
    [
      "an order that is settled with another status",
      eventOf("SUCCESS"),
      "DUPLICATE",
      [{ onConflict() {} }, settled("FAILED")],
    ],
    ["a conflict that was reported", eventOf("FAILED"), "DUPLICATE", []],
    ["a DUPLICATE notification with a handler", eventOf("DUPLICATE"), "SUCCESS", [{ DUPLICATE() {} }]],
    ["an unknown status with a handler", eventOf("REVERSED"), "SUCCESS", [{ onUnknown() {} }]],
  ])(
    "acknowledges the same delivery DUPLICATE when it comes again, also later: %s",
    async (_case, event, first, [handlers, options]) => {
      const timed = { timestampHeader: "x-t", signed: "timestamp.nonce.body" } as const;
      const check = hmac({ header: "x-s", ...timed, nonceHeader: "x-n", secrets: ["a secret"] });
      let now = 1_800_000_000_000;
      const { statusOf: statusFor, told, ran } = receiver(handlers, { ...options, auth: [check], now: () => now });
      const statusOf = async (sent: object, id = "n-1") => {
        const { body, headers } = await sign(sent, check, { now: 1_800_000_000_000, id });
        return statusFor(body, headers);
      };
      if (event.status === "FAILED") await statusOf(eventOf("SUCCESS"), "n-0");
      expect([await statusOf(event), await statusOf(event)]).toEqual([first, "DUPLICATE"]);
      const before = [ran.length, told.length];
      for (const _ of ["at once", "later"]) {
        expect([await statusOf(event), ran.length, told.length]).toEqual(["DUPLICATE", ...before]);
        now += 600_000;
      }
      for (const other of [{ client_referenceId: "another" }, { transactionId: "TXN2" }])
        expect(await statusOf({ ...event, ...other })).toBe("FAILED");
      expect(ran.length).toBe(before[0]);
    },
  );

  it.each<[string, (webhooks: Webhooks, delivery: SignedDelivery) => Promise<unknown>]>([
    ["was forgotten by an operator", (webhooks) => webhooks.forget(reference)],
    ["was never done: `verify` has used the nonce up", (webhooks, delivery) => webhooks.verify(delivery)],
  ])("refuses the same delivery, and does not say that it was accepted, if its payout %s", async (how, change) => {
    const store = memoryStore();
    const { statusOf: statusFor, told, ran } = receiver({}, { auth: [check], store });
    const delivery = await sign(eventOf("SUCCESS"), check);
    const statusOf = ({ body, headers }: SignedDelivery) => statusFor(body, headers);
    const isForgotten = how.includes("forgotten");
    const deliveries = isForgotten ? [delivery, await sign(eventOf("SUCCESS"), check)] : [delivery];
    if (isForgotten) expect(await Promise.all(deliveries.map(statusOf))).toEqual(["SUCCESS", "DUPLICATE"]);
    const before = ran.length;
    await change(new Webhooks({ auth: [check], store }), delivery);
    for (const again of deliveries) expect([await statusOf(again), ran.length]).toEqual(["FAILED", before]);
    expect(told).toMatchObject(deliveries.map(() => ({ hook: "refused", error: { reason: "nonceReused" } })));
    expect(await statusOf(await sign(eventOf("SUCCESS"), check))).toBe("SUCCESS");
  });

  it("does not use it up for a DUPLICATE notification of a payout that has not taken effect here", async () => {
    const accepted: unknown[] = [];
    const onAccepted = (_event: unknown, result: string) => accepted.push(result);
    const { told, statusOf } = receiver({ onAccepted }, { auth: [custom(() => ({ nonce: "n-1" }))] });
    for (const _ of ["delivery", "redelivery"]) expect(await statusOf(eventOf("DUPLICATE"))).toBe("DUPLICATE");
    expect([told, accepted]).toMatchObject([Array(2).fill({ error: { reason: "notProcessed" } }), []]);
    expect([await statusOf(eventOf("SUCCESS")), accepted]).toEqual(["SUCCESS", ["SUCCESS"]]);
  });

  it("frees the nonce of a delivery that was claimed, and done, after its response had left", async () => {
    const { opened, open } = gate();
    const done = gate();
    const slow = { name: "slow", check: () => opened.then(() => ({ nonce: "n-1" })) };
    const store = memoryStore();
    const release = (claim: Parameters<typeof store.release>[0]) => store.release(claim).then(done.open);
    const { statusOf } = receiver({}, { auth: [slow], store: faultyOf(store, { release }), ackTimeout: 30 });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    open();
    await done.opened;
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
  });

  it("lets a nonce whose delivery was a DUPLICATE stand for no other delivery", async () => {
    const own = { name: "own", check: () => ({ nonce: `n-${sent}` }) };
    let sent = 1;
    const { statusOf, ran } = receiver({}, { auth: [own] });
    const first = eventOf("SUCCESS", { client_referenceId: "first" });
    const other = eventOf("SUCCESS", { client_referenceId: "other" });
    expect(await statusOf(first)).toBe("SUCCESS");
    sent = 2;
    expect(await statusOf(first)).toBe("DUPLICATE");
    expect(await statusOf(other)).toBe("FAILED");
    sent = 3;
    expect([await statusOf(other), ran.length]).toEqual(["SUCCESS", 2]);
  });

  it.each<[string, "complete" | "release", Parameters<typeof receiver>[0], string[]]>([
    ["SUCCESS", "complete", {}, ["away"]],
    ["FAILED", "release", { SUCCESS: () => Promise.reject(new Error("mine")) }, ["mine", "away"]],
  ])(
    "still responds %s when the store cannot %s it, and reports that as well",
    async (status, method, handlers, all) => {
      const inner = memoryStore();
      const failing = (claim: Claim) =>
        claim.key.startsWith("nonce:") ? Promise.reject(new Error("away")) : inner[method](claim);
      const store = faultyOf(inner, { [method]: failing });
      const { statusOf, told } = receiver(handlers, { auth: [custom(() => ({ nonce: "n-1" }))], store });
      expect(await statusOf(eventOf("SUCCESS"))).toBe(status);
      expect(told).toMatchObject(all.map((message) => ({ hook: "failed", error: { message } })));
    },
  );

  it("of several is claimed once, though the delivery waits for another of them", async () => {
    const { store, foundInFlight } = watchedStore();
    const onUnknown = vi.fn().mockImplementationOnce(() => foundInFlight.then(throws(new Error("first time"))));
    const auth = ["x-own", "x-shared"].map((name) => custom(({ header }) => ({ nonce: header(name) ?? "" })));
    const { statusOf } = receiver({ onUnknown }, { auth, store, ackTimeout: 2_000 });
    const both = ["a", "b"].map((own) => statusOf(eventOf("REVERSED"), { "x-own": own, "x-shared": "c" }));
    expect(await Promise.all(both)).toEqual(["FAILED", "SUCCESS"]);
  });

  it("acknowledges the replay of a redelivery that was acknowledged DUPLICATE in the same way", async () => {
    const { statusOf, told, ran } = receiver({}, { auth: [check] });
    // Each has a nonce.
    const [first, second] = await Promise.all([sign(eventOf("SUCCESS"), check), sign(eventOf("SUCCESS"), check)]);
    const statuses = [];
    for (const { headers } of [first, second, second]) statuses.push(await statusOf(eventOf("SUCCESS"), headers));
    expect(statuses).toEqual(["SUCCESS", "DUPLICATE", "DUPLICATE"]);
    expect([ran.length, told]).toEqual([1, []]);
  });

  it("lets a delivery pass that was refused before, once its order is known", async () => {
    let amount: number | null = null;
    const { statusOf } = receiver({}, { auth: [check], findOrder: () => amount });
    const { headers } = await sign(eventOf("SUCCESS"), check);
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("FAILED");
    amount = 1500.5;
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("SUCCESS");
  });

  it("refuses the second of two deliveries at the same moment, and keeps it as a nonce", async () => {
    const store = memoryStore();
    const { statusOf, told } = receiver({}, { store, auth: [custom(() => ({ nonce: "n-1" }))] });
    const both = [eventOf("SUCCESS"), eventOf("SUCCESS", { client_referenceId: "another" })];
    expect((await Promise.all(both.map((event) => statusOf(event)))).sort()).toEqual(["FAILED", "SUCCESS"]);
    expect(await store.find("nonce:n-1")).toMatchObject({ state: "done", effect: "NONCE" });
    expect(await statusOf(eventOf("SUCCESS", { client_referenceId: "another" }))).toBe("FAILED");
    expect(told).toMatchObject(Array(2).fill({ hook: "refused", error: { reason: "nonceReused" } }));
  });

  it("lets no other delivery have it while its own is under way, nor once that has failed", async () => {
    const { opened, open } = gate();
    const SUCCESS = () => opened.then(() => Promise.reject(new Error("first time")));
    const store = memoryStore();
    const options = { store, auth: [custom(() => ({ nonce: "n-1" }))] };
    const first = receiver({ SUCCESS }, options).statusOf(eventOf("SUCCESS"));
    const other = eventOf("SUCCESS", { client_referenceId: "another" });
    const hurried = receiver({}, { ...options, ackTimeout: 30 });
    expect(await hurried.statusOf(other)).toBe("FAILED");
    const watched = watchedStore(store);
    const patient = receiver({}, { ...options, store: watched.store });
    const waiting = patient.statusOf(other);
    await watched.foundInFlight;
    open();
    expect(await Promise.all([first, waiting])).toEqual(["FAILED", "FAILED"]);
    for (const { ran, told } of [hurried, patient]) {
      expect([ran, told]).toMatchObject([[], [{ hook: "failed", error: { reason: "inFlight" } }]]);
    }
    expect(await patient.statusOf(other)).toBe("SUCCESS");
  });

  it("acknowledges a redelivery that is sent at once DUPLICATE as soon as the first is done, as without a nonce", async () => {
    const { store, foundInFlight } = watchedStore();
    const { statusOf, told } = receiver({ SUCCESS: () => foundInFlight }, { auth: [check], store });
    const { headers } = await sign(eventOf("SUCCESS"), check);
    const both = [statusOf(eventOf("SUCCESS"), headers), statusOf(eventOf("SUCCESS"), headers)];
    expect([await Promise.all(both), told]).toEqual([["SUCCESS", "DUPLICATE"], []]);
  });

  it("acknowledges it FAILED once the first has failed, and lets the next pass", async () => {
    const { store, foundInFlight } = watchedStore();
    const SUCCESS = vi.fn().mockImplementationOnce(() => foundInFlight.then(throws(new Error("first time"))));
    const { send, told } = receiver({ SUCCESS }, { auth: [check], store, redeliverBy: "http500" });
    const { headers } = await sign(eventOf("SUCCESS"), check);
    for (const response of await Promise.all([send(eventOf("SUCCESS"), headers), send(eventOf("SUCCESS"), headers)])) {
      expect(response).toMatchObject({ http: 500, ack: { status: "FAILED" } });
    }
    expect(await send(eventOf("SUCCESS"), headers)).toMatchObject({ http: 200, ack: { status: "SUCCESS" } });
    expect(told).toMatchObject([{ error: { message: "first time" } }, { error: { reason: "inFlight" } }]);
  });

  it("acknowledges it DUPLICATE although the nonce of the first is not settled yet", async () => {
    const { store, foundInFlight } = watchedStore();
    const { opened, open } = gate();
    const complete: typeof store.complete = (claim) =>
      (claim.key.startsWith("nonce:") ? opened : Promise.resolve()).then(() => store.complete(claim));
    const options = { auth: [check], store: faultyOf(store, { complete }) };
    const { headers } = await sign(eventOf("SUCCESS"), check);
    const { statusOf, told } = receiver({ SUCCESS: () => foundInFlight }, options);
    const first = statusOf(eventOf("SUCCESS"), headers);
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("DUPLICATE");
    open();
    expect([await first, told]).toEqual(["SUCCESS", []]);
  });

  it("lets the redelivery pass to a process that takes over the nonce of one that died", async () => {
    const store = memoryStore();
    const { headers } = await sign(eventOf("SUCCESS"), check);
    await store.claim(`nonce:${headers["x-n"]}`, { effect: "NONCE", lease: 60_000 });
    const { send, statusOf } = receiver({}, { auth: [check], store, ackTimeout: 30, redeliverBy: "http500" });
    expect(await send(eventOf("SUCCESS"), headers)).toMatchObject({ http: 500 });
    await store.forget(`nonce:${headers["x-n"]}`); // as if its lease had run out
    expect(await statusOf(eventOf("SUCCESS"), headers)).toBe("SUCCESS");
  });

  it("frees the nonce of a delivery whose work goes on after its response", async () => {
    const { opened, open } = gate();
    const { statusOf, told } = receiver({ SUCCESS: () => opened }, { auth: [check], ackTimeout: 50 });
    const { headers } = await sign(eventOf("SUCCESS"), check);
    for (const _ of ["delivery", "redelivery"]) await statusOf(eventOf("SUCCESS"), headers);
    open();
    expect(told).toMatchObject([{ error: { reason: "ackTimeout" } }, { error: { reason: "inFlight" } }]);
  });
});
