import type { StreamOptions } from "../../options.ts";

/** Options of a stream as they were when they were given. */
export interface TakenOptions<Options> {
  readonly signal: AbortSignal | undefined;
  /** Returns the checked copy, or throws what is wrong with the options: a stream fails where it is read. */
  readonly read: () => Options;
}

/** Reads the options of a stream once and at once, although it is sent at the first pull only. */
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
