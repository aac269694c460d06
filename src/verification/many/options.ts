import type { AnyServiceApiError } from "../../errors/any.ts";
import type { InvalidRequestError, NotFoundError, RequestInProgressError } from "../../errors/api.ts";
import type { ValidationIssue } from "../../errors/base.ts";
import type { RequestValidationError } from "../../errors/request.ts";
import { type ClientOptions, checkOptions, defaults, type RequestOptions, requestRules } from "../../options.ts";
import * as rule from "../../shared/options.ts";
import { type Given, maxTimerMs, type Rules } from "../../shared/options.ts";
import type { FindVpasParams, VpaResult } from "../types.ts";

/** A mobile number, or the whole parameters of one look-up. */
export type FindManyInput = string | FindVpasParams;

/** Anything that can be iterated: a list, a `Set`, a generator, the rows of a database or of a file. */
export type FindManyInputs<Input> = Iterable<Input> | AsyncIterable<Input>;

/** Options of {@link findMany}. `timeout`, `maxRetries`, `headers` and `validation` are those of a call. */
export interface FindManyOptions
  extends Pick<RequestOptions, "signal" | "timeout" | "maxRetries" | "headers" | "validation"> {
  /**
   * The consent of the account holders of all numbers that are given as strings (§4.1). Required for those; it is never
   * filled in for you. Parameters (`FindVpasParams`) have their own.
   */
  readonly consent?: FindVpasParams["consent"] | undefined;
  /** Maximum number of requests at the same time, from 1 to 1,000. A 429 halves it for a while. @default 4 */
  readonly concurrency?: number | undefined;
  /** Maximum of requests per second, retries included, evenly spread. A 429 halves it for a while. @default 5 */
  readonly perSecond?: number | undefined;
  /**
   * `input` yields the results in the order of the inputs, so that a run can continue with `startAt`; `completed` yields
   * each as soon as it is there. @default "input"
   */
  readonly order?: "input" | "completed" | undefined;
  /** Number of inputs to skip, which an earlier run has looked up. They are read and not sent. @default 0 */
  readonly startAt?: number | undefined;
  /**
   * Number of different mobile numbers to remember, the latest ones: a duplicate among them gets the same result
   * without a request. One that was last seen before that is looked up again. `false` looks up each input.
   *
   * @default 10_000
   */
  readonly dedupeWindow?: number | false | undefined;
  /** Number of further requests for a number that the service is still looking up. @default 0 */
  readonly pendingRetries?: number | undefined;
  /** Milliseconds to wait before each of the `pendingRetries`. @default 10_000 */
  readonly pendingDelay?: number | undefined;
  /**
   * Ends the run early: it sends no further number, the requests that are under way finish, with their retries of the
   * next ten seconds, and the loop ends after their results. A later run continues with `startAt`, the number of
   * results. A number that is still open has a result only if one after it has its response, in the order of the inputs.
   */
  readonly drainSignal?: AbortSignal | undefined;
  /** Number of inputs, for `onProgress`. @default the `length` or `size` of the inputs, if they have one */
  readonly total?: number | undefined;
  /**
   * Called for each result before it is yielded: for a response as soon as it is there, although it may be yielded later,
   * in the order of the inputs. An exception thrown by it is ignored.
   */
  readonly onProgress?: ((progress: FindManyProgress) => void) | undefined;
}

/** The progress of a run, as `onProgress` receives it. The counts by `kind` and the rate are those of this run. */
export interface FindManyProgress {
  /**
   * Number of inputs that are done: those before `startAt`, and the results of this run. Some of them may not be yielded
   * yet: to continue later, count the results that you have.
   */
  readonly done: number;
  /** Number of inputs; undefined if it is not known. */
  readonly total: number | undefined;
  /** Number of results `found`. */
  readonly found: number;
  /** Number of results `notFound`. */
  readonly notFound: number;
  /** Number of results `pending`. */
  readonly pending: number;
  /** Number of results `invalid`. */
  readonly invalid: number;
  /** Number of results `failed`. */
  readonly failed: number;
  /** Results per second, over the last 50 of them. */
  readonly perSecond: number;
  /** Estimated milliseconds until the last result; undefined if `total` is. */
  readonly timeLeft: number | undefined;
}

