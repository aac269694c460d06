/** The ledger of a process: what it was about to do, and what it learned. Each line is on the disk before the next step. */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../src/errors/base.ts";
import type { PayoutStore } from "./payouts.ts";

export const callKinds = ["verify", "ask", "stream", "quote", "book"] as const;
export type CallKind = (typeof callKinds)[number];

export type Entry =
  /** A call is about to be made. */
  | { readonly type: "call"; readonly kind: CallKind; readonly reference: string }
  /** A call has ended. */
  | ({ readonly type: "outcome"; readonly reference: string } & CallEnd)
  /** The claim of a payout was completed in Redis, between two times. */
  | ({ readonly type: "commit"; readonly reference: string; readonly claim: string } & Time)
  /** A handler failed to learn whether its effect was committed, so its claim is released. */
  | { readonly type: "threw"; readonly claim: string }
  /** A handler threw as planned: before its effect, or before the transaction with its effect was committed. */
  | { readonly type: "refused"; readonly store: PayoutStore }
  /** Bytes in use after a full collection, and the size of the journal's file, whose rows are part of them. */
  | { readonly type: "heap"; readonly bytes: number; readonly fileSize: number }
  /** Bytes that the rows of the journal's file take in memory. */
  | { readonly type: "journal"; readonly bytes: number; readonly fileSize: number };

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

export interface LedgerWriter {
  write(entry: Entry): void;
  close(): void;
}

/** @param process - The name of the process, one for each start. */
export function openLedger(folder: string, process: string): LedgerWriter {
  const file = openSync(join(folder, `${process}.jsonl`), "ax");
  return {
    write(entry) {
      writeSync(file, `${JSON.stringify(entry)}\n`);
      fdatasyncSync(file);
    },
    close: () => closeSync(file),
  };
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
