import { fareBreakdown } from "../../../flights/quote/money.ts";
import type * as types from "../../../flights/types/index.ts";
import { indianTime } from "../../../shared/clock.ts";
import { addDecimals, type Decimal, formatDecimal, parseDecimal, shareDecimal } from "../../../shared/decimal.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { ids } from "../../state/ids.ts";

const hour = 3_600_000;
export const notApplicable = "0001-01-01 00:00:00";

/** Returns the `n`th booking: that of a quote for a party of passengers (§2.8–§2.10). */
export function makeBooking(
  quoted: QuotedResult,
  party: readonly types.Passenger[],
  n: number,
  now: number,
): types.BookingResult {
  const { source, airline_code, last_ticket_date, is_lcc, refundable, coupon_applicable, segments } = quoted;
  const passengers = party.map((_, index) => bookedPassenger(quoted, party, index, n));
  const direction = segments.filter(({ trip_indicator }) => trip_indicator === segments[0]?.trip_indicator);
  return {
    ...{ source, airline_code, is_lcc, coupon_applicable, segments, passengers },
    ...{ price_changed: false, time_changed: false, airline_remark: "Demo booking", credit_note_no: null },
    pnr: ids.pnr(n),
    booking_id: 900_000 + n,
    seats_booked: passengers.some(({ seat }) => seat.length > 0),
    domestic: segments.every(({ origin, destination }) => origin.country_code === destination.country_code),
    origin: `${direction[0]?.origin.airport_code}`,
    destination: `${direction.at(-1)?.destination.airport_code}`,
    last_ticket_date:
      last_ticket_date === notApplicable ? indianTime(now + (is_lcc ? 2 : 24) * hour) : last_ticket_date,
    non_refundable: !refundable,
    fare: sumOf(passengers.map(({ fare }) => fare)),
  };
}

/** Returns a passenger as booked (§2.9): the echo of the request with a fare, the seats, and the lead's barcodes. */
function bookedPassenger(quoted: QuotedResult, party: readonly types.Passenger[], index: number, n: number) {
  const passenger = party[index] as types.Passenger;
  const { title, fname, lname, passenger_type, dob, gender, seat = [] } = passenger;
  const { mobile, email, address, city, country_code, country } = passenger;
  const is_lead_passenger = index === 0;
  const ways = new Set(quoted.segments.map(({ trip_indicator }) => trip_indicator));
  const barcodes = [...ways.keys()].map((_, way) => ({
    ...{ Index: way + 1, Format: "PDF417", Content: `M1${lname}/${fname} DEMO ONLY`, JourneyWayType: way + 1 },
    BarCodeInBase64: way === 0 ? null : "REVNTw==",
  }));
  return {
    passenger_id: 9_000_000 + n * 10 + index,
    barcode_details: is_lead_passenger ? { Id: 900_000 + n * 10, Barcode: barcodes } : { Id: 0, Barcode: [] },
    ...{ title, fname, lname, passenger_type, dob, gender },
    ...{ mobile, email, address, city, country_code, country, is_lead_passenger },
    fare: passengerFare(quoted, party, index),
    seat: seat.map((choice) => bookedSeat(choice, quoted)),
  };
}

const seatTypes: Readonly<Record<string, string>> = { A: "Window", C: "Aisle", D: "Aisle", F: "Window" };

function bookedSeat({ code, origin, destination }: types.ServiceChoice, quoted: QuotedResult): types.BookedSeat {
  const leg = quoted.segments.find(
    (segment) => segment.origin.airport_code === origin && segment.destination.airport_code === destination,
  );
  const [, row_no = "", seat_no = ""] = /^(\d*)(.*)/s.exec(code) ?? [];
  return {
    ...{ code, row_no, seat_no, seat_type: seatTypes[seat_no] ?? "Middle", origin, destination },
    ...{ desc: "Demo seat", craft_type: "DEMO-320", flight_number: leg?.flight_number ?? "" },
    airline_code: leg?.airline_code ?? quoted.airline_code,
    price: extraPrices(quoted).seat,
    currency: quoted.fare.currency,
  };
}

function extraPrices({ is_lcc }: QuotedResult) {
  return is_lcc ? { seat: 450, baggage: 1_200, meal: 350 } : { seat: 650, baggage: 2_500, meal: 450 };
}

/** Returns the fare of one passenger (§2.10). The fares of all are the quoted fare plus their extras. */
function passengerFare(quoted: QuotedResult, party: readonly types.Passenger[], index: number): types.BookedFare {
  const prices = extraPrices(quoted);
  const { seat = [], baggage = [], meal = [] } = party[index] ?? {};
  const { currency, basefare, tax_and_surcharges, total_fare } = quoted.fare;
  // A rule may have given the quote a total that its parts do not add up to.
  const rest = index === 0 ? add([total_fare, -basefare, -tax_and_surcharges]) : 0;
  const parts = {
    basefare: baseFare(quoted, party, index),
    tax_and_surcharges: shareOf(tax_and_surcharges, party.length, index),
    total_baggage_charges: baggage.length * prices.baggage,
    total_meal_charges: meal.length * prices.meal,
    total_seat_charges: seat.length * prices.seat,
    total_special_service_charges: 0,
  };
  return { ...parts, currency, total_fare: add([...Object.values(parts), rest]) };
}

function sumOf(fares: readonly types.BookedFare[]): types.BookedFare {
  const amounts = fares.map(({ currency: _, ...amounts }): Readonly<Record<string, number>> => amounts);
  const sums = Object.keys(amounts[0] ?? {}).map((name) => [name, add(amounts.map((fare) => fare[name] ?? 0))]);
  return { ...fares[0], ...Object.fromEntries(sums) };
}

/** Returns the share in the base fare of the type; in the total, if the breakdown fits neither the passengers nor it. */
function baseFare(quoted: QuotedResult, party: readonly types.Passenger[], index: number): number {
  const { fare, fare_breakdown } = quoted;
  const type = party[index]?.passenger_type;
  const entry = fare_breakdown.find(({ passenger_type }) => passenger_type === type);
  const { reading } = fareBreakdown(quoted);
  if (entry === undefined || reading === "unknown" || !countsMatch(fare_breakdown, party)) {
    return shareOf(fare.basefare, party.length, index);
  }
  if (reading === "perPassenger") return entry.basefare;
  return shareOf(entry.basefare, entry.passenger_count, countOf(party.slice(0, index), type));
}

/** Returns whether the breakdown of a quote is about these passengers, and no others. */
export function countsMatch(breakdown: QuotedResult["fare_breakdown"], party: readonly types.Passenger[]): boolean {
  const expected = breakdown.reduce((sum, { passenger_count }) => sum + passenger_count, 0);
  const fits = breakdown.every((entry) => countOf(party, entry.passenger_type) === entry.passenger_count);
  return fits && expected === party.length;
}

function countOf(party: readonly types.Passenger[], type: string | undefined): number {
  return party.filter(({ passenger_type }) => passenger_type === type).length;
}

/** Returns one of `count` equal parts in whole hundredths. The first part gets the remainder. */
function shareOf(amount: number, count: number, index: number): number {
  const part = toNumber(shareDecimal(exact(amount), count));
  return index === 0 ? add([amount, ...new Array<number>(count - 1).fill(-part)]) : part;
}

export function add(amounts: readonly number[]): number {
  return toNumber(amounts.map(exact).reduce(addDecimals));
}

/** The amounts of the catalogue are finite. */
function exact(amount: number): Decimal {
  return parseDecimal(amount) ?? { units: 0n, scale: 0 };
}

function toNumber(decimal: Decimal): number {
  return Number(formatDecimal(decimal));
}
