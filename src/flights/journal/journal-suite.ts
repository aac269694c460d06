import { ConfigurationError } from "../../errors/request.ts";
import { requireEqual } from "../../shared/objects.ts";
import type { BookingJournal, BookingState, ClaimOptions, JournalRow, OpenBookingState } from "./journal.ts";

/** A test of one promise of the contract. */
export interface JournalTest {
  /** The promise, as a title for the test. */
  readonly name: string;
  /** Runs the test. Rejects with what went wrong if the journal does not keep the promise. */
  run(): Promise<void>;
}

/**
 * Returns the conformance tests that a journal of your own must pass (docs/flights.md), for any test runner.
 *
 * @param makeJournal - Returns the journal, or a new handle on it. Every test uses its own rows, so the tests may share
 *   the storage.
 * @returns The tests.
 * @throws {@link ConfigurationError} if `makeJournal` is not a function.
 *
 * @example
 * ```ts
 * import { memoryJournal } from "serviceapi/flights";
 * import { journalSuite } from "serviceapi/testing";
 * import { describe, it } from "vitest";
 *
 * describe("my journal", () => {
 *   for (const { name, run } of journalSuite(() => memoryJournal())) it(name, run);
 * });
 * ```
 */
export function journalSuite(makeJournal: () => BookingJournal | Promise<BookingJournal>): readonly JournalTest[] {
  if (typeof makeJournal !== "function")
    throw new ConfigurationError("journalSuite: `makeJournal` must be a function that returns a journal.");
  return Object.entries(promises).map(([name, check]) => ({ name, run: async () => check(await makeJournal()) }));
}

/** Returns the fields that a row has in common with another. */
type Share = (row: JournalRow) => Partial<JournalRow>;

const byReference: Share = ({ clientReferenceId }) => ({ clientReferenceId });
const bySearch: Share = ({ traceId, searchToken }) => ({ traceId, searchToken });
const byFlights = ({ traceId, fingerprint }: JournalRow) => ({ traceId, fingerprint: `${fingerprint}.${unique()}` });
const shares: Readonly<Record<string, Share>> = {
  reference: byReference,
  "quote token": ({ token }) => ({ token }),
  "offer of a search": (row) => ({ ...byFlights(row), searchToken: row.searchToken, result: row.result + 1 }),
  "search result, whose flights are others now": bySearch,
  "result of a search without flights": (row) => ({ ...bySearch(row), result: row.result, fingerprint: "" }),
  fingerprint: ({ fingerprint }) => ({ fingerprint }),
};

const standing = ["sent", "unknown", "booked"] as const;

