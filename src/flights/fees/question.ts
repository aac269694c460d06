import { isObject } from "../../shared/json.ts";
import { anyOf, func, nonEmptyString, type Rule, type Rules, readOptions } from "../../shared/options.ts";
import { timeZone, type WallClockTime } from "../quote/times.ts";
import type { PassengerType } from "../types/index.ts";
import type { FeeType } from "./rules.ts";

/** What is asked of `fees`. */
export interface FeeQuestion {
  /** `Cancellation` or `Reissue`. */
  readonly type: FeeType;
  /**
   * When it is changed or cancelled: what the clock on the wall of the first departure airport shows (`YYYY-MM-DD HH:mm:ss`), or
   * an instant, which needs `zone`. `timeOrNull` and `wallClockIn` return such a time.
   */
  readonly at: WallClockTime | Date;
  /**
   * For an instant: a function from airport code to time zone, or the time zone of the first departure airport
   * (`Asia/Kolkata`). A journey that begins in another time zone is then `unknownTime`, unless the fee is the same in all.
   */
  readonly zone?: string | ((airportCode: string) => string | undefined) | undefined;
  /** Who: passengers, or how many of each type. @default those of the quote's `fare_breakdown` */
  readonly passengers?: readonly { readonly passenger_type: PassengerType }[] | PassengerCounts | undefined;
}

/** How many of each type. */
export type PassengerCounts = Readonly<Partial<Record<PassengerType | (string & {}), number>>>;

const isDate: Rule = (value) => (value instanceof Date ? undefined : "must be a Date");

const rules: Rules<FeeQuestion> = {
  type: nonEmptyString,
  at: anyOf("must be a wall-clock time such as 2027-02-10 06:15:00, or a Date", nonEmptyString, isDate),
  zone: anyOf("must be a time zone that the runtime knows, such as Asia/Kolkata, or a function", timeZone, func),
  passengers: anyOf(
    "must be a non-empty list of passengers, or how many of each type, such as { adult: 2 }",
    isPassengerList,
    isCounts,
  ),
};

/** Checks a question where it is asked. */
export function readQuestion(question: unknown): FeeQuestion {
  return readOptions<FeeQuestion>("fees", question, rules, ["type", "at"]);
}

function isPassengerList(value: unknown): string | undefined {
  const isPassenger = (one: unknown) =>
    typeof one === "object" && one !== null && typeof Reflect.get(one, "passenger_type") === "string";
  return Array.isArray(value) && value.length > 0 && Array.from(value).every(isPassenger)
    ? undefined
    : "must be passengers";
}

function isCounts(value: unknown): string | undefined {
  const isCount = (count: unknown) => count === undefined || (Number.isSafeInteger(count) && Number(count) >= 0);
  return isObject(value) && Object.values(value).every(isCount) ? undefined : "must be counts";
}
