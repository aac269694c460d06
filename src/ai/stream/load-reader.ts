import { couldNotLoad } from "../../shared/load-parts.ts";
import type { OpenStream } from "./open-stream.ts";

let reader: typeof OpenStream | undefined;

/** Returns the reader of responses, if it has been loaded: no stream but the first waits for it. */
export function loadedReader(): typeof OpenStream | undefined {
  return reader;
}

/**
 * Loads the reader of responses: framing, parsing and order, which a program without streams does not need.
 *
 * @throws ConfigurationError if it cannot be loaded.
 */
export async function loadReader(operation: string): Promise<typeof OpenStream> {
  try {
    reader = (await import("./open-stream.ts")).OpenStream;
    return reader;
  } catch (cause) {
    throw couldNotLoad(`${operation}: the part of this package that reads streams`, cause);
  }
}
