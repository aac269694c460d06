import { describe, expect, it, vi } from "vitest";
import { memoryStore, type WebhookEvent, Webhooks } from "../../../src/webhooks/index.ts";
import type { WebhookHandlers } from "../../../src/webhooks/types.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { pollute } from "../../support/pollute.ts";
import { throws } from "../../support/throws.ts";
import { eventOf, faultyStore, noWork, type ReceiverChanges, receiver, reference, untilAborted } from "../support.ts";

const setUp = (options: ReceiverChanges = {}, handlers: Partial<WebhookHandlers> = {}) =>
  receiver(handlers, { findOrder: () => 1500.5, ...options });

describe("webhooks.process: a status that the application asked for", () => {
  it.each(["SUCCESS", "FAILED", "REJECTED"])("%s takes effect once, whichever arrives first", async (status) => {
    const polledFirst = setUp();
    expect(await polledFirst.process(eventOf(status))).toBe("SUCCESS");
    expect(await polledFirst.process(eventOf(status))).toBe("DUPLICATE");
    expect(await polledFirst.statusOf(eventOf(status))).toBe("DUPLICATE");
    expect(polledFirst.ran).toEqual([`${status} ${reference}`]);

    const deliveredFirst = setUp();
    expect(await deliveredFirst.statusOf(eventOf(status))).toBe("SUCCESS");
    expect(await deliveredFirst.process(eventOf(status))).toBe("DUPLICATE");
    expect(deliveredFirst.ran).toHaveLength(1);
  });

  it("takes effect once when both arrive at the same moment", async () => {
    const { process, statusOf, ran } = setUp();
    const statuses = await Promise.all([statusOf(eventOf("SUCCESS")), process(eventOf("SUCCESS"))]);
    expect([...statuses].sort()).toEqual(["DUPLICATE", "SUCCESS"]);
    expect(ran).toHaveLength(1);
  });

  it("is the event as it was at the call, whatever the caller does with the object", async () => {
    const paid: string[] = [];
    const handlers = { ...noWork, SUCCESS: (event: WebhookEvent) => paid.push(event.client_referenceId) };
    const webhooks = new Webhooks({ store: memoryStore(), findOrder: async () => 1500.5 });
    const row = eventOf("SUCCESS");
    const processing = webhooks.process(row, handlers);
    Object.assign(row, { client_referenceId: "another" });
    expect([await processing, paid]).toEqual(["SUCCESS", [reference]]);
  });

  it("needs no `auth`", async () => {
    const SUCCESS = vi.fn();
    const webhooks = new Webhooks({ store: memoryStore(), findOrder: "none" });
    await webhooks.process(eventOf("SUCCESS"), { ...noWork, SUCCESS });
    expect(SUCCESS).toHaveBeenCalledOnce();
  });

  it("reports a conflict", async () => {
    const { process, statusOf, told } = setUp();
    await statusOf(eventOf("SUCCESS"));
    expect([await process(eventOf("FAILED")), await process(eventOf("FAILED"))]).toEqual(["DUPLICATE", "DUPLICATE"]);
    expect(told).toEqual([{ hook: "onConflict", event: "SUCCESS then FAILED" }]);
  });

  it.each([
    ["missingField", eventOf("SUCCESS", { utr: undefined }), {}],
    ["amountMismatch", eventOf("SUCCESS", { txn_amount: 1 }), {}],
    ["invalidValue", eventOf("SUCCESS", { txn_amount: 0 }), {}],
    ["unknownReference", eventOf("SUCCESS"), { findOrder: () => null }],
    ["unknownStatus", eventOf("PENDING"), {}],
    ["claimLost", eventOf("SUCCESS"), { store: faultyStore({ complete: async () => false }) }],
  ])("rejects with the reason %s", async (reason, event, options) => {
    const { process } = setUp(options);
    await expect(process(event)).rejects.toMatchObject({ reason, clientReferenceId: reference });
  });

  it("names the reference of a lost claim, even one that the store keeps as a digest", async () => {
    const { process } = setUp({ store: faultyStore({ complete: async () => false }) });
    const long = "r".repeat(200);
    const lost = { reason: "claimLost", clientReferenceId: long };
    await expect(process(eventOf("SUCCESS", { client_referenceId: long }))).rejects.toMatchObject(lost);
  });

  it("rejects with `inFlight` while a delivery of it is being worked on", async () => {
    const { opened, open } = gate();
    const started = gate();
    const SUCCESS = () => {
      started.open();
      return opened;
    };
    const { process, statusOf } = setUp({ ackTimeout: 60 }, { SUCCESS });
    const delivered = statusOf(eventOf("SUCCESS"));
    await started.opened;
    await expect(process(eventOf("SUCCESS"))).rejects.toMatchObject({
      reason: "inFlight",
      message: expect.stringContaining("its process died: its claim then ends within `claimLease`"),
    });
    open();
    await delivered;
  });

  it("rejects with what the handler threw, and can be called again", async () => {
    const { process } = setUp({}, { SUCCESS: vi.fn().mockImplementationOnce(throws(new Error("mine"))) });
    await expect(process(eventOf("SUCCESS"))).rejects.toThrow("mine");
    expect(await process(eventOf("SUCCESS"))).toBe("SUCCESS");
  });

  it("aborts `signal` at workTimeout", async () => {
    const { process } = setUp({ workTimeout: 20 }, { SUCCESS: untilAborted });
    await expect(process(eventOf("SUCCESS"))).rejects.toMatchObject({ reason: "workTimeout" });
  });

  it("leaves no timer behind", async () => {
    stopClock();
    const { process } = setUp();
    await process(eventOf("SUCCESS"));
    await expect(process(eventOf("SUCCESS", { txn_amount: 1 }))).rejects.toThrow("amount");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not begin work on a claim that came after workTimeout", async () => {
    const inner = memoryStore();
    const timedOut = gate();
    const store = faultyStore({
      claim: (key, request) => timedOut.opened.then(() => inner.claim(key, request)),
      release: (claim) => inner.release(claim),
    });
    const { process, ran } = setUp({ workTimeout: 20, store });
    stopClock();
    const processed = expect(process(eventOf("SUCCESS"))).rejects.toMatchObject({ reason: "workTimeout" });
    await vi.advanceTimersByTimeAsync(20);
    timedOut.open();
    await processed;
    expect(ran).toEqual([]);
  });
});

