import { ConfigurationError, RequestValidationError } from "../../errors/request.ts";
import { checkOptions, type RequestOptions, requestRules } from "../../options.ts";
import { merge } from "../../shared/objects.ts";
import {
  anyOf,
  anything,
  boolean,
  func,
  group,
  integer,
  listOf,
  milliseconds,
  nonEmptyString,
  object,
  objectWith,
  oneOf,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import { passengerLimitRules } from "../passengers/index.ts";
import { type Money, readMoney } from "../quote/money.ts";
import { timeZone } from "../quote/times.ts";
import type { Passenger } from "../types/index.ts";
import type {
  CheckoutBookRequest,
  CheckoutFeeQuery,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
} from "./types.ts";

const day = 86_400_000;
export const paramRules: Rules<CheckoutParams> = { trace_id: nonEmptyString, token: nonEmptyString };
export const optionRules: Rules<CheckoutOptions> = {
  journal: objectWith("conflict", "claim", "settle", "find", "get", "pending"),
  deadlineZone: timeZone,
  sessionLifetime: milliseconds(),
  limits: group(passengerLimitRules),
  now: func,
};
export const validateRules: Rules<CheckoutValidateOptions> = {
  offerIndex: integer(0),
  acceptIssues: listOf(nonEmptyString, 0),
  extraBody: object,
};
// The query itself is checked by `fees`.
export const feeRules: Rules<CheckoutFeeQuery> = {
  offerIndex: integer(0),
  type: anything,
  at: anything,
  zone: anything,
  passengers: anything,
};
const bookRules: Rules<CheckoutBookRequest> = {
  passengers: listOf(object, 0),
  offerIndex: integer(0),
  maxTotal: object,
  requoteIfOlderThan: anyOf(
    `must be a number of milliseconds between 0 and ${day} (a day), or Infinity`,
    milliseconds(0, day),
    oneOf(Number.POSITIVE_INFINITY),
  ),
  acceptIssues: listOf(nonEmptyString, 0),
  agreedQuote: quote,
  allowDuplicate: boolean,
  clientReferenceId: nonEmptyString,
};

/** Checks the request and returns a copy: the caller may change the passengers while a quote is requested. */
export function readBookRequest(request: CheckoutBookRequest): CheckoutBookRequest {
  const given = Object(request);
  // A limit that is undefined by mistake must not count as no limit.
  const guards = ["maxTotal", "agreedQuote"] as const;
  const name = guards.find((one) => Object.hasOwn(given, one) && given[one] === undefined);
  if (name !== undefined) {
    throw new ConfigurationError(
      `trip.book: \`${name}\` is undefined. Pass its value, or leave it out to book without this check. Nothing was sent.`,
    );
  }
  const checked = readOptions("trip.book", request, bookRules, ["passengers"]);
  return { ...checked, passengers: jsonCopy("passengers", checked.passengers) };
}

/** Refuses passengers that are not a list of objects. The passenger checks look at their fields. */
export function checkPassengers(passengers: unknown): void {
  const complaint = listOf(object, 0)(passengers, "passengers");
  if (complaint !== undefined) throw new ConfigurationError(`trip.validate: \`passengers\` ${complaint}.`);
}

/** Fields of the journal row, which must be what is sent. */
const reserved = ["client_referenceId", "trace_id", "token", "result"];

/** Checks the options of the booking call and returns a copy: an `extraBody` may hold passengers too. */
export function readBookOptions(options: RequestOptions): RequestOptions {
  const checked = checkOptions("trip.book", options, requestRules);
  if (checked.extraBody === undefined) return checked;
  const extraBody = jsonCopy("extraBody", checked.extraBody);
  const field = reserved.find((name) => name in extraBody);
  if (field === undefined) return { ...checked, extraBody };
  throw new ConfigurationError(
    `trip.book: \`extraBody\` cannot set "${field}": the journal would record another booking than the one that is sent. Pass ${field === "client_referenceId" ? "`clientReferenceId` in the request" : "it to the checkout"}.`,
  );
}

function quote(value: unknown): string | undefined {
  const isQuote = Array.isArray(Object(Object(value).data).result);
  return isQuote ? undefined : "must be a fare quote, such as `error.quote` or `trip.shown.body`";
}

/** Returns the passengers that are sent: `extraBody` takes precedence. */
export function peopleSent(passengers: readonly Passenger[], extraBody: object | undefined): unknown {
  const extra: unknown =
    extraBody === undefined ? undefined : Object.getOwnPropertyDescriptor(extraBody, "passengers")?.value;
  return extra === undefined ? passengers : merge(passengers, extra);
}

function jsonCopy<Value extends object>(name: string, value: Value): Value {
  try {
    const copy = JSON.parse(JSON.stringify(value));
    if (typeof copy === "object" && copy !== null && Array.isArray(copy) === Array.isArray(value)) return copy;
  } catch {
    // The message of the runtime quotes the fields.
  }
  const message =
    "cannot be serialized as JSON: it has a circular reference or a BigInt, or its toJSON returns another type";
  throw new RequestValidationError({
    message: `trip.book: \`${name}\` ${message}. Nothing was sent.`,
    operation: "flights.book",
    issues: [{ path: [name], message, code: "not_json" }],
  });
}

/** Returns the limit as exact money, checked before any request. */
export function readLimit(maxTotal: unknown): Money | undefined {
  if (maxTotal === undefined) return undefined;
  const given = Object(maxTotal);
  const limit = Array.isArray(given) ? null : readMoney(given.amount, given.currency);
  if (limit !== null && !limit.amount.startsWith("-")) return limit;
  throw new ConfigurationError(
    '`maxTotal` must be a decimal amount of at least 0 with its currency, such as { amount: "7600.00", currency: "INR" }.',
  );
}
