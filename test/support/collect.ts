import { type ErrorClass, errorOf } from "./client.ts";

/** Everything that this yields. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** Reads until an error of that class, and returns it with the items that were read before. */
export async function collectUntilError<T, E extends Error = Error>(
  source: AsyncIterable<T>,
  errorClass: ErrorClass<E> = Error as never,
): Promise<{ readonly all: readonly T[]; readonly error: E }> {
  const all: T[] = [];
  const reading = (async () => {
    for await (const item of source) all.push(item);
  })();
  return { all, error: await errorOf(reading, errorClass) };
}
