import type { WebhookEvent } from "./events.ts";
import type { StoreEntry } from "./stores/store.ts";

/** The identity of an event, which the store keeps with the reference. */
export interface PayoutEffect {
  /** The status of the event. */
  readonly status: string;
  /** The service's identifier of the transaction, if the event had it. */
  readonly transactionId?: string;
  /** The reference of the bank, if the event had it. */
  readonly utr?: string;
  /** The amount as a decimal string, if the event had it. */
  readonly txn_amount?: string;
}

/** The entry of a reference: the event that took effect, or is about to, and those that contradicted it later. */
export interface PayoutEntry extends PayoutEffect {
  /** `claimed` while its work is in progress, or after its process died; `done` once it is committed. */
  readonly state: "claimed" | "done";
  /** Events that arrived after it was done and contradict it, and were passed to `onConflict`. */
  readonly conflicts: readonly PayoutEffect[];
}

/** Returns the effect of an event for a store: `status=SUCCESS&transactionId=TXN1&…`, which Postgres can hold. */
export function effectOf(event: WebhookEvent): string {
  const effect = new URLSearchParams();
  for (const name of ["status", "transactionId", "utr", "txn_amount"] as const) {
    const value: unknown = event[name];
    if (typeof value === "number" || (typeof value === "string" && value !== "")) effect.set(name, `${value}`);
  }
  return `${effect}`;
}

/** Reads an effect of a store. */
export function readEffect(effect: string): PayoutEffect & Readonly<Record<string, string>> {
  return { status: effect, ...Object.fromEntries(new URLSearchParams(effect)) };
}

/** Whether the effect of an event differs from what took effect. A detail that one of them lacks does not count. */
export function contradicts(effect: string, done: string): boolean {
  const [one, other] = [readEffect(effect), readEffect(done)];
  return Object.keys(one).some((name) => name in other && one[name] !== other[name]);
}

/** Reads an entry of a store. */
export function readEntry({ state, effect, conflicts }: StoreEntry): PayoutEntry {
  return { ...readEffect(effect), state, conflicts: conflicts.map(readEffect) };
}
