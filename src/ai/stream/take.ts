import type { StreamOptions } from "../../options.ts";

/**
 * Checks the options of a stream at the call, although the request is sent at the first pull.
 *
 * @returns The function that returns the checked copy, or throws the error of the check: a stream fails when it is read.
 */
export function takeOptions<Options extends StreamOptions | undefined>(check: () => Options): () => Options {
  try {
    const options = check();
    if (options?.extraBody !== undefined) Object.assign(options, { extraBody: copyOf(options.extraBody) });
    return () => options;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Returns a copy: the caller may change the object before the first pull. Anything that has none is refused then. */
export function copyOf<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