const promises: Record<string, (journal: BookingJournal) => Promise<void>> = {
  "a row without a conflict is written completely": async (journal) => {
    const row = makeRow({ forced: false, reason: "r", pnr: "P", bookingId: "7", sentAt: 1_800_000_000_000.5 });
    await granted(journal, row);
    equal(await journal.get(row.attemptId), row, "the row by its attemptId");
    equal(await journal.find(row.clientReferenceId), [row], "the rows of its reference");
    equal(await isListed(journal, row), true, "the row is pending");
  },
  "a row that was never written is not there": async (journal) => {
    const { attemptId, clientReferenceId } = makeRow();
    equal((await journal.get(attemptId)) ?? null, null, "get");
    equal(await journal.find(clientReferenceId), [], "find");
  },
  "long, odd and empty strings come back as they were written": async (journal) => {
    const odd = `😀 é e\u0301 ' " \\ % ; -- \u2028 ${"x".repeat(10_000)}`;
    const row = makeRow({ token: unique() + odd, searchToken: odd, clientReferenceId: unique() + odd, reason: "" });
    await granted(journal, row);
    equal(await journal.get(row.attemptId), row, "the row");
    await refused(journal, makeRow({ token: row.token }), row);
  },
  ...ofEach("the same {what} is a conflict while the row is sent, unknown or booked", async (journal, share) => {
    for (const state of standing) {
      const row = await make(journal, state);
      await refused(journal, makeRow(share(row)), row);
    }
  }),
  "the flights of a search are a conflict while the row is sent or unknown, whoever the passengers are": async (
    journal,
  ) => {
    for (const state of ["sent", "unknown"] as const) {
      const row = await make(journal, state);
      await refused(journal, makeRow(byFlights(row)), row);
      await granted(journal, makeRow({ fingerprint: byFlights(row).fingerprint }));
    }
    await granted(journal, makeRow(byFlights(await make(journal, "booked"))));
  },
  "of fifty claims on the flights of a search at the same moment one is granted": (journal) =>
    claimAtOnce(journal, byFlights),
  "a rejected row conflicts with nothing": async (journal) => {
    await granted(journal, again(await make(journal, "rejected")));
  },
  "offers of a search are apart if one quote had the flights of both": async (journal) => {
    const [one, two, three] = [unique(), unique(), unique()];
    const first = await granted(journal, makeRow({ offers: [one, two] }));
    const ofSearch = bySearch(first);
    await granted(journal, makeRow({ ...ofSearch, offers: [two] }));
    await granted(journal, makeRow({ ...ofSearch, offers: [three, one, two] }));
    for (const offers of [[unique()], [one, two, three], undefined])
      await refused(journal, makeRow({ ...ofSearch, ...(offers && { offers }) }), first);
  },
  "two offers of a quote with the same flights are not apart": async (journal) => {
    const [one, other] = [unique(), unique()];
    const twin = await granted(journal, makeRow({ offers: [one, one, other] }));
    await refused(journal, makeRow({ ...bySearch(twin), offers: [one, one, other] }), twin);
  },
  "rows without a fingerprint are apart in another search": async (journal) => {
    const row = await granted(journal, makeRow({ fingerprint: "" }));
    await granted(journal, makeRow({ traceId: row.traceId, fingerprint: "" }));
    await granted(journal, makeRow({ searchToken: row.searchToken, fingerprint: "" }));
  },
  "references that look alike are apart": async (journal) => {
    const clientReferenceId = unique();
    for (const end of ["", " ", "a", "A", "é", "e\u0301", "%", "_"]) {
      await granted(journal, makeRow({ clientReferenceId: clientReferenceId + end }));
    }
  },
  "conflict says what claim would, and writes nothing": async (journal) => {
    const row = makeRow();
    equal((await journal.conflict(row, {})) ?? null, null, "conflict with nothing");
    await granted(journal, row);
    const again = makeRow({ token: row.token });
    equal(await journal.conflict(again, {}), row, "conflict");
    equal((await journal.conflict(again, { force: true })) ?? null, null, "conflict with force");
    equal((await journal.get(again.attemptId)) ?? null, null, "the row that was only asked about");
  },
  ...ofEach("of fifty claims on one {what} at the same moment one is granted", claimAtOnce),
  "of fifty claims on one reference, with force, at the same moment one is granted": (journal) =>
    claimAtOnce(journal, byReference, { force: true }),
  "force overrides conflicts, and replaces nothing": async (journal) => {
    for (const state of standing) {
      const row = await make(journal, state);
      const twin = again(row, { clientReferenceId: unique(), forced: true });
      const forced = await granted(journal, twin, { force: true });
      equal(await journal.get(row.attemptId), row, "the row that was passed");
      equal(await journal.get(forced.attemptId), forced, "the row that was forced");
      await settled(journal, { ...forced, state: "rejected" }, "sent");
      await refused(journal, again(row, { clientReferenceId: unique() }), row);
    }
  },
  "a forced row conflicts like any other": async (journal) => {
    const row = await granted(journal, makeRow({ forced: true }), { force: true });
    await refused(journal, makeRow({ token: row.token }), row);
    await refused(journal, makeRow({ fingerprint: row.fingerprint }), row);
  },
  "force does not override a reference that is taken": async (journal) => {
    for (const state of standing) {
      const row = await make(journal, state);
      await refused(journal, makeRow({ clientReferenceId: row.clientReferenceId }), row, { force: true });
    }
  },
  "a row is settled from the state that was named, and from no other": async (journal) => {
    const row = await make(journal, "sent");
    equal(await journal.settle({ ...row, state: "rejected" }, "unknown"), false, "settle from another state");
    equal(await journal.get(row.attemptId), row, "the row");
    await settled(journal, { ...row, state: "unknown", reason: "timeout" }, "sent");
    await settled(journal, { ...row, state: "booked", pnr: "P" }, "unknown");
    equal(await journal.settle({ ...row, state: "rejected" }, "sent"), false, "settle of a booked row");
    equal(await journal.get(row.attemptId), { ...row, state: "booked", pnr: "P" }, "the booked row");
    equal(await isListed(journal, row), false, "the booked row is pending");
  },
  "of twenty settlements at the same moment one succeeds": async (journal) => {
    const row = await make(journal, "unknown");
    const pnrs = Array.from({ length: 20 }, (_, i) => `P${i}`);
    const results = await Promise.all(pnrs.map((pnr) => journal.settle({ ...row, state: "booked", pnr }, "unknown")));
    equal(results.filter((isOurs) => isOurs === true).length, 1, "settlements that succeeded");
    equal((await journal.get(row.attemptId))?.pnr, pnrs[results.indexOf(true)], "the PNR");
  },
  "a booking attempt that was never claimed is not settled": async (journal) => {
    const row = makeRow({ state: "rejected" });
    equal(await journal.settle(row, "sent"), false, "settle");
    equal((await journal.get(row.attemptId)) ?? null, null, "the row");
  },
  "a booking attempt settles its own row, not another of its reference": async (journal) => {
    const first = await make(journal, "rejected");
    const second = await granted(journal, again(first, { sentAt: first.sentAt + 1 }));
    equal(await journal.settle({ ...first, state: "unknown" }, "sent"), false, "settle of the first");
    equal(await journal.find(first.clientReferenceId), [first, second], "the rows, oldest first");
  },
  "a booking that exists is recorded, even behind a row that was closed and followed by another": async (journal) => {
    const closed = await make(journal, "rejected");
    const second = await granted(journal, again(closed));
    await settled(journal, { ...closed, state: "booked", pnr: "LATE" }, "rejected");
    await settled(journal, { ...second, state: "booked", pnr: "SECOND" }, "sent");
    const found = await journal.find(closed.clientReferenceId);
    equal(found.map(({ pnr }) => pnr).sort(), ["LATE", "SECOND"], "the PNRs of both");
    equal((await journal.claim(again(closed), {})) == null, false, "a third booking attempt is refused");
  },
  "pending lists what is sent or unknown, oldest first": async (journal) => {
    const late = await granted(journal, makeRow({ sentAt: 3_000, at: 1 }));
    const early = await granted(journal, makeRow({ sentAt: 1_000, at: 3 }));
    const middle = await granted(journal, makeRow({ sentAt: 2_000, at: 2 }));
    await settled(journal, { ...middle, state: "unknown" }, "sent");
    const order = [early, middle, late].map(({ attemptId }) => attemptId);
    const pending = (await journal.pending()).map(({ attemptId }) => attemptId).filter((id) => order.includes(id));
    equal(pending, order, "the order");
  },
};

