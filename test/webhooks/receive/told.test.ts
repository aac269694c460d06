import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  custom,
  hmac,
  memoryStore,
  WebhookAuthError,
  WebhookError,
  WebhookPayloadError,
  WebhookProcessingError,
  type WebhookStore,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import type { WebhookHandlers } from "../../../src/webhooks/types.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import {
  ackOf,
  eventOf,
  faultyOf,
  faultyStore,
  noWork,
  type ReceiverChanges,
  receiver,
  reference,
  watchedStore,
} from "../support.ts";

const failing = throws(new Error("as planned, at postgres://user:hunter2@db"));
const never = untilTestEnds;
/** A store whose failure would be retried indefinitely. */
const failsWhileTested = () => {
  let isOver = false;
  return async () => {
    if (isOver) return true;
    onTestFinished(() => {
      isOver = true;
    });
    return failing();
  };
};
/** A store in which another process has this claim, and has died. */
const held = (key: string, effect: string): WebhookStore => {
  const store = memoryStore();
  void store.claim(key, { effect, lease: 60_000 });
  return store;
};
/** A store in which this is done. */
const completed = (key: string, effect: string): WebhookStore => {
  const store = memoryStore();
  void store
    .claim(key, { effect, lease: 60_000 })
    .then((result) => result.kind === "claimed" && store.complete(result.claim));
  return store;
};
const heldByOther = () => held(`payout:${reference}`, "SUCCESS");
const done = () => completed(`payout:${reference}`, "REJECTED");
const nonced = { name: "nonced", check: () => ({ nonce: "n-1" }) };

interface Path {
  readonly event?: unknown;
  readonly handlers?: Partial<WebhookHandlers>;
  readonly options?: ReceiverChanges;
  /** The phase with which the hook is called, and its error: a reason, or the message of one of the application. */
  readonly told: readonly [phase: string, reason: string];
  /** Whether the hook gets the event: only if it is authentic and parsed. @default true */
  readonly hasEvent?: boolean;
  /** The reference on the error. @default that of the event */
  readonly reference?: string | undefined;
}

const refused = (reason: string, path: Partial<Path> = {}): Path => ({ ...path, told: ["refused", reason] });
const failed = (reason: string, path: Partial<Path> = {}): Path => ({ ...path, told: ["failed", reason] });
/** Before the event is authentic and parsed. */
const early = (path: Path): Path => ({ ...path, hasEvent: false });
const signed = hmac({ header: "x-signature", secrets: ["the secret"] });
const short = { ackTimeout: 60 };

