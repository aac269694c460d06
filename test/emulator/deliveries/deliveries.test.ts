import { describe, expect, it, vi } from "vitest";
import { payoutSamples } from "../../../src/emulator/deliveries/payout-event.ts";
import type { DeliveryAttempt, WebhookSettings } from "../../../src/emulator/deliveries/types.ts";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { hmac } from "../../../src/webhooks/auth/hmac.ts";
import { memoryStore } from "../../../src/webhooks/stores/memory.ts";
import { Webhooks } from "../../../src/webhooks/webhooks.ts";
import { gate } from "../../support/gate.ts";
import { startServer } from "../../support/server.ts";
import { caught, now, sample } from "../helpers.ts";

type Handler = (request: Request) => Promise<Response>;

/** §6.3, with the values of the test. */
function acknowledgement(client_referenceId: string, status: unknown = "SUCCESS") {
  const statusCode = new Map<unknown, string>([
    ["FAILED", "400"],
    ["DUPLICATE", "208"],
  ]).get(status);
  return { http_status: true, status, client_referenceId, statusCode: statusCode ?? "200", acknowledged: "1" };
}

/** A client that responds to each attempt with the next of these, and echoes the reference unless one overrides it. */
function client(...answers: (string | Response | Error | "never" | object)[]) {
  const received: { body: Record<string, unknown>; headers: Headers; url: string }[] = [];
  const to: Handler = async (request) => {
    const answer = answers[Math.min(received.length, answers.length - 1)];
    const body = await request.json();
    received.push({ body, headers: request.headers, url: request.url });
    if (answer === "never") return new Promise(() => {});
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    const fields: { status?: unknown } = typeof answer === "string" ? { status: answer } : (answer ?? {});
    return Response.json({ ...acknowledgement(`${body.client_referenceId}`, fields.status), ...fields });
  };
  return { to, received };
}

const problems = (attempts: readonly DeliveryAttempt[]) => attempts.map(({ problem }) => problem);
const setUp = (to: WebhookSettings["to"], settings: WebhookSettings = {}) =>
  createEmulator({ now, webhook: { to, ackTimeout: 1_000, ...settings } });

describe("payouts (§6.2)", () => {
  it.each(["success-amount-mismatch", "success-amount-text", "success-without-amount"] as const)(
    "refuses an amount for %s, which has another one or none",
    async (outcome) => {
      const { to } = client("SUCCESS");
      await expect(setUp(to).payout({ outcome, amount: 8_500 })).rejects.toThrow(
        /^`amount` does not apply to the outcome/,
      );
    },
  );

  it.each([
    ["SUCCESS", "success"],
    ["FAILED", "failed"],
    ["DUPLICATE", "duplicate"],
    ["REJECTED", "rejected"],
  ] as const)("notifies of %s with the fields and codes of the document", async (outcome, name) => {
    const { to, received } = client("SUCCESS");
    const delivery = await setUp(to).payout({ outcome, amount: 1_500.5, client_referenceId: "po-1" });
    const expected = sample(`webhook/events/${name}`);
    expect(Object.keys(received[0]?.body ?? {})).toEqual(Object.keys(expected));
    expect(received[0]?.body).toMatchObject({
      status: outcome,
      statusCode: expected.statusCode,
      client_referenceId: "po-1",
      txn_amount: 1_500.5,
    });
    expect(received[0]?.headers.get("content-type")).toBe("application/json");
    expect(delivery).toMatchObject({ state: "delivered", client_referenceId: "po-1", event: received[0]?.body });
  });

  it.each(Object.keys(payoutSamples))("sends the sample %s by name", async (name) => {
    const { to, received } = client("SUCCESS");
    const outcome = name as keyof typeof payoutSamples;
    await setUp(to).payout({ outcome });
    expect(received[0]?.body).toMatchObject({ status: payoutSamples[outcome].status });
  });

  it("creates a new reference, transaction and bank reference for every payout", async () => {
    const { to, received } = client("SUCCESS");
    const emulator = setUp(to);
    await emulator.payout({});
    await emulator.payout({});
    for (const field of ["client_referenceId", "transactionId", "utr"]) {
      expect(received[0]?.body[field]).not.toBe(received[1]?.body[field]);
    }
  });

  it("refuses an outcome that it does not know", async () => {
    const { to } = client("SUCCESS");
    const outcome = "LOST" as "SUCCESS";
    expect(await caught(setUp(to).payout({ outcome }))).toMatchObject({ name: "ConfigurationError" });
    expect(await caught(setUp(to).payout({ outcome: "SUCESS" as "SUCCESS" }))).toMatchObject({
      message: 'The emulator knows no outcome "SUCESS". Did you mean SUCCESS?',
    });
    const plan = "constructor" as "twice";
    expect(await caught(setUp(to).payout({ plan }))).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("Known are standard, race, twice, conflict."),
    });
  });

  it("says what to set if no target is set", async () => {
    const emulator = createEmulator();
    expect(await caught(emulator.payout({}))).toBeInstanceOf(ConfigurationError);
    const { to, received } = client("SUCCESS");
    emulator.deliverTo(to);
    await emulator.payout({});
    expect(received).toHaveLength(1);
  });
});

