import { pMapIterable } from "p-map";
import { type Client, transportOf } from "../../client.ts";
import { AbortError, ConfigurationError } from "../../errors/request.ts";
import { forget, ignoreRejection, isThenable, quietly } from "../../shared/promises.ts";
import { findVpas } from "../operations.ts";
import type { FindVpasParams } from "../types.ts";
import { type Found, isResponse, lookUps, type Run } from "./look-up.ts";
import {
  type FindManyInput,
  type FindManyInputs,
  type FindManyOptions,
  type FindManyOutcome,
  type FindManyResult,
  type Place,
  readManyOptions,
  type Settings,
} from "./options.ts";
import { Pace } from "./pace.ts";

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
 * them, the requests that are under way finish first. The results that there are come before the error. `drainSignal`
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
export function findMany<Input extends FindManyInput>(
  client: Client,
  inputs: FindManyInputs<Input>,
  ...[options = {}]: [Input] extends [FindVpasParams]
    ? [options?: FindManyOptions]
    : [options: FindManyOptions & { readonly consent: string }]
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  const transport = transportOf(client, "findMany");
  requireInputs(inputs);
  const settings = readManyOptions(options, transport.options);
  const stop = new AbortController();
  const reading = new AbortController();
  const pace = new Pace(settings);
  const unsent = abortError("the run ended before this number was sent. Look it up again.", 0);
  const end = (grace?: number) => {
    reading.abort(unsent);
    pace.end(unsent, grace);
  };
  stop.signal.addEventListener("abort", () => end());
  const results = generate({ transport, pace, settings, signal: stop.signal, end, unsent }, inputs, stop, reading);
  // A caller may leave while a result is awaited: the requests end now, not with that result.
  for (const name of ["return", "throw"] as const) {
    const leave = results[name].bind(results);
    results[name] = (value: undefined) => {
      stop.abort(callerLeft);
      return leave(value);
    };
  }
  return results;
}

/** Inputs that are read ahead of the caller, for each request at the same time. */
const readAhead = 4;

const callerLeft = "the caller left the loop";

/**
 * Yields the results, and throws what ended the run after them.
 *
 * Numbers that are still open at the end have no result: a later run continues with them. In the order of the inputs
 * they have one if the service has responded to a later number, whose response would be paid for again.
 */
async function* generate<Input extends FindManyInput>(
  run: Run,
  inputs: FindManyInputs<Input>,
  stop: AbortController,
  reading: AbortController,
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  const { settings, signal, unsent } = run;
  const { concurrency, order, startAt } = settings;
  const removeAbort = onAbort(settings.signal, (reason) => stop.abort(reason));
  const removeDrain = onAbort(settings.drainSignal, () => run.end(drainTime));
  try {
    const report = progressOf(inputs, settings);
    let failed: Failure | undefined;
    /** An error of the inputs, which are read ahead: that of a number comes first. */
    let ofInputs: Failure | undefined;
    /** Requests that were under way when the run ended, if it ended before its last number. */
    let cutOff: number | undefined;
    const places = numbered(inputs, startAt, reading.signal, (failure) => {
      if (failure === unsent) cutOff ??= 0;
      else ofInputs = { failure };
    });
    const found = pMapIterable(places, lookUps<Input>(run, report), {
      concurrency: readAhead * concurrency,
      preserveOrder: order === "input",
    });
    /** The first open number, and what follows it without a response. */
    const held: Found<Input>[] = [];
    for await (const one of found) {
      if (signal.reason === callerLeft) return;
      const { result, open, underWay = 0 } = one;
      if (open === "cutOff") cutOff = (cutOff ?? 0) + underWay;
      if (open === "final" && "error" in result) failed ??= { failure: result.error };
      if (open !== undefined && order === "completed") continue;
      held.push(one);
      if (open !== undefined || (held.length > 1 && !isResponse(result))) continue;
      for (const { result } of held.splice(0)) {
        report(result);
        yield result;
      }
    }
    const last = failed ?? ofInputs;
    if (last !== undefined) throw last.failure;
    if (signal.aborted && cutOff !== undefined) throw abortError(aborted, cutOff, signal.reason);
  } finally {
    stop.abort(callerLeft);
    removeAbort();
    removeDrain();
  }
}

/** Milliseconds in which a retry has to begin when a run is drained. */
const drainTime = 10_000;

/** An error that ended the inputs or the run, which may be anything that was thrown. */
interface Failure {
  readonly failure: unknown;
}

const aborted = "aborted by the caller. Continue with `startAt`, the number of results that you have.";

