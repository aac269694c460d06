import { readdirSync } from "node:fs";
import { sample as sampleOf } from "../support/client.ts";

const folder = new URL("../../src/emulator/samples/flight/", import.meta.url);

/** A sample payload as its file has it, such as `sample("book/success-lcc")`. */
export function sample(name: string): unknown {
  return sampleOf(`flight/${name}`);
}

/** The names of the samples of an operation that begin with `prefix`. */
export function samples(operation: "fare_quote" | "fare_rule" | "book", prefix: string): string[] {
  return readdirSync(new URL(operation, folder))
    .filter((file) => file.startsWith(prefix))
    .map((file) => `${operation}/${file.replace(".json", "")}`);
}

/** A deep copy of `value` with the value at `path` replaced; `undefined` removes it. */
export function withField(value: unknown, path: readonly (string | number)[], replacement: unknown): unknown {
  const copy = structuredClone(value);
  let holder: unknown = copy;
  for (const key of path.slice(0, -1)) holder = Reflect.get(Object(holder), key);
  const last = path.at(-1);
  if (last === undefined || typeof holder !== "object" || holder === null) throw new Error(`no ${path.join(".")}`);
  if (!(last in holder) && replacement === undefined) throw new Error(`nothing at ${path.join(".")}`);
  if (replacement === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, replacement);
  return copy;
}
