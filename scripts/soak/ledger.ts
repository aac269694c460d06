/** The ledger of a process: what it was about to do, and what it learned. A kill loses nothing that was written. */
import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../src/errors/base.ts";

/** A new store needs its name here; if it has a server, that is started and made older in stores.ts. */
export const storeNames = ["postgres", "redis", "memory"] as const;
export type StoreName = (typeof storeNames)[number];

export const payoutStatuses = ["SUCCESS", "FAILED", "REJECTED"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

export type CallKind = "verify" | "ask" | "stream" | "quote" | "book";

export type Entry =
  /** A call is about to be made. */
  | { readonly type: "call"; readonly kind: CallKind; readonly reference: string }
  /** A call has ended. */
  | ({ readonly type: "outcome"; readonly reference: string } & CallEnd)
  /** A handler threw as planned: before its effect, or before the transaction with its effect was committed. */
  | { readonly type: "refused"; readonly store: StoreName }
  /** A handler is about to take longer than the time for the acknowledgement. */
  | { readonly type: "stalled"; readonly store: StoreName }
  /** A handler had its effect, which no store commits. */
  | ({ readonly type: "effect" } & Effect)
  /** The claim of a payout is about to be completed. */
  | { readonly type: "committing"; readonly reference: string; readonly claim: string; readonly from: number }
  /** The store has said whether it was completed, between two times. */
  | ({ readonly type: "commit"; readonly reference: string; readonly claim: string } & Time & {
        readonly isComplete: boolean;
      })
  /** Bytes in use after a full collection, and the size of the journal's file, whose rows are part of them. */
  | { readonly type: "heap"; readonly bytes: number; readonly fileSize: number }
  /** Bytes that the rows of the journal's file take in memory. */
  | { readonly type: "journal"; readonly bytes: number; readonly fileSize: number };

/** During the run, or when everything is redelivered 100 days later: with orders that are settled, and without. */
export type Phase = "during" | "settled" | "unsettled";

/** A handler's effect that was committed. */
export interface Effect {
  readonly store: StoreName;
  readonly payout: string;
  readonly status: PayoutStatus;
  readonly process: string;
  /** The fencing token of the claim that the handler ran under. In Redis it is the time of the claim in microseconds. */
  readonly claim: string;
  readonly phase: Phase;
}

/** A time, in milliseconds since 1970. */
export interface Time {
  readonly from: number;
  readonly to: number;
}

export interface CallEnd {
  readonly outcome: "done" | Outcome;
  /** `ok`, or the name of the error. */
  readonly name: string;
  /** Requests that were sent. */
  readonly attempts: number;
  /** Of a booking that was returned. */
  readonly pnr?: string;
}

export interface Ledger {
  readonly process: string;
  readonly entries: readonly Entry[];
}

export type Write = (entry: Entry) => void;

/** @param process - The name of the process, one for each start. */
export function openLedger(folder: string, process: string): Write {
  const file = openSync(join(folder, `${process}.jsonl`), "ax");
  return (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`);
}

/** Reads the ledgers of all processes. A line that a kill cut short was not written. */
export function readLedgers(folder: string): Ledger[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({
      process: name.slice(0, -".jsonl".length),
      entries: readFileSync(join(folder, name), "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry),
    }));
}
