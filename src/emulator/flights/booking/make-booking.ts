import type * as types from "../../../flights/types/index.ts";
import { indianTime } from "../../../shared/clock.ts";
import { addDecimals, type Decimal, formatDecimal, parseDecimal, shareDecimal } from "../../../shared/decimal.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { ids } from "../../state/ids.ts";

const hour = 3_600_000;
export const notApplicable = "0001-01-01 00:00:00";

/**
 * Returns the booking of a quote for the passengers of a request (§2.8–§2.10).
 *
 * @param n - The number of the booking.
 * @param now - Milliseconds since 1970.
 */
export function makeBooking(
  quoted: QuotedResult,
  params: types.BookParams,
  n: number,
  now: number,
): types.BookingResult {
  const { source, airline_code, last_ticket_date, is_lcc, refundable, coupon_applicable, segments } = quoted;
  const passengers = params.passengers.map((passenger, index, all) =>
    bookedPassenger(quoted, passenger, { all, index }, n),
  );
  const direction = segments.filter(({ trip_indicator }) => trip_indicator === segments[0]?.trip_indicator);
  const ticketUntil = now + (is_lcc ? 2 : 24) * hour;
  return {
    ...{ source, airline_code, is_lcc, coupon_applicable, segments, passengers },
    ...{ price_changed: false, time_changed: false, airline_remark: "Demo booking", credit_note_no: null },
    pnr: ids.pnr(n),
    booking_id: 900_000 + n,
    seats_booked: passengers.some(({ seat }) => seat.length > 0),
    domestic: segments.every(({ origin, destination }) => origin.country_code === destination.country_code),
    origin: `${direction[0]?.origin.airport_code}`,
    destination: `${direction.at(-1)?.destination.airport_code}`,
    last_ticket_date: last_ticket_date === notApplicable ? indianTime(ticketUntil) : last_ticket_date,
    non_refundable: !refundable,
    fare: bookingFare(
      quoted.fare.currency,
      passengers.map(({ fare }) => fare),
    ),
  };
}

interface Party {
  readonly all: readonly types.Passenger[];
  readonly index: number;
}

/** Returns a passenger as booked (§2.9): the echo of the request with a fare, the seats, and the lead's barcodes. */
function bookedPassenger(
  quoted: QuotedResult,
  passenger: types.Passenger,
  party: Party,
  n: number,
): types.BookedPassenger {
  const { title, fname, lname, passenger_type, dob, gender, seat = [] } = passenger;
  const { mobile, email, address, city, country_code, country } = passenger;
  const isLead = party.index === 0;
  return {
    passenger_id: 9_000_000 + n * 10 + party.index,
    barcode_details: isLead ? barcodes(quoted, passenger, n) : { Id: 0, Barcode: [] },
    ...{ title, fname, lname, passenger_type, dob, gender },
    ...{ mobile, email, address, city, country_code, country },
    is_lead_passenger: isLead,
    fare: passengerFare(quoted, passenger, party),
    seat: seat.map((choice) => bookedSeat(choice, quoted)),
  };
}

function barcodes(quoted: QuotedResult, { fname, lname }: types.Passenger, n: number): types.BarcodeDetails {
  const directions = [...new Set(quoted.segments.map(({ trip_indicator }) => trip_indicator))];
  return {
    Id: 900_000 + n * 10,
    Barcode: directions.map((_, index) => ({
      Index: index + 1,
      Format: "PDF417",
      Content: `M1${lname}/${fname} DEMO ONLY`,
      BarCodeInBase64: index === 0 ? null : "REVNTw==",
      JourneyWayType: index + 1,
    })),
  };
}

const seatTypes: Readonly<Record<string, string>> = { A: "Window", C: "Aisle", D: "Aisle", F: "Window" };

