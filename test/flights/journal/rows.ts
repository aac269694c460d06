import { createHash } from "node:crypto";
import type { JournalRow } from "../../../src/flights/index.ts";

/** A row of `order-1`. */
export const row = (changes: Partial<JournalRow> = {}): JournalRow => ({
  attemptId: "attempt-1",
  clientReferenceId: "order-1",
  traceId: "trace-1",
  searchToken: "OB1[DEMO]",
  token: "FQ1[DEMO]",
  result: 0,
  fingerprint: "0a1b2c3d",
  state: "sent",
  at: 1,
  sentAt: 1,
  responseDueBy: 270_001,
  ...changes,
});

/** A row that has nothing in common with the first. */
export const other = (changes: Partial<JournalRow> = {}): JournalRow =>
  row({
    attemptId: "attempt-2",
    clientReferenceId: "order-2",
    traceId: "trace-2",
    searchToken: "OB2",
    token: "FQ2",
    fingerprint: "99999999",
    ...changes,
  });

/** A line of a file journal as another process writes it: a claim of the row, or its settlement `from` a state. */
export function lineOf({
  step = "theirs",
  rules = 1,
  ...row
}: JournalRow & { step?: string; rules?: number; from?: string }): string {
  const line = { step, rules, ...row };
  return JSON.stringify({
    ...line,
    end: createHash("sha256").update(JSON.stringify(line)).digest("hex").slice(0, 16),
  });
}
