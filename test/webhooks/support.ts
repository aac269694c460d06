import { expect } from "vitest";
import type { Acknowledgement, Claim, WebhookError, WebhookEvent } from "../../src/webhooks/index.ts";
import { memoryStore, type ReceiverOptions, type WebhookStore, Webhooks } from "../../src/webhooks/index.ts";
import type { DeliveryOptions, WebhookHandlers } from "../../src/webhooks/types.ts";
import { gate } from "../support/gate.ts";

export const reference = "demo-po-1";

/** References that a store could change, cut or refuse. */
export const oddReferences = [
  "x".repeat(1_024),
  "😀".repeat(1_024),
  "a\u0000b",
  "line\nbreak",
  "\u0001",
  "e\u0301",
  "\u00e9",
  "a\u200b",
];

/** The documented payload of §6.2 for a status. */
export function eventOf(status: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    status,
    statusCode: { SUCCESS: "200", FAILED: "400", DUPLICATE: "208", REJECTED: "422" }[status.toUpperCase()] ?? "299",
    transactionId: "TXN1",
    client_referenceId: reference,
    txn_amount: 1500.5,
    ...(status === "SUCCESS" && { acknowledged: "1", utr: "412345678901" }),
    description: "as documented",
    ...changes,
  };
}

/** The acknowledgement as §6.3 shows it. */
export const ackOf = (status: "SUCCESS" | "FAILED", client_referenceId = reference) => {
  const statusCode = { SUCCESS: "200", FAILED: "400" }[status];
  return { http_status: true, status, client_referenceId, statusCode, acknowledged: "1" };
};

/** Handlers that do nothing. */
export const noWork = { SUCCESS() {}, FAILED() {}, REJECTED() {} };

/** A handler that works until its signal aborts, and then fails with the reason. */
export const untilAborted: WebhookHandlers["SUCCESS"] = (_event, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** The reason for which a delivery is refused, or "accepted". */
export const reasonOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "accepted",
    (error: WebhookError) => error.reason,
  );

/** The options of a receiver that a test sets. */
export type ReceiverChanges = DeliveryOptions & Partial<ReceiverOptions>;

/** A handler that accepts anything, and records what a test checks. */
export function receiver(handlers: Partial<WebhookHandlers> = {}, options: ReceiverChanges = {}) {
  const ran: string[] = [];
  /** The calls of `onFailure`, by its phase, and of `onConflict`. */
  const told: { readonly hook: string; readonly error?: unknown; readonly event?: unknown }[] = [];
  const record = (event: WebhookEvent) => {
    ran.push(`${event.status} ${event.client_referenceId}`);
  };
  const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none", ...options });
  const all = {
    ...{ SUCCESS: record, FAILED: record, REJECTED: record },
    onFailure: (error, { event, phase }) => told.push({ hook: phase, error, event }),
    onConflict: (event, done) => told.push({ hook: "onConflict", event: `${done.status} then ${event.status}` }),
    ...handlers,
  } satisfies WebhookHandlers;
  const handler = webhooks.handler(all);
  const send = async (event: unknown, headers: Record<string, string> = {}) => {
    const body = typeof event === "string" ? event : JSON.stringify(event);
    const response = await handler(new Request("http://localhost/hook", { method: "POST", body, headers }));
    const text = await response.text();
    return { http: response.status, headers: response.headers, text, ack: JSON.parse(text) as Acknowledgement };
  };
  const statusOf = async (event: unknown, headers?: Record<string, string>) => (await send(event, headers)).ack.status;
  /** The same handlers for a status that the application asked for. */
  const process = (event: object) => webhooks.process({ ...event }, all);
  return { webhooks, handler, ran, told, send, statusOf, process };
}

/** Claims a key that nobody has. */
export async function take(store: WebhookStore, key: string, lease = 60_000): Promise<Claim> {
  const result = await store.claim(key, { effect: "SUCCESS", lease });
  return result.kind === "claimed" ? result.claim : expect.unreachable(result.kind);
}

/** Claims a key, and completes the claim if it is granted. Returns the kind of the result. */
export async function finish(store: WebhookStore, key: string, lease = 10): Promise<string> {
  const result = await store.claim(key, { effect: "SUCCESS", lease });
  if (result.kind === "claimed") await store.complete(result.claim);
  return result.kind;
}

/** A store, and what resolves when a delivery has found another at work. */
export function watchedStore(store = memoryStore()): {
  readonly store: WebhookStore;
  readonly foundInFlight: Promise<void>;
} {
  const { opened, open } = gate();
  const claim: WebhookStore["claim"] = async (key, request) => {
    const result = await store.claim(key, request);
    if (result.kind === "inFlight") open();
    return result;
  };
  return { store: faultyOf(store, { claim }), foundInFlight: opened };
}

/** A memory store, each of whose methods a test can replace. */
export function faultyStore(faults: Partial<WebhookStore>): WebhookStore {
  return faultyOf(memoryStore(), faults);
}

/** The same around a store of the test's own. */
export function faultyOf(store: WebhookStore, faults: Partial<WebhookStore> = {}): WebhookStore {
  return {
    claim: faults.claim ?? store.claim.bind(store),
    complete: faults.complete ?? store.complete.bind(store),
    release: faults.release ?? store.release.bind(store),
    recordConflict: faults.recordConflict ?? store.recordConflict.bind(store),
    find: faults.find ?? store.find.bind(store),
    forget: faults.forget ?? store.forget.bind(store),
  };
}
