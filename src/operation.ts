import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue, ServiceApiError } from "./errors/base.ts";
import type { ClientOptions } from "./options.ts";

/** The three groups of paths that can be prefixed on their own (`pathPrefixes`). */
export type Area = "verification" | "ai" | "flight";

/**
 * When a call may be repeated by itself (docs/assumptions.md, D5, D7 and D8).
 *
 * - `safe`: repeating does no harm.
 * - `ifNotProcessed`: only where the request was certainly not worked on.
 * - `never`: it is sent once.
 */
export type RetryClass = "safe" | "ifNotProcessed" | "never";

/** What the library puts into the body where the caller did not. */
export type Fill = "client_referenceId" | "clientData";

/** What is known of a call when an operation explains its failure. */
export interface SentCall {
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** When the request was first handed to `fetch`: milliseconds since 1970. */
  readonly sentAt: number;
}

/** What {@link defineOperation} takes. */
export interface OperationDefinition<Params extends object, Body> {
  /** The name in logs and errors, such as `flights.fareQuote`. */
  readonly name: string;
  /** Which of `pathPrefixes` stands before the path. */
  readonly area: Area;
  /** The path below the base address and the area's prefix, such as `flight/fare_quote`. */
  readonly path: string;
  /** What is sent, as any Standard Schema (zod, valibot, arktype). It checks and never transforms. */
  readonly params: StandardSchemaV1<Params>;
  /** What comes back, as any Standard Schema. It checks and never transforms. */
  readonly body: StandardSchemaV1<Body>;
  /**
   * What a caller comes for: dot paths in which `[]` means each element and `a|b` either.
   * An answer that breaks its schema there is refused; elsewhere it is reported as a warning (docs/assumptions.md, A4).
   *
   * @default [] (nothing is refused)
   */
  readonly essential?: readonly string[];
  /** Whether a failed call may be repeated. @default "never" */
  readonly retry?: RetryClass;
  /**
   * Milliseconds for one attempt, headers and body.
   *
   * @default 60_000
   */
  readonly timeout?: number;
  /** What is filled in if the caller leaves it out. @default ["client_referenceId"] */
  readonly fills?: readonly Fill[];
  /** Tidies the params before they are checked. */
  readonly normalize?: (params: Params, options: ClientOptions) => Params;
  /** Rules of the request that depend on the client's options, besides those of `params`. */
  readonly rules?: (params: Params, options: ClientOptions) => readonly Issue[];
  /** An answer of which this says true is returned, whatever its status says. */
  readonly accepts?: (body: unknown) => boolean;
  /** The error to throw instead of `error` when the call's effect on the service is not known. */
  readonly unknownOutcome?: (error: ServiceApiError, call: SentCall) => ServiceApiError;
}

/** An endpoint of the service as a value, with every default filled in. */
export interface Operation<Params extends object, Body>
  extends Required<Omit<OperationDefinition<Params, Body>, Hooks>>,
    Pick<OperationDefinition<Params, Body>, Hooks> {}

type Hooks = "normalize" | "rules" | "accepts" | "unknownOutcome";

/**
 * Describes an endpoint of the service as a value that `api.send` can call, with the same authentication, errors,
 * retries, redaction and types as the five that are built in (§4).
 *
 * @typeParam Params - What the caller gives.
 * @typeParam Body - What comes back.
 * @param definition - The endpoint; see {@link OperationDefinition}.
 * @returns The operation, frozen.
 *
 * @example
 * ```ts
 * import { defineOperation, ServiceApi } from "serviceapi";
 * import * as z from "zod";
 *
 * const payoutStatus = defineOperation({
 *   name: "payouts.status",
 *   area: "verification",
 *   path: "payout/status",
 *   params: z.object({ client_referenceId: z.string() }),
 *   body: z.looseObject({ status: z.string(), utr: z.optional(z.string()) }),
 *   essential: ["status"],
 *   retry: "safe",
 * });
 *
 * const { utr } = await new ServiceApi().send(payoutStatus, { client_referenceId: "order-17" });
 * ```
 */
export function defineOperation<Params extends object, Body>(
  definition: OperationDefinition<Params, Body>,
): Operation<Params, Body> {
  return Object.freeze({
    essential: [],
    retry: "never" as const,
    timeout: 60_000,
    fills: ["client_referenceId" as const],
    ...definition,
  });
}

/** Whether a value is what {@link defineOperation} returns, of this copy of the package or another. */
export function isOperation(value: unknown): boolean {
  const { name, path, params, body, fills, essential } = Object(value);
  return (
    typeof name === "string" &&
    typeof path === "string" &&
    // A schema may be a function (arktype).
    [params, body].every((schema) => "~standard" in Object(schema)) &&
    Array.isArray(fills) &&
    Array.isArray(essential)
  );
}
