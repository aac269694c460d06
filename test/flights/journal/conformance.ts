import { expect } from "vitest";
import type { BookingJournal, ClaimOptions, JournalRow } from "../../../src/flights/index.ts";
import type { OpenBookingState } from "../../../src/flights/journal/journal.ts";
import { JournalModel } from "./journal-model.ts";
import { row } from "./rows.ts";

type Operation = (journal: BookingJournal | JournalModel, rows: Attempts) => unknown;

/** Three attempts: `again` has the reference of `first`, and `rival` its offer. */
type Attempts = Readonly<Record<"first" | "again" | "rival", JournalRow>>;

const claim =
  (name: keyof Attempts, options: ClaimOptions = {}): Operation =>
  (journal, rows) =>
    journal.claim({ ...rows[name], ...(options.force && { forced: true }) }, options);

const settle =
  (name: keyof Attempts, from: OpenBookingState, state: JournalRow["state"]): Operation =>
  (journal, rows) =>
    journal.settle({ ...rows[name], state, ...(state === "booked" && { pnr: "ABC123" }) }, from);

const claims: Readonly<Record<string, Operation>> = {
  "first claims": claim("first"),
  "again claims": claim("again"),
  "rival claims": claim("rival"),
  "rival claims by force": claim("rival", { force: true }),
};

/** The steps of a checkout and of a person. */
const operations: Readonly<Record<string, Operation>> = {
  ...claims,
  "first is unknown": settle("first", "sent", "unknown"),
  "first is rejected": settle("first", "sent", "rejected"),
  "first is booked": settle("first", "sent", "booked"),
  "first is found": settle("first", "unknown", "booked"),
  "first is not found": settle("first", "unknown", "rejected"),
  "first turns up": settle("first", "rejected", "booked"),
  "rival is rejected": settle("rival", "sent", "rejected"),
  "rival turns up": settle("rival", "rejected", "booked"),
};

/** Returns the number of all sequences of operations that begin with a claim, and the results in which the journal differs from the model. */
export async function compareWithModel(
  journal: BookingJournal,
  length: number,
): Promise<{ readonly sequences: number; readonly differences: readonly string[] }> {
  const differences: string[] = [];
  const all = sequences(length);
  for (let at = 0; at < all.length; at += 64) {
    const runs = await Promise.all(all.slice(at, at + 64).map((names) => run(journal, names)));
    const pending = await journal.pending();
    differences.push(...(await Promise.all(runs.map((one) => differencesIn(journal, one, pending)))).flat());
  }
  return { sequences: all.length, differences };
}

/** Expects a journal to be the model after all sequences of a length. */
export async function expectModel(journal: BookingJournal, length: number): Promise<void> {
  expect(await compareWithModel(journal, length)).toEqual({ sequences: 4 * 12 ** (length - 1), differences: [] });
}

function sequences(length: number): readonly (readonly string[])[] {
  if (length === 1) return Object.keys(claims).map((name) => [name]);
  return sequences(length - 1).flatMap((sequence) => Object.keys(operations).map((name) => [...sequence, name]));
}

/** One sequence, taken on the journal and on the model beside it. */
interface Run {
  readonly names: readonly string[];
  readonly model: JournalModel;
  readonly rows: Attempts;
  readonly results: (readonly [kept: unknown, modelled: unknown])[];
}

async function run(journal: BookingJournal, names: readonly string[]): Promise<Run> {
  const model = new JournalModel();
  const rows = makeAttempts();
  const results: Run["results"] = [];
  for (const name of names) {
    const operation = operations[name];
    results.push([(await operation?.(journal, rows)) ?? null, operation?.(model, rows) ?? null]);
  }
  return { names, model, rows, results };
}

async function differencesIn(
  journal: BookingJournal,
  { names, model, rows, results }: Run,
  pending: readonly JournalRow[],
): Promise<readonly string[]> {
  for (const { attemptId, clientReferenceId } of Object.values(rows)) {
    results.push([(await journal.get(attemptId)) ?? null, model.get(attemptId) ?? null]);
    results.push([await journal.find(clientReferenceId), model.find(clientReferenceId)]);
  }
  const ids = Object.values(rows).map(({ attemptId }) => attemptId);
  results.push([pending.filter(({ attemptId }) => ids.includes(attemptId)), model.pending()]);
  for (const force of [false, true]) {
    for (const one of Object.values(rows)) {
      const probe = { ...one, attemptId: crypto.randomUUID() };
      results.push([(await journal.conflict(probe, { force })) ?? null, model.conflicts(probe, { force })]);
    }
  }
  return results.flatMap(([kept, modelled], i) => {
    const allowed =
      Array.isArray(modelled) && !Array.isArray(kept) ? (modelled.length > 0 ? modelled : [null]) : [modelled];
    const is = readable(kept, rows);
    return allowed.some((one) => readable(one, rows) === is)
      ? []
      : [`${names.join(", ")}: result ${i} is ${is}, and not ${readable(modelled, rows)}`];
  });
}

function makeAttempts(): Attempts {
  const id = crypto.randomUUID();
  const first = row({ attemptId: `${id}-first`, clientReferenceId: id, traceId: id, token: id, fingerprint: id });
  return {
    first,
    again: { ...first, attemptId: `${id}-again`, sentAt: 2, token: `${id}-2`, traceId: `${id}-2`, fingerprint: "" },
    rival: { ...first, attemptId: `${id}-rival`, sentAt: 3, clientReferenceId: `${id}-rival` },
  };
}

/** A result without unique names, and without an order of fields. */
function readable(value: unknown, { first }: Attempts): string {
  const sorted = (_key: string, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, sorted).replaceAll(first.clientReferenceId, "#");
}
