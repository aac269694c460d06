import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type BookingJournal,
  type BookingState,
  type JournalRow,
  memoryJournal,
  reconcile,
  standsInTheWay,
} from "../../src/flights/index.ts";
import { fileJournal } from "../../src/flights/node.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
  path = join(folder, "bookings.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const row = (changes: Partial<JournalRow> = {}): JournalRow => ({
  clientReferenceId: "order-1",
  traceId: "trace-1",
  searchToken: "OB1[DEMO]",
  token: "FQ1[DEMO]",
  result: 0,
  state: "intent",
  at: 1,
  ...changes,
});
const other = (changes: Partial<JournalRow> = {}) =>
  row({ clientReferenceId: "order-2", traceId: "trace-2", searchToken: "OB2", token: "FQ2", ...changes });

describe("what stands in the way of sending a booking", () => {
  it.each<[BookingState, boolean]>([
    ["intent", false],
    ["sent", true],
    ["booked", true],
    ["unknown", true],
    ["rejected", false],
  ])("the same reference that is %s: %s", (state, expected) => {
    expect(standsInTheWay(row({ state }), row())).toBe(expected);
  });

  it.each<[string, Partial<JournalRow>, boolean]>([
    ["nothing in common", {}, false],
    ["the same reference", { clientReferenceId: "order-1" }, true],
    ["the same quote token", { token: "FQ1[DEMO]" }, true],
    ["the same offer under a fresh quote", { traceId: "trace-1", searchToken: "OB1[DEMO]" }, true],
    ["another result of the same quote", { traceId: "trace-1", searchToken: "OB1[DEMO]", result: 1 }, false],
    ["another flight of the same search", { traceId: "trace-1" }, false],
  ])("%s: %s", (_case, changes, expected) => {
    expect(standsInTheWay(other({ state: "unknown", ...changes }), row())).toBe(expected);
  });
});

const journals: [string, () => BookingJournal][] = [
  ["memoryJournal", () => memoryJournal()],
  ["fileJournal", () => fileJournal(path)],
];

describe.each(journals)("%s", (_name, create) => {
  it("lists what must be looked up, oldest first, until it is closed", async () => {
    const journal = create();
    expect(await journal.pending()).toEqual([]);
    await journal.claim(other({ state: "sent", at: 5 }), false);
    await journal.claim(row({ state: "sent", at: 2 }), false);
    await journal.settle(other({ state: "unknown", at: 6 }));
    expect((await journal.pending()).map(({ clientReferenceId, state }) => [clientReferenceId, state])).toEqual([
      ["order-1", "sent"],
      ["order-2", "unknown"],
    ]);
    await reconcile(journal, row({ state: "sent" }), { pnr: "FAKE01", bookingId: 900_001 }, 7);
    await reconcile(journal, other({ state: "unknown" }), "notBooked", 8);
    expect(await journal.pending()).toEqual([]);
    expect(await journal.find("order-1")).toMatchObject({ state: "booked", pnr: "FAKE01", bookingId: "900001", at: 7 });
    expect(await journal.find("order-2")).toMatchObject({ state: "rejected", at: 8 });
    expect(await journal.find("order-3")).toBeUndefined();
  });

  it("claims once: of many at the same time, one is written", async () => {
    const journal = create();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        journal.claim(row({ clientReferenceId: `order-${i}`, state: "sent" }), false),
      ),
    );
    expect(claims.filter((inTheWay) => inTheWay === undefined)).toHaveLength(1);
    expect(await journal.pending()).toHaveLength(1);
  });

  it("names the row in the way, and writes nothing over it unless forced", async () => {
    const journal = create();
    await journal.claim(row({ state: "sent" }), false);
    await journal.settle(row({ state: "unknown" }));
    expect(await journal.claim(row({ state: "intent" }), false)).toMatchObject({ state: "unknown" });
    expect(await journal.find("order-1")).toMatchObject({ state: "unknown" });
    expect(await journal.claim(row({ state: "sent", at: 9 }), true)).toBeUndefined();
    expect(await journal.find("order-1")).toMatchObject({ state: "sent", at: 9 });
  });

  it("closes with what was found alone", async () => {
    const journal = create();
    await reconcile(journal, row({ state: "unknown" }), { pnr: "FAKE01" });
    expect(await journal.find("order-1")).not.toHaveProperty("bookingId");
    await reconcile(journal, row({ state: "unknown" }), { bookingId: "7" });
    expect(await journal.find("order-1")).not.toHaveProperty("pnr");
  });
});

describe("fileJournal outlives its process", () => {
  it("after a crash the next one sees what was sent and is still open", async () => {
    await fileJournal(path).claim(row({ state: "intent" }), false);
    await fileJournal(path).claim(row({ state: "sent", at: 2, sentAt: 2 }), false);
    expect(await fileJournal(path).pending()).toEqual([row({ state: "sent", at: 2, sentAt: 2 })]);
    expect(await fileJournal(path).claim(row({ clientReferenceId: "order-9", state: "sent" }), false)).toMatchObject({
      state: "sent",
    });
  });

  it("forgets a row that a crash left unfinished, and goes on behind it", async () => {
    const whole = row({ state: "sent" });
    await fileJournal(path).claim(whole, false);
    await appendFile(path, JSON.stringify(other({ state: "sent" })).slice(0, 40));
    const journal = fileJournal(path);
    expect(await journal.pending()).toEqual([whole]);
    await journal.claim(other({ state: "sent" }), false);
    expect(await fileJournal(path).pending()).toHaveLength(2);
  });

  it("sees what an older process writes while this one takes over", async () => {
    const [older, newer] = [fileJournal(path), fileJournal(path)];
    expect(await newer.pending()).toEqual([]);
    await older.claim(row({ state: "sent" }), false);
    expect(await newer.claim(row({ clientReferenceId: "order-9", state: "sent" }), false)).toMatchObject({
      clientReferenceId: "order-1",
    });
    await newer.settle(row({ state: "rejected" }));
    expect(await older.claim(row({ state: "sent", at: 3 }), false)).toBeUndefined();
    expect(await newer.pending()).toEqual([row({ state: "sent", at: 3 })]);
  });

  it("is for its owner's eyes only, and holds no more than rows", async () => {
    await fileJournal(path).claim(row({ state: "sent" }), false);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(
      (await readFile(path, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([row({ state: "sent" })]);
  });

  it.each(["not a journal", "[1,2]", '{"name":"package"}', '"text"', "null"])(
    "%j is no journal: nothing is booked",
    async (content) => {
      await writeFile(path, `\n${JSON.stringify(row())}\n\n${content}\n`);
      const journal = fileJournal(path);
      await expect(journal.claim(other({ state: "sent" }), false)).rejects.toThrow(
        /^Line 4 of .* is no row of a booking journal/,
      );
      await writeFile(path, "");
      expect(await journal.claim(other({ state: "sent" }), false)).toBeUndefined();
    },
  );

  it("a disk that cannot be written to refuses the claim, and the row does not count", async () => {
    const journal = fileJournal(join(folder, "missing", "bookings.jsonl"));
    await expect(journal.claim(row({ state: "sent" }), false)).rejects.toThrow(/ENOENT/);
    expect(await journal.pending()).toEqual([]);
  });

  it("a path that cannot be read is an error, not an empty journal", async () => {
    await expect(fileJournal(folder).pending()).rejects.toThrow(/EISDIR/);
  });
});