/** Every way to `FAILED`. */
const paths: Record<string, Path> = {
  "no signature": early(refused("signatureMissing", { options: { auth: [signed] } })),
  "a check that says no": early(refused("refusedByCheck", { options: { auth: [custom(() => false)] } })),
  "a check that throws": early(failed("as planned", { options: { auth: [{ name: "x", check: failing }] } })),
  "a nonce that was used": refused("nonceReused", {
    options: { auth: [nonced], store: completed("nonce:n-1", "NONCE") },
  }),
  "a nonce of a delivery that is under way": failed("inFlight", {
    options: { auth: [nonced], store: held("nonce:n-1", "NONCE") },
  }),
  "a nonce that the store cannot claim": failed("as planned", {
    options: { auth: [nonced], store: faultyStore({ claim: failing }) },
  }),
  "an empty body": early(refused("empty", { event: "", reference: undefined })),
  "a body too large": early(refused("tooLarge", { event: "x".repeat(65_537), reference: undefined })),
  "a body that is not JSON": early(refused("notJson", { event: "{oops", reference: undefined })),
  "a body that is not an object": early(refused("notObject", { event: "[]", reference: undefined })),
  "a prototype key": early(refused("forbiddenKey", { event: `{"client_referenceId":"${reference}","__proto__":{}}` })),
  "a missing field": early(refused("missingField", { event: eventOf("SUCCESS", { utr: "" }) })),
  "a field of the wrong type": early(refused("wrongType", { event: eventOf("FAILED", { txn_amount: "1500.50" }) })),
  "an amount of zero": early(refused("invalidValue", { event: eventOf("SUCCESS", { txn_amount: 0 }) })),
  "a negative amount": early(refused("invalidValue", { event: eventOf("REJECTED", { txn_amount: -5 }) })),
  "a contradiction, with requiredFields: all": early(
    refused("invalidValue", { event: eventOf("SUCCESS", { statusCode: "400" }), options: { requiredFields: "all" } }),
  ),
  "a reference of nobody": refused("unknownReference", { options: { findOrder: () => null } }),
  "a look-up that returns undefined": refused("unknownReference", { options: { findOrder: () => undefined as never } }),
  "a DUPLICATE notification of nobody's payout": refused("unknownReference", {
    event: eventOf("DUPLICATE", { txn_amount: undefined }),
    options: { findOrder: () => null },
  }),
  "another amount": refused("amountMismatch", { options: { findOrder: () => 8500 } }),
  "an unknown status": refused("unknownStatus", { event: eventOf("REVERSED") }),
  "onUnknown that throws": failed("as planned", { event: eventOf("REVERSED"), handlers: { onUnknown: failing } }),
  "a look-up that throws": failed("as planned", { options: { findOrder: failing } }),
  "a look-up that throws one of our errors, with redeliverBy: http500": failed("notJson", {
    options: {
      findOrder: throws(new WebhookPayloadError({ reason: "notJson", message: "of another webhook" })),
      redeliverBy: "http500",
    },
  }),
  "a look-up that throws what makes a notification a duplicate": failed("notProcessed", {
    options: {
      findOrder: throws(new WebhookProcessingError({ reason: "notProcessed", message: "of another webhook" })),
    },
  }),
  "a look-up that returns an amount of zero": failed("`amount` must be", { options: { findOrder: () => 0 } }),
  "a look-up that returns a misspelt order": failed('did you mean "settled"', {
    options: { findOrder: () => ({ amount: 1500.5, setled: true }) as never },
  }),
  "a look-up that returns a misspelt amount": failed('did you mean "amount"', {
    options: { findOrder: () => ({ amont: 1500.5 }) as never },
  }),
  "a store that is away": failed("as planned", { options: { store: faultyStore({ claim: failing }) } }),
  "a claim of a process that died": failed("inFlight", { options: { store: heldByOther(), ...short } }),
  "a handler that rejects": failed("as planned", { handlers: { SUCCESS: async () => failing() } }),
  "a handler that throws": failed("as planned", { handlers: { SUCCESS: failing } }),
  "a DUPLICATE handler that throws": failed("as planned", {
    event: eventOf("DUPLICATE"),
    handlers: { DUPLICATE: failing },
  }),
  "a store that cannot record the work": failed("commitPending", {
    options: { store: faultyStore({ complete: failsWhileTested() }), ...short },
  }),
  "a claim that was lost": failed("claimLost", { options: { store: faultyStore({ complete: async () => false }) } }),
  "a custom store that does not resolve with a boolean": failed("claimLost", {
    options: { store: faultyStore({ complete: async () => undefined as never }) },
  }),
  "onConflict that throws": failed("as planned", { handlers: { onConflict: failing }, options: { store: done() } }),
  "onConflict that takes too long": failed("ackTimeout", {
    handlers: { onConflict: never },
    options: { store: done(), ...short },
  }),
  "a conflict that cannot be recorded": failed("as planned", {
    options: { store: { ...faultyOf(done()), recordConflict: failing } },
  }),
  "a store that cannot look a DUPLICATE up": failed("as planned", {
    event: eventOf("DUPLICATE"),
    options: { store: faultyStore({ find: failing }) },
  }),
  "a store that cannot look a settled order up": failed("as planned", {
    options: { store: faultyStore({ find: failing }), findOrder: () => ({ amount: 1500.5, settled: true }) },
  }),
};

