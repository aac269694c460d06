import { stringOf } from "../../shared/json.ts";
import { itinerary } from "../quote/itinerary.ts";
import type { Passenger, ServiceChoice } from "../types/index.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

const kinds = ["seat", "baggage", "meal"] as const;
type Kind = (typeof kinds)[number];

/**
 * Checks seats, baggage and meals: each is on a leg of the itinerary, none twice, none for an infant but meals
 * (docs/assumptions.md, F21).
 */
export function checkServices({ passengers, offer }: CheckContext): PassengerIssue[] {
  if (!passengers.some((passenger) => kinds.some((kind) => choicesOf(passenger, kind).length > 0))) return [];
  const directions = directionsOf(offer);
  const found = passengers.flatMap((passenger, i) =>
    kinds.flatMap((kind) => checkChoices(choicesOf(passenger, kind), kind, ["passengers", i, kind], directions)),
  );
  if (offer.hold_mandatory_with_ssr) {
    const message =
      "Seats, baggage and meals of this fare need a booking that is held first: the ticket cannot be issued immediately.";
    found.push(issue("hold_mandatory_with_ssr", ["offer", "hold_mandatory_with_ssr"], message));
  }
  return [...found, ...checkInfants(passengers), ...checkSeats(passengers)];
}

/** The flights of one direction. Its first one is the `start`-th of the itinerary. */
interface Direction {
  readonly start: number;
  readonly flights: readonly { readonly origin: string; readonly destination: string }[];
}

/** Flights that follow each other within one direction, by their places in the itinerary. */
interface Run {
  readonly from: number;
  readonly to: number;
}

function directionsOf(offer: CheckContext["offer"]): readonly Direction[] {
  let place = 0;
  return itinerary(offer).legs.map(({ segments }) => {
    const start = place;
    place += segments.length;
    const flights = segments.map(({ origin, destination }) => ({
      origin: comparableCode(origin.airport_code),
      destination: comparableCode(destination.airport_code),
    }));
    return { start, flights };
  });
}

function checkChoices(
  choices: readonly ServiceChoice[],
  kind: Kind,
  path: readonly (string | number)[],
  directions: readonly Direction[],
): PassengerIssue[] {
  const used = new Set<number>();
  return choices.flatMap((choice, i): PassengerIssue[] => {
    const { isOffered, free } = findRun(choice, kind, directions, used);
    if (!isOffered) {
      const message =
        kind === "seat"
          ? "This entry names a flight that is not in the itinerary."
          : "This entry names a leg that is not in the itinerary.";
      return [issue("service_unknown_leg", [...path, i], message)];
    }
    if (free === undefined) {
      return [
        issue(
          "service_repeated_leg",
          [...path, i],
          "This entry names a leg, or a part of one, that an earlier entry has already.",
        ),
      ];
    }
    for (let flight = free.from; flight <= free.to; flight++) used.add(flight);
    return [];
  });
}

/**
 * The first run between the two airports of an entry that no earlier entry has. One pass from the last flight to the
 * first: of the runs that begin with a flight, only the shortest matters, because it is a part of the others.
 */
function findRun(
  choice: ServiceChoice,
  kind: Kind,
  directions: readonly Direction[],
  used: ReadonlySet<number>,
): { readonly isOffered: boolean; readonly free: Run | undefined } {
  const origin = comparableCode(choice.origin);
  const destination = comparableCode(choice.destination);
  let isOffered = false;
  let free: Run | undefined;
  for (const { start, flights } of directions.toReversed()) {
    let nextUsed = Number.POSITIVE_INFINITY;
    let to: number | undefined;
    for (const [i, flight] of [...flights.entries()].toReversed()) {
      const from = start + i;
      if (used.has(from)) nextUsed = from;
      if (flight.destination === destination) to = from;
      // Nobody sits on one seat through a change of aircraft; baggage and meals are sold for a flight or for a whole
      // direction.
      if (to === undefined || flight.origin !== origin || (kind === "seat" && to !== from)) continue;
      isOffered = true;
      if (nextUsed > to) free = { from, to };
    }
  }
  return { isOffered, free };
}

function checkInfants(passengers: readonly Passenger[]): PassengerIssue[] {
  return passengers.flatMap((passenger, i) =>
    typeOf(passenger) !== "infant"
      ? []
      : (["seat", "baggage"] as const)
          .filter((kind) => choicesOf(passenger, kind).length > 0)
          .map((kind) =>
            issue("service_for_infant", ["passengers", i, kind], `An infant cannot have their own ${kind}.`),
          ),
  );
}

function checkSeats(passengers: readonly Passenger[]): PassengerIssue[] {
  const taken = new Set<string>();
  return passengers.flatMap((passenger, i) =>
    choicesOf(passenger, "seat").flatMap((seat, j) => {
      const key = `${pairOf(seat)} ${comparableCode(seat.code)}`;
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
  return `${comparableCode(origin)}-${comparableCode(destination)}`;
}

function comparableCode(code: unknown): string {
  return stringOf(code).trim().toUpperCase();
}
