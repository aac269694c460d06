import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import {
  findBookings,
  JournalError,
  type JournalRow,
  type LookupResult,
  memoryJournal,
  reconcile,
  reconcileOverdue,
} from "../../../src/flights/index.ts";
import { other, row } from "./rows.ts";

const late = { now: () => row().responseDueBy };
const pnr = { pnr: "ABC123" };
const inr = (amount: string) => ({ amount, currency: "INR" });

describe("reconcile", () => {
  it.each([[null], [undefined], ["booked"], [5]])("refuses %j as what was found", async (found) => {
    await expect(reconcile(memoryJournal([row()]), row(), found as never, late)).rejects.toThrow(
      'reconcile: `found` must be { pnr, bookingId } or "notBooked".',
    );
  });

  it.each(["CANCELLED", "FAILED", "NOT FOUND", "HOLD", "N/A?"])(
    "refuses %j in place of a PNR, with an ID too",
    async (word) => {
      const journal = memoryJournal([row()]);
      const found = { pnr: word, bookingId: 12_345 };
      await expect(reconcile(journal, row(), found, late)).rejects.toThrow("`found` needs a PNR or a booking ID");
      expect(await journal.pending()).toEqual([row()]);
    },
  );

  it.each([
    [{ pnr: "ZZZZZZ" }],
    [{ pnr: "CANCELLED", bookingId: 12_345 }],
    [{ bookingId: 0 }],
    [{ pnr: " ", bookingId: "" }],
    [{}],
  ])("refuses %j, and says what a placeholder and a word are not", async (found) => {
    await expect(reconcile(memoryJournal([row()]), row(), found, late)).rejects.toThrow(
      "needs a PNR or a booking ID. A placeholder, such as PENDING or 0, or a word, such as CANCELLED, is none. If",
    );
  });

  it("names itself for a PNR, an option and a clock that are invalid", async () => {
    const journal = memoryJournal([row()]);
    await expect(reconcile(journal, row(), { pnr: 5 } as never)).rejects.toThrow(/^reconcile: `pnr`/);
    await expect(reconcile(journal, row(), pnr, { forse: true } as never)).rejects.toThrow(/^reconcile: /);
    await expect(reconcile(journal, row(), pnr, { now: () => Number.NaN })).rejects.toThrow(/^reconcile: `now`/);
  });

  it("names itself for an invalid journal and an invalid row", async () => {
    await expect(reconcile({} as never, row(), pnr)).rejects.toThrow(/^reconcile: `journal`/);
    await expect(reconcile(memoryJournal([row()]), {} as never, pnr)).rejects.toThrow(
      "reconcile: the row is not a JournalRow.",
    );
  });

  it("leaves a booked row as it is, with whatever a look-up finds later", async () => {
    const made = row({ state: "booked", pnr: "ABC123" });
    const journal = memoryJournal([made]);
    for (const found of [{ pnr: "XYZ789" }, "notBooked"] as const)
      await expect(reconcile(journal, made, found, late)).rejects.toThrow("it is booked");
    expect(await journal.get(made.attemptId)).toEqual(made);
  });

  it("leaves out an empty PNR beside a booking ID", async () => {
    const found = { pnr: " ", bookingId: "4711" };
    const closed = await reconcile(memoryJournal([row()]), row(), found, late);
    expect(closed).toEqual({ ...row(), state: "booked", bookingId: "4711", at: late.now() });
  });

  it("refuses a row whose state has changed, even if it is still open", async () => {
    const journal = memoryJournal([row({ state: "unknown" })]);
    await expect(reconcile(journal, row(), pnr, late)).rejects.toMatchObject({
      name: "BookingAlreadySettledError",
      operation: "flights.book",
      clientReferenceId: "order-1",
      row: { state: "unknown" },
    });
  });

  it("records the PNR that was found in place of those that the response named", async () => {
    const open = row({ state: "unknown", pnr: "ABC123", pnrs: ["ABC123", "DEF456"], bookingId: "4711" });
    const journal = memoryJournal([open]);
    const { pnrs: _, ...rest } = open;
    const closed = await reconcile(journal, open, { pnr: "XYZ789" }, late);
    expect(closed).toEqual({ ...rest, state: "booked", pnr: "XYZ789", at: late.now() });
    expect(await journal.get(open.attemptId)).toEqual(closed);
  });

  it.each([[{ bookingId: "4711" }], ["notBooked"]] as const)(
    "keeps the PNRs that the response named with %j",
    async (found) => {
      const open = row({ state: "unknown", pnrs: ["ABC123", "DEF456"] });
      const closed = await reconcile(memoryJournal([open]), open, found, late);
      expect(closed.pnrs).toEqual(["ABC123", "DEF456"]);
    },
  );

  it("refuses to close a row too early, and says which", async () => {
    const journal = memoryJournal([row()]);
    await expect(reconcile(journal, row(), "notBooked", { now: () => 2 })).rejects.toMatchObject({
      name: "BookingInFlightError",
      operation: "flights.book",
      clientReferenceId: "order-1",
    });
  });

  it("refuses a look-up that was made too early, however long the journal takes after it", async () => {
    let time = 2;
    const kept = memoryJournal([row()]);
    const get: typeof kept.get = async (attemptId) => {
      time = row().responseDueBy;
      return kept.get(attemptId);
    };
    const closing = reconcile({ ...kept, get }, row(), "notBooked", { now: () => time });
    await expect(closing).rejects.toMatchObject({ name: "BookingInFlightError" });
    expect(await kept.pending()).toEqual([row()]);
  });

  it.each([[null], [undefined]])("refuses a row for which the journal returns %j", async (value) => {
    const journal = { ...memoryJournal(), get: async () => value };
    await expect(reconcile(journal, row(), pnr, late)).rejects.toThrow("the journal does not hold this row");
  });

  it("changes nothing if the journal returns something else", async () => {
    const journal = { ...memoryJournal(), get: async () => ({ rows: [] }) as never };
    await expect(reconcile(journal, row(), pnr, late)).rejects.toMatchObject({
      name: "JournalError",
      operation: "flights.book",
      clientReferenceId: "order-1",
      message: expect.stringContaining("something that is not a JournalRow"),
    });
  });

  it.each<[string, Partial<JournalRow>, object, boolean | undefined]>([
    ["more than was agreed to", { price: inr("4300") }, { price: inr("4300.01") }, true],
    ["what was agreed to", { price: inr("4300") }, { price: inr("4300.00") }, false],
    ["a price that nobody knows", { price: inr("4300") }, {}, undefined],
    ["a price where none was agreed to", {}, { price: inr("4300") }, undefined],
  ])("says whether a booking is above the limit, if it costs %s", async (_, agreed, price, isAbove) => {
    const journal = memoryJournal([row(agreed)]);
    const closed = await reconcile(journal, row(agreed), { ...pnr, ...price }, late);
    expect([closed.isAboveLimit, closed.isAboveLimit !== undefined]).toEqual([isAbove, isAbove !== undefined]);
  });

  it("passes a mistake of the journal's configuration on, and wraps its failures", async () => {
    const failing = (error: Error) => ({ ...memoryJournal([row()]), get: () => Promise.reject(error) });
    const mistake = new ConfigurationError("the journal has no table");
    await expect(reconcile(failing(mistake), row(), pnr, late)).rejects.toBe(mistake);
    for (const cause of [new Error("disk full"), new JournalError({ message: "The disk is full." })]) {
      await expect(reconcile(failing(cause), row(), pnr, late)).rejects.toMatchObject({
        name: "JournalError",
        message: expect.stringMatching(/^The journal failed, so the row may be closed or still open/),
        operation: "flights.book",
        clientReferenceId: "order-1",
        cause,
      });
    }
  });
});

