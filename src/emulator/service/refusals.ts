import type { AreaName } from "../../area.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { refusalsByKind } from "./kinds.ts";
import { failure, styleOf } from "./styles.ts";

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
export function refuseAs(
  kind: keyof typeof refusalsByKind,
  caller: Caller,
  headers?: Readonly<Record<string, string>>,
): EmulatedResponse {
  const { code, message } = refusalsByKind[kind];
  return refuse(caller, code, message, headers);
}

/** Returns the body of a refusal in the style of the caller's area. */
export function refusalBody({ area, clientId }: Caller, code: number, message: string): object {
  return styleOf(area).failure(code, message, clientId);
}

/** Returns a refusal of a request that belongs to no area. */
export function plainRefusal(status: number, message: string): EmulatedResponse {
  return json(status, failure(status, message));
}

/**
 * Returns the refusal of a path that belongs to no operation.
 *
 * @param misplaced - The operation whose path it ends with.
 */
export function unknownPath(path: string, misplaced?: { readonly name: string; readonly path: string }) {
  const hint =
    misplaced === undefined
      ? "For an operation of your own, call emulator.script(operation, response) first."
      : `${misplaced.name} is at ${misplaced.path}. Compare \`baseUrl\` and \`pathPrefixes\`.`;
  // As a gateway would: neither a status nor a code of the service.
  return json(404, { error: `The emulator has no operation at ${path}. ${hint}` });
}

/**
 * The HTTP status of what the emulator itself has to say to the person who writes the test. RFC 9110 assigns it no
 * meaning, so no test expects it and no client retries it.
 */
const emulatorStatus = 418;

/** Returns a message to the person who writes the test. */
export function complaint(message: string): EmulatedResponse {
  return json(emulatorStatus, failure(emulatorStatus, message));
}

/** Returns the response to a request of the user's own operation that no script is left for. */
export function unscripted(name: string): EmulatedResponse {
  return complaint(`The emulator has no script for ${name}. Pass one: emulator.script(operation, response).`);
}

/** Returns the header `Retry-After`, in whole seconds. */
export function retryAfterHeader(retryAfter: number): Readonly<Record<string, string>> {
  return { "retry-after": `${Math.ceil(retryAfter / 1_000)}` };
}
