import type { AreaName } from "../../area.ts";
import type { ApiErrorKind } from "../../errors/base.ts";
import { field, parseJson } from "../../shared/json.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import type { Settings } from "./settings.ts";

/** The caller that a refusal is for. */
export interface Caller {
  readonly area: AreaName;
  /** The header `client-id`, which verification echoes (§7.1). */
  readonly clientId: string;
}

/** One broken rule of an operation's `params`. */
export interface BrokenRule {
  /** Dot path of the field, such as `passengers.0.dob`. */
  readonly path: string;
  readonly message: string;
}

/** The code and message of a refusal. */
export interface CodeAndMessage {
  readonly code: number;
  readonly message: string;
}

/** Code and message of a refusal of each kind, as the emulator writes them wherever it refuses. */
export const refusalsByKind: Readonly<Record<ApiErrorKind, CodeAndMessage>> = {
  authentication: { code: 401, message: "Authentication failed." },
  permission: { code: 403, message: "IP address is not registered." },
  not_found: { code: 404, message: "Not found." },
  invalid: { code: 400, message: "Invalid request." },
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

/** The two messages of verification that §7.1 shows. */
const verificationMessages: Partial<Record<ApiErrorKind, string>> = {
  not_found: "No UPI ID found linked to the mobile number",
  invalid: "Invalid mobile number format",
};

/** Returns the code and message of a refusal of a kind in an area. */
export function refusalOfKind(kind: ApiErrorKind, area: AreaName): CodeAndMessage {
  const usual = refusalsByKind[kind];
  return { ...usual, message: (area === "verification" ? verificationMessages[kind] : undefined) ?? usual.message };
}

/** Returns the envelope of a success in the style of an area (§1): that of verification, or that of all others. */
export function successEnvelope(area: AreaName): object {
  return area === "verification"
    ? { status: "success", statusCode: "101", message: "" }
    : { status: "SUCCESS", status_code: "200", message: "" };
}

/** Returns the body of a refusal in the style of the caller's area. Verification echoes the header `client-id` (§7.1). */
export function refusalBody({ area, clientId }: Caller, code: number, message: string): object {
  if (area !== "verification") return failure(code, message);
  return { status: "failed", statusCode: `${code}`, message, clientData: { client_id: clientId } };
}

/** Returns the body of a refusal in upper case. */
export function failure(code: number, message: string): object {
  return { status: "FAILED", status_code: `${code}`, message };
}

/** Returns a refusal whose HTTP status is its code. */
export function refuse(
  caller: Caller,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): EmulatedResponse {
  return json(status, refusalBody(caller, status, message), headers);
}

/** Returns the refusal of a kind, with its usual message. */
export function refuseAs(kind: ApiErrorKind, caller: Caller): EmulatedResponse {
  const { code, message } = refusalOfKind(kind, caller.area);
  return refuse(caller, code, message);
}

/** Returns a refusal of a request that belongs to no area. */
export function plainRefusal(status: number, message: string): EmulatedResponse {
  return json(status, failure(status, message));
}

/** Returns the refusal of a body that breaks rules: in one sentence for verification, else by its fields. */
export function refuseFields(broken: readonly BrokenRule[], caller: Caller): EmulatedResponse {
  if (caller.area === "verification") {
    return refuse(caller, 400, broken.map(({ path, message }) => `${path} ${forService(message)}`).join("; "));
  }
  const errors: Record<string, string[]> = {};
  for (const { path, message } of broken) {
    errors[path] = [...(errors[path] ?? []), `The ${path} field ${forService(message)}.`];
  }
  return json(422, { ...failure(400, "Validation failed"), data: null, errors });
}

/** After a semicolon the client's schema says what to do in the client. A service would not know it. */
function forService(message: string): string {
  return message.replace(/;.*/s, "");
}

/**
 * Returns the refusal of a path that belongs to no operation.
 *
 * @param misplaced - The operation whose path it ends with.
 */
export function unknownPath(path: string, misplaced?: { readonly name: string; readonly path: string }) {
  const hint =
    misplaced === undefined
      ? "For an operation of your own, call emulator.on(operation, response) first."
      : `${misplaced.name} is at ${misplaced.path}. Compare \`baseUrl\` and \`pathPrefixes\`.`;
  // As a gateway would: neither a status nor a code of the service.
  return json(404, { error: `The emulator has no operation at ${path}. ${hint}` });
}

/**
 * Returns a message to the person who writes the test. RFC 9110 assigns its HTTP status no meaning, so no test expects
 * it and no client retries it.
 */
export function complaint(message: string): EmulatedResponse {
  return plainRefusal(418, message);
}

/** Returns the header `Retry-After`, in whole seconds. */
export function retryAfterHeader(retryAfter: number): Readonly<Record<string, string>> {
  return { "retry-after": `${Math.ceil(retryAfter / 1_000)}` };
}

/** Applies the option `failureStatus`. A success keeps its status, which is 200. */
export function withFailureStatus(
  response: EmulatedResponse,
  { failureStatus }: Pick<Settings, "failureStatus">,
): EmulatedResponse {
  if (failureStatus === undefined) return response;
  return { ...response, status: failureStatus === 200 ? 200 : (failureCode(response) ?? response.status) };
}

/** Returns the status code in the body of a refusal, in the style of either area (§1). */
function failureCode({ body }: EmulatedResponse): number | undefined {
  if (typeof body !== "string") return undefined;
  const parsed = parseJson(body);
  const status = field(parsed, "status");
  if (typeof status === "string" && status.toUpperCase() === "SUCCESS") return undefined;
  const code = Number(field(parsed, "status_code") ?? field(parsed, "statusCode"));
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : undefined;
}