const ringSize = 50;

/** Returns the function that counts a result, the first time, and tells `onProgress` where the run stands. */
function progressOf(inputs: FindManyInputs<unknown>, settings: Settings): (result: FindManyOutcome) => void {
  const { onProgress, startAt, total = countInputs(inputs) } = settings;
  if (onProgress === undefined) return () => {};
  const counts = { found: 0, notFound: 0, pending: 0, invalid: 0, failed: 0 };
  const startedAt = performance.now();
  const times: number[] = [];
  const counted = new WeakSet<FindManyOutcome>();
  let results = 0;
  return (result) => {
    if (counted.has(result)) return;
    counted.add(result);
    results++;
    counts[result.kind]++;
    const now = performance.now();
    const place = results % ringSize;
    // The time of the result that is `ringSize` before this one; the start while there are fewer.
    const since = times[place] ?? startedAt;
    times[place] = now;
    const perSecond = (Math.min(results, ringSize) / Math.max(now - since, 1)) * 1_000;
    const done = startAt + results;
    const timeLeft = total === undefined ? undefined : Math.round((Math.max(0, total - done) / perSecond) * 1_000);
    quietly(() => onProgress({ done, total, ...counts, perSecond, timeLeft }));
  };
}

/** Calls back when the signal is aborted, immediately if it was. Returns the function that removes the listener. */
function onAbort(signal: AbortSignal | undefined, call: (reason: unknown) => void): () => void {
  const listener = () => call(signal?.reason);
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener);
  return () => forget(signal, listener);
}

/** @param attempts - Number of requests under way, whose responses nobody waits for any more. */
function abortError(what: string, attempts: number, reason?: unknown): AbortError {
  const message = `findMany: ${what}`;
  const state = attempts > 0 ? ({ phase: "headers", outcome: "unknown" } as const) : ({ phase: "backoff" } as const);
  return new AbortError({ operation: findVpas.name, message, ...state, attempts, reason });
}

/**
 * Numbers the inputs and leaves out the first ones. An error that they throw ends them, so that the inputs before it
 * still have their results.
 *
 * @param signal - Ends the inputs with its reason, also while one is awaited that does not come.
 * @param onFailure - Receives the error, or the reason of the signal.
 */
async function* numbered<Input>(
  inputs: FindManyInputs<Input>,
  startAt: number,
  signal: AbortSignal,
  onFailure: (failure: unknown) => void,
): AsyncGenerator<Place<Input>, void, undefined> {
  let open: Iterator<Input> | AsyncIterator<Input> | undefined;
  let isAdvancing = false;
  try {
    // The asynchronous iterator if there are both, as `for await` does.
    open = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
    for (let index = 0; ; index++) {
      signal.throwIfAborted();
      isAdvancing = true;
      const { done, value } = await untilAborted(open.next(), signal);
      isAdvancing = false;
      if (done) {
        open = undefined;
        return;
      }
      // The values of a list may be promises, as with `for await`. Nobody waits for those that are left out.
      if (index >= startAt) yield { input: await untilAborted(value, signal), index };
      else ignoreRejection(value);
    }
  } catch (failure) {
    // An iterator that throws has ended; a value that rejects leaves it open.
    if (isAdvancing && !signal.aborted) open = undefined;
    onFailure(failure);
  } finally {
    // Neither awaited nor heard: inputs that hang must not hold back the caller who leaves.
    void (async () => open?.return?.())().catch(() => {});
  }
}

/** Rejects as soon as the signal is aborted. Its listener goes with the wait: a run has many waits and one signal. */
async function untilAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  if (!isThenable(work)) return work;
  return new Promise((resolve, reject) => {
    const removeAbort = onAbort(signal, reject);
    // Also after an abort: work that nobody waits for any more may still reject.
    Promise.resolve(work).then(resolve, reject).finally(removeAbort);
  });
}

/** Refuses what cannot be iterated. One number is refused as well: its characters could be. */
function requireInputs(inputs: FindManyInputs<unknown>): void {
  const given: object = Object(inputs);
  if (typeof inputs !== "string" && (Symbol.iterator in given || Symbol.asyncIterator in given)) return;
  throw new ConfigurationError(
    "findMany: the second argument must be an iterable of mobile numbers, such as a list. For one number call findVpas().",
  );
}

function countInputs(inputs: FindManyInputs<unknown>): number | undefined {
  const { length, size }: { length?: unknown; size?: unknown } = Object(inputs);
  return [length, size].find((count): count is number => Number.isInteger(count));
}
