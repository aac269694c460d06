import { pMapIterable } from "p-map";
import type { Client } from "../../client.ts";
import { AbortError, ConfigurationError } from "../../errors/request.ts";
import { internalsOf } from "../../internals.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { isFindVpasParams } from "../checks.ts";
import { normalizeMobile } from "../mobile.ts";
import { findVpas } from "../operations.ts";
import type { FindVpasParams } from "../types.ts";
import { Duplicates } from "./duplicates.ts";
import { lookUp, type Run } from "./look-up.ts";
import { numbered } from "./numbered.ts";
import { countInputs, readManyOptions, requireInputs, type Settings } from "./options.ts";
import { Pace } from "./pace.ts";
import { Progress } from "./progress.ts";
import type {
  FindManyInput,
  FindManyInputs,
  FindManyOptions,
  FindManyOutcome,
  FindManyPlace,
  FindManyResult,
} from "./types.ts";

/**
 * Looks up many mobile numbers (§4.1), with a limit of requests at the same time and per second.
 *
 * The inputs are read as the results are taken, `4 × concurrency` ahead at most: the memory does not grow with their
 * number. A 429 halves the rate for a while, and its `Retry-After` holds back all requests. `break` aborts the
 * requests that are under way.
 *
 * An invalid number, an unknown one or a failed look-up is a result. The loop ends with an error for what all other
 * numbers would meet: refused credentials (`AuthenticationError`, `PermissionError`), an `InsufficientBalanceError`, a
 * `ConfigurationError`, a `Retry-After` beyond `maxRetryAfter`, and the `signal`. In the order of the inputs, the
 * results before it come first: continue later with `startAt`, the number of results that you have.
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
  const { transport } = internalsOf(client, "findMany");
  requireInputs(inputs);
  const settings = readManyOptions(transport, options);
  const stop = new AbortController();
  const policy = transport.retryPolicy();
  const run: Run = { client, pace: new Pace(settings), policy, settings, signal: stop.signal };
  const results = generate(run, inputs, stop);
  // A caller may leave while a result is awaited: the requests end now, not with that result.
  const leave = results.return.bind(results);
  return Object.assign(results, {
    return: () => {
      stop.abort(left);
      return leave(undefined);
    },
  });
}

/** The reason of the abort when the caller leaves the loop. */
const left = "left";
/** Inputs that are read ahead of the caller, for each request at the same time. */
const readAhead = 4;

async function* generate<Input extends FindManyInput>(
  run: Run,
  inputs: FindManyInputs<Input>,
  stop: AbortController,
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  const { settings, pace, signal } = run;
  const { concurrency, order, startAt } = settings;
  const unfollow = follow(settings.signal, stop, pace);
  signal.addEventListener("abort", () => pace.stop(signal.reason));
  try {
    if (signal.aborted) throw signal.reason;
    const source = numbered(inputs, startAt, signal);
    const width = readAhead * concurrency;
    yield* pMapIterable(source, resultsOf<Input>(run, progressOf(inputs, settings)), {
      concurrency: width,
      preserveOrder: order === "input",
    });
    if (source.failure !== undefined) throw source.failure.error;
  } catch (error) {
    if (signal.reason !== left) throw error;
  } finally {
    stop.abort(left);
    unfollow();
  }
}

/** Returns the function that maps an input to its result. */
function resultsOf<Input extends FindManyInput>(run: Run, report: (found: FindManyOutcome) => void) {
  const { dedupe } = run.settings;
  const duplicates = dedupe === false ? undefined : new Duplicates<FindManyOutcome>(dedupe);
  return async (place: FindManyPlace<Input>): Promise<FindManyResult<Input>> => {
    const params = paramsOf(place.input, run.settings);
    const key = duplicates && keyOf(params, run);
    const earlier = key === undefined ? undefined : duplicates?.find(key);
    const work = earlier ?? lookUp(run, place.index, params);
    if (key !== undefined && earlier === undefined) duplicates?.remember(key, work);
    const found = await work;
    const own = earlier === undefined ? found : { ...found, attempts: 0 };
    report(own);
    return { ...place, ...own };
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
function keyOf(params: FindVpasParams, { client }: Run): string | undefined {
  if (!isFindVpasParams(params)) return undefined;
  const { vpa_mobile, clientData } = params;
  const mobile = internalsOf(client).options.mobile === "asGiven" ? vpa_mobile : normalizeMobile(vpa_mobile);
  return JSON.stringify([mobile, clientData?.client_id]);
}

function progressOf(inputs: FindManyInputs<unknown>, settings: Settings): (found: FindManyOutcome) => void {
  const { onProgress, startAt, total = countInputs(inputs) } = settings;
  if (onProgress === undefined) return () => {};
  const progress = new Progress(total === undefined ? undefined : Math.max(0, total - startAt));
  return (found) => {
    try {
      ignoreRejection(onProgress(progress.count(found)));
    } catch {
      // A display that fails changes no result.
    }
  };
}

/** Aborts the run with the caller's signal. Returns the function that stops listening to it. */
function follow(signal: AbortSignal | undefined, stop: AbortController, pace: Pace): () => void {
  if (signal === undefined) return () => {};
  const abort = () => stop.abort(abortOf(pace.inFlight, signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  return () => signal.removeEventListener("abort", abort);
}

/** The error counts the requests that are under way, whose responses nobody waits for any more. */
function abortOf(inFlight: number, reason: unknown): AbortError {
  return new AbortError({
    operation: findVpas.name,
    message: "findMany: aborted by the caller. Continue with `startAt`, the number of results that you have.",
    ...(inFlight > 0 ? { phase: "headers", outcome: "unknown" } : { phase: "backoff" }),
    attempts: inFlight,
    reason,
  });
}
