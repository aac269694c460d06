import * as z from "zod/mini";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { equalMoney, type Money, readMoney, subtractMoney, sumMoney } from "../quote/money.ts";
import { isConfirmed, normalizeSegments, readFlag } from "../quote/normalize.ts";
import { minutesBetween, parseWallClock } from "../quote/times.ts";
import { segmentSchema } from "../schemas/segment.ts";
import type { BookedFare, FareQuoteResult, Passenger, Segment } from "../types/index.ts";
import { comparePassengers } from "./passengers.ts";
import {
  type BookingChanges,
  type FlightChange,
  type MissingSeat,
  type PriceChange,
  summarizeChanges,
} from "./summary.ts";
import { compareRefundable, compareTerms, identity } from "./terms.ts";

export type { BookingChanges, FlightChange } from "./summary.ts";

const documentedSegments = z.array(segmentSchema);

/**
 * Compares a booking with the offer that the user saw. It never throws: the booking exists.
 *
 * @param offer - The fare quote result that was shown.
 * @param booked - `data.result` of the booking. `notCompared` names the parts of it that are missing or odd.
 * @param passengers - The passengers that were sent.
 *
 * @example
 * ```ts
 * import { compareBooking } from "serviceapi/flights";
 *
 * const { body } = await trip.book({ passengers });
 * const { changed, summary } = compareBooking(offer, body.data.result, passengers);
 * if (changed) console.log(summary);
 * ```
 */
export function compareBooking(
  offer: FareQuoteResult,
  booked: unknown,
  passengers: readonly Passenger[],
): BookingChanges {
  const quoted = normalizeSegments(field(offer, "segments"));
  const refundable = readFlag(field(offer, "refundable"));
  const nonRefundable = readFlag(field(booked, "non_refundable"));
  const price = comparePrice(offer, booked);
  const segments = readSegments(field(booked, "segments"));
  const flights = segments === undefined ? [] : compareFlights(quoted, segments);
  const people = comparePassengers(elementsOf(passengers), field(booked, "passengers"));
  const terms = [
    ...(segments === undefined ? [] : compareTerms(quoted, segments)),
    ...compareRefundable(refundable, nonRefundable === undefined ? refundable : !nonRefundable),
  ];
  const missingSeats = findMissingSeats(booked, elementsOf(passengers));
  const timeFlagged = readFlag(field(booked, "time_changed")) === true;
  const notCompared = [
    ...(price.difference === null ? (["price"] as const) : []),
    ...(segments === undefined ? (["flights"] as const) : []),
    ...(refundable === undefined || nonRefundable === undefined ? (["refundable"] as const) : []),
    ...(people === null ? (["passengers"] as const) : []),
  ];
  const changes = { price, flights, timeFlagged, terms, passengers: people ?? [], missingSeats, notCompared };
  const found = [flights, terms, changes.passengers, missingSeats, notCompared];
  const changed =
    price.flagged ||
    timeFlagged ||
    isDifferent(price.difference) ||
    found.some((differences) => differences.length > 0);
  return { changed, summary: summarizeChanges({ changed, ...changes }, quoted), ...changes };
}

/** Returns segments that have all documented fields: a time or a code in another format can still be compared. */
function readSegments(value: unknown): readonly Segment[] | undefined {
  const issues = documentedSegments.safeParse(value).error?.issues ?? [];
  return issues.every(({ code }) => code === "custom") ? (value as readonly Segment[]) : undefined;
}

function isDifferent(difference: Money | null): boolean {
  return difference !== null && difference.amount !== "0";
}

const extraFields = [
  "total_baggage_charges",
  "total_meal_charges",
  "total_seat_charges",
  "total_special_service_charges",
] as const satisfies readonly (keyof BookedFare)[];

function comparePrice(offer: FareQuoteResult, booked: unknown): PriceChange {
  const fare = field(booked, "fare");
  const amount = (key: keyof BookedFare) => readMoney(field(fare, key), field(fare, "currency"));
  const quoted = readMoney(field(field(offer, "fare"), "total_fare"), field(field(offer, "fare"), "currency"));
  const total = amount("total_fare");
  const extras = sumMoney(extraFields.map(amount).filter((money) => money !== null));
  // The document does not say that the total includes the extras. They are subtracted only if the parts add up with
  // them.
  const parts = [amount("basefare"), amount("tax_and_surcharges"), extras].filter((money) => money !== null);
  const contained = extras !== null && equalMoney(sumMoney(parts), total) ? extras : null;
  const withoutExtras = total && contained ? subtractMoney(total, contained) : total;
  return {
    quoted,
    booked: total,
    extras,
    difference: withoutExtras && quoted && subtractMoney(withoutExtras, quoted),
    flagged: readFlag(field(booked, "price_changed")) === true,
  };
}

/** Flight by flight, in their order. */
export function compareFlights(quoted: readonly Segment[], booked: readonly Segment[]): FlightChange[] {
  return Array.from({ length: Math.max(quoted.length, booked.length) }, (_, index) =>
    compareFlight(index, quoted[index], booked[index]),
  ).flat();
}

function compareFlight(index: number, quoted: Segment | undefined, booked: Segment | undefined): FlightChange[] {
  if (booked === undefined) return quoted === undefined ? [] : [{ kind: "missing", index, quoted }];
  const found: FlightChange[] = [];
  if (quoted === undefined) found.push({ kind: "added", index, booked });
  else if (identity(quoted) !== identity(booked)) found.push({ kind: "replaced", index, quoted, booked });
  else {
    const departureMinutes = minutesLater(quoted.origin.departure_time, booked.origin.departure_time);
    const arrivalMinutes = minutesLater(quoted.destination.arrival_time, booked.destination.arrival_time);
    if (departureMinutes !== 0 || arrivalMinutes !== 0) {
      found.push({ kind: "time", index, quoted, booked, departureMinutes, arrivalMinutes });
    }
  }
  if (!isConfirmed(booked.flight_status) && quoted?.flight_status !== booked.flight_status) {
    found.push({ kind: "notConfirmed", index, booked, ...(quoted && { quoted }) });
  }
  return found;
}

function minutesLater(before: string, after: string): number | null {
  if (before === after) return 0;
  const [from, to] = [parseWallClock(before), parseWallClock(after)];
  return from && to && minutesBetween(from, to);
}

function findMissingSeats(booked: unknown, passengers: readonly unknown[]): MissingSeat[] {
  const noneBooked = readFlag(field(booked, "seats_booked")) === false;
  const assigned = new Set(
    elementsOf(field(booked, "passengers")).flatMap((passenger) => elementsOf(field(passenger, "seat")).map(seatKey)),
  );
  return passengers.flatMap((one, passenger) =>
    elementsOf(field(one, "seat"))
      .filter((choice) => noneBooked || !assigned.has(seatKey(choice)))
      .map((choice) => ({
        code: stringOf(field(choice, "code")),
        origin: stringOf(field(choice, "origin")),
        destination: stringOf(field(choice, "destination")),
        passenger,
      })),
  );
}

function seatKey(seat: unknown): string {
  return ["code", "origin", "destination"].map((key) => stringOf(field(seat, key)).trim().toUpperCase()).join();
}
