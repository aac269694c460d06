/** Each write of a journal with each way in which its file or its database may fail, and what the next process sees. */
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type BookingJournal, JournalError, type JournalRow } from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { postgresJournal } from "../../../src/flights/journal/postgres.ts";
import { coded } from "../../support/failures.ts";
import { startPglite } from "../../support/pglite.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { watch } from "./open-files.ts";
import { other, row } from "./rows.ts";

const database = await startPglite();
afterAll(() => database.close());

type Write = (journal: BookingJournal) => Promise<unknown>;

/** The writes of a booking, in their order, and the row after each. */
const writes: readonly (readonly [name: string, write: Write, after: JournalRow])[] = [
  ["the claim", (journal) => journal.claim(row(), {}), row()],
  ["an unknown outcome", (journal) => journal.settle(row({ state: "unknown" }), "sent"), row({ state: "unknown" })],
  [
    "a booking that turns up",
    (journal) => journal.settle(row({ state: "booked", pnr: "ABC123" }), "unknown"),
    row({ state: "booked", pnr: "ABC123" }),
  ],
];

/** Expects the row before or after a write that failed, and that the write, made again, leaves what it was to leave. */
async function expectWholeStep(journal: BookingJournal, at: number): Promise<void> {
  const [, write, after] = writes[at] ?? expect.unreachable();
  const before = writes[at - 1]?.[2];
  expect([before, after]).toContainEqual((await journal.get("attempt-1")) ?? undefined);
  await write(journal);
  expect(await journal.get("attempt-1")).toEqual(after);
  expect(await journal.claim(row({ attemptId: "rival", clientReferenceId: "rival" }), {})).toEqual(after);
}

describe.each(writes.map(([name], at) => [name, at] as const))("if %s fails", (_name, at) => {
  const earlier = writes.slice(0, at).map(([, write]) => write);
  const [, write] = writes[at] ?? expect.unreachable();

  it("in a file, whatever part of its line is on the disk, it took effect as a whole or not at all", async () => {
    const path = temporaryFile("bookings.jsonl");
    const journal = fileJournal(path);
    // A file is created with its first row as a whole.
    await journal.claim(other(), {});
    for (const one of earlier) await one(journal);
    const before = await readFile(path);
    await write(journal);
    const whole = await readFile(path);
    expect(whole.length).toBeGreaterThan(before.length);
    for (let length = before.length; length <= whole.length; length += 1) {
      writeFileSync(path, whole.subarray(0, length));
      await expectWholeStep(fileJournal(path), at);
    }
  });

  it.each(["write", "sync"] as const)(
    "in a file whose %s fails, so does it, and a later one succeeds",
    async (method) => {
      const path = temporaryFile("bookings.jsonl");
      const journal = fileJournal(path);
      for (const one of earlier) await one(journal);
      (await watch(method)).spy.mockRejectedValueOnce(coded("ENOSPC"));
      await expect(write(journal)).rejects.toBeInstanceOf(JournalError);
      await expectWholeStep(journal, at);
      await expectWholeStep(fileJournal(path), at);
    },
  );

  it.each(["before", "after"])("in Postgres, %s it has acted, so does it, and a later one succeeds", async (when) => {
    onTestFinished(async () => void (await database.exec("drop table serviceapi_bookings")));
    let isFailing = false;
    const journal = postgresJournal(async (text, values) => {
      if (isFailing && when === "before") throw new Error("lost");
      const result = await database.query(text, values);
      if (isFailing) throw new Error("lost");
      return result;
    });
    await journal.createSchema();
    for (const one of earlier) await one(journal);
    isFailing = true;
    await expect(write(journal)).rejects.toBeInstanceOf(JournalError);
    isFailing = false;
    await expectWholeStep(journal, at);
  });
});
