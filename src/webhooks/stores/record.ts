import { ConfigurationError } from "../../errors/request.ts";
import { toHex } from "../../shared/bytes.ts";
import { formatDecimal, parseDecimal } from "../../shared/decimal.ts";
import { isString } from "../../shared/json.ts";
import type { Rule } from "../../shared/options.ts";
import { sha256 } from "../../shared/sha256.ts";
import type { WebhookEvent } from "../events.ts";
import type { Claim, ClaimResult, StoreEntry } from "./store.ts";

/**
 * The references that stores keep as they are: short, and without lone surrogates and the control characters that
 * Postgres refuses. Neither class grows with Unicode, so that a reference keeps its key when the runtime is updated.
 */
const plain = /^[ -~\u00a0-\ud7ff\ue000-\u{10ffff}]{1,128}$/u;

/** Returns the key of a reference: the reference itself, or a digest of one that not every store can hold. */
export function payoutKey(reference: string): string | Promise<string> {
  if (plain.test(reference)) return `payout:${reference}`;
  // Its prefix keeps it apart from every plain reference.
  return sha256(reference).then((digest) => `payout#sha256:${toHex(digest)}`);
}

/** Returns the reference in a key of {@link payoutKey}; undefined for a digest. */
export function referenceIn(key: string): string | undefined {
  return key.startsWith("payout:") ? key.slice("payout:".length) : undefined;
}

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
  const parts: string[] = [];
  for (const name of ["status", "transactionId", "utr", "txn_amount"] as const) {
    const given: unknown = event[name];
    const decimal = name === "txn_amount" && isString(given) ? parseDecimal(given) : null;
    // "8500.00" is the amount of 8500.
    const value = decimal === null ? given : formatDecimal(decimal);
    if (typeof value !== "number" && (typeof value !== "string" || value === "")) continue;
    // The encoding of URLSearchParams leaves these characters as they are, and costs more than all else here.
    const text = /^[\w.*-]+$/.test(`${value}`) ? value : `${new URLSearchParams([["", `${value}`]])}`.slice(1);
    parts.push(`${name}=${text}`);
  }
  return parts.join("&");
}

/** Returns what a nonce is used up for: the key of an event's reference, and its effect. */
export function identityOf(key: string, effect: string): string {
  return `${key} ${effect}`;
}

export function readEffect(effect: string): PayoutEffect & Readonly<Record<string, string>> {
  return { status: effect, ...Object.fromEntries(new URLSearchParams(effect)) };
}

/** Whether an effect is the one that took effect, or a conflict with it that was reported. A detail that one lacks does not count. */
export function isKnownTo(done: Pick<StoreEntry, "effect" | "conflicts">, effect: string): boolean {
  const [one, other] = [readEffect(effect), readEffect(done.effect)];
  const isSame = Object.keys(one).every((name) => !(name in other) || one[name] === other[name]);
  return isSame || done.conflicts.includes(effect);
}

export function readEntry({ state, effect, conflicts }: StoreEntry): PayoutEntry {
  return { ...readEffect(effect), state, conflicts: conflicts.map(readEffect) };
}

/**
 * Returns an entry as a database returned it.
 *
 * @throws ConfigurationError with the `complaint` for anything else: what is missing must not read as no conflict.
 */
export function entryOf(complaint: string, state: unknown, effect: unknown, conflicts: unknown): StoreEntry {
  const isState = state === "claimed" || state === "done";
  const isEntry = isState && isString(effect) && Array.isArray(conflicts) && conflicts.every(isString);
  if (isEntry) return { state, effect, conflicts };
  throw new ConfigurationError(complaint);
}

/** Returns how a claim ended that found this entry. Without one, it was released meanwhile: the next look claims it. */
export function resultOf(entry: StoreEntry | undefined): ClaimResult {
  if (entry?.state !== "done") return { kind: "inFlight" };
  return { kind: "done", effect: entry.effect, conflicts: entry.conflicts };
}

/** Waits for a transaction that completes a claim, and rejects unless it was committed. */
export type Ending = () => Promise<unknown>;

const registry: unique symbol = Symbol.for("serviceapi.transactions");

/**
 * Returns the transactions that running handlers have begun, by claim, and the name of a claim there: not on the object of
 * the claim or its store, which may be copied and wrapped, nor in this module, of which there may be a second copy.
 */
export function transactionsOf(claim: Claim | undefined): readonly [all: Map<string, Ending[]>, name: string] {
  const holder = globalThis as { [registry]?: Map<string, Ending[]> };
  holder[registry] ??= new Map();
  return [holder[registry], `${claim?.token} ${claim?.key}`];
}

const hour = 3_600_000;
export const day = 24 * hour;
/** Beyond it, databases run out of dates and Redis out of numbers. */
const maxRetention = 36_500 * day;

/** Time for which databases keep a used nonce and, so that operators can see it, the claim of a process that died. */
export const ninetyDays = 90 * day;
/** Time for which Redis and memory keep a finished reference. */
export const defaultRetention = 90 * day;

/** Returns how long a finished key is kept; null for indefinitely. */
export function lifeOf(key: string, forReferences: number): number | null {
  const life = key.startsWith(nonceKey("")) ? ninetyDays : forReferences;
  return Number.isFinite(life) ? life : null;
}

/** A rule for `retention`: if it were shorter than the retries of a delivery, a redelivery could take effect again. */
export const retention: Rule = (value) =>
  value === Number.POSITIVE_INFINITY ||
  (Number.isInteger(value) && Number(value) >= hour && Number(value) <= maxRetention)
    ? undefined
    : `must be an integer number of milliseconds between ${hour} (one hour) and ${maxRetention} (100 years), or \`Infinity\``;
