import type { AreaName } from "../../area.ts";
import type { ApiErrorKind } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { integer, milliseconds, object, type Rules, readOptions, string } from "../../shared/options.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { own, unknownName } from "../names.ts";
import {
  type Caller,
  type CodeAndMessage,
  refusalBody,
  refusalOfKind,
  refusalsByKind,
  retryAfterHeader,
  withFailureStatus,
} from "../service/refusals.ts";
import type { Settings } from "../service/settings.ts";

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

/** A refusal by the service, for `emulator.on()`. Made by {@link refusal}. */
export interface Refusal extends RefusalOptions {
  /** The kind or code that it was made from. */
  readonly reason: ApiErrorKind | number;
  /** Tells it from a body with the same fields. */
  readonly [brand]: true;
}

/** Shared by all copies of this package. */
const brand: unique symbol = Symbol.for("serviceapi.emulator.refusal");

/**
 * Returns a refusal by the service, for `emulator.on()`: a body with the status, code and message that make the client
 * throw the error of that kind, in the style of the operation (§1, §7). A kind without options needs no call: its name
 * is a response too.
 *
 * @param reason - `kind` of the error, such as `"rate_limited"`, or the code of the body, such as `404`.
 * @param options - See {@link RefusalOptions}.
 * @throws {ConfigurationError} for an unknown kind, a code outside 100 to 599, an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { RateLimitError, ServiceApi } from "serviceapi";
 * import { createEmulator, refusal } from "serviceapi/emulator";
 *
 * const emulator = createEmulator();
 * const api = new ServiceApi({ baseUrl: "https://emulator.example", clientId: "c", clientSecret: "s", fetch: emulator.fetch });
 *
 * emulator.on("flights.fareQuote", refusal("rate_limited", { retryAfter: 120_000 }));
 * try {
 *   await api.flights.fareQuote(emulator.seedSearch());
 * } catch (error) {
 *   console.log(RateLimitError.isInstance(error)); // true
 * }
 * ```
 */
export function refusal(reason: ApiErrorKind | number, options: RefusalOptions = {}): Refusal {
  const checked = readOptions("refusal", options, rules);
  const complaint = checkReason(reason);
  if (complaint !== undefined) throw new ConfigurationError(`refusal: ${complaint}.`.replace(/\?\.$/, "?"));
  return Object.freeze({ ...checked, reason, [brand]: true as const });
}

const rules: Rules<RefusalOptions> = {
  message: string,
  httpStatus: integer(200, 599),
  retryAfter: milliseconds(),
  fields: object,
};

const kinds = Object.keys(refusalsByKind) as ApiErrorKind[];

/** Returns why a value is neither a kind of error nor a code; undefined if it is. */
export function checkReason(reason: unknown): string | undefined {
  if (typeof reason === "string") return isKind(reason) ? undefined : unknownName("kind of error", reason, kinds);
  if (typeof reason !== "number") return "the reason must be a kind of error or a code";
  const isCode = Number.isInteger(reason) && reason >= 100 && reason <= 599;
  return isCode ? undefined : "the code must be an integer between 100 and 599";
}

/** Returns whether a name is that of a kind of error. */
export function isKind(name: string): name is ApiErrorKind {
  return own(refusalsByKind, name) !== undefined;
}

/** Returns whether a value was made by {@link refusal}, of this copy of the package or another. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
}

/** Returns whether a body has the options of a refusal and no other fields: `refusal()` was probably forgotten. */
export function resemblesRefusal(body: object): boolean {
  const hasKind = "reason" in body && typeof body.reason === "string" && isKind(body.reason);
  return hasKind && Object.keys(body).every((name) => name === "reason" || Object.hasOwn(rules, name));
}

/** Returns the code and message of a refusal in an area. */
export function codeAndMessage(
  { reason, message }: Pick<Refusal, "reason" | "message">,
  area: AreaName,
): CodeAndMessage {
  const kind = typeof reason === "number" ? kinds.find((name) => refusalsByKind[name].code === reason) : reason;
  const usual = refusalOfKind(kind ?? "unknown", area);
  return { code: typeof reason === "number" ? reason : usual.code, message: message ?? usual.message };
}

/** Returns the response of a refusal to a caller. */
export function refusalResponse(given: Refusal, caller: Caller, settings: Settings): EmulatedResponse {
  const { code, message } = codeAndMessage(given, caller.area);
  const retryAfter = given.retryAfter ?? (code === 429 ? settings.retryAfter : undefined);
  const response = json(
    given.httpStatus ?? (code >= 400 ? code : 200),
    { ...refusalBody(caller, code, message), ...given.fields },
    retryAfter === undefined ? {} : retryAfterHeader(retryAfter),
  );
  return given.httpStatus === undefined ? withFailureStatus(response, settings) : response;
}