describe("refuses a missing configuration or an invalid argument", () => {
  const webhooks = new Webhooks({ auth: "none", findOrder: "none", store: memoryStore() });
  const calls: [string, () => Promise<unknown>, string][] = [
    ["process without findOrder", () => new Webhooks().process({}, noWork), "set `findOrder`"],
    [
      "process with a misspelt handler",
      () => webhooks.process({}, { ...noWork, onconflict() {} } as never),
      "onConflict",
    ],
    ["process without REJECTED", () => webhooks.process({}, { ...noWork, REJECTED: undefined } as never), "is missing"],
    ["process of nothing", () => webhooks.process(undefined as never, noWork), "webhooks.process: `event` is missing"],
    [
      "process of a string",
      () => webhooks.process("{}" as never, noWork),
      "webhooks.process: `event` must be an object",
    ],
    ["forget of nothing", () => webhooks.forget(undefined as never), "webhooks.forget: `reference` is missing"],
    ["forget of an empty string", () => webhooks.forget(""), "webhooks.forget: `reference` must be a string of 1"],
    ["forget of a padded string", () => webhooks.forget("a "), "without white space"],
    ["find of a number", () => webhooks.find(7 as never), "webhooks.find: `reference` must be a string of 1"],
    ["verify of nothing", () => webhooks.verify(undefined as never), "webhooks.verify: pass the `Request`"],
    ["verify without headers", () => webhooks.verify({ body: "{}" } as never), "webhooks.verify: pass the `Request`"],
    [
      "acknowledge of another result",
      async () => webhooks.acknowledge({ client_referenceId: "a" }, "OK" as never),
      'webhooks.acknowledge: `result` must be "SUCCESS", "FAILED" or "DUPLICATE"',
    ],
    [
      "acknowledge of no event",
      async () => webhooks.acknowledge({} as never, "SUCCESS"),
      "webhooks.acknowledge: `client_referenceId` is missing",
    ],
  ];
  it.each(calls)("%s", async (_, call, message) => {
    await expect(call()).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(message),
    });
  });

  it("parse of an object says that it was parsed already", () => {
    expect(() => webhooks.parse({ status: "SUCCESS" } as never)).toThrow(
      expect.objectContaining({ reason: "alreadyParsed" }),
    );
  });

  it("options come from own properties only: a polluted prototype authenticates nobody", () => {
    pollute({ auth: "none", findOrder: "none" });
    expect(() => new Webhooks({}).handler(noWork)).toThrow(/set `auth`/);
    expect(() => new Webhooks({ auth: "none" }).handler(noWork)).toThrow(/set `findOrder`/);
  });
});