function bookedSeat({ code, origin, destination }: types.ServiceChoice, quoted: QuotedResult): types.BookedSeat {
  const leg = quoted.segments.find(
    (segment) => segment.origin.airport_code === origin && segment.destination.airport_code === destination,
  );
  const seat_no = code.replace(/^\d+/, "");
  return {
    code,
    desc: "Demo seat",
    airline_code: leg?.airline_code ?? quoted.airline_code,
    flight_number: leg?.flight_number ?? "",
    craft_type: "DEMO-320",
    row_no: code.slice(0, code.length - seat_no.length),
    seat_no,
    seat_type: seatTypes[seat_no] ?? "Middle",
    price: extraPrices(quoted).seat,
    currency: quoted.fare.currency,
    origin,
    destination,
  };
}

/** The prices of the extras, as the samples have them. */
function extraPrices({ is_lcc }: QuotedResult) {
  return is_lcc ? { seat: 450, baggage: 1_200, meal: 350 } : { seat: 650, baggage: 2_500, meal: 450 };
}

/** Returns the fare of one passenger (§2.10). The fares of all are the quoted fare plus their extras. */
export function passengerFare(quoted: QuotedResult, passenger: types.Passenger, party: Party): types.BookedFare {
  const prices = extraPrices(quoted);
  const { seat = [], baggage = [], meal = [] } = passenger;
  const parts = {
    basefare: baseFare(quoted, passenger.passenger_type, party),
    tax_and_surcharges: shareOf(quoted.fare.tax_and_surcharges, party.all.length, party.index),
    total_baggage_charges: baggage.length * prices.baggage,
    total_meal_charges: meal.length * prices.meal,
    total_seat_charges: seat.length * prices.seat,
    total_special_service_charges: 0,
  };
  return { ...parts, currency: quoted.fare.currency, total_fare: add(Object.values(parts)) };
}

/** Returns the fare of the booking: every amount is the sum over its passengers. */
export function bookingFare(currency: string, fares: readonly types.BookedFare[]): types.BookedFare {
  const sum = (name: Exclude<keyof types.BookedFare, "currency">) => add(fares.map((fare) => fare[name]));
  return {
    currency,
    basefare: sum("basefare"),
    tax_and_surcharges: sum("tax_and_surcharges"),
    total_fare: sum("total_fare"),
    total_baggage_charges: sum("total_baggage_charges"),
    total_meal_charges: sum("total_meal_charges"),
    total_seat_charges: sum("total_seat_charges"),
    total_special_service_charges: sum("total_special_service_charges"),
  };
}

/**
 * Returns the share in the base fare of the type; if the breakdown does not fit the passengers, the share in the total.
 */
function baseFare({ fare, fare_breakdown }: QuotedResult, type: types.PassengerType, { all, index }: Party): number {
  const count = (passengers: readonly types.Passenger[], counted: string) =>
    passengers.filter(({ passenger_type }) => passenger_type === counted).length;
  const fits = fare_breakdown.every((entry) => count(all, entry.passenger_type) === entry.passenger_count);
  const entry = fits ? fare_breakdown.find(({ passenger_type }) => passenger_type === type) : undefined;
  if (entry === undefined) return shareOf(fare.basefare, all.length, index);
  const isAggregate = add(fare_breakdown.map(({ basefare }) => basefare)) === fare.basefare;
  return isAggregate
    ? shareOf(entry.basefare, entry.passenger_count, count(all.slice(0, index), type))
    : entry.basefare;
}

/** Returns one of `count` equal parts in whole hundredths. The first part gets the remainder. */
function shareOf(amount: number, count: number, index: number): number {
  const part = toNumber(shareDecimal(exact(amount), count));
  return index === 0 ? add([amount, ...new Array<number>(count - 1).fill(-part)]) : part;
}

/** Returns the exact sum, without the rounding errors of binary fractions. */
export function add(amounts: readonly number[]): number {
  return toNumber(amounts.map(exact).reduce(addDecimals, zero));
}

const zero: Decimal = { units: 0n, scale: 0 };

/** The amounts of the catalogue are finite. */
function exact(amount: number): Decimal {
  return parseDecimal(amount) ?? zero;
}

function toNumber(decimal: Decimal): number {
  return Number(formatDecimal(decimal));
}