describe("each delivery acknowledged FAILED calls onFailure once, with the reason, and not onAccepted", () => {
  it.each(Object.entries(paths))("%s", async (_, { event = eventOf("SUCCESS"), handlers, options, ...expected }) => {
    const onAccepted = vi.fn();
    const { send, ran, told } = receiver({ ...handlers, onAccepted }, options);
    const { http, headers, ack, text } = await send(event);
    expect(onAccepted).not.toHaveBeenCalled();
    expect(ack).toEqual(ackOf("FAILED", "reference" in expected ? "" : reference));
    expect([http, ...headers]).toEqual([
      options?.redeliverBy === "http500" ? 500 : 200,
      ["content-type", "application/json"],
    ]);
    expect(text).not.toMatch(/hunter2|Error|stack|postgres/i);
    const calls = told.filter(({ hook }) => hook !== "onConflict");
    const [phase, reason] = expected.told;
    expect(calls.map((call) => call.hook)).toEqual([phase]);
    if (phase === "refused") expect(ran).toEqual([]);
    const { error, event: given } = calls[0] as {
      error: Error & { reason?: string; clientReferenceId?: string };
      event: unknown;
    };
    expect(error.reason ?? error.message).toContain(reason);
    expect(given === undefined).toBe(expected.hasEvent === false);
    if (given !== undefined) expect(given).toMatchObject({ client_referenceId: reference });
    if (error.reason !== undefined) {
      expect(error.clientReferenceId).toBe("reference" in expected ? expected.reference : reference);
    }
  });

  it("even while another delivery of it is in flight or failing", async () => {
    const { store, foundInFlight } = watchedStore();
    const SUCCESS = vi.fn(() => foundInFlight.then(failing));
    const { statusOf, told } = receiver({ SUCCESS }, { store });
    const both = [statusOf(eventOf("SUCCESS")), statusOf(eventOf("SUCCESS"))];
    expect(await Promise.all(both)).toEqual(["FAILED", "FAILED"]);
    expect(SUCCESS).toHaveBeenCalledOnce();
    expect(told).toMatchObject([
      { hook: "failed", error: { message: expect.stringContaining("as planned") } },
      { hook: "failed", error: { reason: "inFlight", clientReferenceId: reference }, event: { status: "SUCCESS" } },
    ]);
  });
});

describe("each delivery whose event has taken effect calls onAccepted once", () => {
  const accepted = () => {
    const calls: string[] = [];
    const onAccepted: WebhookHandlers["onAccepted"] = (event, result) => {
      calls.push(`${event.status} ${event.client_referenceId} ${result}`);
    };
    return { calls, onAccepted };
  };

  it("with SUCCESS, and then with DUPLICATE", async () => {
    const { calls, onAccepted } = accepted();
    const { statusOf } = receiver({}, { onAccepted });
    await statusOf(eventOf("SUCCESS"));
    await statusOf(eventOf("SUCCESS"));
    await statusOf(eventOf("DUPLICATE"));
    expect(calls).toEqual([
      `SUCCESS ${reference} SUCCESS`,
      `SUCCESS ${reference} DUPLICATE`,
      `DUPLICATE ${reference} DUPLICATE`,
    ]);
  });

  it("after the response, if the handler took longer", async () => {
    const { opened, open } = gate();
    const called = gate();
    const { statusOf, webhooks } = receiver({ SUCCESS: () => opened, onAccepted: () => called.open() }, short);
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    open();
    await called.opened;
    await webhooks.idle();
  });

  it("and what it throws changes nothing", async () => {
    const { statusOf, told } = receiver({ onAccepted: failing });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(told).toEqual([]);
  });
});

describe("a DUPLICATE notification of a payout that has not taken effect here", () => {
  const notProcessed = { hook: "failed", error: { reason: "notProcessed", clientReferenceId: reference } };

  it("is acknowledged DUPLICATE, and onFailure is called", async () => {
    const { statusOf, told, ran } = receiver();
    expect(await statusOf(eventOf("DUPLICATE"))).toBe("DUPLICATE");
    expect(told).toMatchObject([{ ...notProcessed, event: { status: "DUPLICATE" } }]);
    expect(ran).toEqual([]);
  });

  it("is also reported while another delivery has claimed it: that one may yet fail", async () => {
    const { statusOf, told } = receiver({}, { store: heldByOther() });
    expect(await statusOf(eventOf("DUPLICATE"))).toBe("DUPLICATE");
    expect(told).toMatchObject([notProcessed]);
  });

  it("is thrown by webhooks.process", async () => {
    const webhooks = new Webhooks({ store: memoryStore(), findOrder: "none" });
    await expect(webhooks.process(eventOf("DUPLICATE"), noWork)).rejects.toMatchObject(notProcessed.error);
    await webhooks.process(eventOf("SUCCESS"), noWork);
    expect(await webhooks.process(eventOf("DUPLICATE"), noWork)).toBe("DUPLICATE");
  });

  const settled = { findOrder: () => ({ amount: 1500.5, settled: true }) };
  it.each<[string, Parameters<typeof receiver>, string]>([
    ["it has taken effect", [{}, { store: done() }], "DUPLICATE"],
    [
      "the order is settled, although the store is away",
      [{}, { ...settled, store: faultyStore({ find: failing }) }],
      "DUPLICATE",
    ],
    ["the order is settled, nor runs its handler", [{ DUPLICATE: failing }, settled], "DUPLICATE"],
    ["it has a handler, which is called instead", [{ DUPLICATE() {} }], "SUCCESS"],
  ])("calls no hook if %s", async (_, [handlers, options], status) => {
    const { statusOf, told } = receiver(handlers, options);
    expect([await statusOf(eventOf("DUPLICATE")), told]).toEqual([status, []]);
  });

  it("is a failure when a handler throws such an error", async () => {
    const DUPLICATE = throws(new WebhookProcessingError({ reason: "notProcessed", message: "of another webhook" }));
    expect(await receiver({ DUPLICATE }).statusOf(eventOf("DUPLICATE"))).toBe("FAILED");
  });
});

