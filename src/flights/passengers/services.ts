import { itinerary } from "../itinerary.ts";
import { instantOf } from "../times.ts";
import type { Passenger, ServiceChoice } from "../types.ts";
import { type CheckContext, textOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

const kinds = ["seat", "baggage", "meal"] as const;

/** Seats, baggage and meals: each on a leg of the itinerary, none twice, no seat or baggage for an infant (policy 29). */
export function checkServices({ passengers, offer }: CheckContext): PassengerIssue[] {
  const legs = countLegs(offer);
  const found = passengers.flatMap((passenger, i) =>
    kinds.flatMap((kind) => checkChoices(choicesOf(passenger, kind), ["passengers", i, kind], legs)),
  );
  const anything = passengers.some((passenger) => kinds.some((kind) => choicesOf(passenger, kind).length > 0));
  if (anything && offer.hold_mandatory_with_ssr) {
    const message =
      "Seats, baggage and meals of this fare can only be had on a booking that is held first: the ticket cannot be issued at once.";
    found.push(issue("hold_mandatory_with_ssr", ["offer", "hold_mandatory_with_ssr"], message));
  }
  return [...found, ...checkInfants(passengers), ...checkSeats(passengers)];
}

/** The pairs of airports between which something can be booked, with how often the itinerary has each. */
function countLegs(offer: CheckContext["offer"]): ReadonlyMap<string, number> {
  const legs = new Map<string, number>();
  for (const { segments } of itinerary(offer).legs) {
    for (const [from, first] of segments.entries()) {
      for (const last of segments.slice(from)) {
        const pair = `${first.origin.airport_code}-${last.destination.airport_code}`;
        legs.set(pair, (legs.get(pair) ?? 0) + 1);
      }
    }
  }
  return legs;
}

function checkChoices(choices: readonly ServiceChoice[], path: (string | number)[], legs: ReadonlyMap<string, number>) {
  const used = new Map<string, number>();
  return choices.flatMap((choice, i): PassengerIssue[] => {
    const pair = pairOf(choice);
    const times = (used.get(pair) ?? 0) + 1;
    used.set(pair, times);
    const offered = legs.get(pair) ?? 0;
    if (offered === 0)
      return [issue("service_unknown_leg", [...path, i], "Names a leg that the itinerary does not have.")];
    return times > offered
      ? [issue("service_repeated_leg", [...path, i], "Names a leg that an earlier entry has already.")]
      : [];
  });
}

function checkInfants(passengers: readonly Passenger[]): PassengerIssue[] {
  return passengers.flatMap((passenger, i) =>
    passenger.passenger_type !== "infant"
      ? []
      : (["seat", "baggage"] as const)
          .filter((kind) => choicesOf(passenger, kind).length > 0)
          .map((kind) =>
            issue("service_for_infant", ["passengers", i, kind], `An infant has no ${kind} of their own.`),
          ),
  );
}

function checkSeats(passengers: readonly Passenger[]): PassengerIssue[] {
  const taken = new Set<string>();
  return passengers.flatMap((passenger, i) =>
    choicesOf(passenger, "seat").flatMap((seat, j) => {
      const key = `${pairOf(seat)} ${textOf(seat.code).toUpperCase()}`;
      const again = taken.has(key);
      taken.add(key);
      return again
        ? [issue("seat_taken_twice", ["passengers", i, "seat", j], "This seat is taken by an earlier entry.")]
        : [];
    }),
  );
}

/** What the quote says of itself: flights that are not confirmed, a ticket deadline that is over. */
export function checkOffer({ offer, now, deadlineZone }: CheckContext): PassengerIssue[] {
  const found = offer.segments.flatMap(({ flight_status }, i) =>
    flight_status === "Confirmed"
      ? []
      : [
          issue(
            "segment_not_confirmed",
            ["offer", "segments", i, "flight_status"],
            "This flight is not confirmed: there may be no seat on it.",
          ),
        ],
  );
  const deadline = instantOf(offer.last_ticket_date, deadlineZone);
  if (now !== undefined && deadline !== null && deadline <= now) {
    found.push(
      issue(
        "ticket_deadline_passed",
        ["offer", "last_ticket_date"],
        "The time to issue the ticket is over: search again.",
      ),
    );
  }
  return found;
}

function choicesOf(passenger: Passenger, kind: (typeof kinds)[number]): readonly ServiceChoice[] {
  const choices: unknown = passenger[kind];
  // What is no entry keeps its place, so that paths stay true; the schema's own issue says what is wrong with it.
  return Array.isArray(choices) ? choices.map((choice: unknown) => Object(choice)) : [];
}

function pairOf({ origin, destination }: ServiceChoice): string {
  return `${textOf(origin).toUpperCase()}-${textOf(destination).toUpperCase()}`;
}
