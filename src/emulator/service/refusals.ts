import type { AreaName } from "../../options.ts";
import { quoteFailures } from "../catalogue/flights.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";

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

/**
 * Returns a refusal in the style of the caller's area (§1): lower case and `statusCode` for verification, else upper
 * case.
 */
export function refusal(
  { area, clientId }: Caller,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): EmulatedResponse {
  const body =
    area === "verification"
      ? { status: "failed", statusCode: `${status}`, message, clientData: { client_id: clientId } }
      : failure(status, message);
  return json(status, body, headers);
}

/** Returns a refusal of a request that belongs to no area. */
export function plainRefusal(status: number, message: string): EmulatedResponse {
  return json(status, failure(status, message));
}

function failure(status: number, message: string) {
  return { status: "FAILED", status_code: `${status}`, message };
}

/** Returns the header `Retry-After`, in whole seconds. */
export function retryAfterHeader(retryAfter: number): Readonly<Record<string, string>> {
  return { "retry-after": `${Math.ceil(retryAfter / 1_000)}` };
}

/** Returns the refusal of an AI or flight body that breaks rules: the fields, and what is wrong with each. */
export function refuseFields(broken: readonly BrokenRule[]): EmulatedResponse {
  const { status, body } = quoteFailures["failed-with-data-null"];
  const errors: Record<string, string[]> = {};
  for (const { path, message } of broken) errors[path] = [...(errors[path] ?? []), `The ${path} field ${message}.`];
  return json(status, { ...body, errors });
}
