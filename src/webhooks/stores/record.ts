import { toHex } from "../../shared/bytes.ts";
import { sha256 } from "../../shared/sha256.ts";
import type { WebhookEvent } from "../events.ts";
import type { StoreEntry } from "./store.ts";

/**
 * The references that stores keep as they are: short, and without lone surrogates and the control characters that
 * Postgres refuses. Neither class grows with Unicode, so that a reference keeps its key when the runtime is updated.
 */
const plain = /^[ -~\u00a0-\ud7ff\ue000-\u{10ffff}]{1,128}$/u;

/** Returns the key of a reference: the reference itself, or a digest of one that not every store can hold. */
export function payoutKey(reference: string): string | Promise<string> {
  return plain.test(reference) ? `payout:${reference}` : digestKey(reference);
}

/** Returns the reference in a key of {@link payoutKey}; undefined for a digest. */
export function referenceIn(key: string): string | undefined {
  return key.startsWith("payout:") ? key.slice("payout:".length) : undefined;
}

/** Its prefix keeps it apart from every plain reference. */
async function digestKey(reference: string): Promise<string> {
  return `payout#sha256:${toHex(await sha256(reference))}`;
}

/** Returns the key of a nonce. */
export function nonceKey(nonce: string): string {
  return `nonce:${nonce}`;
}

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
  let effect = "";
  for (const name of ["status", "transactionId", "utr", "txn_amount"] as const) {
    const value: unknown = event[name];
    if (typeof value !== "number" && (typeof value !== "string" || value === "")) continue;
    // The encoding of URLSearchParams leaves these characters as they are, and costs more than all else here.
    const text = /^[\w.*-]+$/.test(`${value}`) ? value : `${new URLSearchParams([["", `${value}`]])}`.slice(1);
    effect += `${effect && "&"}${name}=${text}`;
  }
  return effect;
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
