import { pMapIterable } from "p-map";
import { type Client, internalsOf } from "../../client.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { isFindVpasParams } from "../checks.ts";
import { normalizeMobile } from "../rules.ts";
import type { FindVpasParams } from "../types.ts";
import { Duplicates } from "./duplicates.ts";
import { type LookUp, lookUp, type Run } from "./look-up.ts";
import { numbered, type Place } from "./numbered.ts";
import { countInputs, readManyOptions, requireInputs, type Settings } from "./options.ts";
import { Pace } from "./pace.ts";
import { Progress } from "./progress.ts";
import { isResponse, reported } from "./reported.ts";
import { callerLeft, createUnsentError, followSignals } from "./signals.ts";
import type { FindManyInput, FindManyInputs, FindManyOptions, FindManyOutcome, FindManyResult } from "./types.ts";

/**
 * Looks up many mobile numbers (§4.1), with a limit of requests at the same time and per second.
 *
 * The inputs are read as the results are taken, `4 × concurrency` ahead at most: the memory does not grow with their
 * number. A 429 halves the rate for a while, and its `Retry-After` holds back all requests. `break` aborts the
 * requests that are under way.
 *
 * An invalid number, an unknown one or a failed look-up is a result. The loop ends with an error for what all other
 * numbers would meet: refused credentials (`AuthenticationError`, `PermissionError`), an `InsufficientBalanceError`, a
 * `ConfigurationError`, a 404 that does not come from the service, a `Retry-After` beyond `maxRetryAfter`, a 429 if
 * the pause by `retryDelay` is longer than both that and `totalTimeout`, and the `signal`. Unless the `signal` aborts
 * them, the requests that are under way finish first, and their results are yielded before the error. `drainSignal`
 * ends the loop in the same way, without an error.
 *
 * In the order of the inputs, continue later with `startAt`, the number of results that you have. So that no response
 * is lost, an open number before one that has its response has a result as well: its last outcome, or `failed` with an
 * `AbortError` and 0 `attempts` if it was not sent.
 *
 * @param client - The client that sends the requests.
 * @param inputs - Mobile numbers in any common spelling, or parameters of `findVpas`; any iterable of them. An
 *   error that they throw ends the loop, after the results of the inputs before it.
 * @param options - See {@link FindManyOptions}. Strings require `consent: "Y"`.
 * @throws {@link ConfigurationError} for an unknown option, an invalid value, or inputs that are not iterable.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { findMany } from "serviceapi/verification";
 *
 * const api = new ServiceApi();
 * for await (const row of findMany(api, ["6000000001", "6000000404", "12"], { consent: "Y" })) {
 *   console.log(row.index, row.kind, row.kind === "found" ? row.result.vpaList : row.error.message);
 * }
 * ```
 */
export function findMany<Input extends FindVpasParams>(
  client: Client,
  inputs: FindManyInputs<Input>,
  options?: FindManyOptions,
): AsyncGenerator<FindManyResult<Input>, void, undefined>;
export function findMany<Input extends FindManyInput>(
  client: Client,
  inputs: FindManyInputs<Input>,
  options: FindManyOptions & { readonly consent: "Y" },
): AsyncGenerator<FindManyResult<Input>, void, undefined>;
export function findMany<Input extends FindManyInput>(
  client: Client,
  inputs: FindManyInputs<Input>,
  options: FindManyOptions = {},
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  const internals = internalsOf(client, "findMany");
  requireInputs(inputs);
  const settings = readManyOptions(internals.transport, options);
  const stop = new AbortController();
  const policy = internals.transport.retryPolicy();
  const pace = new Pace(settings);
  const shared = { client: internals, pace, policy, settings, signal: stop.signal };
  const run: Run = { ...shared, ending: new AbortController(), unsent: createUnsentError() };
  const results = generate(run, inputs, stop);
  // A caller may leave while a result is awaited: the requests end now, not with that result.
  const leave = results.return.bind(results);
  return Object.assign(results, {
    return: () => {
      stop.abort(callerLeft);
      return leave(undefined);
    },
  });
}

