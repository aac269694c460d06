import { randomInt } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Found, readFound, writeFound } from "./found.ts";
import { forgetCalls, neverResolved } from "./inputs.ts";

/** Milliseconds for each property, set by `npm run fuzz`; otherwise a property has a fixed number of runs. */
const budget = Number(process.env.SERVICEAPI_FUZZ_MS ?? 0);
/** The file in which `npm run fuzz` counts the inputs. */
const tally = process.env.SERVICEAPI_FUZZ_TALLY;
/** The seed that `npm run fuzz` tries again because an input of it blocked its process, and the file for each input. */
const again = { seed: process.env.SERVICEAPI_FUZZ_SEED, latest: process.env.SERVICEAPI_FUZZ_LATEST };
/** Milliseconds after which an input hangs. `npm test` measures no time: it waits as long as for any test. */
const inputTimeout = budget > 0 ? 10_000 : 120_000;
/** The same inputs in each run of the tests. */
const fixed = { seed: 1, numRuns: 60 };

type Holds<Input> = (input: Input) => void | Promise<void>;

const found = readFound();

/**
 * Declares a test that a property holds for the inputs that were found before, and for arbitrary ones: a few in
 * `npm test`, as many as there is time for in `npm run fuzz`, which keeps an input that breaks it. Each call of
 * `refusesTyped` must resolve for one of the arbitrary inputs: a property that refuses them all tests little.
 */
export function property<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  holds: Holds<Input>,
  numRuns: number = fixed.numRuns,
): void {
  it(name, { timeout: budget + 3 * inputTimeout }, async () => {
    const file = basename(expect.getState().testPath ?? "", ".test.ts");
    for (const each of found.filter((one) => one.file === file && one.property === name)) {
      await inTime(holds, read(each.input) as Input);
    }
    const seed = again.seed !== undefined ? Number(again.seed) : budget > 0 ? randomInt(2 ** 31) : fixed.seed;
    const line = { file, property: name, seed, pid: process.pid };
    count(line);
    forgetCalls();
    const trying: Holds<Input> = (value) => {
      const { latest } = again;
      if (latest !== undefined)
        writeFileSync(latest, JSON.stringify({ file, property: name, input: fc.stringify(value) }));
      return holds(value);
    };
    const { inputs, broken } = await tryInputs(input, trying, { seed, budget, numRuns });
    count({ ...line, inputs });
    if (broken === undefined) {
      if (inputs >= numRuns) {
        const resolvedNone = "no input of this property made these calls resolve: it needs better inputs, or more";
        expect(neverResolved(), resolvedNone).toEqual([]);
      }
      return;
    }
    const kept = budget > 0 ? await keep({ file, property: name, input: fc.stringify(broken.input) }, holds) : "";
    throw new Error(`${broken.report}\n${kept}`, { cause: broken.error });
  });
}

/** A line of the tally, for `npm run fuzz`: that a property has begun, and how many inputs it was tried with. */
function count(line: object): void {
  if (tally !== undefined) appendFileSync(tally, `${JSON.stringify(line)}\n`);
}

/** An input that broke a property. */
interface Broken {
  readonly input: unknown;
  readonly error: unknown;
  /** The input and the error, for people. */
  readonly report: string;
}

/** Tries a property with arbitrary inputs: a number of them, or those for which `budget` milliseconds suffice. */
export async function tryInputs<Input>(
  input: fc.Arbitrary<Input>,
  holds: Holds<Input>,
  options: { readonly seed: number; readonly budget: number; readonly numRuns: number; readonly timeout?: number },
): Promise<{ readonly inputs: number; readonly broken?: Broken }> {
  const { seed, budget, numRuns, timeout = inputTimeout } = options;
  let last: { readonly value: Input; readonly ended: Promise<void> } | undefined;
  let hangs = false;
  const tryOne = async (value: Input): Promise<void> => {
    // An input that hangs is not shrunk: each smaller one might take the whole time as well.
    if (hangs) return;
    const ended = inTime(holds, value, timeout).catch((error: unknown) => {
      hangs ||= error instanceof Hang;
      throw error;
    });
    last = { value, ended };
    await ended;
  };
  const forTime = {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: budget,
    markInterruptAsFailure: false,
  };
  const run = await fc.check(fc.asyncProperty(input, tryOne), { seed, ...(budget > 0 ? forTime : { numRuns }) });
  const inputs = run.numRuns;
  // A run whose time ends during its first input has failed as well, without a counterexample.
  if (run.failed && run.counterexample !== null) {
    const report = fc.defaultReportMessage(run);
    return { inputs, broken: { input: run.counterexample[0], error: run.errorInstance, report } };
  }
  // The time of the property is over, and its last input may not have ended.
  const error = await last?.ended.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return { inputs };
  const report = `Property failed as its time ended\n{ seed: ${seed} }\nInput: ${fc.stringify(last?.value)}`;
  return { inputs, broken: { input: last?.value, error, report } };
}

class Hang extends Error {}

/** Calls a property, and rejects if it does not end in time. */
async function inTime<Input>(holds: Holds<Input>, input: Input, timeout = inputTimeout): Promise<void> {
  const startedAt = performance.now();
  const late = () => new Hang(`did not end within ${timeout} ms`);
  const ended = holds(input);
  if (ended !== undefined) {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(late()), timeout);
    });
    await Promise.race([ended, over]).finally(() => clearTimeout(timer));
  }
  // No timer fires while the property computes.
  if (performance.now() - startedAt > timeout) throw late();
}

/** Reads an input as it was kept. */
export function read(input: string): unknown {
  return runInThisContext(`(${input})`);
}

/** Keeps an input if it breaks the property once more as it would be read, and says so. */
export async function keep(one: Found, holds: Holds<never>, to?: URL): Promise<string> {
  try {
    await inTime(holds, read(one.input) as never);
    return "It is not kept: read back, it broke nothing. Try the seed and path.";
  } catch {
    return `Kept in test/fuzz/found/${writeFound(one, to)}.`;
  }
}
