import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryStore, Webhooks } from "../../../src/webhooks/index.ts";
import type { ExpectedOrder } from "../../../src/webhooks/types.ts";
import { gate } from "../../support/gate.ts";
import { eventOf, faultyOf, noWork, receiver, reference } from "../support.ts";

/** A receiver for which the reference is done with SUCCESS, and whose `onConflict` fails the first `failures` times. */
async function settledWith(failures: number, options: Parameters<typeof receiver>[1] = {}) {
  const conflicts: string[] = [];
  let left = failures;
  const made = receiver(
    {
      onConflict: async (event, { status }) => {
        conflicts.push(`${status} then ${event.status}`);
        left -= 1;
        if (left >= 0) throw new Error("the help desk is down");
      },
    },
    options,
  );
  expect(await made.statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
  return { ...made, conflicts };
}

describe("a conflict is reported at least once", () => {
  it("before the delivery is acknowledged", async () => {
    const { opened, open } = gate();
    const called = gate();
    const store = memoryStore();
    await receiver({}, { store }).statusOf(eventOf("SUCCESS"));
    const steps: string[] = [];
    const onConflict = async () => {
      called.open();
      await opened;
      steps.push("onConflict returned");
    };
    const { statusOf } = receiver({ onConflict }, { store });
    const response = statusOf(eventOf("FAILED")).finally(() => steps.push("acknowledged"));
    await called.opened;
    // A response that did not wait would be there by now.
    await turn();
    open();
    expect(await response).toBe("DUPLICATE");
    expect(steps).toEqual(["onConflict returned", "acknowledged"]);
  });

  it("again at each delivery until onConflict returns, and FAILED until then", async () => {
    const { statusOf, conflicts, told } = await settledWith(2);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push(await statusOf(eventOf("FAILED")));
    expect(statuses).toEqual(["FAILED", "FAILED", "DUPLICATE", "DUPLICATE"]);
    expect(conflicts).toEqual(Array(3).fill("SUCCESS then FAILED"));
    expect(told).toMatchObject(
      Array(2).fill({ hook: "failed", error: { message: "the help desk is down" }, event: { status: "FAILED" } }),
    );
  });

  it("by the first receiver that has a hook for it, whoever met it before without one", async () => {
    const store = memoryStore();
    const webhooks = new Webhooks({ auth: "none", store, findOrder: "none" });
    await webhooks.process(eventOf("SUCCESS"), noWork);
    expect(await webhooks.process(eventOf("FAILED"), noWork)).toBe("DUPLICATE");
    const { statusOf, told } = receiver({}, { store });
    expect([await statusOf(eventOf("FAILED")), await statusOf(eventOf("FAILED"))]).toEqual(["DUPLICATE", "DUPLICATE"]);
    expect(told).toEqual([{ hook: "onConflict", event: "SUCCESS then FAILED" }]);
  });

  it("again when it could not be recorded", async () => {
    const store = memoryStore();
    let failures = 1;
    const recordConflict = (key: string, status: string) =>
      failures-- > 0 ? Promise.reject(new Error("away")) : store.recordConflict(key, status);
    const { statusOf, conflicts } = await settledWith(0, { store: faultyOf(store, { recordConflict }) });
    expect([await statusOf(eventOf("FAILED")), await statusOf(eventOf("FAILED"))]).toEqual(["FAILED", "DUPLICATE"]);
    expect(conflicts).toHaveLength(2);
  });

  it("once for each status, and never for the one that was done", async () => {
    const { statusOf, conflicts, ran } = await settledWith(0);
    for (const status of ["FAILED", "SUCCESS", "REJECTED", "FAILED", "failed", "REJECTED"]) {
      expect(await statusOf(eventOf(status))).toBe("DUPLICATE");
    }
    expect(conflicts).toEqual(["SUCCESS then FAILED", "SUCCESS then REJECTED"]);
    expect(ran).toEqual([`SUCCESS ${reference}`]);
  });

  it("can be read afterwards, with the status that took effect", async () => {
    const store = memoryStore();
    const webhooks = new Webhooks({ store });
    expect(await webhooks.find(reference)).toBeUndefined();
    const { statusOf } = await settledWith(1, { store });
    const paid = { transactionId: "TXN1", txn_amount: "1500.5" };
    expect(await webhooks.find(reference)).toEqual({
      ...{ state: "done", status: "SUCCESS", ...paid, utr: "412345678901", conflicts: [] },
    });
    await statusOf(eventOf("FAILED"));
    expect((await webhooks.find(reference))?.conflicts).toEqual([]);
    await statusOf(eventOf("FAILED"));
    expect((await webhooks.find(reference))?.conflicts).toEqual([{ status: "FAILED", ...paid }]);
  });
});

describe("the same status with another identity is a conflict, too", () => {
  it("also if it is another spelling of the same number: identifiers are not amounts", async () => {
    const { statusOf, told } = receiver();
    for (const transactionId of ["0042", "42"]) await statusOf(eventOf("SUCCESS", { transactionId }));
    expect(told).toEqual([{ hook: "onConflict", event: "SUCCESS then SUCCESS" }]);
  });

  const others = [{ transactionId: "TXN2" }, { utr: "999999999999" }, { txn_amount: 1500.51 }];

  it.each(others)("%o: the first stays, DUPLICATE, and onConflict is called once with both", async (change) => {
    const calls: unknown[] = [];
    const { statusOf, ran } = receiver({ onConflict: (event, done) => calls.push([event, done]) });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    for (let n = 0; n < 2; n += 1) expect(await statusOf(eventOf("SUCCESS", change))).toBe("DUPLICATE");
    const done = { status: "SUCCESS", transactionId: "TXN1", utr: "412345678901", txn_amount: "1500.5" };
    expect(calls).toEqual([[expect.objectContaining(change), done]]);
    expect(ran).toHaveLength(1);
  });

  it.each([
    {},
    { description: "another text" },
    { transactionId: undefined },
    { transactionId: "" },
    { statusCode: undefined },
  ])("%o is none: what one of them does not say cannot differ", async (change) => {
    const { statusOf, told } = receiver();
    expect(await statusOf(eventOf("REJECTED"))).toBe("SUCCESS");
    expect(await statusOf(eventOf("REJECTED", change))).toBe("DUPLICATE");
    expect(told).toEqual([]);
  });

  it("also for one that another delivery had claimed with other details, but that took effect with its own", async () => {
    const store = memoryStore();
    let fails = true;
    const SUCCESS = () => {
      if (fails) throw new Error("first time");
    };
    const { statusOf, told } = receiver({ SUCCESS }, { store });
    expect(await statusOf(eventOf("SUCCESS", { transactionId: "TXN0" }))).toBe("FAILED");
    fails = false;
    expect([await statusOf(eventOf("SUCCESS")), await statusOf(eventOf("SUCCESS"))]).toEqual(["SUCCESS", "DUPLICATE"]);
    expect(told.map(({ hook }) => hook)).toEqual(["failed"]);
    expect(await new Webhooks({ store }).find(reference)).toMatchObject({ transactionId: "TXN1", conflicts: [] });
  });
});

describe("an amount that is written in another way", () => {
  it.each<[unknown, unknown, string]>([
    ["8500.00", 8500, "8500"],
    [8500, "8500.00", "8500"],
    [" 08500.50", 8500.5, "8500.5"],
    ["8,500", "8,500", "8,500"],
    [1e21, 1e21, "1e+21"],
  ])("%j and then %j is not a conflict, and is kept as %j", async (first, second, kept) => {
    const store = memoryStore();
    const { statusOf, told } = receiver({}, { store });
    expect(await statusOf(eventOf("REJECTED", { txn_amount: first }))).toBe("SUCCESS");
    expect(await statusOf(eventOf("REJECTED", { txn_amount: second }))).toBe("DUPLICATE");
    expect([told, await new Webhooks({ store }).find(reference)]).toMatchObject([[], { txn_amount: kept }]);
  });

  it.each<[string, unknown]>([
    ["8500.00", "8500.01"],
    ["8500", 85],
    ["8,500", 8500],
  ])("%j and then %j is one", async (first, second) => {
    const { statusOf, told } = receiver();
    for (const txn_amount of [first, second]) await statusOf(eventOf("REJECTED", { txn_amount }));
    expect(told).toEqual([{ hook: "onConflict", event: "REJECTED then REJECTED" }]);
  });
});

describe("without onConflict, a conflict is passed to onFailure", () => {
  const conflict = { hook: "failed", error: { reason: "conflict", clientReferenceId: reference } };

  it.each([eventOf("FAILED"), eventOf("SUCCESS", { utr: "999999999999" })])(
    "$status $utr: once, before it is acknowledged DUPLICATE",
    async (event) => {
      const { statusOf, told } = receiver({ onConflict: undefined });
      await statusOf(eventOf("SUCCESS"));
      expect([await statusOf(event), await statusOf(event)]).toEqual(["DUPLICATE", "DUPLICATE"]);
      expect(told).toMatchObject([{ ...conflict, event }]);
    },
  );

  it("again at each delivery until onFailure returns, and FAILED until then", async () => {
    let failures = 1;
    const reasons: unknown[] = [];
    const onFailure = async (error: unknown) => {
      reasons.push(error instanceof Error && "reason" in error ? error.reason : error);
      if (reasons.at(-1) === "conflict" && failures-- > 0) throw "the help desk is down";
    };
    const { statusOf } = receiver({ onConflict: undefined, onFailure });
    await statusOf(eventOf("SUCCESS"));
    expect([await statusOf(eventOf("FAILED")), await statusOf(eventOf("FAILED"))]).toEqual(["FAILED", "DUPLICATE"]);
    expect(reasons).toEqual(["conflict", "the help desk is down", "conflict"]);
  });

  it("and says so if that is known after the response only", async () => {
    const [looking, left] = [gate(), gate()];
    const store = memoryStore();
    await receiver({}, { store }).statusOf(eventOf("SUCCESS"));
    const findOrder = () => looking.opened.then(() => 1500.5);
    const { statusOf, told } = receiver(
      {
        onConflict: undefined,
        onFailure: (error, { phase }) => {
          told.push({ hook: phase, error });
          if (phase === "late") left.open();
        },
      },
      { store, findOrder, ackTimeout: 20 },
    );
    expect(await statusOf(eventOf("FAILED"))).toBe("FAILED");
    looking.open();
    await left.opened;
    expect(told).toMatchObject([{ error: { reason: "ackTimeout" } }, { ...conflict, hook: "late" }]);
  });

  it("also for a status that the application requested", async () => {
    const reasons: unknown[] = [];
    const onFailure = (error: unknown) => reasons.push(error);
    const webhooks = new Webhooks({ store: memoryStore(), findOrder: "none", onFailure });
    await webhooks.process(eventOf("FAILED"), noWork);
    expect(await webhooks.process(eventOf("SUCCESS"), noWork)).toBe("DUPLICATE");
    expect(reasons).toMatchObject([{ reason: "conflict" }]);
  });
});

const rowOf = (columns: { settled: boolean | null } & Record<string, unknown>) => ({ amount: "1500.50", ...columns });

describe("an order that is settled", () => {
  const settled = (value: true | "SUCCESS") => () => ({ amount: "1500.50", settled: value });

  it("is acknowledged DUPLICATE and never run, though the store knows nothing of it", async () => {
    const { statusOf, ran, told } = receiver({}, { findOrder: settled(true) });
    for (const status of ["SUCCESS", "FAILED", "REJECTED", "DUPLICATE"]) {
      expect(await statusOf(eventOf(status))).toBe("DUPLICATE");
    }
    expect([ran, told]).toEqual([[], []]);
  });

  it("runs once, even after the store's retention: 91 days later", async () => {
    let now = 0;
    const order: { amount: number; settled?: true } = { amount: 1500.5 };
    const { statusOf, ran } = receiver({}, { store: memoryStore({ now: () => now }), findOrder: () => order });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    order.settled = true;
    now = 91 * 86_400_000;
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(ran).toHaveLength(1);
  });

  it("runs nothing for a status that it cannot have", async () => {
    const { statusOf, ran, told } = receiver({}, { findOrder: () => ({ amount: "1500.50", settled: "OPEN" }) });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect([ran, told]).toMatchObject([[], [{ error: { message: expect.stringContaining("pass null") } }]]);
  });

  class Order {
    get amount() {
      return "1500.50";
    }
    get settled() {
      return false;
    }
  }
  it.each<[string, ExpectedOrder]>([
    ["null, as a database has it", { amount: "1500.50", settled: null }],
    ["false, in a row of further columns", rowOf({ settled: false, id: 7, user: "u", account: "a", settled_at: null })],
    ["false", { amount: 1500.5, settled: false }],
    ["null, beside when it was", rowOf({ settled: null, settled_at: null })],
    ["false, on an object of a class", new Order()],
  ])("runs while `settled` is %s", async (_, order) => {
    const { statusOf, ran } = receiver({}, { findOrder: async () => order });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(ran).toHaveLength(1);
  });

  it("still has its amount checked", async () => {
    const { statusOf, told } = receiver({}, { findOrder: settled(true) });
    expect(await statusOf(eventOf("SUCCESS", { txn_amount: 1 }))).toBe("FAILED");
    expect(told).toMatchObject([{ error: { reason: "amountMismatch" } }]);
  });

  it("reports a conflict that the store can see, once", async () => {
    const store = memoryStore();
    await receiver({}, { store }).statusOf(eventOf("SUCCESS"));
    const { statusOf, told } = receiver({}, { store, findOrder: settled(true) });
    for (const status of ["FAILED", "FAILED", "SUCCESS"]) expect(await statusOf(eventOf(status))).toBe("DUPLICATE");
    expect(told).toEqual([{ hook: "onConflict", event: "SUCCESS then FAILED" }]);
  });

  it("reports a conflict that only the order can see, with the status that took effect", async () => {
    const { statusOf, told } = receiver({}, { findOrder: settled("SUCCESS") });
    for (const status of ["SUCCESS", "FAILED"]) expect(await statusOf(eventOf(status))).toBe("DUPLICATE");
    expect(told).toEqual([{ hook: "onConflict", event: "SUCCESS then FAILED" }]);
  });

  it("does not swallow a status that is unknown", async () => {
    const { statusOf, told } = receiver({}, { findOrder: settled(true) });
    expect(await statusOf(eventOf("REVERSED"))).toBe("FAILED");
    expect(told).toMatchObject([{ error: { reason: "unknownStatus" } }]);
  });
});
