import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import {
  basic,
  freshness,
  hmac,
  memoryStore,
  sign,
  standardWebhooks,
  type WebhookCheck,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { eventOf, noWork, receiver } from "../support.ts";

const secrets = ["a secret of at least a few words"];
const timestamp = { header: "x-s", signed: "timestamp.body", timestampHeader: "x-t", secrets } as const;
const nonce = {
  header: "x-s",
  signed: ({ nonce: given, body }) => `${given}${body.length}`,
  secrets,
} satisfies Parameters<typeof hmac>[0];
const schemes: Record<string, WebhookCheck[]> = {
  "a timestamp": [hmac(timestamp)],
  "a nonce": [hmac({ ...nonce, nonceHeader: "x-n" })],
  "a timestamp and a nonce": [hmac({ ...timestamp, signed: "timestamp.nonce.body", nonceHeader: "x-n" })],
  "Standard Webhooks": [standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })],
  "freshness beside basic": [
    basic({ credentials: [{ username: "payouts", password: "a password" }] }),
    freshness({ timestampHeader: "x-t", nonceHeader: "x-n" }),
  ],
};

/** A receiver on the clock of an emulator that gets no acknowledgement but the last. */
function losing(auth: WebhookCheck[], settings: { resign: boolean; lost: number }) {
  const statuses: string[] = [];
  const emulator = createEmulator({
    now: "2026-11-20T06:00:00Z",
    webhook: {
      auth,
      resign: settings.resign,
      async to(request) {
        const response = await made.handler(request);
        const { status } = (await response.clone().json()) as { status: string };
        statuses.push(status);
        if (statuses.length <= settings.lost) throw new Error("the acknowledgement is lost");
        return response;
      },
    },
  });
  const made = receiver({}, { auth, now: () => emulator.clock.now() });
  return { ...made, emulator, statuses };
}

describe.each([true, false])("a redelivery after a lost acknowledgement, with a new signature: %s", (resign) => {
  it.each(Object.entries(schemes))("ends well with %s, after ten minutes too", async (_, auth) => {
    const { emulator, statuses, ran, told } = losing(auth, { resign, lost: 3 });
    const delivery = await emulator.payout({ outcome: "SUCCESS" });
    await emulator.clock.runToEnd();
    expect(statuses).toEqual(["SUCCESS", "DUPLICATE", "DUPLICATE", "DUPLICATE"]);
    expect([delivery.state, ran.length, told]).toEqual(["delivered", 1, []]);
  });

  it("of a DUPLICATE notification as well", async () => {
    const { emulator, statuses, ran } = losing(schemes["a timestamp and a nonce"] ?? [], { resign, lost: 0 });
    await emulator.payout({ outcome: "SUCCESS", client_referenceId: "po-9" });
    statuses.length = 0;
    await emulator.payout({ outcome: "DUPLICATE", client_referenceId: "po-9", plan: "twice" });
    await emulator.clock.runToEnd();
    expect([statuses, ran.length]).toEqual([["DUPLICATE", "DUPLICATE"], 1]);
  });
});

describe("a delivery that is too old, or whose nonce was used", () => {
  const at = 1_700_000_000_000;
  const old = at + 600_000;
  const auth = [hmac({ ...timestamp, signed: "timestamp.nonce.body", nonceHeader: "x-n" })];
  /** A receiver, and a delivery that was signed at `at`. */
  async function setUp(event: object) {
    let now = at;
    const store = memoryStore();
    const made = receiver({}, { auth, store, now: () => now });
    const { headers, body } = await sign(event, auth, { now: at, id: "n-1" });
    const send = async () => (await made.send(body, { ...headers })).ack.status;
    const later = () => {
      now = old;
    };
    return { ...made, send, headers, body, store, later };
  }
  const success = eventOf("SUCCESS");

  it("is refused if its payout is not done, and the hook gets the event", async () => {
    const { send, later, ran, told } = await setUp(success);
    later();
    expect([await send(), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "timestampOutOfRange" }, event: success }]);
  });

  it("is refused if the payout is done with another status or identity: it cannot even report a conflict", async () => {
    for (const done of [eventOf("FAILED"), eventOf("SUCCESS", { transactionId: "TXN2" })]) {
      const { send, later, told, store, ran } = await setUp(success);
      await new Webhooks({ store, findOrder: "none" }).process(done, noWork);
      later();
      expect([await send(), ran]).toEqual(["FAILED", []]);
      expect(told).toMatchObject([{ hook: "refused", error: { reason: "timestampOutOfRange" } }]);
    }
  });

  it("is DUPLICATE if it is a DUPLICATE notification of a payout that is done, with whatever status, else refused", async () => {
    const { send, later, store, ran, told } = await setUp(eventOf("DUPLICATE"));
    later();
    expect([await send(), told.length]).toEqual(["FAILED", 1]);
    const webhooks = new Webhooks({ store, findOrder: "none" });
    await webhooks.process(eventOf("FAILED"), noWork);
    expect([await send(), told.length, ran]).toEqual(["DUPLICATE", 1, []]);
  });

  it("learns nothing without the right signature, although its payout is done", async () => {
    const { send, later, headers, body, handler } = await setUp(success);
    expect(await send()).toBe("SUCCESS");
    later();
    const changed = [
      { headers: { ...headers, "x-s": "0".repeat(64) }, body },
      { headers: { ...headers, "x-n": "n-2" }, body },
      { headers, body: body.replace("TXN1", "TXN2") },
    ];
    for (const delivery of changed) {
      expect(JSON.parse((await handler.receive(delivery)).body)).toMatchObject({ status: "FAILED" });
    }
    expect(await send()).toBe("DUPLICATE");
  });

  it("is refused by verify, which keeps no record of what is done", async () => {
    const { headers, body, store } = await setUp(success);
    const verifier = (now: number) => new Webhooks({ auth, store, now: () => now });
    await verifier(at).verify({ headers, body });
    await expect(verifier(at).verify({ headers, body })).rejects.toMatchObject({ reason: "nonceReused" });
    await expect(verifier(old).verify({ headers, body })).rejects.toMatchObject({ reason: "timestampOutOfRange" });
  });

  it("from the future is refused although its payout is done: no redelivery was signed after it arrived", async () => {
    const { send, headers, body, store } = await setUp(success);
    expect(await send()).toBe("SUCCESS");
    const { send: sendEarlier } = receiver({}, { auth, store, now: () => at - 600_000 });
    expect((await sendEarlier(body, { ...headers })).ack.status).toBe("FAILED");
  });
});
