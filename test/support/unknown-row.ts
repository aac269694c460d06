import type { JournalRow } from "../../src/flights/index.ts";

/** The journal row of a booking that nobody knows: it may be reconciled immediately. */
export const unknownRow: JournalRow = {
  attemptId: "attempt-1",
  clientReferenceId: "order-1",
  traceId: "T",
  searchToken: "S",
  token: "Q",
  result: 0,
  fingerprint: "",
  forced: false,
  state: "unknown",
  at: 1,
  sentAt: 1,
  responseDueBy: 2,
};