describe("an error of this library that a handler throws after the response has left", () => {
  it("is reported, whatever its reason", async () => {
    const handled = gate();
    const SUCCESS = async () => {
      await handled.opened;
      throw new WebhookProcessingError({ reason: "inFlight", message: "of a nested process()" });
    };
    const { statusOf, told } = receiver({ SUCCESS }, { ackTimeout: 20 });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    handled.open();
    await expect
      .poll(() => told)
      .toMatchObject([
        { hook: "failed", error: { reason: "ackTimeout" } },
        { hook: "late", error: { message: "of a nested process()" } },
      ]);
  });
});

describe("the reference on an error", () => {
  const noted = async (client_referenceId: unknown, options: ReceiverChanges) => {
    const { send, told } = receiver({}, options);
    await send({ ...eventOf("SUCCESS"), client_referenceId });
    return WebhookError.isInstance(told[0]?.error) ? told[0].error.clientReferenceId : "no error of ours";
  };

  it.each(["x".repeat(128), "x".repeat(129), "x".repeat(1_024), "😀".repeat(1_024), "पेआउट-१"])(
    "is that of every delivery that is refused before it is parsed, however long: case %#",
    async (client_referenceId) => {
      expect(await noted(client_referenceId, { auth: [signed] })).toBe(client_referenceId);
    },
  );

  it.each(["x".repeat(1_025), " padded", "a\u001b[2J", "a\nb", "\ud800", 7, undefined])(
    "is left out if no event may have it, or a log could not show it: case %#",
    async (client_referenceId) => {
      expect(await noted(client_referenceId, { auth: [signed] })).toBeUndefined();
    },
  );

  it("is found in a body that arrives after the response", async () => {
    const arrival = gate();
    const { handler, told } = receiver({}, { auth: [signed], ackTimeout: 10 });
    const body = (async function* () {
      await arrival.opened;
      yield JSON.stringify(eventOf("SUCCESS"));
    })();
    await handler.receive({ headers: {}, body });
    arrival.open();
    const refusal = { hook: "late", error: { reason: "signatureMissing", clientReferenceId: reference } };
    await expect.poll(() => told).toMatchObject([{ error: { reason: "ackTimeout" } }, refusal]);
  });
});

