import { oneLine } from "./one-line.ts";

/** The known effect of a failed call on the service. */
export type Outcome =
  /** The service refused the call: nothing was done. */
  | "rejected"
  /** The request never left this machine. */
  | "notSent"
  /** The request may have been carried out: look before you retry. */
  | "unknown";

/**
 * The remedy for a refusal: another request (`correct`), a new search or conversation (`search`), other credentials,
 * rights or funds, without which every call is refused (`account`), the same call a little later (`retry`), a look-up of
 * what was done (`lookUp`), or nothing that is known (`none`).
 */
export type Remedy = "correct" | "search" | "account" | "retry" | "lookUp" | "none";

/** The kinds of refusal after which nothing was done, unless the HTTP status leaves it unknown, with their remedies. */
export const rejectedKinds = {
  authentication: "account",
  permission: "account",
  not_found: "none",
  invalid: "correct",
  session_expired: "search",
  offer_unavailable: "search",
  trace_mismatch: "search",
  insufficient_balance: "account",
  rate_limited: "retry",
  unknown: "none",
} as const satisfies Record<string, Remedy>;

/** The kinds after which the call may have been carried out. */
const uncertainKinds = { duplicate: "lookUp", in_progress: "lookUp", unavailable: "retry" } as const;

/** The kinds of refusal by the service (docs/assumptions.md, A3), one error class each. */
export type ApiErrorKind = keyof typeof rejectedKinds | keyof typeof uncertainKinds;

/** Returns the remedy for an error of a kind; undefined if it is not one of a refusal. */
export function remedyOf(kind: unknown): Remedy | undefined {
  return Object.entries({ ...rejectedKinds, ...uncertainKinds }).find(([name]) => name === kind)?.[1];
}

/** A table by the kind of an error, or else by its remedy, as {@link ofKind} reads it. */
export type ByKind<T> = Partial<Record<ErrorKind | Remedy, T>>;
export const ofKind = <T>(table: ByKind<T>, kind: ErrorKind) => table[kind] ?? table[remedyOf(kind) ?? kind];

/** The kinds of `serviceapi/flights`: a checkout or a journal stopped a booking before it was sent. */
export type CheckoutErrorKind =
  | "booking_already_sent"
  | "booking_in_flight"
  | "booking_incomplete"
  | "booking_already_settled"
  | "journal"
  | "price_above_limit"
  | "offer_changed";

/** Every value of {@link ServiceApiError.kind}. */
export type ErrorKind =
  | ApiErrorKind
  | CheckoutErrorKind
  | "configuration"
  | "request_validation"
  | "connection"
  | "timeout"
  | "abort"
  | "unexpected_response"
  | "response_validation"
  | "stream_truncated"
  | "stream_stalled"
  | "stream_failed"
  | "booking_outcome_unknown"
  | "webhook_auth"
  | "webhook_payload"
  | "webhook_processing";

/** A problem of a request, a response or an event. */
export interface ValidationIssue {
  /** Path from the root: `["passengers", 0, "dob"]`. */
  readonly path: readonly (string | number)[];
  /** Description for people, never with the value itself. */
  readonly message: string;
  /** Machine-readable code, such as `invalid_type` or `invalid_format`; `custom` if the schema provides none. */
  readonly code: string;
}

type CommonField = "operation" | "clientReferenceId" | "outcome" | "isRetryable" | "attempts" | "requestId";

/** The fields of every error of this library. Left out, `outcome` is "notSent", `isRetryable` false and `attempts` 0. */
export type ErrorDetails = { readonly [Name in CommonField]?: ServiceApiError[Name] | undefined } & {
  /** Description of what happened and what to do next. Never a value or a body, except what the service says. */
  readonly message: string;
  /** A summary without secrets, never the error of an underlying library, which holds request headers. */
  readonly cause?: unknown;
};

/**
 * The details of an error of a class: the common ones, and the fields that the class adds. A field that may be undefined,
 * or has a default, may be left out.
 */
export type DetailsOf<E extends ServiceApiError, HasDefault extends keyof E = never> = ErrorDetails &
  Given<{
    [K in keyof E as K extends keyof ServiceApiError | "pretty" ? never : K]:
      | E[K]
      | (K extends HasDefault ? undefined : never);
  }>;