/** The result of one input; `kind` says which. */
export type FindManyResult<Input = FindManyInput> = FindManyOutcome & {
  /** The input, as it was given. */
  readonly input: Input;
  /** The index of the input, from 0. */
  readonly index: number;
};

/** An input and its index. */
export type Place<Input> = Pick<FindManyResult<Input>, "input" | "index">;

/** The part of a result that the look-up decides; `kind` says which. */
export type FindManyOutcome =
  | {
      readonly kind: "found";
      /** The linked VPAs (§2.2). `isUsable(result)` says whether the account can receive payments. */
      readonly result: VpaResult;
      /** Differences of the response from the document that leave it usable (docs/assumptions.md, A4). */
      readonly warnings: readonly ValidationIssue[];
      /** Number of requests that were sent; 0 for a duplicate. */
      readonly attempts: number;
    }
  | {
      /** No UPI ID is linked to the number (§7.1). */
      readonly kind: "notFound";
      /** The refusal of the service. */
      readonly error: NotFoundError;
      /** Number of requests that were sent; 0 for a duplicate. */
      readonly attempts: number;
    }
  | {
      /** The service is still looking it up. Look it up again later, or set `pendingRetries`. */
      readonly kind: "pending";
      /** The last response of the service. */
      readonly error: RequestInProgressError;
      /** Number of requests that were sent; 0 for a duplicate. */
      readonly attempts: number;
    }
  | {
      /** The input is not a mobile number, or lacks consent. It has to change before it is looked up again. */
      readonly kind: "invalid";
      /** A `RequestValidationError` if nothing was sent, an `InvalidRequestError` if the service refused it. */
      readonly error: RequestValidationError | InvalidRequestError;
      /** Number of requests that were sent; 0 if the library refused the input, and for a duplicate. */
      readonly attempts: number;
    }
  | {
      /** The look-up failed, and the number is still open. */
      readonly kind: "failed";
      /** The error of the last attempt. */
      readonly error: AnyServiceApiError;
      /** Number of requests that were sent; 0 for a duplicate. */
      readonly attempts: number;
    };

/** Four times as many inputs are held, and each request may have its own connection. */
const maxConcurrency = 1_000;

const rules: Rules<FindManyOptions> = {
  timeout: requestRules.timeout,
  maxRetries: requestRules.maxRetries,
  headers: requestRules.headers,
  validation: requestRules.validation,
  signal: rule.signal,
  consent: (value) =>
    value === "Y" ? undefined : 'must be "Y", given by the account holders; it is never filled in for you',
  concurrency: rule.integer(1, maxConcurrency),
  perSecond: rule.number(0.01),
  order: rule.oneOf("input", "completed"),
  startAt: rule.integer(0),
  dedupeWindow: rule.anyOf(
    "must be an integer of at least 1, or `false` to look up each input",
    rule.integer(1),
    rule.oneOf(false),
  ),
  pendingRetries: rule.integer(0),
  pendingDelay: rule.milliseconds(),
  drainSignal: rule.signal,
  total: rule.integer(0),
  onProgress: rule.func,
};

/** Options that were read, with the defaults of those that were omitted. */
export type Settings = ReturnType<typeof readManyOptions>;

/** Checks the options and returns a copy of them, with defaults. */
export function readManyOptions(options: FindManyOptions, client: ClientOptions) {
  const given = checkOptions("findMany", options, rules) as Given<FindManyOptions>;
  const { timeout, headers, validation } = given;
  const { maxRetryAfter = defaults.maxRetryAfter, totalTimeout = defaults.totalTimeout } = client;
  // The client does not retry a call: `look-up.ts` does.
  const call: RequestOptions = { timeout, headers, validation, maxRetries: 0 };
  return {
    ...{ concurrency: 4, perSecond: 5, order: "input" as const, startAt: 0, dedupeWindow: 10_000 },
    ...{ pendingRetries: 0, pendingDelay: 10_000, maxRetries: client.maxRetries ?? defaults.maxRetries },
    ...given,
    ...{ call, maxRetryAfter },
    /** The longest pause by `retryDelay`: as long as a call may take, or as a `Retry-After` that is waited for. */
    longestPause: totalTimeout === false ? maxTimerMs : Math.max(totalTimeout, maxRetryAfter),
  };
}