/** Inputs that are read ahead of the caller, for each request at the same time. */
const readAhead = 4;

async function* generate<Input extends FindManyInput>(
  run: Run,
  inputs: FindManyInputs<Input>,
  stop: AbortController,
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  const { settings, signal } = run;
  const { concurrency, order, startAt } = settings;
  const reading = new AbortController();
  const unfollow = followSignals(run, stop, reading);
  try {
    if (signal.aborted) throw signal.reason;
    const source = numbered(inputs, startAt, reading.signal);
    const width = readAhead * concurrency;
    const report = progressOf(inputs, settings);
    const look = lookUps<Input>(run, report);
    const found = pMapIterable(source, look, { concurrency: width, preserveOrder: order === "input" });
    yield* reported(found, order, report);
    if (source.failure !== undefined && source.failure.error !== run.unsent) throw source.failure.error;
  } catch (error) {
    if (signal.reason !== callerLeft) throw error;
  } finally {
    stop.abort(callerLeft);
    unfollow();
  }
}

/**
 * Returns the function that looks up an input, or shares the look-up of an earlier one.
 *
 * @param report - Called for a response at once: its result may wait long for an earlier one. One that comes after the
 *   end of the run may not be yielded.
 */
function lookUps<Input extends FindManyInput>(run: Run, report: (found: FindManyOutcome) => void) {
  const { dedupeWindow } = run.settings;
  const duplicates = dedupeWindow === false ? undefined : new Duplicates<LookUp>(dedupeWindow);
  const lookUpOnce = (index: number, params: FindVpasParams) => {
    const key = duplicates && keyOf(params, run);
    const earlier = key === undefined ? undefined : duplicates?.find(key);
    const work = earlier ?? lookUp(run, index, params);
    if (key !== undefined && earlier === undefined) duplicates?.remember(key, work);
    return earlier === undefined
      ? work
      : earlier.then(({ outcome, open }) => ({ outcome: { ...outcome, attempts: 0 }, open }));
  };
  return async (place: Place<Input>) => {
    const { outcome, open } = await lookUpOnce(place.index, paramsOf(place.input, run.settings));
    const isReported = open === undefined && isResponse(outcome) && !run.signal.aborted;
    if (isReported) report(outcome);
    return { result: { ...place, ...outcome }, open, isReported };
  };
}

/**
 * Returns a copy: the caller's object may change before its turn. A value that is neither a string nor an object is
 * refused as a mobile number is: it is a row of the caller's data.
 */
function paramsOf(input: FindManyInput, { consent }: Settings): FindVpasParams {
  if (typeof input === "object" && input !== null) return { ...input };
  if (consent !== undefined) return { vpa_mobile: input, consent };
  throw new ConfigurationError(
    'findMany: a mobile number without parameters requires `consent: "Y"`, given by the account holder. Nothing was sent for it.',
  );
}

/** Two inputs with the same key are the same request. What is not of the form of a request has no key. */
function keyOf(params: FindVpasParams, { client, settings }: Run): string | undefined {
  if (!isFindVpasParams(params)) return undefined;
  const { vpa_mobile, clientData } = params;
  const { mobile: form = client.options.validation?.mobile } = settings.call.validation ?? {};
  const mobile = form === "asGiven" ? vpa_mobile : normalizeMobile(vpa_mobile);
  return JSON.stringify([mobile, clientData?.client_id]);
}

function progressOf(inputs: FindManyInputs<unknown>, settings: Settings): (found: FindManyOutcome) => void {
  const { onProgress, startAt, total = countInputs(inputs) } = settings;
  if (onProgress === undefined) return () => {};
  const progress = new Progress(startAt, total);
  return (found) => {
    try {
      ignoreRejection(onProgress(progress.count(found)));
    } catch {
      // A display that fails changes no result.
    }
  };
}
