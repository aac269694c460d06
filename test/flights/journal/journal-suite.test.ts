import { describe, expect, it } from "vitest";
import { type BookingJournal, isPending, type JournalRow, memoryJournal } from "../../../src/flights/index.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Journals with one fault each, of the kinds that people write. */
const faults: Record<string, (journal: BookingJournal) => Partial<BookingJournal>> = {
  "looks, then writes": (journal) => ({
    async claim(row, options) {
      const other = await journal.conflict(row, options);
      await pause();
      return other ?? journal.claim({ ...row }, { force: true });
    },
  }),
  "keeps a row for each reference": (journal) => ({
    async settle(row, from) {
      const [last] = (await journal.find(row.clientReferenceId)).slice(-1);
      return last !== undefined && journal.settle({ ...row, attemptId: last.attemptId }, from);
    },
  }),
  "settles whatever the state is": (journal) => ({
    async settle(row) {
      const current = await journal.get(row.attemptId);
      return current != null && current.state !== "booked" ? journal.settle(row, current.state) : true;
    },
  }),
  "says nothing of a settlement": (journal) => ({
    settle: async (row, from) => void (await journal.settle(row, from)) as unknown as boolean,
  }),
  "never forces": (journal) => ({ claim: (row) => journal.claim(row, {}) }),
  "forces a reference that is taken": (journal) => {
    const extra = new Map<string, JournalRow>();
    return {
      async claim(row, options) {
        const other = await journal.claim(row, options);
        if (!options.force || other == null) return other;
        extra.set(row.attemptId, row);
        return undefined;
      },
    };
  },
  "forgets what it forced past": (journal) => ({
    async claim(row, options) {
      const other = options.force ? await journal.conflict(row, {}) : undefined;
      if (other != null && other.state !== "booked") await journal.settle({ ...other, state: "rejected" }, other.state);
      return journal.claim(row, options);
    },
  }),
  "does not look at fingerprints": (journal) => ({
    claim: (row, options) => journal.claim({ ...row, fingerprint: "" }, options),
  }),
  "does not look at tokens": (journal) => ({
    claim: (row, options) => journal.claim({ ...row, token: crypto.randomUUID() }, options),
  }),
  "folds the case of references": (journal) => ({
    claim: (row, options) => journal.claim({ ...row, clientReferenceId: row.clientReferenceId.toLowerCase() }, options),
  }),
  "writes when it is only asked": (journal) => ({ conflict: (row, options) => journal.claim(row, options) }),
  "lists the newest first": (journal) => ({ pending: async () => [...(await journal.pending())].reverse() }),
  "lists what is sent alone": (journal) => ({
    pending: async () => (await journal.pending()).filter((row) => isPending(row) && row.state === "sent"),
  }),
  "finds the last attempt alone": (journal) => ({ find: async (id) => (await journal.find(id)).slice(-1) }),
  "keeps no more than it knows": (journal) => ({
    claim: ({ forced: _forced, reason: _reason, ...row }, options) => journal.claim(row, options),
  }),
  "does not take a booking back in": (journal) => ({
    settle: async (row, from) => from !== "rejected" && journal.settle(row, from),
  }),
};

describe("journalSuite finds a journal that", () => {
  it.each(Object.entries(faults))("%s", async (_, fault) => {
    const outcomes = await Promise.allSettled(
      journalSuite(() => {
        const journal = memoryJournal();
        return { ...journal, ...fault(journal) };
      }).map(({ run }) => run()),
    );
    const messages = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.every((message) => message.includes("does not keep its promise"))).toBe(true);
  });

  it("is not created by a function, and refuses it", () => {
    expect(() => journalSuite(memoryJournal() as never)).toThrow(/must be a function/);
  });
});
