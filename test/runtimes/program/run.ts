import { runAborts } from "./aborts.ts";
import type { Context } from "./context.ts";
import { runPlainFetch } from "./plain.ts";
import { runStreams } from "./streams.ts";
import { type Globals, runLongIntegers, runPrinting, runWithoutEnvironment, useGlobals } from "./surroundings.ts";
import { runTrials } from "./trials.ts";

/** The parts of the program. In workerd each is a separate request. */
export const parts: Readonly<Record<string, (context: Context, globals: Globals) => Promise<void>>> = {
  first: (context, globals) => useGlobals(context, globals, "first"),
  second: (context, globals) => useGlobals(context, globals, "second"),
  environment: runWithoutEnvironment,
  longIntegers: runLongIntegers,
  printing: runPrinting,
  trials: runTrials,
  aborts: runAborts,
  streams: runStreams,
  plainFetch: runPlainFetch,
};