describe("reconcileOverdue", () => {
  const rows = [
    row({ attemptId: "early", clientReferenceId: "early", responseDueBy: late.now() + 1 }),
    ...["found", "gone", "silent", "down", "misread"].map((name, i) =>
      other({ attemptId: name, clientReferenceId: name, sentAt: i + 1, state: i % 2 === 0 ? "sent" : "unknown" }),
    ),
    row({ attemptId: "closed", clientReferenceId: "closed", state: "booked", pnr: "PNR000" }),
  ];
  const down = new Error("the look-up is down");
  const results = { found: pnr, gone: "notBooked", silent: null, misread: { pnr: "CANCELLED" } };
  const lookUp = async ({ clientReferenceId }: JournalRow) => {
    if (clientReferenceId === "down") throw down;
    return results[clientReferenceId as keyof typeof results] as LookupResult | null;
  };

  it("closes what was found, leaves the rest open, and says why", async () => {
    const journal = memoryJournal(rows);
    const looked = await reconcileOverdue(journal, lookUp, late);
    expect(looked.map(({ row, error }) => [row.clientReferenceId, row.state, error])).toEqual([
      ["found", "booked", undefined],
      ["gone", "rejected", undefined],
      ["silent", "sent", undefined],
      ["down", "unknown", down],
      ["misread", "sent", expect.objectContaining({ name: "ConfigurationError" })],
    ]);
    expect(await journal.get("found")).toMatchObject({ state: "booked", ...pnr });
    const open = (await journal.pending()).map(({ clientReferenceId }) => clientReferenceId);
    expect(open.sort()).toEqual(["down", "early", "misread", "silent"]);
  });

  it("closes no second row with a name that it found for another", async () => {
    const journal = memoryJournal([row(), other({ attemptId: "second" })]);
    const looked = await reconcileOverdue(journal, async () => pnr, late);
    expect(looked).toMatchObject([
      { row: { state: "booked" } },
      { row: { state: "sent" }, error: { name: "ConfigurationError" } },
    ]);
    expect(Object(looked[1]?.error).message).toContain("Another booking, order-1, has this PNR");
  });

  it.each<[string, Partial<JournalRow>, LookupResult, boolean]>([
    ["booked under the same PNR", { state: "booked", ...pnr }, pnr, true],
    ["booked, while it found no booking yet", { state: "booked", ...pnr }, "notBooked", true],
    ["closed by another that found no booking, either", { state: "rejected" }, "notBooked", true],
    ["booked under another PNR", { state: "booked", pnr: "XYZ789" }, pnr, false],
    ["closed by another that found no booking", { state: "rejected" }, pnr, false],
  ])("has a row as it was settled during its look-up: %s", async (_, ending, found, isKnown) => {
    const journal = memoryJournal([row()]);
    const settled = row(ending);
    const look = async () => ((await journal.settle(settled, "sent")) ? found : null);
    const [looked, ...rest] = await reconcileOverdue(journal, look, late);
    expect([looked?.row, rest]).toEqual([settled, []]);
    if (isKnown) expect(looked).toEqual({ row: settled });
    else expect(looked?.error).toMatchObject({ name: "BookingAlreadySettledError", row: settled });
  });

  it("loses no booking of which another said that there is none: the row of the error takes it", async () => {
    const journal = memoryJournal([row()]);
    const look = async () => ((await journal.settle(row({ state: "rejected" }), "sent")) ? pnr : null);
    const [looked] = await reconcileOverdue(journal, look, late);
    expect(Object(looked?.error).message).toContain("If there is a booking, reconcile that.");
    expect(await reconcile(journal, looked?.row as JournalRow, pnr, late)).toMatchObject({ state: "booked", ...pnr });
  });

  it("does not take a look-up without a result for one that found nothing", async () => {
    const journal = memoryJournal([row()]);
    const [looked] = await reconcileOverdue(journal, async () => undefined as never, late);
    expect(looked?.error).toMatchObject({ name: "ConfigurationError" });
    expect(await journal.pending()).toEqual([row()]);
  });

  it("names itself for what is invalid, and says what a journal that fails leaves unknown", async () => {
    const journal = memoryJournal();
    await expect(reconcileOverdue({} as never, lookUp)).rejects.toThrow(/^reconcileOverdue: `journal`/);
    await expect(reconcileOverdue(journal, pnr as never)).rejects.toThrow(/^reconcileOverdue: `lookUp`/);
    await expect(reconcileOverdue(journal, lookUp, { force: true } as never)).rejects.toThrow(/^reconcileOverdue: /);
    const pending = () => Promise.reject(new Error("disk full"));
    await expect(reconcileOverdue({ ...journal, pending }, lookUp)).rejects.toMatchObject({
      ...{ name: "JournalError", message: expect.stringContaining("not known what is booked") },
    });
  });
});

