import { type AnyServiceApiError, isServiceApiError } from "../../errors/any.ts";
import { remedyOf } from "../../errors/base.ts";
import { type AbortError, ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { maxTimerMs } from "../../shared/options.ts";
import { isOfService } from "../../transport/envelope.ts";
import { classify } from "../../transport/errors/classify.ts";
import { retryPause } from "../../transport/retry-policy.ts";
import type { Transport } from "../../transport/transport.ts";
import { findVpas } from "../operations.ts";
import { normalizeMobile } from "../rules.ts";
import { findVpasParamsSchema } from "../schemas.ts";
import type { FindVpasParams } from "../types.ts";
import type { FindManyInput, FindManyOutcome, FindManyResult, Place, Settings } from "./options.ts";
import type { Pace } from "./pace.ts";

export interface Run {
  readonly transport: Transport;
  readonly pace: Pace;
  readonly settings: Settings;
  /** Ends the requests that are under way. */
  readonly signal: AbortSignal;
  /** Ends the run after the requests that are under way, with their retries of the next `grace` milliseconds. */
  readonly end: (grace?: number) => void;
  /** The error of a number whose turn did not come before the end of the run. */
  readonly unsent: AbortError;
}

interface LookUp {
  readonly outcome: FindManyOutcome;
  /** Why it is still open: the run ended before its next request, or this outcome ended the run. */
  readonly open?: "cutOff" | "final" | undefined;
  /** Requests of it that were aborted. */
  readonly underWay?: number | undefined;
}

/** A result, and whether its number is still open. */
export interface Found<Input> extends Omit<LookUp, "outcome"> {
  readonly result: FindManyResult<Input>;
}

/**
 * Returns the function that looks up an input, or shares the look-up of an earlier one.
 *
 * @param report - Called for a response at once: its result may wait long for an earlier one. One that comes after the
 *   end of the run may not be yielded.
 */
export function lookUps<Input extends FindManyInput>(run: Run, report: (result: FindManyOutcome) => void) {
  const { dedupeWindow } = run.settings;
  /** The look-ups of the latest numbers, the one that was last seen longest ago first. */
  const latest = new Map<string, Promise<LookUp>>();
  const lookUpOnce = (index: number, params: FindVpasParams) => {
    const key = dedupeWindow === false ? undefined : keyOf(params, run);
    if (key === undefined) return lookUp(run, index, params);
    const earlier = latest.get(key);
    const work = earlier ?? lookUp(run, index, params);
    latest.delete(key);
    latest.set(key, work);
    const [oldest = key] = latest.size > Number(dedupeWindow) ? latest.keys() : [];
    if (oldest !== key) latest.delete(oldest);
    return earlier?.then(({ outcome, open }) => ({ outcome: { ...outcome, attempts: 0 }, open })) ?? work;
  };
  return async (place: Place<Input>): Promise<Found<Input>> => {
    const params = paramsOf(place.input, run.settings);
    // An input that cannot be read ends the run, after the requests that are under way.
    if (params instanceof ConfigurationError) run.end();
    const { outcome, ...rest }: LookUp =
      params instanceof ConfigurationError
        ? { outcome: { kind: "failed", error: params, attempts: 0 }, open: "final" }
        : await lookUpOnce(place.index, params);
    const result = { ...place, ...outcome };
    if (rest.open === undefined && isResponse(result) && !run.signal.aborted) report(result);
    return { result, ...rest };
  };
}

/**
 * Returns a copy: the caller's objects may change before their turn. A value that is neither a string nor an object is
 * refused as a mobile number is: it is a row of the caller's data.
 */
function paramsOf(input: FindManyInput, { consent }: Settings): FindVpasParams | ConfigurationError {
  let problem = 'a mobile number without parameters requires `consent: "Y"`, given by the account holder';
  try {
    if (typeof input === "object" && input !== null) {
      const { clientData } = input;
      return { ...input, ...(isObject(clientData) && { clientData: { ...clientData } }) };
    }
    if (consent !== undefined) return { vpa_mobile: input, consent };
  } catch {
    problem = "an input cannot be read: one of its getters threw";
  }
  return new ConfigurationError(`findMany: ${problem}. Nothing was sent for it.`);
}

/** Two inputs with the same key are the same request. What is not of the form of a request has no key. */
function keyOf(params: FindVpasParams, { transport, settings }: Run): string | undefined {
  if (!findVpasParamsSchema.passes(params)) return undefined;
  const { vpa_mobile, clientData } = params;
  const { mobile: form = transport.options.validation?.mobile } = settings.call.validation ?? {};
  const mobile = form === "asGiven" ? vpa_mobile : normalizeMobile(vpa_mobile);
  return JSON.stringify([mobile, clientData?.client_id]);
}

/** Whether a later run would have to ask the service again. */
export function isResponse({ kind, attempts }: FindManyOutcome): boolean {
  return attempts > 0 && kind !== "failed";
}

/**
 * Looks up one number. The client does not retry: each retry waits for its turn like any request, so that a 429 holds
 * back the whole run immediately. A number is sent `1 + maxRetries` times at most, plus `pendingRetries`.
 */
async function lookUp(run: Run, index: number, params: FindVpasParams): Promise<LookUp> {
  const { transport, pace, settings, signal, unsent } = run;
  let { maxRetries, pendingRetries } = settings;
  let known: Unsuccessful = { kind: "failed", error: unsent };
  let attempts = 0;
  let notBefore = 0;
  for (let attempt = 1; ; attempt++) {
    let startedAt: number | undefined;
    try {
      const turn = await pace.turn(index, notBefore);
      startedAt = turn;
      // A function may supply the credentials, and take its time.
      const beforeSending = async () => {
        startedAt = await pace.confirm(index, turn, notBefore);
      };
      const call = transport.send(findVpas, params, { ...settings.call, signal }, { beforeSending });
      const { data, warnings, attempts: sent } = await call.withResponse();
      pace.speedUp();
      return { outcome: { kind: "found", result: data, warnings, attempts: attempts + sent } };
    } catch (error) {
      if (error === unsent) return { outcome: { ...known, attempts }, open: "cutOff" };
      if (startedAt === undefined || !isServiceApiError(error)) throw error;
      known = outcomeOf(error);
      attempts += error.attempts;
      if (signal.aborted) return { outcome: { ...known, attempts }, open: "cutOff", underWay: error.attempts };
      // Before the next turn begins.
      const retryAt = adaptPace(run, startedAt, error, attempt);
      if (retryAt === undefined) return { outcome: { ...known, attempts }, open: "final" };
      const isPending = error.kind === "in_progress";
      const isRetried = isPending
        ? pendingRetries-- > 0
        : error.isRetryable && Number.isFinite(retryAt) && maxRetries-- > 0;
      if (!isRetried) return { outcome: { ...known, attempts } };
      notBefore = isPending ? performance.now() + settings.pendingDelay : retryAt;
    } finally {
      if (startedAt !== undefined) pace.done();
    }
  }
}

/**
 * Slows the run down if the service asks for it, and returns the earliest time of a retry, by `performance.now()`;
 * `Infinity` if there is none, undefined for what ends the run, such as a `Retry-After` beyond `maxRetryAfter`.
 */
function adaptPace(run: Run, startedAt: number, error: AnyServiceApiError, attempt: number): number | undefined {
  const { transport, pace, settings, end } = run;
  const asked = "retryAfter" in error ? error.retryAfter : undefined;
  const pause = asked ?? Math.min(retryPause(transport.options, attempt), maxTimerMs);
  const isTooLong = pause > (asked === undefined ? settings.longestPause : settings.maxRetryAfter);
  // The page of a gateway says by its status what the service says by its body.
  const kind = error.kind === "unexpected_response" ? classify({ httpStatus: error.httpStatus }) : error.kind;
  const isLimited = kind === "rate_limited";
  const isForAll = kind === "configuration" || remedyOf(kind) === "account";
  const isHeld = isLimited || asked !== undefined;
  // Of a gateway, or of a server without this path.
  const isForeign404 =
    "httpStatus" in error && error.httpStatus === 404 && error.kind !== "not_found" && !isOfService(error.body);
  if (isForAll || (isHeld && isTooLong) || isForeign404) {
    // Whatever waits would meet the same: nothing more is sent.
    end();
    return undefined;
  }
  // The same time for the run and for this number, which then goes first.
  const retryAt = performance.now() + pause;
  if (error.attempts === 0) pace.giveBack();
  if (isLimited) pace.slowDown(startedAt);
  else if ("httpStatus" in error && !error.isRetryable) pace.speedUp();
  if (isHeld) pace.holdUntil(retryAt);
  return isTooLong ? Number.POSITIVE_INFINITY : retryAt;
}

type Unsuccessful = FindManyOutcome extends infer Kind
  ? Kind extends { kind: "found" }
    ? never
    : Omit<Kind, "attempts">
  : never;

function outcomeOf(error: AnyServiceApiError): Unsuccessful {
  switch (error.kind) {
    case "not_found":
      return { kind: "notFound", error };
    case "in_progress":
      return { kind: "pending", error };
    case "request_validation":
    case "invalid":
      return { kind: "invalid", error };
    default:
      return { kind: "failed", error };
  }
}
