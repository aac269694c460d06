import type { StreamOptions } from "../../options.ts";

/** The options of a stream as they were at the call. */
export interface TakenOptions<Options> {
  readonly signal: AbortSignal | undefined;
  /** Returns the checked copy, or throws the error of the check: a stream fails when it is read. */
  readonly read: () => Options;
}

/** Reads the options of a stream at the call, although the request is sent at the first pull. */
export function takeOptions<Options extends StreamOptions>(check: () => Options): TakenOptions<Options> {
  try {
    const options = check();
    return { signal: options.signal, read: () => options };
  } catch (error) {
    return {
      signal: undefined,
      read: () => {
        throw error;
      },
    };
  }
}