describe("findBookings", () => {
  const part = (n: number, changes: Partial<JournalRow> = {}) =>
    other({ attemptId: `attempt-${n}`, clientReferenceId: `order-17-${n}`, ...changes });
  const rows = [
    part(1, { state: "rejected", sentAt: 1, token: "FQ1" }),
    part(1, { attemptId: "again", state: "booked", sentAt: 2, token: "FQ1" }),
    part(2, { state: "unknown" }),
    part(4),
    row({ attemptId: "alone", clientReferenceId: "order-17" }),
  ];

  it("finds what is booked for an order, what may be, and what was refused", async () => {
    expect(await findBookings(memoryJournal(rows), "order-17")).toEqual(rows.slice(0, 3));
    expect(await findBookings(memoryJournal(rows), "order-1")).toEqual([]);
  });

  it("does not take the rows of another reference, which a journal returns, for those of the order", async () => {
    expect(await findBookings({ find: async () => rows }, "order-17")).toEqual(rows.slice(0, 3));
  });

  it("names itself for what is invalid, and does not take a journal that fails for an empty one", async () => {
    await expect(findBookings({} as never, "order-17")).rejects.toThrow(/^findBookings: `journal`/);
    await expect(findBookings(memoryJournal(), "")).rejects.toThrow(/^findBookings: `orderId`/);
    const find = () => Promise.reject(new Error("disk full"));
    await expect(findBookings({ find }, "order-17")).rejects.toMatchObject({
      ...{ name: "JournalError", clientReferenceId: "order-17-1" },
      message: expect.stringMatching(/^The journal failed, so it is not known what is booked\./),
    });
  });
});