describe("the error that a hook is called with", () => {
  it("keeps the reference that it has, and shows the one that was found", async () => {
    const refusing = (changes: object) =>
      custom(throws(new WebhookAuthError({ reason: "refusedByCheck", message: "no", ...changes })));
    const [own, found] = [
      receiver({}, { auth: [refusing({ clientReferenceId: "own" })] }),
      receiver({}, { auth: [refusing({})] }),
    ];
    await own.send(eventOf("SUCCESS"));
    await found.send(eventOf("SUCCESS"));
    expect(own.told).toMatchObject([{ error: { clientReferenceId: "own" } }]);
    expect(JSON.parse(JSON.stringify(found.told[0]?.error))).toMatchObject({ clientReferenceId: reference });
  });

  it("has the reference of that delivery, also if the application throws one error again and again", async () => {
    class TenantError extends WebhookAuthError {}
    const denied = Object.freeze(new TenantError({ reason: "refusedByCheck", message: "no", address: "::1" }));
    const thrown = new WebhookPayloadError({ reason: "notJson", message: "of another webhook" });
    const refusing = custom(throws(denied));
    const SUCCESS = throws(thrown);
    for (const { send, told } of [receiver({}, { auth: [refusing] }), receiver({ SUCCESS })]) {
      for (const client_referenceId of ["first", "second"]) await send(eventOf("SUCCESS", { client_referenceId }));
      expect(told).toMatchObject([
        { error: { clientReferenceId: "first" } },
        { error: { clientReferenceId: "second" } },
      ]);
      const [error] = told.map((call) => call.error);
      expect([error instanceof TenantError ? denied : thrown]).toMatchObject([
        { message: Object(error).message, reason: Object(error).reason, stack: Object(error).stack },
      ]);
    }
    expect([denied.clientReferenceId, thrown.clientReferenceId]).toEqual([undefined, undefined]);
  });

  it("changes no response: a receiver without onFailure refuses and fails in the same way", async () => {
    const { statusOf, told } = receiver({ SUCCESS: failing, onFailure: undefined });
    expect([await statusOf("{oops"), await statusOf(eventOf("SUCCESS"))]).toEqual(["FAILED", "FAILED"]);
    expect(told).toEqual([]);
  });

  it("holds both amounts for the operator, and the response neither", async () => {
    const { send, told } = receiver({}, { findOrder: () => "8500.00" });
    const { text } = await send(eventOf("SUCCESS"));
    expect(told).toMatchObject([
      { error: { reason: "amountMismatch", expectedAmount: "8500.00", receivedAmount: 1500.5 } },
    ]);
    expect(JSON.stringify(told[0]?.error)).toContain('"expectedAmount":"8500.00"');
    expect(text).not.toMatch(/8500|1500/);
  });

  it("shows nothing of a body in place of an amount", async () => {
    const { send, told } = receiver({}, { findOrder: () => 8500 });
    await send(eventOf("REJECTED", { txn_amount: { secret: "4711" } }));
    await send(eventOf("REJECTED", { txn_amount: "secret 4711" }));
    expect(told.map(({ error }) => JSON.stringify(error)).join()).not.toContain("4711");
    expect(told).toHaveLength(2);
  });

  it.each([
    ["throws", failing],
    ["rejects", async () => failing()],
  ])("is passed on once, also if the hook %s: that is dropped", async (_, fails) => {
    const onFailure = vi.fn<NonNullable<WebhookHandlers["onFailure"]>>(fails);
    const { statusOf } = receiver({ SUCCESS: failing, onFailure });
    expect([await statusOf("{oops"), await statusOf(eventOf("SUCCESS"))]).toEqual(["FAILED", "FAILED"]);
    expect(onFailure.mock.calls).toMatchObject([
      [{ reason: "notJson" }, { phase: "refused", event: undefined }],
      [
        { message: expect.stringContaining("as planned") },
        { phase: "failed", event: { client_referenceId: reference } },
      ],
    ]);
  });

  it("is a failure, not a refusal, when the handler throws one of our errors", async () => {
    const SUCCESS = throws(new WebhookPayloadError({ reason: "notJson", message: "of another webhook" }));
    const { send, told } = receiver({ SUCCESS }, { redeliverBy: "http500" });
    expect(await send(eventOf("SUCCESS"))).toMatchObject({ http: 500, ack: { status: "FAILED" } });
    expect(told).toMatchObject([{ hook: "failed", error: { message: "of another webhook" } }]);
  });

  it.each(["REVERSED", "SUCCESS"])(
    "%s that needs a redelivery gets the response of a failure: redeliverBy counts",
    async (status) => {
      const options = { redeliverBy: "http500", store: heldByOther(), ...short } as const;
      const { send } = receiver({}, options);
      expect((await send(eventOf(status))).http).toBe(500);
    },
  );

  it("never keeps the response from leaving when the platform's waitUntil throws", async () => {
    const { handler, told } = receiver({ SUCCESS: never }, short);
    const context = {
      waitUntil() {
        throw new Error("The request has ended.");
      },
    };
    const delivery = { headers: {}, body: JSON.stringify(eventOf("SUCCESS")) };
    expect(JSON.parse((await handler.receive(delivery, context)).body).status).toBe("FAILED");
    expect(told).toHaveLength(1);
  });
});