type Given<Fields> = {
  readonly [K in keyof Fields as undefined extends Fields[K] ? never : K]: Fields[K];
} & { readonly [K in keyof Fields as undefined extends Fields[K] ? K : never]?: Fields[K] };

/** The common fields of an error, if they are left out. */
const leftOut: { readonly [Name in CommonField]: ServiceApiError[Name] } = {
  operation: undefined,
  clientReferenceId: undefined,
  outcome: "notSent",
  isRetryable: false,
  attempts: 0,
  requestId: undefined,
};

const brand = Symbol.for("serviceapi.error");

/**
 * The base of every error that this library throws.
 *
 * `console.log(error)` and `JSON.stringify(error)` never show a credential, a request or a body. `message` is one
 * line, which may quote the message of the service, and the sentence that leaves the outcome open.
 *
 * @example
 * ```ts
 * import { ServiceApiError } from "serviceapi";
 *
 * function report(error: unknown): string {
 *   return ServiceApiError.isInstance(error) ? `${error.kind} ${error.clientReferenceId}` : "not ours";
 * }
 * ```
 */
export class ServiceApiError extends Error {
  /** The class's name, also in minified bundles. */
  static readonly title: string = "ServiceApiError";

  /** {@link ServiceApiError.title} of its class. */
  override get name(): string {
    return (this.constructor as typeof ServiceApiError).title;
  }

  /** Machine-readable code. Each class declares its own, so that `kind` narrows {@link AnyServiceApiError}. */
  declare readonly kind: ErrorKind;
  /** The operation that was called, such as `flights.book`. */
  declare readonly operation: string | undefined;
  /** The `client_referenceId` that was, or would have been, sent. */
  declare readonly clientReferenceId: string | undefined;
  /** The known effect of the call on the service. */
  declare readonly outcome: Outcome;
  /** True only if a retry of this call is certainly safe and may succeed. */
  declare readonly isRetryable: boolean;
  /** Number of requests that were sent for this call. */
  declare readonly attempts: number;
  /**
   * The ID that the service, or a gateway before it, gave the request (`x-request-id`, `x-amzn-requestid`,
   * `x-correlation-id`, `cf-ray` …); undefined if there was no response or no such header. Quote it to the service
   * operator.
   */
  declare readonly requestId: string | undefined;

  /**
   * @param details - The fields of the error, and those of its subclass.
   * @param hidden - The names of those that `console.log` and `JSON.stringify` leave out: bodies and headers may hold
   *   personal data.
   */
  constructor(kind: ErrorKind, details: ErrorDetails, hidden: readonly string[] = []) {
    const { message, cause, ...own } = details;
    super(oneLine(message), cause === undefined ? undefined : { cause });
    for (const [name, value = leftOut[name as CommonField]] of Object.entries({ ...leftOut, ...own, kind })) {
      Object.defineProperty(this, name, {
        value,
        enumerable: !hidden.includes(name),
        configurable: true,
        writable: true,
      });
    }
  }

  get [brand](): true {
    return true;
  }

  /** Returns the fields that are safe to log, without the body and headers of the response. */
  toJSON(): Record<string, unknown> {
    return Object.assign<Record<string, unknown>, this>({ name: this.name, message: this.message }, this);
  }

  /** Returns whether a value is an instance of this class, also of another copy of this package. Call it on the class. */
  static isInstance<T extends ServiceApiError>(
    this: { readonly prototype: T; readonly title: string },
    value: unknown,
  ): value is T {
    // Detached from its class it would be false for every error.
    if (this === undefined)
      throw new TypeError("isInstance() must be called on its class: NotFoundError.isInstance(error).");
    try {
      if (!(brand in Object(value))) return false;
      if (!Object.hasOwn(this, "title")) return Object.prototype.isPrototypeOf.call(this.prototype, value as object);
      for (let link = Object(value).constructor; typeof link === "function"; link = Object.getPrototypeOf(link)) {
        if (Reflect.get(link, "title") === this.title) return true;
      }
    } catch {
      // A proxy may throw, such as one that was revoked. Anything may have been thrown.
    }
    return false;
  }
}
