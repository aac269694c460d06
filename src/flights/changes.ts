import * as z from "zod/mini";
import { compareMoney, type Money, readMoney, subtractMoney, sumMoney } from "./money.ts";
import { segmentSchema } from "./schemas/segment.ts";
import { priceOf, soundSegments } from "./sound.ts";
import { minutesBetween, parseWallClock } from "./times.ts";
import type { BookedFare, FareQuoteResult, Passenger, Segment, ServiceChoice } from "./types.ts";

/** What differs between the quote that the user saw and what was booked, computed, whatever the flags say (§3.4). */
export interface BookingChanges {
  /** Something differs, or could not be compared. */
  readonly changed: boolean;
  readonly price: PriceChange;
  readonly flights: readonly FlightChange[];
  readonly missingSeats: readonly MissingSeat[];
  /** What the answer is too odd to compare: look at it. */
  readonly notCompared: readonly ("price" | "flights")[];
}

export interface PriceChange {
  /** `total_fare` of the quote. */
  readonly quoted: Money | null;
  /** `total_fare` of the booking, with baggage, meals, seats and special services. */
  readonly booked: Money | null;
  /** Baggage, meals, seats and special services in it, which no quote contains. */
  readonly extras: Money | null;
  /** What was booked less extras less what was quoted: positive when it became dearer. Null where that cannot be computed. */
  readonly difference: Money | null;
  /** `price_changed` of the booking. It has been seen false where the price differed. */
  readonly flagged: boolean;
}

/** A flight that is not as it was quoted. */
export interface FlightChange {
  /**
   * `time`: leaves or arrives at another time. `replaced`: another flight or route. `missing` and `added`: one of the two has none at
   * this place. `notConfirmed`: its `flight_status` is not `Confirmed`.
   */
  readonly kind: "time" | "replaced" | "missing" | "added" | "notConfirmed";
  /** Its place in `segments`. */
  readonly index: number;
  readonly quoted?: Segment;
  readonly booked?: Segment;
  /** Minutes by which it leaves later (negative: earlier); null where that is not known. With `time` only. */
  readonly departureMinutes?: number | null;
  /** Minutes by which it arrives later (negative: earlier); null where that is not known. With `time` only. */
  readonly arrivalMinutes?: number | null;
}

/** A seat that was asked for and is not in the booking. */
export interface MissingSeat extends ServiceChoice {
  /** Place of the passenger in the request. */
  readonly passenger: number;
}

const readableSegments = z.array(segmentSchema);

/**
 * Compares a booking with the offer that the user saw.
 *
 * @param offer - The fare quote result as it was shown.
 * @param booked - `data.result` of the booking, as it came; a part that is missing or odd is named in `notCompared`.
 * @param passengers - The passengers as they were sent, for the seats they asked for.
 */
export function compareBooking(
  offer: FareQuoteResult,
  booked: unknown,
  passengers: readonly Passenger[],
): BookingChanges {
  const price = comparePrice(offer, booked);
  const segments = readableSegments.safeParse(field(booked, "segments"));
  const flights = segments.success ? compareFlights(soundSegments(offer.segments), segments.data) : [];
  const missingSeats = findMissingSeats(booked, passengers);
  const notCompared = [
    ...(price.difference === null ? (["price"] as const) : []),
    ...(segments.success ? [] : (["flights"] as const)),
  ];
  const priceChanged = price.flagged || price.difference?.amount !== "0";
  return {
    changed: priceChanged || flights.length > 0 || missingSeats.length > 0 || notCompared.length > 0,
    price,
    flights,
    missingSeats,
    notCompared,
  };
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
  const quoted = priceOf(offer);
  const total = amount("total_fare");
  const extras = sumMoney(extraFields.map(amount).filter((money) => money !== null));
  // The document does not say that the total holds the extras; where the parts do not add up with them, they are not taken off.
  const parts = [amount("basefare"), amount("tax_and_surcharges"), extras].filter((money) => money !== null);
  const contained = extras !== null && total !== null && isSame(sumMoney(parts), total) ? extras : null;
  const withoutExtras = total && contained ? subtractMoney(total, contained) : total;
  return {
    quoted,
    booked: total,
    extras,
    difference: withoutExtras && quoted && subtractMoney(withoutExtras, quoted),
    flagged: field(booked, "price_changed") === true,
  };
}

function isSame(a: Money | null, b: Money): boolean {
  return a !== null && compareMoney(a, b) === 0;
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
  if (booked.flight_status !== "Confirmed" && quoted?.flight_status !== booked.flight_status) {
    found.push({ kind: "notConfirmed", index, booked, ...(quoted && { quoted }) });
  }
  return found;
}

function identity({ airline_code, flight_number, origin, destination }: Segment): string {
  return [airline_code, flight_number, origin.airport_code, destination.airport_code].join();
}

function minutesLater(before: string, after: string): number | null {
  if (before === after) return 0;
  const [from, to] = [parseWallClock(before), parseWallClock(after)];
  return from && to && minutesBetween(from, to);
}

function findMissingSeats(booked: unknown, passengers: readonly Passenger[]): MissingSeat[] {
  const noneBooked = field(booked, "seats_booked") === false;
  const assigned = list(field(booked, "passengers")).flatMap((passenger) =>
    list(field(passenger, "seat")).map(seatKey),
  );
  return passengers.flatMap((one, passenger) =>
    choicesOf(one)
      .filter((choice) => noneBooked || !assigned.includes(seatKey(choice)))
      .map((choice) => ({ ...choice, passenger })),
  );
}

/** A booking exists by now: an odd request must not keep it from the caller. */
function choicesOf({ seat }: Passenger): readonly ServiceChoice[] {
  return Array.isArray(seat) ? seat : [];
}

function seatKey(seat: unknown): string {
  return ["code", "origin", "destination"].map((key) => textOf(field(seat, key)).toUpperCase()).join();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
