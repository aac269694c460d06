import { ConfigurationError } from "../errors/request.ts";

/**
 * Waits for parts of this package that are loaded later. A deployment may lack them, as after an update of the files
 * beneath a running process.
 *
 * @throws ConfigurationError if one cannot be loaded.
 */
export async function loadParts<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    throw new ConfigurationError(`A part of this package could not be loaded. Nothing was sent. ${missingPartAdvice}`, {
      cause,
    });
  }
}

/** Rollup sets up the parts of a bundle of one file after a top-level `await` of its entry point. */
export const missingPartAdvice =
  "Restart the process, or install the package again; in a bundle of one file, make the call in a function and not at the top level.";
