import type { BookedFare, FareBreakdownEntry, Passenger, PassengerType, QuotedFare } from "../flights/types.ts";

/** What a passenger's extras cost in a quote's currency, apiece. */
export interface ExtraPrices {
  readonly seat: number;
  readonly baggage: number;
  readonly meal: number;
}

/** Extras as the samples price them. */
export const extraPrices = (isLowCost: boolean): ExtraPrices =>
  isLowCost ? { seat: 450, baggage: 1_200, meal: 350 } : { seat: 650, baggage: 2_500, meal: 450 };

/** The fare of each passenger (§2.10); together they are the quote's, and their extras on top. */
export function passengerFares(
  fare: QuotedFare,
  breakdown: readonly FareBreakdownEntry[],
  passengers: readonly Passenger[],
  prices: ExtraPrices,
): readonly BookedFare[] {
  const base = baseFares(fare, breakdown, passengers);
  const tax = share(fare.tax_and_surcharges, passengers.length);
  return passengers.map((passenger, index) => {
    const basefare = base[index] ?? 0;
    const tax_and_surcharges = tax[index] ?? 0;
    const total_baggage_charges = (passenger.baggage?.length ?? 0) * prices.baggage;
    const total_meal_charges = (passenger.meal?.length ?? 0) * prices.meal;
    const total_seat_charges = (passenger.seat?.length ?? 0) * prices.seat;
    return {
      currency: fare.currency,
      basefare,
      tax_and_surcharges,
      total_fare: add([basefare, tax_and_surcharges, total_baggage_charges, total_meal_charges, total_seat_charges]),
      total_baggage_charges,
      total_meal_charges,
      total_seat_charges,
      total_special_service_charges: 0,
    };
  });
}

/** The fare of the booking: every amount is the sum over its passengers. */
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

/** Each type's part of the base fare, shared among its passengers; evenly where the breakdown does not fit them. */
function baseFares(
  fare: QuotedFare,
  breakdown: readonly FareBreakdownEntry[],
  passengers: readonly Passenger[],
): readonly number[] {
  const isAggregate = add(breakdown.map(({ basefare }) => basefare)) === fare.basefare;
  const parts = new Map<PassengerType | (string & {}), number[]>();
  for (const { passenger_type, passenger_count, basefare } of breakdown) {
    const whole = isAggregate ? basefare : basefare * passenger_count;
    parts.set(passenger_type, share(whole, passenger_count));
  }
  const even = share(fare.basefare, passengers.length);
  const fits = breakdown.every(
    ({ passenger_type, passenger_count }) =>
      passengers.filter((passenger) => passenger.passenger_type === passenger_type).length === passenger_count,
  );
  return passengers.map(({ passenger_type }, index) => (fits ? parts.get(passenger_type)?.shift() : even[index]) ?? 0);
}

/** An amount in parts of whole hundredths; what does not divide goes to the first. */
function share(amount: number, count: number): number[] {
  const part = Math.floor((amount * 100) / count) / 100;
  const rest = new Array<number>(Math.max(0, count - 1)).fill(part);
  return [add([amount, ...rest.map((value) => -value)]), ...rest];
}

/** A sum without the noise of binary fractions: it has as many decimals as the longest of its amounts. */
function add(amounts: readonly number[]): number {
  const decimals = Math.max(0, ...amounts.map((amount) => `${amount}`.split(".")[1]?.length ?? 0));
  return Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(decimals));
}