describe("a scheme that fails to sign", () => {
  it("is a problem of the attempt, and of each retry", async () => {
    const { to, received } = client("FAILED");
    const sign = vi.fn(async () => ({})).mockResolvedValueOnce({});
    sign.mockRejectedValue(new Error("the key is away"));
    const emulator = setUp(to, { auth: { name: "failing", check() {}, sign } });
    const delivery = await emulator.payout();
    await emulator.clock.runToEnd();
    expect(received).toHaveLength(1);
    expect(delivery.state).toBe("Failed Delivery");
    expect(delivery.attempts.map(({ problem }) => problem)).toEqual([
      "acknowledged FAILED",
      ...Array(3).fill("could not be signed"),
    ]);
    await expect(emulator.fire()).resolves.toMatchObject({ problem: "could not be signed" });
  });
});

describe("retries (§6.4)", () => {
  it("stop at SUCCESS and at DUPLICATE", async () => {
    for (const answer of ["SUCCESS", "DUPLICATE"]) {
      const { to, received } = client(answer);
      const emulator = setUp(to);
      const delivery = await emulator.payout({});
      await emulator.clock.runToEnd();
      expect(received).toHaveLength(1);
      expect(delivery.state).toBe("delivered");
    }
  });

  it("come at 30 s, 2 min and 10 min, then the webhook is marked as Failed Delivery", async () => {
    const { to } = client(new Response("", { status: 500 }), new Error("down"), new Response("thanks"), {
      status: "FAILED",
    });
    const emulator = setUp(to);
    const start = emulator.clock.now();
    const delivery = await emulator.payout({});
    expect(delivery).toMatchObject({ state: "delivering", nextAttemptAt: start + 30_000 });
    await emulator.clock.advance(29_999);
    expect(delivery.attempts).toHaveLength(1);
    await emulator.clock.runToEnd();
    expect(delivery.attempts.map(({ at }) => at - start)).toEqual([0, 30_000, 120_000, 600_000]);
    expect(problems(delivery.attempts)).toEqual([
      "HTTP status is not 200",
      "no connection",
      "body is not JSON",
      "acknowledged FAILED",
    ]);
    expect(delivery).toMatchObject({ state: "Failed Delivery", nextAttemptAt: undefined });
  });

  it("follow if no response arrived in time, and end with the DUPLICATE of a client that had processed it", async () => {
    const { to } = client("never", "DUPLICATE");
    const emulator = setUp(to, { ackTimeout: 20 });
    const delivery = await emulator.payout({});
    expect(problems(delivery.attempts)).toEqual(["no response in time"]);
    await emulator.clock.advance(30_000);
    expect(delivery).toMatchObject({ state: "delivered", attempts: [{}, { status: "DUPLICATE", httpStatus: 200 }] });
  });

  it.each([
    [{ client_referenceId: "another" }, "client_referenceId is not echoed"],
    [{ status: "OK" }, "status is not known"],
    [{ status: 7 }, "status is not known"],
    [{ statusCode: undefined }, "statusCode does not fit the status"],
    [{ statusCode: "400" }, "statusCode does not fit the status"],
    [{ statusCode: 200 }, "statusCode does not fit the status"],
    [{ http_status: undefined }, "http_status is not true"],
    [{ http_status: "true" }, "http_status is not true"],
    [{ acknowledged: 1 }, "acknowledged is not 1"],
    [Response.json("text"), "body is not JSON"],
  ])("follow the acknowledgement %o", async (answer, problem) => {
    const { to } = client(answer);
    const delivery = await setUp(to).payout({});
    expect(problems(delivery.attempts)).toEqual([problem]);
    expect(delivery.state).toBe("delivering");
  });

  it("do not follow a redirect", async () => {
    const { to } = client(new Response(null, { status: 302, headers: { location: "https://elsewhere.example/" } }));
    const delivery = await setUp(to).payout({});
    expect(delivery.attempts).toMatchObject([{ httpStatus: 302, problem: "HTTP status is not 200" }]);
  });

  it("come at other times, and fewer of them, if set", async () => {
    const { to } = client(new Error("down"));
    const emulator = setUp(to, { retrySchedule: [5] });
    const delivery = await emulator.payout({});
    await emulator.clock.advance(5);
    expect(delivery).toMatchObject({ state: "Failed Delivery", attempts: [{}, {}] });
  });

  it("do not follow FAILED if that is set to be final", async () => {
    const { to } = client("FAILED");
    const emulator = setUp(to, { failedAcknowledgement: "final" });
    const delivery = await emulator.payout({});
    await emulator.clock.runToEnd();
    expect(delivery).toMatchObject({ state: "refused", attempts: [{ status: "FAILED" }] });
  });

  it("follow an incomplete FAILED, even if FAILED is final", async () => {
    const { to } = client({ status: "FAILED", acknowledged: 1 });
    const delivery = await setUp(to, { failedAcknowledgement: "final" }).payout({});
    expect(delivery).toMatchObject({
      state: "delivering",
      attempts: [{ problem: "acknowledged FAILED", problems: ["acknowledged FAILED", "acknowledged is not 1"] }],
    });
  });

  it("are forgotten by reset()", async () => {
    const { to, received } = client("FAILED");
    const emulator = setUp(to);
    await emulator.payout({});
    emulator.reset();
    await emulator.clock.advance(600_000);
    expect(received).toHaveLength(1);
    expect(emulator.deliveries).toEqual([]);
  });

  it.each(["standard", "twice", "conflict"] as const)(
    "are not made if reset() comes during an attempt: %s",
    async (plan) => {
      const { open: respond, opened } = gate<Response>();
      const to = vi.fn(() => opened);
      const emulator = setUp(to);
      const payout = emulator.payout({ plan });
      await expect.poll(() => to.mock.calls).toHaveLength(1);
      emulator.reset();
      respond(new Response(null, { status: 500 }));
      await payout;
      await emulator.clock.advance(600_000);
      expect(to).toHaveBeenCalledOnce();
      expect(emulator.deliveries).toEqual([]);
    },
  );

  it("are three at most", () => {
    expect(() => setUp(undefined, { retrySchedule: [1, 2, 3, 4] })).toThrow(
      /`retrySchedule` must have at most 3 times/,
    );
  });
});

