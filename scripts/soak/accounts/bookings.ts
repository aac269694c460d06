import type { JournalRow } from "../../../src/flights/index.ts";
import { type Account, any, none, some } from "./account.ts";
import { type Truth, tally } from "./truth.ts";

/** Accounts for each order, each booking that the service made, and each that was reported to a worker. */
export function accountForBookings({ plan, orders, ledgers, received, bookings, rows, cleaned }: Truth): Account[] {
  const sent = tally(
    received.filter(({ operation }) => operation === "flights.book").map(({ reference }) => reference),
  );
  const pnrs = new Map(bookings.map(({ client_referenceId, pnr }) => [client_referenceId, pnr]));
  const booked = [...pnrs.keys()];
  const calls = new Set<string>();
  const ends = ledgers.flatMap(({ entries }) => {
    for (const entry of entries) if (entry.type === "call" && entry.kind === "book") calls.add(entry.reference);
    return entries.filter((entry) => entry.type === "outcome").filter(({ reference }) => calls.has(reference));
  });
  const before = byReference(rows.before);
  const after = byReference(rows.after);
  const has = (found: readonly JournalRow[] | undefined, ...states: readonly JournalRow["state"][]) =>
    found?.some(({ state }) => states.includes(state)) ?? false;
  const isRecorded = (reference: string) =>
    after.get(reference)?.some(({ state, pnr }) => state === "booked" && pnr === pnrs.get(reference)) ?? false;
  const isKnown = (reference: string) => has(before.get(reference), "booked", "sent", "unknown");
  const ordersBooked = tally(booked.map(orderOf));
  return [
    some("orders, each attempted by three clients at once", orders),
    // Open bookings block their order until somebody looks them up.
    (plan.clocksAgree ? none : any)(
      "orders never booked",
      orders.filter((order) => !ordersBooked.has(order)),
    ),
    (plan.clocksAgree ? some : any)("rows closed while bookings were made", cleaned),
    some("bookings made by the service", bookings),
    some(
      "… booked in a journal",
      booked.filter((reference) => has(before.get(reference), "booked")),
    ),
    any(
      "… open in a journal, to be looked up",
      booked.filter((reference) => has(before.get(reference), "sent", "unknown")),
    ),
    none(
      "… not known to any journal",
      booked.filter((reference) => !isKnown(reference)),
    ),
    none(
      "… not recorded after the clean-up",
      booked.filter((reference) => !isRecorded(reference)),
    ),
    none(
      "rows booked or open after the clean-up, without a booking",
      [...after.values()]
        .flat()
        .filter(({ clientReferenceId, state }) => state !== "rejected" && !pnrs.has(clientReferenceId)),
    ),
    none(
      "references whose booking was sent at least twice",
      [...sent].filter(([, times]) => times > 1),
    ),
    none(
      "orders booked at least twice",
      [...ordersBooked].filter(([, times]) => times > 1),
    ),
    none(
      "reported as refused or not sent, but booked",
      ends.filter(({ outcome, reference }) => (outcome === "rejected" || outcome === "notSent") && pnrs.has(reference)),
    ),
    none(
      "reported as booked, but not under that PNR",
      ends.filter(({ outcome, pnr, reference }) => outcome === "done" && pnrs.get(reference) !== pnr),
    ),
  ];
}

/** The reference of an attempt is that of its order, with the letter of a client and the number of its attempt. */
const orderOf = (reference: string) => reference.replace(/[abc]\d*$/, "");

function byReference(rows: readonly JournalRow[]): Map<string, JournalRow[]> {
  const found = new Map<string, JournalRow[]>();
  for (const row of rows) found.set(row.clientReferenceId, [...(found.get(row.clientReferenceId) ?? []), row]);
  return found;
}
