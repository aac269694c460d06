import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "../gc.ts";
import { globals } from "./globals.ts";
import { openHandles, serverOf } from "./handles.ts";
import { processListeners, signalListeners, watchSignals } from "./listeners.ts";
import { runningTimers, watchTimers } from "./timers.ts";

/** The clock, before any test replaces it. */
const now = performance.now.bind(performance);

// Once in each process, which may run many files.
watchTimers();
watchSignals();

/** The timers, handles, listeners and globals of one moment, each with a function that describes it. */
export type Moment = ReadonlyMap<object, () => string>;

/** Returns the timers that run, the handles that are open, the listeners, and the globals. */
export function lookAround(): Moment {
  return new Map([...whatMayEnd(), ...globals()]);
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
  before: Moment,
  patience = Number(process.env.SERVICEAPI_TEST_PATIENCE ?? 5_000),
): Promise<readonly string[]> {
  const endsAt = now() + patience;
  const newOf = (things: Iterable<readonly [object, () => string]>) =>
    [...things].filter(([thing]) => !before.has(thing) && !before.has(serverOf(thing) ?? thing));
  for (let round = 0; ; round++) {
    const isOver = now() > endsAt;
    const running = newOf(whatMayEnd());
    // The globals take most of the time to read.
    const left = running.length > 0 && !isOver ? running : [...running, ...newOf(globals())];
    if (left.length === 0 || isOver) return left.map(([, describe]) => describe());
    // A listener may wait for a body to be collected.
    if (round === 20) collectGarbage();
    await (round < 40 ? turn() : pause(10));
  }
}
