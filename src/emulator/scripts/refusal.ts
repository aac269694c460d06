import type { AreaName } from "../../area.ts";
import type { ApiErrorKind } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { integer, milliseconds, object, type Rules, readOptions, string } from "../../shared/options.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { own, unknownName } from "../names.ts";
import { type CodeAndMessage, refusalsByKind } from "../service/kinds.ts";
import { type Caller, refusalBody, retryAfterHeader } from "../service/refusals.ts";
import { styleOf } from "../service/styles.ts";

/** Options of {@link refusal}. */
export interface RefusalOptions {
  /** `message` of the body. @default that of the document, or of the emulator's own refusals */
  readonly message?: string | undefined;
  /** The HTTP status. @default the code if it is 400 or above, else 200; `failureStatus` applies */
  readonly httpStatus?: number | undefined;
  /** Milliseconds of the header `Retry-After`. @default that of the emulator for 429, else no header */
  readonly retryAfter?: number | undefined;
  /** Further fields of the body, such as `errors`. @default none */
  readonly fields?: object | undefined;
}

/** A refusal by the service, for `emulator.script()`. Made by {@link refusal}. */
export interface Refusal extends RefusalOptions {
  /** The kind or code that it was made from. */
  readonly reason: ApiErrorKind | number;
  /** Tells it from a body with the same fields. */
  readonly [brand]: true;
}

/** Shared by all copies of this package. */
const brand: unique symbol = Symbol.for("serviceapi.emulator.refusal");

/** Options of the {@link refusal} that ends a stream. Its last event has a code and a message. */
export interface StreamRefusalOptions extends Pick<RefusalOptions, "message"> {
  /** An event has no HTTP status. */
  readonly httpStatus?: undefined;
  /** An event has no headers. */
  readonly retryAfter?: undefined;
  /** The event has no further fields. */
  readonly fields?: undefined;
}

/** A refusal that can also end a stream. Made by {@link refusal}. */
export interface StreamRefusal extends Refusal, StreamRefusalOptions {
  readonly message?: string | undefined;
  readonly httpStatus?: undefined;
  readonly retryAfter?: undefined;
  readonly fields?: undefined;
}

/**
 * Returns a refusal by the service, for `emulator.script()`: a body with the status, code and message that make the
 * client throw the error of that kind, in the style of the operation (§1, §7).
 *
 * @param reason - `kind` of the error, such as `"rate_limited"`, or the code of the body, such as `404`.
 * @param options - See {@link RefusalOptions}.
 * @throws {ConfigurationError} for an unknown kind, a code outside 100 to 599, an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { OfferUnavailableError, ServiceApi } from "serviceapi";
 * import { createEmulator, refusal } from "serviceapi/emulator";
 *
 * const emulator = createEmulator();
 * const api = new ServiceApi({ baseUrl: "https://emulator.example", clientId: "c", clientSecret: "s", fetch: emulator.fetch });
 *
 * emulator.script("flights.fareQuote", refusal("offer_unavailable"));
 * try {
 *   await api.flights.fareQuote(emulator.seedSearch());
 * } catch (error) {
 *   console.log(OfferUnavailableError.isInstance(error)); // true
 * }
 * ```
 */
export function refusal(reason: ApiErrorKind | number, options?: StreamRefusalOptions): StreamRefusal;
export function refusal(reason: ApiErrorKind | number, options?: RefusalOptions): Refusal;
export function refusal(reason: ApiErrorKind | number, options: RefusalOptions = {}): Refusal {
  const checked = readOptions("refusal", options, rules);
  checkReason(reason);
  return Object.freeze({ ...checked, reason, [brand]: true as const });
}

const rules: Rules<RefusalOptions> = {
  message: string,
  httpStatus: integer(200, 599),
  retryAfter: milliseconds(),
  fields: object,
};

function checkReason(reason: unknown): void {
  if (typeof reason === "string") {
    if (own(refusalsByKind, reason) !== undefined) return;
    throw new ConfigurationError(`refusal: ${unknownName("kind of error", reason, kinds)}`);
  }
  if (typeof reason !== "number")
    throw new ConfigurationError("refusal: the reason must be a kind of error or a code.");
  if (!isCode(reason)) throw new ConfigurationError("refusal: the code must be an integer between 100 and 599.");
}

function isCode(value: number): boolean {
  return Number.isInteger(value) && value >= 100 && value <= 599;
}

/** Returns whether a value was made by {@link refusal}, of this copy of the package or another. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
}

/** Returns whether a body has the options of a refusal and no other fields: `refusal()` was probably forgotten. */
export function resemblesRefusal(body: object): boolean {
  const isKind = "reason" in body && typeof body.reason === "string" && own(refusalsByKind, body.reason) !== undefined;
  return isKind && Object.keys(body).every((name) => name === "reason" || Object.hasOwn(rules, name));
}

/** Returns the code and message of a refusal in an area. */
export function codeAndMessage({ reason, message }: Refusal, area: AreaName): CodeAndMessage {
  const kind = typeof reason === "number" ? kinds.find((name) => refusalsByKind[name].code === reason) : reason;
  const usual = refusalsByKind[kind ?? "unknown"];
  const own = kind === undefined ? undefined : styleOf(area).messages[kind];
  return { code: typeof reason === "number" ? reason : usual.code, message: message ?? own ?? usual.message };
}

const kinds = Object.keys(refusalsByKind) as ApiErrorKind[];

/** Returns the response of a refusal to a caller. */
export function refusalResponse(given: Refusal, caller: Caller, defaultRetryAfter: number): EmulatedResponse {
  const { code, message } = codeAndMessage(given, caller.area);
  const retryAfter = given.retryAfter ?? (code === 429 ? defaultRetryAfter : undefined);
  return json(
    given.httpStatus ?? (code >= 400 ? code : 200),
    { ...refusalBody(caller, code, message), ...given.fields },
    retryAfter === undefined ? {} : retryAfterHeader(retryAfter),
  );
}
