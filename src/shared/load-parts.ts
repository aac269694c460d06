import { ConfigurationError } from "../errors/request.ts";

// A deployment may lack a part of this package that is loaded later, as after an update of the files beneath a running
// process.

/** Waits for parts that are loaded later. @throws ConfigurationError if one cannot be loaded. */
export async function loadParts<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    throw new ConfigurationError(`A part of this package could not be loaded. Nothing was sent. ${missingPartAdvice}`, {
      cause,
    });
  }
}

/** Waits for a part that is loaded later, and returns undefined if it cannot be loaded. */
export function optionalPart<T>(loading: Promise<T>): Promise<T | undefined> {
  return loading.catch(() => undefined);
}

/** Rollup sets up the parts of a bundle of one file after a top-level `await` of its entry point. */
export const missingPartAdvice =
  "Restart the process, or install the package again; in a bundle of one file, make the call in a function and not at the top level.";
