import { placeOf, type Trace, traceCall } from "./traces.ts";
import { WeakList } from "./weak-list.ts";

type Listener = Parameters<AbortSignal["addEventListener"]>[1];

/** The calls that made each signal, and that added its listeners. */
const origins = new WeakMap<AbortSignal, Trace>();
const listeners = new WeakMap<AbortSignal, Map<Listener, Added>>();
/** The signals of tests that may still have listeners. */
const heard = new WeakList<AbortSignal>(
  (signal) => !signal.aborted && (listeners.get(signal)?.size ?? 0) > 0 && isOfTest(signal),
);

interface Added {
  readonly trace: Trace;
}

/** Notes who listens to the signals that are made from now on. */
export function watchSignals(): void {
  globalThis.AbortController = new Proxy(AbortController, {
    construct(target, args, self) {
      const controller: AbortController = Reflect.construct(target, args, self);
      origins.set(controller.signal, traceCall());
      return controller;
    },
  });
  const { any, timeout } = AbortSignal;
  // Each notes its own caller: the trace leaves out no further function.
  AbortSignal.any = (signals) => {
    const signal = any.call(AbortSignal, signals);
    origins.set(signal, traceCall());
    return signal;
  };
  AbortSignal.timeout = (ms) => {
    const signal = timeout.call(AbortSignal, ms);
    origins.set(signal, traceCall());
    return signal;
  };
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  AbortSignal.prototype.addEventListener = function (...args: Parameters<typeof addEventListener>) {
    const added = listeners.get(this) ?? new Map<Listener, Added>();
    if (added.size === 0) heard.add(this);
    listeners.set(this, added.set(args[1], { trace: traceCall() }));
    return addEventListener.apply(this, args);
  };
  AbortSignal.prototype.removeEventListener = function (...args: Parameters<typeof removeEventListener>) {
    listeners.get(this)?.delete(args[1]);
    return removeEventListener.apply(this, args);
  };
}

/** Returns the listeners of the library on signals of tests that are not aborted. */
export function* signalListeners(): Iterable<readonly [object, () => string]> {
  for (const signal of heard.living()) {
    for (const added of listeners.get(signal)?.values() ?? []) {
      const place = placeOf(added.trace);
      if (place?.file.startsWith("src/")) yield [added, () => `a listener on a signal, added by ${place.words}`];
    }
  }
}

function isOfTest(signal: AbortSignal): boolean {
  return placeOf(origins.get(signal))?.file.startsWith("test/") === true;
}

const processEvents = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit", "unhandledRejection", "uncaughtException"];

/** Returns the listeners on the process. */
export function* processListeners(): Iterable<readonly [object, () => string]> {
  for (const name of processEvents) {
    for (const listener of process.listeners(name as "exit")) {
      yield [listener, () => `a listener on ${name} of the process`];
    }
  }
}
