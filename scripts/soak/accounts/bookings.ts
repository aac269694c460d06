import type { JournalRow } from "../../../src/flights/index.ts";
import { type Account, any, none, some } from "./account.ts";
import { entriesOf, type Truth, tally } from "./truth.ts";

/** Accounts for each order, each booking that the service made, and each that was reported to a worker. */
export function accountForBookings({ plan, orders, ledgers, received, bookings, rows, cleaned }: Truth): Account[] {
  const sent = tally(
    received.filter(({ operation }) => operation === "flights.book").map(({ reference }) => reference),
  );
  const pnrs = new Map(bookings.map(({ client_referenceId, pnr }) => [client_referenceId, pnr]));
  const booked = [...pnrs.keys()];
  const ordersBooked = tally(booked.map(orderOf));
  const calls = new Set(
    entriesOf(ledgers, "call").flatMap(({ kind, reference }) => (kind === "book" ? reference : [])),
  );
  const ends = entriesOf(ledgers, "outcome").filter(({ reference }) => calls.has(reference));
  const before = Map.groupBy(rows.before, ({ clientReferenceId }) => clientReferenceId);
  const isBefore =
    (...states: readonly JournalRow["state"][]) =>
    (reference: string) =>
      before.get(reference)?.some(({ state }) => states.includes(state)) ?? false;
  const isKnown = isBefore("booked", "sent", "unknown");
  const recorded = new Set(
    rows.after.flatMap(({ clientReferenceId, state, pnr }) =>
      state === "booked" ? `${clientReferenceId} ${pnr}` : [],
    ),
  );
  const isTwice = ([, times]: readonly [string, number]) => times > 1;
  return [
    some("orders, each attempted by three clients at once", orders),
    // Open bookings block their order until somebody looks them up.
    (plan.clocksAgree ? none : any)("orders never booked", orders, (order) => !ordersBooked.has(order)),
    (plan.clocksAgree ? some : any)("rows closed while bookings were made", cleaned),
    some("bookings made by the service", bookings),
    some("… booked in a journal", booked, isBefore("booked")),
    any("… open in a journal, to be looked up", booked, isBefore("sent", "unknown")),
    none("… not known to any journal", booked, (reference) => !isKnown(reference)),
    none("… not recorded after the clean-up", [...pnrs], ([reference, pnr]) => !recorded.has(`${reference} ${pnr}`)),
    none(
      "rows booked or open after the clean-up, without a booking",
      rows.after,
      ({ clientReferenceId, state }) => state !== "rejected" && !pnrs.has(clientReferenceId),
    ),
    none("references whose booking was sent at least twice", [...sent], isTwice),
    none("orders booked at least twice", [...ordersBooked], isTwice),
    none(
      "reported as refused or not sent, but booked",
      ends,
      ({ outcome, reference }) => (outcome === "rejected" || outcome === "notSent") && pnrs.has(reference),
    ),
    none(
      "reported as booked, but not under that PNR",
      ends,
      ({ outcome, pnr, reference }) => outcome === "done" && pnrs.get(reference) !== pnr,
    ),
  ];
}

/** The reference of an attempt is that of its order, with the letter of a client and the number of its attempt. */
const orderOf = (reference: string) => reference.replace(/[abc]\d*$/, "");
