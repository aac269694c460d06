import type { BookedFare, Passenger, PassengerType } from "../../../flights/types/index.ts";
import { addDecimals, type Decimal, formatDecimal, parseDecimal, shareDecimal } from "../../../shared/decimal.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";

/** Returns the price of each extra, as the samples have them. */
export function extraPrices({ is_lcc }: QuotedResult) {
  return is_lcc ? { seat: 450, baggage: 1_200, meal: 350 } : { seat: 650, baggage: 2_500, meal: 450 };
}

/** The passengers who travel together, and the index of one of them. */
export interface Party {
  readonly all: readonly Passenger[];
  readonly index: number;
}

/** Returns the fare of one passenger (§2.10). The fares of all are the quoted fare plus their extras. */
export function passengerFare(quoted: QuotedResult, passenger: Passenger, party: Party): BookedFare {
  const prices = extraPrices(quoted);
  const { seat = [], baggage = [], meal = [] } = passenger;
  const basefare = baseFare(quoted, passenger.passenger_type, party);
  const tax_and_surcharges = shareOf(quoted.fare.tax_and_surcharges, party.all.length, party.index);
  const total_baggage_charges = baggage.length * prices.baggage;
  const total_meal_charges = meal.length * prices.meal;
  const total_seat_charges = seat.length * prices.seat;
  return {
    currency: quoted.fare.currency,
    basefare,
    tax_and_surcharges,
    total_fare: add([basefare, tax_and_surcharges, total_baggage_charges, total_meal_charges, total_seat_charges]),
    total_baggage_charges,
    total_meal_charges,
    total_seat_charges,
    total_special_service_charges: 0,
  };
}

/** Returns the fare of the booking: every amount is the sum over its passengers. */
export function bookingFare(currency: string, fares: readonly BookedFare[]): BookedFare {
  const sum = (field: Exclude<keyof BookedFare, "currency">) => add(fares.map((fare) => fare[field]));
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
function baseFare({ fare, fare_breakdown }: QuotedResult, type: PassengerType, { all, index }: Party): number {
  const count = (passengers: readonly Passenger[], counted: string) =>
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
