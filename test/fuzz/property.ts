import { createHash, randomInt } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { expect, it } from "vitest";

const folder = new URL("found/", import.meta.url);
/** Milliseconds for each property, set by `npm run fuzz`; otherwise a property has a fixed number of runs. */
const budget = Number(process.env.SERVICEAPI_FUZZ_MS ?? 0);
/** The file in which `npm run fuzz` counts the inputs. */
const tally = process.env.SERVICEAPI_FUZZ_TALLY;
/** The same inputs in each run of the tests. */
const fixed = { seed: 1, numRuns: 60 };

/** An input that broke a property, as it is kept. */
interface Found {
  readonly property: string;
  /** The input, for people. */
  readonly shown: string;
  /** The input, serialized by node:v8, in Base64. */
  readonly input: string;
}

const found = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name): Found => JSON.parse(readFileSync(new URL(name, folder), "utf8")));

/**
 * Declares a test that a property holds for the inputs that were found before, and for arbitrary ones: a few in
 * `npm test`, as many as there is time for in `npm run fuzz`, which keeps an input that breaks it.
 */
export function property<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  holds: (input: Input) => void | Promise<void>,
  numRuns: number = fixed.numRuns,
): void {
  it(name, { timeout: budget + 30_000 }, async () => {
    for (const { input } of found.filter((each) => each.property === name)) {
      await holds(deserialize(Buffer.from(input, "base64")));
    }
    const random = { seed: randomInt(2 ** 31), numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: budget };
    const options = budget > 0 ? { ...random, markInterruptAsFailure: false } : { ...fixed, numRuns };
    const run = await fc.check(
      fc.asyncProperty(input, async (value) => holds(value)),
      options,
    );
    if (tally !== undefined) {
      const file = basename(expect.getState().testPath ?? "", ".test.ts");
      appendFileSync(tally, `${JSON.stringify({ file, property: name, inputs: run.numRuns })}\n`);
    }
    if (run.failed && budget > 0 && run.counterexample !== null) keep(name, run.counterexample[0]);
    if (run.failed) throw new Error(fc.defaultReportMessage(run), { cause: run.errorInstance });
  });
}

function keep(property: string, input: unknown): void {
  const bytes = serialize(input);
  const hash = createHash("sha256").update(property).update(bytes).digest("hex").slice(0, 12);
  const kept: Found = { property, shown: fc.stringify(input).slice(0, 2_000), input: bytes.toString("base64") };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${hash}.json`, folder), `${JSON.stringify(kept, null, 2)}\n`);
}
