import type { AreaName } from "../../area.ts";
import type { ApiErrorKind } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { integer, milliseconds, object, type Rules, readOptions, string } from "../../shared/options.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { namesIn, own, unknownName } from "../names.ts";
import type { Settings } from "../options.ts";

interface UsualRefusal {
  readonly code: number;
  readonly message: string;
  /** One of the two messages of verification that §7.1 shows. */
  readonly ofVerification?: string;
}

/** Code and message of a refusal of each kind, as the emulator writes them wherever it refuses. */
export const refusalsByKind: Readonly<Record<ApiErrorKind, UsualRefusal>> = {
  authentication: { code: 401, message: "Authentication failed." },
  permission: { code: 403, message: "IP address is not registered." },
  not_found: { code: 404, message: "Not found.", ofVerification: "No UPI ID found linked to the mobile number" },
  invalid: { code: 400, message: "The request body is invalid.", ofVerification: "Invalid mobile number format" },
  session_expired: { code: 400, message: "Invalid or expired token" },
  offer_unavailable: { code: 400, message: "Flight no longer available" },
  trace_mismatch: { code: 400, message: "trace_id does not match" },
  duplicate: { code: 409, message: "Booking already confirmed with the same criteria." },
  in_progress: { code: 202, message: "Booking is in progress." },
  insufficient_balance: { code: 402, message: "Insufficient balance." },
  rate_limited: { code: 429, message: "Too many requests" },
  unavailable: { code: 503, message: "Service temporarily unavailable." },
  // A code that nothing documents.
  unknown: { code: 460, message: "The request was refused." },
};

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

const kinds = namesIn(refusalsByKind);

/** Returns why a value is neither a kind of error nor a code; undefined if it is. */
export function checkReason(reason: unknown): string | undefined {
  if (typeof reason === "string") return isKind(reason) ? undefined : unknownName("kind of error", reason, kinds);
  if (typeof reason !== "number") return "the reason must be a kind of error or a code";
  const isCode = Number.isInteger(reason) && reason >= 100 && reason <= 599;
  return isCode ? undefined : "the code must be an integer between 100 and 599";
}

export function isKind(name: string): name is ApiErrorKind {
  return own(refusalsByKind, name) !== undefined;
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
}

/** Returns whether a body has the options of a refusal and no other fields: `refusal()` was probably forgotten. */
export function resemblesRefusal(body: object): boolean {
  const hasKind = "reason" in body && typeof body.reason === "string" && isKind(body.reason);
  return hasKind && Object.keys(body).every((name) => name === "reason" || Object.hasOwn(rules, name));
}

export interface Caller {
  readonly area: AreaName;
  /** `client_id` of the body, or the header `client-id`: verification echoes it (§7.1). */
  readonly clientId: string;
}

/** Thrown where the service refuses a request. {@link refusalResponse} writes it. */
export interface Refused extends Refusal {
  /** The HTTP status without `failureStatus`. @default the code if it is 400 or above, else 200 */
  readonly usualStatus?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refuse(reason: ApiErrorKind | number, message?: string, more: Partial<Refused> = {}): Refused {
  return { reason, message, ...more, [brand]: true };
}

/** Returns the refusal of a request in the style of the caller's area (§1, §7). Throws any other error. */
export function refusalResponse(error: unknown, caller: Caller, settings: Settings): EmulatedResponse {
  if (!isRefusal(error)) throw error;
  const { code, message } = codeAndMessage(error, caller.area);
  const { usualStatus = code >= 400 ? code : 200, fields, headers }: Partial<Refused> = error;
  const { failureStatus } = settings;
  const status = failureStatus === 200 ? 200 : failureStatus === "asCode" && code >= 400 ? code : usualStatus;
  const retryAfter = error.retryAfter ?? (code === 429 ? settings.retryAfter : undefined);
  const seconds = retryAfter === undefined ? {} : { "retry-after": `${Math.ceil(retryAfter / 1_000)}` };
  const body = { ...refusalBody(code, message, caller), ...fields };
  return json(error.httpStatus ?? status, body, { ...headers, ...seconds });
}

export function codeAndMessage({ reason, message }: Pick<Refusal, "reason" | "message">, area: AreaName) {
  const kind = typeof reason === "number" ? kinds.find((name) => refusalsByKind[name].code === reason) : reason;
  const usual = refusalsByKind[kind ?? "unknown"];
  const documented = area === "verification" ? usual.ofVerification : undefined;
  const code = typeof reason === "number" ? reason : usual.code;
  return { code, message: message ?? documented ?? usual.message };
}

/** Returns the envelope of a success in the style of an area (§1): that of verification, or that of all others. */
export function successEnvelope(area: AreaName): object {
  if (area === "verification") return { status: "success", statusCode: "101", message: "" };
  return { status: "SUCCESS", status_code: "200", message: "" };
}

/** Returns the body of a refusal; without a caller, for a request that belongs to no area. */
export function refusalBody(code: number, message: string, caller?: Caller): object {
  if (caller?.area !== "verification") return { status: "FAILED", status_code: `${code}`, message };
  return { status: "failed", statusCode: `${code}`, message, clientData: { client_id: caller.clientId } };
}

export interface BrokenRule {
  /** Dot path of the field, such as `passengers.0.dob`. */
  readonly path: string;
  readonly message: string;
}

/** Refuses a body that breaks rules: in one sentence for verification, else by its fields. */
export function refuseFields(broken: readonly BrokenRule[], { area }: Caller): Refused {
  if (area === "verification") {
    return refuse(400, broken.map(({ path, message }) => `${path} ${forService(message)}`).join("; "));
  }
  const errors: Record<string, string[]> = {};
  for (const { path, message } of broken) {
    errors[path] = [...(errors[path] ?? []), `The ${path} field ${forService(message)}.`];
  }
  return refuse(400, "Validation failed", { usualStatus: 422, fields: { data: null, errors } });
}

/** After a semicolon the client's schema says what to do in the client. A service would not know it. */
function forService(message: string): string {
  return message.replace(/;.*/s, "");
}

/** A message to who writes the test. RFC 9110 gives 418 no meaning: no test expects it, no client retries it. */
export function complaint(message: string): Refused {
  return refuse(418, message);
}
