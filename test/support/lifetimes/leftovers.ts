import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "../gc.ts";
import { changedGlobals, type Globals, readGlobals } from "./globals.ts";
import { openHandles, serverOf } from "./handles.ts";
import { processListeners, signalListeners, watchSignals } from "./listeners.ts";
import { runningTimers, watchTimers } from "./timers.ts";

/** The clock, before any test replaces it. */
const now = performance.now.bind(performance);

// Once in each process, which may run many files.
watchTimers();
watchSignals();

/** The timers, handles and listeners of one moment, each with a function that describes it, and the globals. */
export interface Moment {
  readonly running: ReadonlyMap<object, () => string>;
  readonly globals: Globals;
}

export function lookAround(): Moment {
  return { running: new Map(whatMayEnd()), globals: readGlobals() };
}

function* whatMayEnd(): Iterable<readonly [object, () => string]> {
  yield* openHandles();
  yield* runningTimers();
  yield* signalListeners();
  yield* processListeners();
}

/**
 * Returns what was not there before, and does not end soon. A connection to a server that was there before belongs to
 * that server.
 *
 * @param patience - Milliseconds that a socket has to close, for example.
 */
export async function leftSince(
  { running, globals }: Moment,
  patience = Number(process.env.SERVICEAPI_TEST_PATIENCE ?? 5_000),
): Promise<readonly string[]> {
  const endsAt = now() + patience;
  for (let round = 0; ; round++) {
    const isOver = now() > endsAt;
    const left: string[] = [];
    for (const [thing, describe] of whatMayEnd())
      if (!running.has(thing) && !running.has(serverOf(thing) ?? thing)) left.push(describe());
    // The globals take most of the time to read.
    if (left.length === 0 || isOver) left.push(...changedGlobals(globals));
    if (left.length === 0 || isOver) return left;
    // A listener may wait for a body to be collected.
    if (round === 20) collectGarbage();
    await (round < 40 ? turn() : pause(10));
  }
}
