import { textOf } from "../../shared/json.ts";
import { itinerary } from "../itinerary.ts";
import type { Passenger, ServiceChoice } from "../types.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

const kinds = ["seat", "baggage", "meal"] as const;
type Kind = (typeof kinds)[number];

/** Seats, baggage and meals: each on a leg of the itinerary, none twice, no seat or baggage for an infant (docs/assumptions.md, F21). */
export function checkServices({ passengers, offer }: CheckContext): PassengerIssue[] {
  const runs = findRuns(offer);
  const found = passengers.flatMap((passenger, i) =>
    kinds.flatMap((kind) => checkChoices(choicesOf(passenger, kind), kind, ["passengers", i, kind], runs)),
  );
  const anything = passengers.some((passenger) => kinds.some((kind) => choicesOf(passenger, kind).length > 0));
  if (anything && offer.hold_mandatory_with_ssr) {
    const message =
      "Seats, baggage and meals of this fare can only be had on a booking that is held first: the ticket cannot be issued at once.";
    found.push(issue("hold_mandatory_with_ssr", ["offer", "hold_mandatory_with_ssr"], message));
  }
  return [...found, ...checkInfants(passengers), ...checkSeats(passengers)];
}

/** Flights that follow each other within one direction, by their places in the itinerary. */
interface Run {
  readonly pair: string;
  readonly flights: readonly number[];
}

/** Every pair of airports between which something can be booked: a flight, or several in a row. */
function findRuns(offer: CheckContext["offer"]): readonly Run[] {
  let place = 0;
  return itinerary(offer).legs.flatMap(({ segments }) => {
    const start = place;
    place += segments.length;
    return segments.flatMap(({ origin }, from) =>
      segments.slice(from).map(({ destination }, length) => ({
        pair: pairOf({ origin: origin.airport_code, destination: destination.airport_code }),
        flights: Array.from({ length: length + 1 }, (_, i) => start + from + i),
      })),
    );
  });
}

function checkChoices(
  choices: readonly ServiceChoice[],
  kind: Kind,
  path: readonly (string | number)[],
  runs: readonly Run[],
): PassengerIssue[] {
  const used = new Set<number>();
  return choices.flatMap((choice, i): PassengerIssue[] => {
    // Nobody sits on one seat through a change of aircraft; baggage and meals are sold for a flight or for a whole direction.
    const offered = runs.filter(
      ({ pair, flights }) => pair === pairOf(choice) && (kind !== "seat" || flights.length === 1),
    );
    if (offered.length === 0) {
      const message =
        kind === "seat"
          ? "This entry names a flight that the itinerary does not have."
          : "This entry names a leg that the itinerary does not have.";
      return [issue("service_unknown_leg", [...path, i], message)];
    }
    const free = offered.find(({ flights }) => !flights.some((flight) => used.has(flight)));
    if (free === undefined) {
      return [
        issue(
          "service_repeated_leg",
          [...path, i],
          "This entry names a leg that an earlier entry has already, or a part of it.",
        ),
      ];
    }
    for (const flight of free.flights) used.add(flight);
    return [];
  });
}

function checkInfants(passengers: readonly Passenger[]): PassengerIssue[] {
  return passengers.flatMap((passenger, i) =>
    typeOf(passenger) !== "infant"
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
      const key = `${pairOf(seat)} ${codeOf(seat.code)}`;
      const again = taken.has(key);
      taken.add(key);
      return again
        ? [issue("seat_taken_twice", ["passengers", i, "seat", j], "This seat is taken by an earlier entry.")]
        : [];
    }),
  );
}

function choicesOf(passenger: Passenger, kind: Kind): readonly ServiceChoice[] {
  const choices: unknown = passenger[kind];
  // What is no entry keeps its place, so that paths stay true; the schema's own issue says what is wrong with it.
  return Array.isArray(choices) ? Array.from(choices, (choice: unknown) => Object(choice)) : [];
}

function pairOf({ origin, destination }: Pick<ServiceChoice, "origin" | "destination">): string {
  return `${codeOf(origin)}-${codeOf(destination)}`;
}

function codeOf(code: unknown): string {
  return textOf(code).trim().toUpperCase();
}
