import { promisify } from "node:util";
import { placeOf, type Trace, traceCall } from "./traces.ts";

/** A timer of Node, with the field that says whether it is over. */
type Timer = NodeJS.Timeout & { readonly _destroyed?: boolean };

/** The call that set each timer. One that has fired or was cleared is removed, so that what it held can be collected. */
const running = new Map<Timer, Trace>();

let isWatching = false;

/** Notes the timers that are set from now on. Those of fake clocks, and of Node itself, are not among them. */
export function watchTimers(): void {
  if (isWatching) return;
  isWatching = true;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const watched = {
    setTimeout(run: (...args: unknown[]) => void, ...rest: [number?, ...unknown[]]) {
      const timer: Timer = setTimeout(
        (...args: unknown[]) => {
          running.delete(timer);
          run(...args);
        },
        ...rest,
      );
      running.set(timer, traceCall());
      return timer;
    },
    setInterval(...args: Parameters<typeof setInterval>) {
      const timer = setInterval(...args);
      running.set(timer, traceCall());
      return timer;
    },
    clearTimeout: (timer: Timer) => forget(timer, clearTimeout),
    clearInterval: (timer: Timer) => forget(timer, clearInterval),
  };
  Object.defineProperty(watched.setTimeout, promisify.custom, { value: Reflect.get(setTimeout, promisify.custom) });
  Object.assign(globalThis, watched);
}

/** Returns the timers that run, also those that do not keep the process alive; those of packages are not ours. */
export function* runningTimers(): Iterable<readonly [object, () => string]> {
  for (const [timer, trace] of running) {
    const place = timer._destroyed ? undefined : placeOf(trace);
    if (place === undefined) running.delete(timer);
    else yield [timer, () => `a timer, set by ${place.words}`];
  }
}

function forget(timer: Timer, clear: (timer: Timer) => void): void {
  running.delete(timer);
  clear(timer);
}
