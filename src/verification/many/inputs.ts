import { ConfigurationError } from "../../errors/request.ts";
import { ignoreRejection, isThenable } from "../../shared/promises.ts";
import type { FindManyInputs, FindManyResult } from "./types.ts";

/** An input and its index. */
export type Place<Input> = Pick<FindManyResult<Input>, "input" | "index">;

/** Inputs with their indexes, read one by one. */
export interface NumberedInputs<Input> extends AsyncIterable<Place<Input>> {
  /** The error that the inputs threw. They end there, so that the inputs before it still have their results. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Numbers the inputs and leaves out the first ones.
 *
 * @param signal - Ends the inputs with its reason, also while one is awaited that does not come.
 */
export function numbered<Input>(
  inputs: FindManyInputs<Input>,
  startAt: number,
  signal: AbortSignal,
): NumberedInputs<Input> {
  let failure: { readonly error: unknown } | undefined;
  return {
    get failure() {
      return failure;
    },
    async *[Symbol.asyncIterator]() {
      let iterator: Iterator<Input> | AsyncIterator<Input> | undefined;
      let isDone = false;
      try {
        iterator = iteratorOf(inputs);
        for (let index = 0; ; index++) {
          signal.throwIfAborted();
          const next = iterator.next();
          const { done, value } = isThenable(next) ? await untilAborted(next, signal) : next;
          if (done) {
            isDone = true;
            return;
          }
          // The values of a list may be promises, as with `for await`. Nobody waits for those that are left out.
          if (index >= startAt) yield { input: await untilAborted(value, signal), index };
          else ignoreRejection(value);
        }
      } catch (error) {
        isDone = !signal.aborted;
        failure = { error };
      } finally {
        // It is not awaited: inputs that hang must not hold back the caller who leaves.
        if (!isDone) void close(iterator);
      }
    },
  };
}

/** Takes the asynchronous iterator if there are both, as `for await` does. */
function iteratorOf<Input>(inputs: FindManyInputs<Input>): Iterator<Input> | AsyncIterator<Input> {
  return Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
}

async function close(iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // Nobody waits for these inputs any more.
  }
}

/** Rejects as soon as the signal is aborted. Its listener goes with the wait: a run has many waits and one signal. */
async function untilAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  if (!isThenable(work)) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
    // Work that nobody waits for any more may still reject.
    if (signal.aborted) abort();
  });
}

/**
 * Refuses what cannot be iterated. One number is refused as well: its characters could be.
 *
 * @throws ConfigurationError if so.
 */
export function requireInputs(inputs: FindManyInputs<unknown>): void {
  const given: object = Object(inputs);
  if (typeof inputs !== "string" && (Symbol.iterator in given || Symbol.asyncIterator in given)) return;
  throw new ConfigurationError(
    "findMany: the second argument must be an iterable of mobile numbers, such as a list. For one number call findVpas().",
  );
}

/** The number of inputs, if they know it. */
export function countInputs(inputs: FindManyInputs<unknown>): number | undefined {
  const { length, size }: { length?: unknown; size?: unknown } = Object(inputs);
  return [length, size].find((count): count is number => Number.isInteger(count));
}