describe("plans", () => {
  it("twice: redelivered although it was acknowledged", async () => {
    const { to, received } = client("SUCCESS", "DUPLICATE");
    const emulator = setUp(to);
    await emulator.payout({ plan: "twice" });
    await emulator.clock.runToEnd();
    expect(received[1]?.body).toEqual(received[0]?.body);
    expect(emulator.deliveries.map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  it("twice: immediately if the schedule is empty", async () => {
    const { to, received } = client("SUCCESS");
    const emulator = setUp(to, { retrySchedule: [] });
    for (const plan of ["twice", "conflict"] as const) await emulator.payout({ plan });
    await emulator.clock.advance(0);
    expect(received).toHaveLength(4);
  });

  it("race: two at the same time", async () => {
    let open = 0;
    let most = 0;
    const to: Handler = async (request) => {
      most = Math.max(most, ++open);
      const { client_referenceId } = await request.json();
      await Promise.resolve();
      open--;
      return Response.json(acknowledgement(client_referenceId));
    };
    await setUp(to).payout({ plan: "race" });
    expect(most).toBe(2);
  });

  it.each([
    ["SUCCESS", "FAILED"],
    ["FAILED", "SUCCESS"],
  ] as const)("conflict: for a reference that was delivered as %s, %s", async (outcome, later) => {
    const { to, received } = client("SUCCESS");
    const emulator = setUp(to);
    await emulator.payout({ outcome, plan: "conflict" });
    await emulator.clock.runToEnd();
    const reference = received[0]?.body.client_referenceId;
    expect(received.map(({ body }) => [body.client_referenceId, body.status])).toEqual([
      [reference, outcome],
      [reference, later],
    ]);
  });
});

describe("the test fire (§6.5.4)", () => {
  it("sends once, and returns the attempt", async () => {
    const { to, received } = client("FAILED");
    const emulator = setUp(to);
    expect(await emulator.fire("REJECTED")).toMatchObject({ problem: "acknowledged FAILED", httpStatus: 200 });
    await emulator.clock.runToEnd();
    expect(received.map(({ body }) => body.status)).toEqual(["REJECTED"]);
    expect(emulator.deliveries).toEqual([]);
  });

  it("sends any body", async () => {
    const { to, received } = client("SUCCESS");
    await setUp(to).fire({ status: "LOST", client_referenceId: "po-9" });
    expect(received[0]?.body).toEqual({ status: "LOST", client_referenceId: "po-9" });
  });

  it("sends SUCCESS by default, and waits for `ackTimeout`", async () => {
    const { to, received } = client("never");
    expect(await setUp(to).fire(undefined, { ackTimeout: 5 })).toMatchObject({ problem: "no response in time" });
    expect(received[0]?.body.status).toBe("SUCCESS");
  });
});

describe("with the library's own receiver", () => {
  it("is signed, passes its checks, credits once, and is DUPLICATE the second time", async () => {
    const credited: unknown[] = [];
    const scheme = hmac({
      header: "x-signature",
      secrets: ["webhook-secret-of-the-test"],
      signed: "timestamp.body",
      timestampHeader: "x-timestamp",
    });
    const emulator = createEmulator({ now });
    const webhooks = new Webhooks({
      auth: [scheme],
      store: memoryStore(),
      findOrder: () => 8_500,
      now: () => emulator.clock.now(),
    });
    const handler = webhooks.handler({
      SUCCESS: async (event) => void credited.push(event.txn_amount),
      FAILED: async () => {},
      REJECTED: async () => {},
    });
    emulator.deliverTo(handler, { auth: scheme });
    await emulator.payout({ amount: 8_500, plan: "twice" });
    await emulator.clock.runToEnd();
    expect(credited).toEqual([8_500]);
    expect(emulator.deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
      ["SUCCESS"],
      ["DUPLICATE"],
    ]);
  });
});

describe("over HTTP", () => {
  it("reaches a callback URL, and gets no connection if nothing listens", async () => {
    const server = await startServer((response, { body }) => {
      response.end(JSON.stringify(acknowledgement(JSON.parse(body).client_referenceId)));
    });
    const emulator = setUp(`${server.url}/hook`);
    expect(await emulator.payout({})).toMatchObject({ state: "delivered" });
    await server.close();
    expect(await emulator.fire()).toMatchObject({ problem: "no connection", httpStatus: undefined });
    expect(server.requests).toHaveLength(1);
  });
});
