import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { refuseOldRuntime } from "../shared/old-runtime.ts";
import { anyOf, listOf, number, objectWith, oneOf, type Rules, readOptions, string } from "../shared/options.ts";
import { quietly } from "../shared/promises.ts";
import type { SigningMoment, WebhookCheck } from "./auth/check.ts";

/** A delivery as the service would send it. */
export interface SignedDelivery {
  /** The headers, with the proof of each check. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact JSON that was signed. */
  readonly body: string;
}

/** Options of {@link sign}. They need a check that signs; a check uses those that its headers carry. */
export interface SignOptions {
  /** The time of signing, in milliseconds since 1970. @default now */
  readonly now?: number | undefined;
  /** The delivery's identifier, which is also its nonce if the check has one. @default random */
  readonly id?: string | undefined;
}

export const signRules: Rules<SignOptions> = { now: number(0, 8.64e15), id: string };
const check = objectWith("check");

/** A rule for the checks by which a delivery is signed. */
export const schemeRule = anyOf(
  'must be a check, a non-empty list of checks, or "none"',
  oneOf("none"),
  listOf(check),
  check,
);

/**
 * Returns a delivery that passes the given checks, for tests, emulators and test fires. Checks without a signature
 * (`ipAllowList`, `custom`) add nothing.
 *
 * @param event - The event, or its exact JSON text.
 * @param scheme - The check or checks of `auth`, or `"none"`.
 * @param options - See {@link SignOptions}.
 * @throws ConfigurationError for an invalid event or scheme, a check that fails to sign, an unknown option, an invalid
 *   value, an option for a scheme without a check that signs, or a Node that is too old.
 *
 * @example
 * ```ts
 * import { hmac, sign } from "serviceapi/webhooks";
 *
 * const check = hmac({ header: "x-signature", secrets: ["s3cret"] });
 * const { headers, body } = await sign({ status: "DUPLICATE", client_referenceId: "po-1" }, check);
 * await fetch("http://localhost:3000/hook", { method: "POST", headers, body });
 * ```
 */
export async function sign(
  event: object | string,
  scheme: WebhookCheck | readonly WebhookCheck[] | "none",
  options?: SignOptions,
): Promise<SignedDelivery> {
  refuseOldRuntime();
  return signBy("sign", Date.now, event, scheme, options);
}

/** Signs for an `owner` with its own clock. */
export async function signBy(
  owner: string,
  clock: () => number,
  event: object | string,
  scheme: WebhookCheck | readonly WebhookCheck[] | "none",
  options: SignOptions = {},
): Promise<SignedDelivery> {
  const given = readOptions(owner, options, signRules);
  if (typeof event !== "string" && (typeof event !== "object" || event === null)) {
    throw new ConfigurationError(`${owner}: the event must be an object, or its JSON text.`);
  }
  const complaint = schemeRule(scheme, "scheme");
  if (complaint !== undefined) throw new ConfigurationError(`${owner}: the scheme ${complaint}.`);
  const checks: readonly WebhookCheck[] = scheme === "none" ? [] : [scheme].flat();
  const [unused] = Object.keys(given);
  if (unused !== undefined && checks.every((check) => check.sign === undefined)) {
    throw new ConfigurationError(`${owner}: \`${unused}\` has no effect, because no check of the scheme signs.`);
  }
  const { now = clock(), id = crypto.randomUUID() } = given;
  const body = typeof event === "string" ? event : write(owner, event);
  try {
    return await signAt(body, checks, { now, id });
  } catch (error) {
    if (ConfigurationError.isInstance(error)) throw error;
    // Messages of this library only: those of others may quote the secret.
    const reason = ServiceApiError.isInstance(error) ? error.message : "its `sign` threw.";
    throw new ConfigurationError(`${owner}: a check could not sign: ${reason}`);
  }
}

/** Signs a body by checks at a moment. Throws the errors of the checks. */
export async function signAt(
  body: string,
  checks: readonly WebhookCheck[],
  moment: SigningMoment,
): Promise<SignedDelivery> {
  const bytes = new TextEncoder().encode(body);
  const headers: Record<string, string> = { "content-type": "application/json" };
  for (const check of checks) Object.assign(headers, await check.sign?.(bytes, moment));
  return { headers, body };
}

function write(owner: string, event: object): string {
  // It throws for a loop, or a bigint. The runtime's own message quotes the event.
  const body: unknown = quietly(() => JSON.stringify(event));
  if (typeof body === "string") return body;
  throw new ConfigurationError(`${owner}: the event cannot be written as JSON.`);
}