/** A test for each thing that two rows may have in common. */
function ofEach(name: string, test: (journal: BookingJournal, share: Share) => Promise<void>): typeof promises {
  const tests = Object.entries(shares).map(([what, share]) => [
    name.replace("{what}", what),
    (journal: BookingJournal) => test(journal, share),
  ]);
  return Object.fromEntries(tests);
}

async function claimAtOnce(journal: BookingJournal, share: Share, options: ClaimOptions = {}): Promise<void> {
  const first = makeRow();
  const rows = Array.from({ length: 50 }, () => makeRow({ ...share(first), ...(options.force && { forced: true }) }));
  const others = await Promise.all(rows.map((row) => journal.claim(row, options)));
  equal(others.filter((other) => other == null).length, 1, "claims granted");
  const winner = rows[others.findIndex((other) => other == null)];
  equal(others.filter((other) => other?.attemptId === winner?.attemptId).length, 49, "claims that name the winner");
  const kept = await Promise.all(rows.map(({ attemptId }) => journal.get(attemptId)));
  equal(kept.filter((row) => row != null).length, 1, "rows written");
}

function unique(): string {
  return crypto.randomUUID();
}

/** A row that has nothing in common with any other. */
function makeRow(changes: Partial<JournalRow> = {}): JournalRow {
  const sentAt = Date.now();
  return {
    attemptId: unique(),
    clientReferenceId: unique(),
    traceId: unique(),
    searchToken: unique(),
    token: unique(),
    result: 0,
    fingerprint: unique(),
    state: "sent",
    at: sentAt,
    sentAt,
    responseDueBy: sentAt + 240_000,
    ...changes,
  };
}

/** Another attempt at a booking. */
function again(row: JournalRow, changes: Partial<JournalRow> = {}): JournalRow {
  return { ...row, state: "sent", attemptId: unique(), ...changes };
}

/** A row that was claimed and then settled. */
async function make(journal: BookingJournal, state: BookingState): Promise<JournalRow> {
  const row = await granted(journal, makeRow());
  return state === "sent" ? row : settled(journal, { ...row, state }, "sent");
}

async function granted(journal: BookingJournal, row: JournalRow, options: ClaimOptions = {}): Promise<JournalRow> {
  equal((await journal.claim(row, options)) ?? null, null, "the row that conflicts with a claim");
  return row;
}

async function refused(
  journal: BookingJournal,
  row: JournalRow,
  other: JournalRow,
  options: ClaimOptions = {},
): Promise<void> {
  equal(await journal.claim(row, options), other, "the row that conflicts with a claim");
  equal((await journal.get(row.attemptId)) ?? null, null, "the row that was refused");
  equal(await journal.get(other.attemptId), other, "the row that conflicts, afterwards");
}

async function settled(journal: BookingJournal, row: JournalRow, from: OpenBookingState): Promise<JournalRow> {
  equal(await journal.settle(row, from), true, `settle from ${from} to ${row.state}`);
  equal(await journal.get(row.attemptId), row, "the row that was settled");
  return row;
}

async function isListed(journal: BookingJournal, { attemptId }: JournalRow): Promise<boolean> {
  return (await journal.pending()).some((row) => row.attemptId === attemptId);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  requireEqual("journal", actual, expected, what);
}
